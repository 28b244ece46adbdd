"""An application for computing time: what is asked for in the centre's unit, by period and by phase, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reckon.compute.budget.requested import GPU_HOURS, Part, Request
from reckon.model.kinds import CEILING

from ..render.escape import terminal
from ..render.numbers import decimal, figure_text
from ..terminal.lines import cut
from ..view import View
from .blocks import Blocks, Paper, Row, clean
from .edition import PaperHead, add_pictures, add_risks, drawn_anew, method, verdict

WIDE = 44


def lines(view: View, request: Request) -> Iterator[str]:
    """The request for a terminal, its parts below each other."""
    yield terminal(f"{view.project.title}: {_asked(request)}")
    yield terminal(f"  {_counted(request)}")
    for parts in (request.periods, request.phases):
        if parts:
            yield ""
            yield from (_line(part, request) for part in parts)
            yield _line(_whole(request), request)


def _line(part: Part, request: Request) -> str:
    hours, units = decimal(part.hours, request.hour_places), decimal(part.units, request.unit_places)
    charged = "" if request.unit == GPU_HOURS else f" {units:>14} {cut(clean(request.unit), 24)}"
    return terminal(f"  {cut(clean(part.title), WIDE):{WIDE}} {hours:>12} GPU-h{charged}")


def _whole(request: Request) -> Part:
    return Part("Total", request.hours, request.units)


def _asked(request: Request) -> str:
    """What is asked for, of whom and for when."""
    units = f"{decimal(request.units, request.unit_places)} {request.unit}"
    span = f"{request.grant.since} to {request.grant.until}"
    return f"{units} of “{request.grant.title}”, {span}"


def _counted(request: Request) -> str:
    """How the units come of the hours."""
    hours = f"{decimal(request.hours, request.hour_places)} GPU-h ({request.figure.title[:80]})"
    charge, per_hour = request.grant.charge, decimal(request.per_hour)
    if charge is None:
        return hours
    if charge.gpus_per_unit is not None:
        return f"{hours}; {per_hour} {charge.unit} for each GPU-h, {decimal(1 / request.per_hour)} GPUs a unit"
    return f"{hours}; {per_hour} {charge.unit} for each GPU-h"


def application(view: View, request: Request, head: PaperHead) -> Paper:
    """The application as a document. Raises NotTypeset for a picture without a text."""
    blocks, title = Blocks(), str(view.project.title)
    blocks.heading("What is asked for")
    blocks.paragraph(f"**{_asked(request)}.** This is {_counted(request)}.")
    if (spent := view.maybe(CEILING.actual)) and spent.use and not spent.missing:
        blocks.paragraph(f"{figure_text(spent)} were charged to the project before, as of {view.through}.")
    _table(blocks, request, "Period", request.periods)
    how = "follow the planned days of the phases" if request.by_plan else "are spread evenly over the days"
    blocks.paragraph(f"Hours {how}; parts are rounded so that they add up to the total.")
    if request.phases:
        blocks.heading("What it is for")
        _table(blocks, request, "Phase", request.phases)
    verdict(view, blocks)
    add_pictures(view, blocks, drawn_anew, most=1, width=68)
    blocks.heading("Method")
    blocks.paragraph(method(view))
    add_risks(view, blocks)
    way = "as published" if head.as_published else "released"
    standing = f"From version {head.version}, {way} {head.day}."
    if head.draft:
        standing = f"Draft: from the ledger with data through {head.day}, which is not released."
    foot = f"{title[:60]}, {'draft, data through' if head.draft else f'version {head.version},'} {head.day}"
    return Paper(title, "application for computing time", standing, foot, head.address, head.day, head.draft, blocks)


def _table(blocks: Blocks, request: Request, name: str, parts: Sequence[Part]) -> None:
    """Parts with their total, in hours and, where that is another unit, in the centre's."""
    both = request.unit != GPU_HOURS
    head = [name, GPU_HOURS, *([clean(request.unit, 40)] if both else [])]
    rows = [(part, False) for part in parts] + [(_whole(request), True)]
    blocks.table(head, [
        Row([part.title, decimal(part.hours, request.hour_places),
             *([decimal(part.units, request.unit_places)] if both else [])], bold) for part, bold in rows
    ], "<>>"[: len(head)])  # fmt: skip
