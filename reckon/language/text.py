"""Text that remembers where it was written, the one way to say that a text means nothing, and phrases of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple


class Place(NamedTuple):
    """A position in a ledger file: path relative to the root, line and column counted from 1; of a whole file, its
    beginning.

    Line 0 stands for what is in no file: `file` then says where it comes from, as `--set pixelis.seeds=5`.
    """

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    @property
    def short(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Place("", 0, 0)


def lines_by_file(places: Iterable[Place]) -> dict[str, str]:
    """The lines of some places by their file, each once: `11, 14, 15`."""
    files: dict[str, dict[str, None]] = {}
    for place in places:
        files.setdefault(place.file, {})[str(place.line)] = None
    return {file: ", ".join(lines) for file, lines in files.items()}


class Text(str):
    """A scalar or a key as it stands in a ledger, with its place. Behaves as the plain string everywhere else."""

    __slots__ = ("lines", "place")
    place: Place
    lines: tuple[tuple[int, Place], ...]
    """For a text over several lines of its file: the offset and the place where each line begins; else not set."""

    def __new__(cls, value: str, place: Place = NOWHERE) -> Text:
        """The text, with the place where it stands."""
        text = str.__new__(cls, value)
        text.place = place
        return text


class LineText(Text):
    """A text of a record that stands in one line. Its place is that of the record, in another column: made when it is
    asked for, because a scheduler has a hundred thousand lines, and messages are about few of them."""

    __slots__ = ("column", "record")
    column: int
    record: Place

    @property
    def place(self) -> Place:  # type: ignore[override]
        """Where the text begins."""
        return self.record._replace(column=self.column)


def capitalise(text: str) -> str:
    """A text that begins with a capital; all else of it stays."""
    return text[:1].upper() + text[1:]


def place_of(value: object) -> Place:
    """The place of a text that has one, else NOWHERE."""
    return getattr(value, "place", NOWHERE)


def place_at(text: object, at: int) -> Place:
    """The place of a character of a text; its beginning where the lines of the text are not known."""
    place = place_of(text)
    lines: tuple[tuple[int, Place], ...] = getattr(text, "lines", ())
    if lines:
        begins, place = max((line for line in lines if line[0] <= at), default=lines[0])
        return place._replace(column=place.column + max(at - begins, 0))
    return place if place is NOWHERE or "\n" in str(text) else place._replace(column=place.column + at)


class Refusal(Exception):
    """A text that means nothing: what is wrong and what would be right; `at` counts characters into the text."""

    def __init__(self, wrong: str, right: str, at: int = 0) -> None:
        super().__init__(f"{wrong}; {right}" if right else wrong)
        self.wrong = wrong
        self.right = right
        self.at = at


class Unable(Exception):
    """What somebody asks for that cannot be done: why, in a line, which ends the command."""


def echoed(text: object, most: int = 60) -> str:
    """An argument, shortened for a message: it can be as long as a ledger."""
    whole = str(text)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def first_unseen(text: str) -> str:
    """The first sign of a text that nobody can see, as `U+200B`; empty where there is none."""
    return next((f"U+{ord(sign):04X}" for sign in text if not sign.isprintable()), "")


def plural(number: int, word: str, several: str = "") -> str:
    """A count with its noun: `1 run`, `1,200 runs`; `several` is the plural of a noun that does not take an s."""
    return f"{number:,} {word if number == 1 else several or f'{word}s'}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are: `a, b and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def list_first(lines: Sequence[str], most: int = 20, more: str = "… and {} more") -> Iterator[str]:
    """The first of some lines, and below them how many more there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield more.format(f"{len(lines) - most:,}")


def flow_map(entries: Mapping[str, str]) -> str:
    """A map of YAML in one line; its values are written as YAML already."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"


def some_of(names: Iterable[str], most: int) -> str:
    """The first of some names: `a, b, …`."""
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")
