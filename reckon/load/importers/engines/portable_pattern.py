"""Patterns that every engine runs alike: what RE2, Java and others have in common, written with signs that all know.

A pattern that RE2 has read is cut into parts. It is refused by name where a part says more than all engines know, and
written anew: groups without names, classes without short forms, signs in brackets in place of backslashes. Texts that
it is held against have no line ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from reckon.language.text import Refusal

MOST_OPEN = 6
"""Repetitions without an end in one pattern: engines that go back and try again take a power of them."""
# The most that `{n,m}` may say is the limit of POSIX.
_TO_255 = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PART = re.compile(
    rf"""(?sx)
    (?P<flag>     \( \? (?! : | P?< ) )
  | (?P<nothing>  (?: \| | \( (?: \?: | \?P?<\w+> )? ) [|)]  |  \A\|  |  \|\Z )
  | (?P<again>    \) (?: [*+] | \{{[0-9] ) )
  | (?P<second>   (?: [*+?] | \{{[0-9][0-9,]*\}} ) [*+?{{] )
  | (?P<brace>    \{{ (?! {_TO_255} (?: , {_TO_255}? )? \}} ) )
  | (?P<endless>  [*+] | \{{[0-9]+,\}} )
  | (?P<often>    \? | \{{[0-9,]+\}} )
  | (?P<edge>     [\^$] )
  | (?P<group>    \( (?: \?: | \?P?<(?P<name>\w+)> )? )
  | (?P<class>    (?P<opening> \[\^? ) (?P<inside> \]? (?: \\. | [^\]\\] )* ) \] )
  | (?P<short>    \\[dwsDWS] )
  | (?P<escape>   \\\w )
  | (?P<as_it_is> [.|)] | \\[\\^] )
  | (?P<special>  \\?[].+*?()|[{{}}$] )
  | (?P<sign>     \\?. )
    """
)
_PART_OF_CLASS = re.compile(
    r"""(?sx)
    (?P<short>            \\[dws] )
  | (?P<escape_in_class>  \\\w )
  | (?P<sign_in_class>    [][&~] )
  | (?P<no_range>         [^\x00-\x7f]-.  |  (?: \\. | [^\\] ) - (?: \\\w | [^\x00-\x7f] ) )
  | (?P<range>            (?P<first> \\. | [^\\] ) - (?P<last> \\. | [^\\] ) )
  | (?P<sign>             \\?. )
    """
)
# What is wrong with a part that engines do not run alike, and what would be right; `{}` is the part.
_REFUSED = {
    "flag": ("a flag", "spell it out, as `[Aa]`"),
    "nothing": ("an empty alternative", "write `(…)?`"),
    "again": ("a group that is repeated", "write it out for each repetition, as `(…)?(…)?`"),
    "second": ("a second repetition sign", "write one, as `+`"),
    "brace": ("`{}`", r"write `\{}` for the sign, or `{{2,4}}`"),
    "edge": ("`{}`", "remove it; a pattern always fits the whole text"),
    "escape": ("`{}`", r"use \d, \w, \s or signs such as `\.`"),
    "escape_in_class": ("`{}` in a class", r"use \d, \w, \s or signs such as `\]`"),
    "sign_in_class": ("`{}` in a class", r"write `\{}`"),
    "no_range": ("an invalid range", "write it as `a-z`"),
}
_SHORT = {r"\d": "0-9", r"\D": "^0-9", r"\w": "A-Za-z0-9_", r"\W": "^A-Za-z0-9_", r"\s": " ", r"\S": "^ "}


class NotPortable(Refusal):
    """A pattern, or a part of it, is not one that all engines run alike: what is, and what would be."""


class NumberedPattern(NamedTuple):
    """A pattern as an engine takes it, anchored at both ends, and the number of each of its named groups."""

    text: str
    groups: dict[str, int]


def port_pattern(pattern: str) -> NumberedPattern:
    """A pattern that RE2 has read, in the form that all engines take. Raises NotPortable."""
    text = ""
    groups: dict[str, int] = {}
    count = 1
    endless = 0
    for found in _PART.finditer(pattern):
        kind = _kind_of(found)
        part = found[0]
        if kind == "group":
            count += 1
            part = "("
            if found["name"]:
                groups[found["name"]] = count
        elif kind == "endless":
            endless += 1
        elif kind == "class":
            part = _port_class(found)
        elif kind == "short":
            part = f"[{_SHORT[part]}]"
        elif kind == "special":
            part = f"[{part[-1]}]"
        elif kind == "sign":
            part = part[-1]
        text += part
    if endless > MOST_OPEN:
        raise NotPortable(f"{endless} repetitions without an end", f"write at most {MOST_OPEN}")
    return NumberedPattern(f"^({text})$", groups)


def _kind_of(part: re.Match[str]) -> str:
    """The kind of a part. Raises NotPortable for what engines do not run alike."""
    kind = str(part.lastgroup)
    if kind in _REFUSED:
        wrong, right = (text.format(part[0]) for text in _REFUSED[kind])
        raise NotPortable(f"{wrong} at character {part.end()}", right)
    return kind


def _port_class(part: re.Match[str]) -> str:
    text = part["opening"]
    for found in _PART_OF_CLASS.finditer(part.string, *part.span("inside")):
        kind = _kind_of(found)
        if kind == "short":
            text += _SHORT[found[0]]
        elif kind == "range":
            text += f"{_escape_in_class(found['first'])}-{_escape_in_class(found['last'])}"
        else:
            text += _escape_in_class(found[0])
    return f"{text}]"


def _escape_in_class(text: str) -> str:
    """A sign of a class, which may have a backslash that it does not need."""
    sign = text[-1]
    return f"\\{sign}" if sign in "\\]^-[&~" else sign
