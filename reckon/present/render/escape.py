"""Ledger text made harmless for markdown, HTML attributes, links, anchors and terminals.

A page is read twice: by Python-Markdown (the site) and by a forge (GitHub flavoured markdown). The two agree on a
backslash before a few characters only; those get one, and all others become entities. Only what could act is escaped,
so that raw markdown stays readable. Every function takes linear time.

Whitespace runs (newlines, tabs, line and paragraph separators) become one space, and the ends are stripped; control
characters, surrogates, bidirectional and zero-width characters become U+FFFD, one for one.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from itertools import takewhile
from posixpath import dirname, join, normpath
from types import MappingProxyType
from urllib.parse import quote, unquote

from reckon.language.lazy import regex

KNOWN = 10_000
"""How many texts are known as they were escaped: most stand on a page several times. A text that is markup never
gets there: it equals one that is not."""


Inside = Mapping[int, str]
"""The plain text of what stand-ins stand for, by their code points."""
NOTHING: Inside = MappingProxyType({})


class Markup(str):
    """Text that is already markdown or HTML. Only our own code makes one; adding to it gives a plain str again."""


# Characters that stand for what is put into a text after it was escaped, one for each piece: private, so that nothing
# here takes them for a letter. Ledger text is to hold none: `no_stand_ins`.
FIRST_STAND_IN = 0x100000
_STAND_IN = regex("[\U00100000-\U0010ffff]")

_SPACES = regex(r"[ \t\n\v\f\r\x85\u2028\u2029]+")
_NEVER_SEEN = (
    "[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"
)
_HIDDEN = regex(_NEVER_SEEN)
_UNSEEN = regex(_NEVER_SEEN[:-1] + "\t-\r\x85\u2028\u2029]")
_BEFORE = _NEVER_SEEN[:-1] + " \t\v\f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_BREAKS = regex("\r\n?|[\v\f\x85\u2028\u2029]")
_BACKSLASH = frozenset("\\*_{}[]()>#+-.!")  # no backtick: tables of Python-Markdown count escaped ones too

_EMPHASIS = r"""
    (?<!\ )\* | \*(?!\ )                        # a star with a space on both sides is multiplication
  | (?<![^\W_])_ | _(?![^\W_])                  # inside a word an underscore does nothing
"""
_ACTIVE = r"""
    [`|\[\]{]
  | \\(?![^\W_])                                # before a letter or digit a backslash is itself
  | <(?!\ |=?\ ?\d[\d.,]*+%?[;:)!?]*+(?:\ |$))  # `a < b`, `<0.1` and `<= 5%` are no tags, `<5@e>` is an address
  | &(?=\#|[0-9A-Za-z\U00100000-\U0010ffff]*(?:;|$))  # nothing but an entity needs this
  | (?<=[^\ ])~ | ~(?![^\W_])                   # `~5 h` opens what nothing closes
  | (?<![\ =])={2,}+ | ={2,}+(?!\ )             # ==mark==, not `a == b`
  | (?<=[^\ ])\$(?!\d) | \$(?=\$) | (?<=\$)\$   # $math$; a price opens nothing that closes
  | \^
  | :(?=\d*+[A-Za-z_+-][\w+-]*+:) | (?<=\]):   # :emoji:, not 10:30:15; [reference]:
  | !$ | \#+$                                   # before a link of ours; at the end of a heading
"""
_INLINE = regex(_ACTIVE + "|" + _EMPHASIS, re.VERBOSE)
_RAW_HTML = regex(_ACTIVE + "|" + _EMPHASIS + r"""| ["'<>&~\\]""", re.VERBOSE)
_DIGIT = r"[\d\U00100000-\U0010ffff]"  # what is put in may be a number
# What most texts are: words and numbers, in which nothing acts and of which nothing is unseen.
_QUIET = regex(r"[A-Za-z0-9,.%/()–−×…·—-]+(?: [A-Za-z0-9,.%/()–−×…·—-]+)*")
_OPENER = regex(
    rf"""({_DIGIT}*)((?<={_DIGIT})[.)](?=\ |$) | (?<!{_DIGIT})(?:[#>!^] | -(?=[-\ ]|:?$) | \+(?=[+\ ]|$)
    | =(?==*\ *$|==) | :(?=[-:\ ]|$) | \?(?=\?\?) | /(?=//)))""",
    re.VERBOSE,
)

CALLS = regex(r"@|(?<!&)#(?=\d)|!(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
"""Where a forge would call a person, or link an issue or a change: `@ann`, `#1`, `!1`, `GH-1`; no entity (`&#124;`)."""


def no_stand_ins(text: str) -> str:
    """Ledger text without the characters that stand for what is put in."""
    return _STAND_IN.sub("\ufffd", text)


def _clean(text: str) -> str:
    """One line without anything unseen (see the module's docstring)."""
    if text.isprintable() and "  " not in text:  # as most are
        return text.strip()
    return _HIDDEN.sub("\ufffd", _SPACES.sub(" ", text)).strip()


def _entity(char: str) -> str:
    """A character as an entity that both dialects and HTML know."""
    return escape(char) if char in "&<>" else f"&#{ord(char)};"


def _literal(char: str) -> str:
    """A character that markdown prints and does not read."""
    return "\\" + char if char in _BACKSLASH else _entity(char)


def _escape(text: str) -> str:
    """Clean one-line text with everything escaped that could act after its first word."""
    if _QUIET.fullmatch(text):
        return text
    lonely = {char for char in "^~" if text.count(char) == 1}  # `10^21`, `(~5 h)`: what is alone pairs with nothing

    def replace(match: re.Match[str]) -> str:
        start, end = match.span()
        alone = start > 0 and match[0] in lonely and text[end : end + 1].isalnum()
        if alone and (match[0] == "^" or text[start - 1] == "("):
            return match[0]
        return "".join(map(_literal, match[0]))

    return _INLINE.sub(replace, text)


def _open(text: str, escaped: str, inside: Inside = NOTHING) -> str:
    """The escaped text with what would open a block at the start of a line escaped too. `inside` has the plain text of
    stand-ins: `2 epochs.` is the end of a sentence, and no number of a list."""
    match = _OPENER.match(text)
    if match and re.fullmatch(rf"{_DIGIT}*", match[1].translate(inside)) and escaped.startswith(match[0]):
        return match[1] + _literal(match[2]) + escaped[match.end() :]
    return escaped


def inline(text: str) -> Markup:
    """Any text as inline markdown: it prints itself and does nothing in a paragraph, at the start of a line, in a list
    item, heading, table cell or link text. Markup is returned as it is."""
    return text if isinstance(text, Markup) else _inline(text)


@lru_cache(KNOWN)
def _inline(text: str) -> Markup:
    return Markup(_open(line := _clean(text), _escape(line)))


def cell(text: str) -> Markup:
    """Any text for a table cell: as `inline`, but `- x`, `+` and `1.` stay as they are: no block starts in a cell."""
    return text if isinstance(text, Markup) else _cell(text)


@lru_cache(KNOWN)
def _cell(text: str) -> Markup:
    return Markup(_escape(_clean(text)))


def attribute(text: str) -> Markup:
    """Any text as entities only: for an attribute or a YAML value in double quotes, between raw tags (`<summary>`), and
    for titles in front matter (which a page needs: the theme undoes the entities of its heading) and navigation."""
    return Markup(_RAW_HTML.sub(lambda match: "".join(map(_entity, match[0])), _clean(text)))


@lru_cache(KNOWN)
def code(text: str) -> Markup:
    """Any text as inline code, also in a table cell: backticks, or `<code>` where the dialects differ on them."""
    text = _clean(text)
    if re.fullmatch(r"(?!#!|:::)[^`|\\<&]+", text):
        return Markup(f"`{text}`")
    return Markup(f"<code>{attribute(text)}</code>" if text else "")


def _reachable(target: str, page: str) -> bool:
    """Whether a link may lead there: http(s) with a host, mailto, or relative without leaving the root."""
    if not target or _HIDDEN.search(target) or re.search(r"[\s\\]", target):
        return False
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return re.match(r"https?://[^/?#]|mailto:[^/?#]", target, re.IGNORECASE) is not None
    path = unquote(re.split("[?#]", target, maxsplit=1)[0])
    inside = not path.startswith("/") and normpath(join(dirname(page), path)).split("/")[0] != ".."
    return inside and not _HIDDEN.search(path) and not re.search(r"[^\S ]|[\\:]", path)


def link(text: str, target: str, page: str = "index.md") -> Markup:
    """The text as a link from `page` (its path below the root), or without one where the target is not http(s), mailto
    or a relative path that stays below the root. Without text the target is shown."""
    shown = inline(text)
    if not _reachable(target, page):
        return shown
    destination = quote(target, safe="/:?#=%+,;@$&").replace("&", "&amp;")
    return Markup(f"[{shown or inline(target)}]({destination})")


_LANGUAGES = ("bash", "bibtex", "console", "diff", "ini", "json", "python", "sh", "toml", "yaml")  # no mermaid
_FENCE = regex(r"(`{3,}|~{3,}) *([\w+-]*)[^`]*$")
_CONTAINER = regex(r"(?: *(?:>|(?:[-+*]|\d{1,9}[.)])(?= )))* *")
_TOKEN = regex(
    r"""\\(?P<literal>[!-/:-@\[-`{-~])
  | (?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^`].*?)(?<!`)(?P=ticks)(?!`)
  | (?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>(?:[^\s()<>]|\([^\s()<>]*\))*+)(?:\ +"[^"]*")?\)
  | <(?P<auto>https?://[^\s<>]+)>
  | (?P<active>!(?=<) |"""
    f"{_ACTIVE})",
    re.VERBOSE,
)


def _prose(line: str, page: str, inside: Inside) -> str:
    """One line of markdown outside fences, with only lists, quotes, emphasis, code and links left able to act."""

    def replace(match: re.Match[str]) -> str:
        if match["code"]:
            return code(match["code"].translate(inside))
        if match["text"] is not None:
            text, target = match["text"].translate(inside), match["target"].translate(inside)
            return _literal("!") * len(match["image"]) + link(text or target, target, page)
        if match["auto"]:
            return link(match["auto"].translate(inside), match["auto"].translate(inside), page)
        return "".join(map(_literal, match["literal"] or match["active"]))

    line = _HIDDEN.sub("\ufffd", line).rstrip()
    head = line[: start.end()] if (start := _CONTAINER.match(line)) else ""
    rest = line[len(head) :]
    is_rule = re.fullmatch(r"[*_ ]+", rest)
    return head + _open(rest, _escape(rest) if is_rule else _TOKEN.sub(replace, rest), inside)


def _fenced(fence: re.Match[str], lines: Iterator[str]) -> list[str]:
    """The lines up to the closing fence, in a fence that both dialects see: longer than any backticks within."""
    ends = re.compile(rf" {{0,3}}{fence[1]}{fence[1][0]}* *$").match
    body = [_HIDDEN.sub("\ufffd", line) for line in takewhile(lambda line: not ends(line), lines)]
    mark = "`" * max(3, 3, *(len(run) + 1 for line in body for run in re.findall("`+", line)))
    return ["", mark + (fence[2] if fence[2] in _LANGUAGES else ""), *body, mark, ""]


def block(text: str, page: str = "index.md", inside: Inside = NOTHING) -> Markup:
    """Ledger prose typed as markdown: paragraphs, lists, quotes, emphasis, code (fences at the margin), and links as
    `link` allows them from `page`. All else prints itself: HTML, entities, headings, rules, tables, attribute lists.
    An image becomes a link; indented code would show our escapes. `inside` has the plain text of stand-ins, for code
    and links, into which no markup can be put."""
    lines = iter(textwrap.dedent(_BREAKS.sub("\n", text).expandtabs(4)).split("\n"))
    out = []
    for line in lines:
        if fence := _FENCE.match(line):
            out += [line.translate(inside) for line in _fenced(fence, lines)]
        else:
            out.append(_prose(line, page, inside))
    return Markup("\n".join(out).strip("\n"))


def terminal(text: str) -> str:
    """Text for a terminal: all that is unseen (escape sequences, line breaks, bidirectional controls) as `\\x1b`."""
    if text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


_COMMAND = regex(
    rf"(?:^|(?<=\r)){_BEFORE}*+:(?={_NEVER_SEEN}*+:)|#(?={_NEVER_SEEN}*+#{_NEVER_SEEN}*+(?:vso)?\[)",
    re.MULTILINE,
)


def idle(text: str) -> str:
    """Lines in which the runner of a forge finds no command. GitHub's looks for `::` at the beginning of a line, after
    spaces and what is unseen, and for `##[` anywhere; others for `##vso[`. The first sign becomes `\\u003a`, which JSON
    knows too."""
    if "::" not in text and "##" not in text and text.replace("\n", "").isprintable():
        return text
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}", text)


@lru_cache(KNOWN)
def anchor(address: str) -> str:
    """An address as an id, one for one: letters, digits, dots, dashes, underscores inside words stay; `/` is `:2f.`."""
    return re.sub(r"[^A-Za-z0-9._-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", lambda match: f":{ord(match[0]):x}.", address)
