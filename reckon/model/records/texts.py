"""What is said of a project beside its plan and runs: named figures, texts and claims."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import Condition, Line, One, Parts, Reference, RefersTo, Words

from .shared import LINE


class NamedFigure(Record):
    """One named quantity; its key carries the unit."""

    free: ClassVar[str] = "figures"
    title: Words
    source: Words | None = None
    notes: Words | None = None
    line: Line | None = Field(None, description=LINE)
    figures: One = Field(default_factory=dict)


class Passage(Record):
    """A part of the document in the author's words: points, labelled points, or a table of figures."""

    title: Words | None = Field(None, description="its own heading")
    section: Words = Field(description="heading, or the id of a phase to appear at its end; `answer` opens the page")
    page: Annotated[Reference, RefersTo("pages")] | None = Field(
        None, description="page from `pages` it appears on (default: the first page)"
    )
    when: Condition | None = Field(None, description="condition; if false, the text is omitted, with a finding")
    text: Words | None = Field(None, description="markdown; {address} quotes a figure")
    otherwise: Words | None = Field(None, description="text shown instead if `when` is false")
    parts: Parts = Field((), description="a list of points, or a map of labels and points")
    rows: tuple[Words, ...] = Field((), description="addresses of figures, one row each")


class Claim(Record):
    """A stated figure or word, compared with the calculated one; a table of these; a formula's terms, or an
    order."""

    of: Words = Field(description="address of the figure or word; of a table, the address above its figures")
    states: Words | None = Field(None, description="the figure as stated, `~` if approximate; or the id of a word")
    columns: tuple[Words, ...] = Field((), description="of a table: the end of the address of each column")
    rows: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict, description="of a table: stated figures, by the address after `of`; `-` for none"
    )
    drawn: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict,
        description="of a table that is a picture of text too: where each point is drawn, by its row, in the units of "
        "`columns`; the range that its label covers, or `-` for an axis without meaning",
    )
    terms: tuple[Words, ...] = Field((), description="the items and parts that a stated formula sums")
    below: Words | None = Field(
        None, description="what the document says it is below: the address of a figure, or a quantity"
    )
    above: Words | None = Field(
        None, description="what the document says it is above: the address of a figure, or a quantity"
    )
    within: Words | None = Field(
        None, description="the limit the document says it is within: the address of a figure, or a quantity"
    )
    at: Words = Field(description="place in the document")
    source: Words | None = Field(None, description="the document")
    notes: Words | None = Field(None, description="what explains it; its finding says so")
    remedy: Words | None = Field(None, description="what to change, where writing what is calculated would not do")
    line: Line | None = Field(None, description=LINE)

    @property
    def document(self) -> str:
        """The document that it stands in; empty where it names none."""
        return str(self.source or "")
