"""Patterns that every engine runs alike: what RE2, Java and others have in common, written with signs that all know.

A pattern is read by this grammar, refused by name where it says more, and written anew: groups without names, classes
without short forms, signs in brackets in place of backslashes. Texts that it is held against have no line ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reckon.language.text import Refusal

MOST_OPEN = 6
"""Repetitions without an end in one pattern: engines that go back and try again take a power of them."""
MOST_DEEP = 30
"""Groups inside of groups."""
MOST_TIMES = 255
"""The most that `{n,m}` may say: the limit of POSIX."""
_SHORT = {"d": "0-9", "w": "A-Za-z0-9_", "s": " "}
_SPECIAL = frozenset(r"\.+*?()|[]{}^$")


class Unlike(Refusal):
    """A pattern, or a part of it, is not one that all engines run alike: what is, and what would be."""


class Alike(NamedTuple):
    """A pattern as all engines take it, anchored at both ends, and the number of each of its named groups."""

    text: str
    groups: dict[str, int]


class _Part(NamedTuple):
    """A part of a pattern: its text, whether an empty text fits it, how many repetitions without an end are in it,
    and whether a named group is."""

    text: str
    empty: bool = False
    open: int = 0
    named: bool = False


def alike(pattern: str) -> Alike:
    """A pattern in the form that all engines take. Raises Unlike."""
    return _Reading(pattern).all()


class _Reading:
    """One pattern, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.count = 1
        self.deep = 0
        self.groups: dict[str, int] = {}

    def all(self) -> Alike:
        part = self._branches()
        if self.at < len(self.text):
            raise self._unlike("`)`", r"write `\)` for the sign")
        if part.open > MOST_OPEN:
            raise Unlike(f"{part.open} repetitions without an end", f"write at most {MOST_OPEN}")
        return Alike(f"^({part.text})$", self.groups)

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def _unlike(self, what: str, right: str) -> Unlike:
        return Unlike(f"{what} at sign {self.at + 1}", right)

    def _branches(self) -> _Part:
        found = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            found.append(self._sequence())
        if len(found) == 1:
            return found[0]
        if any(not part.text for part in found):
            raise self._unlike("an alternative of nothing", "write `(…)?`")
        return _joined(found, "|", any(part.empty for part in found))

    def _sequence(self) -> _Part:
        found: list[_Part] = []
        while self._peek() not in ("", "|", ")"):
            found.append(self._repeated(self._atom()))
        return _joined(found, "", all(part.empty for part in found))

    def _atom(self) -> _Part:
        sign = self._peek()
        simple: dict[str, Callable[[], _Part]] = {"(": self._group, "[": self._class, "\\": self._escaped}
        if sign in simple:
            return simple[sign]()
        if sign in "*+?{}]^$":
            right = r"leave it out: a pattern fits the whole text" if sign in "^$" else f"write `\\{sign}` for the sign"
            raise self._unlike(f"`{sign}`", right)
        self.at += 1
        return _Part(sign if sign == "." else _literal(sign))

    def _group(self) -> _Part:
        self.at += 1
        name = ""
        if self._peek() == "?":
            name = self._name()
        number = self.count = self.count + 1
        if name:
            self.groups[name] = number
        if self.deep >= MOST_DEEP:
            raise self._unlike(f"a group inside of {MOST_DEEP} others", "make several rules of it")
        self.deep += 1
        part = self._branches()
        self.deep -= 1
        if self._take() != ")":
            raise self._unlike("a group without an end", "close it with `)`")
        if not part.text:
            raise self._unlike("a group of nothing", "leave it out")
        return part._replace(text=f"({part.text})", named=part.named or bool(name))

    def _name(self) -> str:
        """The name of a group, empty where it has none."""
        for start in ("?P<", "?<"):
            if self.text.startswith(start, self.at):
                end = self.text.find(">", self.at)
                if end < 0:
                    break
                name = self.text[self.at + len(start) : end]
                self.at = end + 1
                return name
        if not self.text.startswith("?:", self.at):
            raise self._unlike("a flag", "spell it out, as `[Aa]`")
        self.at += 2
        return ""

    def _repeated(self, part: _Part) -> _Part:
        sign = self._peek()
        if sign not in ("*", "+", "?", "{"):
            return part
        least, most, said = self._times()
        if self._peek() in ("?", "+", "*", "{"):
            raise self._unlike("a second sign for how often", "write one, as `+`")
        if part.empty and said != "?":
            raise self._unlike("a repetition of what may be empty", "repeat what has at least one sign")
        if most is None and part.open:
            raise self._unlike("a repetition inside of a repetition", "write one of both")
        if part.named and said != "?":
            raise self._unlike("a named group that is repeated", "put the repetition into the group")
        open_ = 1 if most is None else part.open * most
        return _Part(part.text + said, part.empty or least == 0, open_, part.named)

    def _times(self) -> tuple[int, int | None, str]:
        """How often at least and at most (None for any number), and the sign for that."""
        sign = self._take()
        if sign != "{":
            return {"*": (0, None, "*"), "+": (1, None, "+"), "?": (0, 1, "?")}[sign]
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at : end].partition(",") if end > 0 else ("", "", "")
        if not _number(least) or (most and (not _number(most) or int(most) < int(least))):
            raise self._unlike("`{`", r"write `\{` for the sign, or `{2,4}`")
        self.at = end + 1
        return int(least), int(most) if most else None if comma else int(least), f"{{{least}{comma}{most}}}"

    def _escaped(self) -> _Part:
        self.at += 1
        sign = self._take()
        if sign.lower() in _SHORT and sign:
            return _Part(f"[{'^' if sign.isupper() else ''}{_SHORT[sign.lower()]}]")
        self._expect_sign(sign, "", r"`\.`")
        return _Part(_literal(sign))

    def _expect_sign(self, sign: str, where: str, example: str) -> None:
        """Raises Unlike where what was taken after a backslash is not a sign that means itself there."""
        if not sign or not sign.isascii() or sign.isalnum() or sign == "_":
            self.at -= 1
            raise self._unlike(f"`\\{sign[:1]}`{where}", rf"there are \d, \w and \s, and signs such as {example}")

    def _class(self) -> _Part:
        self.at += 1
        turned = self._peek() == "^"
        self.at += turned
        signs: list[str] = []
        while (sign := self._peek()) != "]" or not signs:
            if sign in ("", "[", "]", "&", "~"):
                right = f"write `\\{sign}`" if sign else "close it: `]`"
                raise self._unlike(f"`{sign or 'the end'}` in a class", right)
            signs.append(self._range())
        self.at += 1
        return _Part(f"[{'^' if turned else ''}{''.join(signs)}]")

    def _range(self) -> str:
        """A sign of a class, two with what lies between them, or a short form."""
        first, short = self._sign_of_class()
        if short or self._peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return first if short else _in_class(first)
        self.at += 1
        last, short = self._sign_of_class()
        if short or not (first.isascii() and last.isascii()) or first > last:
            raise self._unlike("a range that is none", "write it as `a-z`")
        return f"{_in_class(first)}-{_in_class(last)}"

    def _sign_of_class(self) -> tuple[str, bool]:
        sign = self._take()
        if sign != "\\":
            return sign, False
        sign = self._take()
        if sign in _SHORT and sign:
            return _SHORT[sign], True
        self._expect_sign(sign, " in a class", r"`\]`")
        return sign, False


def _joined(found: list[_Part], between: str, empty: bool) -> _Part:
    """Parts beside each other as one."""
    text = between.join(part.text for part in found)
    return _Part(text, empty, sum(part.open for part in found), any(part.named for part in found))


def _number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and int(text[:4]) <= MOST_TIMES


def _literal(sign: str) -> str:
    if sign in "^\\":
        return f"\\{sign}"
    return f"[{sign}]" if sign in _SPECIAL else sign


def _in_class(sign: str) -> str:
    return f"\\{sign}" if sign in "\\]^-[&~" else sign
