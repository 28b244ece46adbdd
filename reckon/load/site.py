"""The settings of a site (`mkdocs.yml`, `docs/nav.yml`), read as data before any builder sees them.

A shape is a function that makes plain data of a part of a tree, or says what is wrong with it. Tables give each key its
own shape, and no other key is taken: none of them names code, a file outside docs/, or a program to run. A new key
belongs here only if the builder takes it as a text, a flag or a number: what is imported, called, run, or opened by a
path is left to `--trust`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reckon.language.lazy import regex
from reckon.language.text import Place, Text, place_of
from reckon.model import bounds
from reckon.model.finding import Problem, ProblemList, nearest
from reckon.model.scalars import Unread
from reckon.model.tree import FILE, ORDER, SiteSettings

from . import files
from .yaml_nodes import Map, Seq, Stop, read_tree

Shape = Callable[[Any, ProblemList], Any]
"""Takes a part of a tree and gives data; what is wrong is appended to the problems, and what is given means nothing."""

TRUST = "remove it; `build` and `serve` accept any setting with `--trust`, in a repository you trust"


def text_shape(fits: str, what: str, make: Callable[[str], Any] = str) -> Shape:
    """One text that fits a pattern as a whole; `what` says what to write."""
    pattern = regex(fits, re.DOTALL)

    def read(part: Any, problems: ProblemList) -> Any:
        if not isinstance(part, Text):
            complain(part, "one text is expected here", f"write {what}", problems)
        elif not pattern.fullmatch(part):
            complain(part, f"`{part[:60]}` does not fit here", f"write {what}", problems)
        else:
            return make(str(part))
        return None

    return read


def choice(*words: str) -> Shape:
    """One of some words."""
    return text_shape("|".join(map(re.escape, words)), "one of " + ", ".join(f"`{word}`" for word in words))


def list_shape(entry: Shape) -> Shape:
    """A list whose entries all have a shape."""

    def read(part: Any, problems: ProblemList) -> Any:
        if not isinstance(part, Seq):
            return complain(part, "a list is expected here", "begin each entry with `- `", problems)
        return [entry(inner, problems) for inner in part]

    return read


def keyed(known: Mapping[str, Shape]) -> Shape:
    """A map with some of the known keys, each with a shape of its own."""

    def read(part: Any, problems: ProblemList) -> Any:
        if not isinstance(part, Map):
            return _a_map(part, problems)
        for key in part:
            if key not in known:
                right = nearest(key, known, short=0) or TRUST
                complain(key, f"`{key[:60]}` is not an allowed site setting", right, problems)
        return {str(key): known[key](inner, problems) for key, inner in part.items() if key in known}

    return read


def map_shape(fits: str, what: str, value: Shape) -> Shape:
    """A map with keys of any name that fits a pattern, and values of one shape."""
    name = text_shape(fits, what)

    def read(part: Any, problems: ProblemList) -> Any:
        if not isinstance(part, Map):
            return _a_map(part, problems)
        return {name(key, problems): value(inner, problems) for key, inner in part.items()}

    return read


def either(alone: Shape, a_map: Shape, a_list: Shape | None = None) -> Shape:
    """One shape for a text, another for a map, and where it is given one for a list."""

    def read(part: Any, problems: ProblemList) -> Any:
        if isinstance(part, Map):
            return a_map(part, problems)
        return (a_list if a_list and isinstance(part, Seq) else alone)(part, problems)

    return read


def named_shape(kind: str, known: Mapping[str, Mapping[str, Shape]]) -> Shape:
    """A list of names, each alone or with a map of its options."""

    def entry(part: Any, problems: ProblemList) -> Any:
        name, options = next(iter(part.items())) if isinstance(part, Map) and len(part) == 1 else (part, "")
        if not isinstance(name, Text):
            return complain(
                part, f"a name of a {kind} is expected here", "write `- name`, or `- name: {options}`", problems
            )
        if name not in known:
            hint = "" if "." in name else nearest(name, known, short=0)  # with `pymdownx.` all are alike
            return complain(name, f"`{name[:60]}` is not an allowed {kind}", hint or TRUST, problems)
        return str(name) if options == "" else {str(name): keyed(known[name])(options, problems)}

    return list_shape(entry)


def _a_map(part: Any, problems: ProblemList) -> None:
    complain(
        part,
        "a map of names and values is expected here",
        "write `name: value` lines below the key, indented",
        problems,
    )


def complain(part: Any, wrong: str, right: str, problems: ProblemList) -> None:
    """Appends a problem with a part, unless it could not be read: then there is a problem already."""
    if not isinstance(part, Unread):
        problems.append(Problem(place_of(part), wrong, right))


Options = Mapping[str, Shape]

# A path below docs/: it does not begin with a slash, a drive or the name of a protocol, and goes nowhere up.
_INSIDE = r"(?!/)(?![A-Za-z][A-Za-z0-9+.-]*:)(?!.*(?:^|/)\.\.?(?:/|$))[^\\\n]{1,300}"
_ADDRESS = r"https?://[^\s\"'<>\\]{1,500}"

FLAG = text_shape("true|false", "`true` or `false`", lambda written: written == "true")
NUMBER = text_shape("[0-9]{1,4}", "a whole number", int)
LINE = text_shape(r"[^\n]{0,1000}", "one line of text")
LINES = text_shape(".{0,20000}", "a text")
PATH = text_shape(_INSIDE, "a path below docs/, as `assets/extra.css`")
ADDRESS = text_shape(f"({_ADDRESS})?", "an address that begins with `https://`")
_ANYWHERE = rf"{_ADDRESS}|mailto:[^\s\"'<>\\]{{1,300}}|{_INSIDE}"
LINK = text_shape(_ANYWHERE, "a path below docs/, or an address that begins with `https://`")
WORD = text_shape(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,60}", "a name")
CLASSES = text_shape(r"[A-Za-z][A-Za-z0-9 _-]{0,100}", "names of classes")
ICON = text_shape(r"[a-z0-9-]+(/[a-z0-9-]+)+", "the name of an icon, as `material/chart-bar`")
LANGUAGE = text_shape(r"[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?", "the short name of a language, as `en`")
LEVEL = choice("warn", "info", "ignore", "relative_to_docs")
_FLAGS: Mapping[str, Any] = {"true": True, "false": False}
FLAG_OR_LINE = text_shape(r"[^\n]{0,200}", "one line of text", lambda written: _FLAGS.get(written, written))
NONE: Options = {}

_LEVELS = ("omitted_files", "not_found", "absolute_links", "unrecognized_links", "anchors")
_LEVELS_OF: Options = dict.fromkeys(_LEVELS, LEVEL)

_ICONS = (
    "logo",
    "repo",
    "edit",
    "view",
    "menu",
    "alternate",
    "search",
    "close",
    "top",
    "share",
    "previous",
    "next",
    "annotation",
)
_ICONS_BY_NAME = map_shape("[A-Za-z0-9_-]{1,60}", "a name", ICON)
_PALETTE = keyed(
    {
        "media": text_shape(r"\([a-z-]+(: [a-z-]+)?\)", 'a media query, as `"(prefers-color-scheme: dark)"`'),
        "scheme": WORD,
        "primary": WORD,
        "accent": WORD,
        "toggle": keyed({"icon": ICON, "name": LINE}),
    }
)
_THEME = {
    "name": choice("material", "mkdocs", "readthedocs"),
    "language": LANGUAGE,
    "locale": LANGUAGE,
    "direction": choice("ltr", "rtl"),
    "logo": PATH,
    "favicon": PATH,
    "font": either(
        text_shape("false", "`false`, or names of fonts under `text` and `code`", lambda _: False),
        keyed({"text": WORD, "code": WORD}),
    ),
    "icon": keyed({**dict.fromkeys(_ICONS, ICON), "admonition": _ICONS_BY_NAME, "tag": _ICONS_BY_NAME}),
    "features": list_shape(text_shape(r"[a-z]+([._][a-z]+)*", "the name of a feature, as `navigation.tabs`")),
    "palette": either(_PALETTE, _PALETTE, list_shape(_PALETTE)),
}

_PLUGINS: Mapping[str, Options] = {
    "search": {"lang": either(LANGUAGE, LANGUAGE, list_shape(LANGUAGE)), "separator": LINE, "enabled": FLAG},
    "tags": {"enabled": FLAG, "tags": FLAG, "tags_allowed": list_shape(LINE)},
}


def _level(written: str) -> int | str:
    return int(written) if written.isdecimal() else written


_SMART = {"smart_enable": choice("all", "underscore", "asterisk", "none")}
_EXTENSIONS: Mapping[str, Options] = {
    "abbr": NONE,
    "admonition": NONE,
    "attr_list": NONE,
    "def_list": NONE,
    "extra": NONE,
    "fenced_code": NONE,
    "md_in_html": NONE,
    "meta": NONE,
    "nl2br": NONE,
    "sane_lists": NONE,
    "tables": {"use_align_attribute": FLAG},
    "footnotes": {"BACKLINK_TEXT": LINE, "BACKLINK_TITLE": LINE, "UNIQUE_IDS": FLAG, "SEPARATOR": WORD},
    "codehilite": {"linenums": FLAG, "guess_lang": FLAG, "use_pygments": FLAG, "css_class": CLASSES},
    "smarty": dict.fromkeys(("smart_dashes", "smart_quotes", "smart_angled_quotes", "smart_ellipses"), FLAG),
    "toc": {
        "permalink": FLAG_OR_LINE,
        "permalink_title": LINE,
        "permalink_class": CLASSES,
        "permalink_leading": FLAG,
        "anchorlink": FLAG,
        "title": LINE,
        "title_class": CLASSES,
        "toc_class": CLASSES,
        "baselevel": NUMBER,
        "toc_depth": text_shape("[1-6](-[1-6])?", "a level, or two as `2-3`", _level),
    },
    "pymdownx.arithmatex": {"generic": FLAG},
    "pymdownx.betterem": _SMART,
    "pymdownx.caret": {"smart_insert": FLAG, "insert": FLAG, "superscript": FLAG},
    "pymdownx.critic": {"mode": choice("view", "accept", "reject")},
    "pymdownx.details": NONE,
    "pymdownx.highlight": {
        **dict.fromkeys(("use_pygments", "guess_lang", "auto_title", "anchor_linenums", "linenums"), FLAG),
        **dict.fromkeys(("pygments_lang_class", "noclasses", "stripnl"), FLAG),
        "line_spans": WORD,
        "css_class": CLASSES,
        "line_anchors": WORD,
        "default_lang": WORD,
        "linenums_style": choice("table", "inline", "pymdownx-inline"),
    },
    "pymdownx.inlinehilite": {"css_class": CLASSES},
    "pymdownx.keys": {"strict": FLAG, "camel_case": FLAG, "separator": LINE},
    "pymdownx.magiclink": {
        **dict.fromkeys(("hide_protocol", "repo_url_shortener", "repo_url_shorthand"), FLAG),
        "provider": choice("github", "gitlab", "bitbucket"),
        "user": WORD,
        "repo": WORD,
    },
    "pymdownx.mark": {"smart_mark": FLAG},
    "pymdownx.quotes": {"callouts": FLAG},
    "pymdownx.saneheaders": NONE,
    "pymdownx.smartsymbols": NONE,
    "pymdownx.superfences": {
        "css_class": CLASSES,
        "preserve_tabs": FLAG,
        "disable_indented_code_blocks": FLAG,
        "relaxed_headers": FLAG,
    },
    "pymdownx.tabbed": {"alternate_style": FLAG, "combine_header_slug": FLAG},
    "pymdownx.tasklist": {"custom_checkbox": FLAG, "clickable_checkbox": FLAG},
    "pymdownx.tilde": {"smart_delete": FLAG, "delete": FLAG, "subscript": FLAG},
}

_EXTRA = {
    "generator": FLAG,
    "homepage": LINK,
    "social": list_shape(keyed({"icon": ICON, "link": LINK, "name": LINE})),
    "alternate": list_shape(keyed({"name": LINE, "link": LINK, "lang": LANGUAGE})),
}
_SCRIPT = keyed({"path": PATH, "type": choice("module", "text/javascript"), "async": FLAG, "defer": FLAG})


def _entry(part: Any, problems: ProblemList) -> Any:
    """An entry of the order of pages: a path or address, alone or below its title; or a title and what is below it."""
    if isinstance(part, Map) and len(part) != 1:
        problems.append(Problem(part.place, "an entry has one title", "begin each with `- ` on a line of its own"))
        return None
    return either(LINK, map_shape(r"[^\n]{1,1000}", "a title", either(LINK, LINK, list_shape(_entry))))(part, problems)


NAV: Options = {"nav": list_shape(_entry)}
SITE: Options = {
    "INHERIT": text_shape(ORDER, f"`{ORDER}`"),
    "site_name": LINE,
    "site_description": LINE,
    "site_author": LINE,
    "copyright": LINES,
    "site_url": ADDRESS,
    "repo_url": ADDRESS,
    "repo_name": LINE,
    "edit_uri": text_shape(rf"{_INSIDE}|{_ADDRESS}|", "a path that is added to `repo_url`"),
    "docs_dir": text_shape("docs", "`docs`"),
    "site_dir": text_shape(_INSIDE, "a path below the root, as `site`"),
    "use_directory_urls": FLAG,
    "strict": FLAG,
    "exclude_docs": LINES,
    "draft_docs": LINES,
    "not_in_nav": LINES,
    "validation": keyed({**_LEVELS_OF, "nav": keyed(_LEVELS_OF), "links": keyed(_LEVELS_OF)}),
    "theme": either(_THEME["name"], keyed(_THEME)),
    "plugins": named_shape("plugin", _PLUGINS),
    "markdown_extensions": named_shape("extension", _EXTENSIONS),
    "extra": keyed(_EXTRA),
    "extra_css": list_shape(PATH),
    "extra_javascript": list_shape(either(PATH, _SCRIPT)),
    **NAV,
}


def settings(root: Path, ours: str, ordered: bool = True) -> tuple[SiteSettings, ProblemList]:
    """The settings of a tree's site, and all that is wrong with them; `ours`, as text, for a tree without any.

    Where the settings inherit the order of the pages in docs/nav.yml, that file is checked too if `ordered` (a render
    writes it anew, so it need not be). It is not part of the result.
    """
    problems: ProblemList = []
    own = os.path.lexists(root / FILE)
    text = files.read(root, root / FILE, problems, bounds.SETTINGS) if own else ours
    found = _read(text, FILE, SITE, problems)
    inherits = found.pop("INHERIT", None) is not None
    if own and not problems and "site_name" not in found:
        problems.append(Problem(Place(FILE, 1, 1), "`site_name` is missing", "add `site_name:`"))
    if own and inherits and ordered and os.path.lexists(root / ORDER):
        _read(files.read(root, root / ORDER, problems, bounds.SETTINGS), ORDER, NAV, problems)
    return SiteSettings(found, inherits and "nav" not in found), sorted(set(problems))


def order(text: str) -> tuple[Any, ProblemList]:
    """The order of the pages in a text as it stands in docs/nav.yml, and all that is wrong with it."""
    problems: ProblemList = []
    return _read(text, ORDER, NAV, problems).get("nav"), problems


def _read(text: str | None, name: str, known: Options, problems: ProblemList) -> dict[str, Any]:
    """The data in a text; none where there is no text, or it is not that of a map."""
    try:
        tree = read_tree(text or "", name, problems)
        if tree and not isinstance(tree, Map):
            raise Stop(tree.place, "a map is expected here", "write `name: value` on each line")
    except Stop as stop:
        problems.append(stop.problem)
        return {}
    return dict(keyed(known)(tree, problems) or {}) if tree else {}
