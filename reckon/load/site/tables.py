"""Which settings a site may have. None of them names code, a file outside docs/, or a program to run.

A new one belongs here only if the builder takes it as a text, a flag or a number: what is imported, called, run, or
opened by a path is left to `--trust`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reckon.model.problem import Problem
from reckon.model.site import ORDER

from ..tree import Map
from .shapes import Shape, choice, each, either, keyed, listed, named, text

Options = Mapping[str, Shape]

# A path below docs/: it does not begin with a slash, a drive or the name of a protocol, and goes nowhere up.
_INSIDE = r"(?!/)(?![A-Za-z][A-Za-z0-9+.-]*:)(?!.*(?:^|/)\.\.?(?:/|$))[^\\\n]{1,300}"
_ADDRESS = r"https?://[^\s\"'<>\\]{1,500}"

FLAG = text("true|false", "`true` or `false`", lambda written: written == "true")
NUMBER = text("[0-9]{1,4}", "a whole number", int)
LINE = text(r"[^\n]{0,1000}", "one line of text")
LINES = text(".{0,20000}", "a text")
PATH = text(_INSIDE, "a path below docs/, as `assets/extra.css`")
ADDRESS = text(f"({_ADDRESS})?", "an address that begins with `https://`")
_ANYWHERE = rf"{_ADDRESS}|mailto:[^\s\"'<>\\]{{1,300}}|{_INSIDE}"
LINK = text(_ANYWHERE, "a path below docs/, or an address that begins with `https://`")
WORD = text(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,60}", "a name")
CLASSES = text(r"[A-Za-z][A-Za-z0-9 _-]{0,100}", "names of classes")
ICON = text(r"[a-z0-9-]+(/[a-z0-9-]+)+", "the name of an icon, as `material/chart-bar`")
LANGUAGE = text(r"[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?", "the short name of a language, as `en`")
LEVEL = choice("warn", "info", "ignore", "relative_to_docs")
FLAG_OR_LINE = text(r"[^\n]{0,200}", "one line of text", lambda one: {"true": True, "false": False}.get(one, one))
NONE: Options = {}

_LEVELS = ("omitted_files", "not_found", "absolute_links", "unrecognized_links", "anchors")
_LEVELS_OF: Options = dict.fromkeys(_LEVELS, LEVEL)

_ICONS = ("logo", "repo", "edit", "view", "menu", "alternate", "search", "close", "top", "share", "previous", "next",
          "annotation")  # fmt: skip
_ICONS_BY_NAME = each("[A-Za-z0-9_-]{1,60}", "a name", ICON)
_PALETTE = keyed({
    "media": text(r"\([a-z-]+(: [a-z-]+)?\)", "a media query, as `\"(prefers-color-scheme: dark)\"`"),
    "scheme": WORD, "primary": WORD, "accent": WORD, "toggle": keyed({"icon": ICON, "name": LINE}),
})  # fmt: skip
_THEME = {
    "name": choice("material", "mkdocs", "readthedocs"), "language": LANGUAGE, "locale": LANGUAGE,
    "direction": choice("ltr", "rtl"), "logo": PATH, "favicon": PATH,
    "font": either(text("false", "`false`, or names of fonts under `text` and `code`", lambda _: False),
                   keyed({"text": WORD, "code": WORD})),
    "icon": keyed({**dict.fromkeys(_ICONS, ICON), "admonition": _ICONS_BY_NAME, "tag": _ICONS_BY_NAME}),
    "features": listed(text(r"[a-z]+([._][a-z]+)*", "the name of a feature, as `navigation.tabs`")),
    "palette": either(_PALETTE, _PALETTE, listed(_PALETTE)),
}  # fmt: skip

_PLUGINS: Mapping[str, Options] = {
    "search": {"lang": either(LANGUAGE, LANGUAGE, listed(LANGUAGE)), "separator": LINE, "enabled": FLAG},
    "tags": {"enabled": FLAG, "tags": FLAG, "tags_allowed": listed(LINE)},
}  # fmt: skip


def _level(written: str) -> int | str:
    return int(written) if written.isdecimal() else written


_SMART = {"smart_enable": choice("all", "underscore", "asterisk", "none")}
_EXTENSIONS: Mapping[str, Options] = {
    "abbr": NONE, "admonition": NONE, "attr_list": NONE, "def_list": NONE, "extra": NONE, "fenced_code": NONE,
    "md_in_html": NONE, "meta": NONE, "nl2br": NONE, "sane_lists": NONE, "tables": {"use_align_attribute": FLAG},
    "footnotes": {"BACKLINK_TEXT": LINE, "BACKLINK_TITLE": LINE, "UNIQUE_IDS": FLAG, "SEPARATOR": WORD},
    "codehilite": {"linenums": FLAG, "guess_lang": FLAG, "use_pygments": FLAG, "css_class": CLASSES},
    "smarty": dict.fromkeys(("smart_dashes", "smart_quotes", "smart_angled_quotes", "smart_ellipses"), FLAG),
    "toc": {"permalink": FLAG_OR_LINE, "permalink_title": LINE, "permalink_class": CLASSES, "permalink_leading": FLAG,
            "anchorlink": FLAG, "title": LINE, "title_class": CLASSES, "toc_class": CLASSES, "baselevel": NUMBER,
            "toc_depth": text("[1-6](-[1-6])?", "a level, or two as `2-3`", _level)},
    "pymdownx.arithmatex": {"generic": FLAG},
    "pymdownx.betterem": _SMART,
    "pymdownx.caret": {"smart_insert": FLAG, "insert": FLAG, "superscript": FLAG},
    "pymdownx.critic": {"mode": choice("view", "accept", "reject")},
    "pymdownx.details": NONE,
    "pymdownx.highlight": {
        **dict.fromkeys(("use_pygments", "guess_lang", "auto_title", "anchor_linenums", "linenums"), FLAG),
        **dict.fromkeys(("pygments_lang_class", "noclasses", "stripnl"), FLAG), "line_spans": WORD,
        "css_class": CLASSES, "line_anchors": WORD, "default_lang": WORD,
        "linenums_style": choice("table", "inline", "pymdownx-inline"),
    },
    "pymdownx.inlinehilite": {"css_class": CLASSES},
    "pymdownx.keys": {"strict": FLAG, "camel_case": FLAG, "separator": LINE},
    "pymdownx.magiclink": {**dict.fromkeys(("hide_protocol", "repo_url_shortener", "repo_url_shorthand"), FLAG),
                           "provider": choice("github", "gitlab", "bitbucket"), "user": WORD, "repo": WORD},
    "pymdownx.mark": {"smart_mark": FLAG},
    "pymdownx.quotes": {"callouts": FLAG},
    "pymdownx.saneheaders": NONE,
    "pymdownx.smartsymbols": NONE,
    "pymdownx.superfences": {"css_class": CLASSES, "preserve_tabs": FLAG, "disable_indented_code_blocks": FLAG,
                             "relaxed_headers": FLAG},
    "pymdownx.tabbed": {"alternate_style": FLAG, "combine_header_slug": FLAG},
    "pymdownx.tasklist": {"custom_checkbox": FLAG, "clickable_checkbox": FLAG},
    "pymdownx.tilde": {"smart_delete": FLAG, "delete": FLAG, "subscript": FLAG},
}  # fmt: skip

_EXTRA = {
    "generator": FLAG, "homepage": LINK, "social": listed(keyed({"icon": ICON, "link": LINK, "name": LINE})),
    "alternate": listed(keyed({"name": LINE, "link": LINK, "lang": LANGUAGE})),
}  # fmt: skip
_SCRIPT = keyed({"path": PATH, "type": choice("module", "text/javascript"), "async": FLAG, "defer": FLAG})


def _entries(part: Any, problems: list[Problem]) -> Any:
    """The order of pages: each a path or address, alone or below its title; or a title and what stands below it."""
    return listed(_entry)(part, problems)


def _entry(part: Any, problems: list[Problem]) -> Any:
    if isinstance(part, Map) and len(part) != 1:
        problems.append(Problem(part.place, "an entry has one title", "begin each with `- ` on a line of its own"))
        return None
    return either(LINK, each(r"[^\n]{1,1000}", "a title", either(LINK, LINK, _entries)))(part, problems)


NAV: Options = {"nav": _entries}
SITE: Options = {
    "INHERIT": text(ORDER, f"`{ORDER}`"),
    "site_name": LINE, "site_description": LINE, "site_author": LINE, "copyright": LINES,
    "site_url": ADDRESS, "repo_url": ADDRESS, "repo_name": LINE,
    "edit_uri": text(rf"{_INSIDE}|{_ADDRESS}|", "a path that is added to `repo_url`"),
    "docs_dir": text("docs", "`docs`"), "site_dir": text(_INSIDE, "a path below the root, as `site`"),
    "use_directory_urls": FLAG, "strict": FLAG, "exclude_docs": LINES, "draft_docs": LINES, "not_in_nav": LINES,
    "validation": keyed({**_LEVELS_OF, "nav": keyed(_LEVELS_OF), "links": keyed(_LEVELS_OF)}),
    "theme": either(_THEME["name"], keyed(_THEME)),
    "plugins": named("plugin", _PLUGINS), "markdown_extensions": named("extension", _EXTENSIONS),
    "extra": keyed(_EXTRA), "extra_css": listed(PATH), "extra_javascript": listed(either(PATH, _SCRIPT)),
    **NAV,
}  # fmt: skip
