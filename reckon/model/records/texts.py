"""What is said of a project beside its plan and runs: named figures, texts and claims."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import Condition, One, Parts, Reference, RefersTo, Words


class NamedFigure(Record):
    """One named quantity; its key carries the unit."""

    free: ClassVar[str] = "figures"
    title: Words
    source: Words | None = None
    notes: Words | None = None
    figures: One = Field(default_factory=dict)


class Passage(Record):
    """A piece of the document in the author's words: points, labelled points, or a table of figures."""

    title: Words | None = Field(None, description="its own heading")
    section: Words = Field(
        description="its heading, or the id of a phase to stand at its end; what stands under `answer` opens the page"
    )
    page: Annotated[Reference, RefersTo("pages")] | None = Field(
        None, description="the page of `pages` that it stands on; without it, on the first page"
    )
    when: Condition | None = Field(None, description="left out, with a finding, where this does not hold")
    text: Words | None = Field(None, description="markdown; {address} quotes a figure")
    otherwise: Words | None = Field(None, description="stands there instead where `when` does not hold")
    parts: Parts = Field((), description="a list of points, or a map of labels and points")
    rows: tuple[Words, ...] = Field((), description="addresses of figures, one row each")


class Claim(Record):
    """A figure or word stated somewhere, held against the calculated one; a table of these; a formula's terms, or an
    order."""

    of: Words = Field(
        description="the address of the figure or word that it speaks of; of a table, what its figures lie below"
    )
    states: Words | None = Field(
        None, description="the figure as stated, `~` where it was called approximate; or the id of a word"
    )
    columns: tuple[Words, ...] = Field((), description="of a table: how the address of each column's figures ends")
    rows: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict, description="of a table: the figures as stated, by what comes after `of`; `-` for none"
    )
    drawn: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict,
        description="of a table that is a picture of text too: where each point is drawn, by its row, in the units of "
        "`columns`; the range that its label covers, or `-` for an axis that tells nothing",
    )
    terms: tuple[Words, ...] = Field((), description="the items and parts that a stated formula sums")
    below: Words | None = Field(
        None, description="what it is said to be below, as a faster time is: the address of a figure, or a quantity"
    )
    above: Words | None = Field(None, description="what it is said to be above, as a larger memory is; likewise")
    within: Words | None = Field(None, description="the limit that all of it is said to be within; likewise")
    at: Words = Field(description="where it is stated")
    source: Words | None = Field(None, description="the document")

    @property
    def document(self) -> str:
        """The document that it stands in; empty where it names none."""
        return str(self.source or "")
