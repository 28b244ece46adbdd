"""An application for computing time: what is asked for in the centre's unit, by period and by phase, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from reckon.compute.budget.application import GPU_HOURS, Part, Request, paid_by_others
from reckon.compute.budget.left_of_plan import is_whole
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..render.escape import terminal
from ..render.numbers import decimal, figure_text
from ..terminal.lines import cut, line_width
from ..view import View
from .blocks import ELSEWHERE, Blocks, Paper, PaperHead, Row, brief, clean
from .edition import add_pictures, drawn_anew, method, verdict
from .risks import add_risks
from .tables import add_columns, add_glance, add_table

WIDE = 44


def request_lines(view: View, request: Request) -> Iterator[str]:
    """The request for a terminal, its parts below each other."""
    yield terminal(f"{view.project.title}: {_describe_request(request)}")
    yield terminal(f"  {_describe_conversion(request)}")
    yield from _indent(_describe_charged(view, request))
    yield from _indent(_describe_others(view, request))
    for parts in (request.periods, request.phases):
        if parts:
            yield ""
            yield from (_line(part, request) for part in parts)
            yield _line(_total_part(request), request)
    yield ""
    yield from _indent(f"{describe_division(request)}.")


def _indent(text: str) -> Iterator[str]:
    """The lines of a text on a terminal; none of an empty one."""
    return (terminal(f"  {line}") for line in wrap(text, line_width() - 2))


def _line(part: Part, request: Request) -> str:
    title, hours, units = _part_cells(part, request)
    charged = "" if request.unit == GPU_HOURS else f" {units:>14} {cut(clean(request.unit), 24)}"
    return terminal(f"  {cut(clean(title), WIDE):{WIDE}} {hours:>12} GPU-h{charged}")


def _total_part(request: Request) -> Part:
    return Part("Total", request.hours, request.units)


def _describe_request(request: Request) -> str:
    """What is asked for, of whom and for when."""
    units = f"{decimal(request.units, request.unit_places)} {request.unit}"
    span = f"{request.grant.since} to {request.grant.until}"
    return f"{units} of “{request.grant.title}”, {span}"


def _describe_conversion(request: Request) -> str:
    """How the units come of the hours."""
    hours = f"{told_figure(request)} ({request.figure.title[:80]})"
    charge, per_hour = request.grant.charge, decimal(request.per_hour)
    if charge is None:
        return hours
    held = ""
    if charge.gpus_per_unit is not None:
        own, counted = decimal(1 / request.per_own), decimal(1 / request.per_hour)
        held = f", {own} GPUs a unit"
        if own != counted:
            held = f", as a unit has {own} GPUs of its own, which count as {counted}"
    return f"{hours}; {per_hour} {charge.unit} for each GPU-h{held}"


def application(view: View, request: Request, head: PaperHead) -> Paper:
    """The application as a document. Raises NotTypeset for a picture without a text."""
    blocks, title = Blocks(), view.project.title
    blocks.heading("Request")
    cost = view.maybe(COSTS.get(request.figure.address.removeprefix(f"{view.id}."), ""))
    priced = f" At the prices of the plan that is {figure_text(cost)}." if cost and not cost.missing else ""
    blocks.paragraph(f"**{_describe_request(request)}.** This is {_describe_conversion(request)}.{priced}")
    blocks.paragraph(_describe_charged(view, request))
    blocks.paragraph(_describe_others(view, request))
    _table(blocks, request, "Period", request.periods)
    blocks.paragraph(
        f"{describe_division(request)}. Parts are rounded so that they add up to the total; pictures and other tables"
        " print four digits."
    )
    blocks.heading("What it is for")
    if request.phases:
        _table(blocks, request, "Phase", request.phases)
    else:
        blocks.paragraph(f"For {told_figure(request)}, which the ledger does not divide by phase.")
    blocks.heading("The project")
    verdict(view, blocks, {request.figure.address: told_figure(request)})
    add_glance(view, blocks)
    if view.runs or any(view.maybe(f"phases.{name}.money.planned") for name in view.ledger.plan):
        add_table(view, blocks)  # else it has nothing that the request by phase has not
    add_pictures(view, blocks, drawn_anew, spare=True, width=68)
    blocks.heading("Method")
    blocks.paragraph(method(view))
    add_risks(view, blocks)
    standing = f"From version {head.version}, {head.way} {head.day}."
    if head.draft:
        standing = f"Draft: from the ledger with data through {head.day}, which is not released."
    foot = f"{brief(title, 60)}, {'draft, data through' if head.draft else f'version {head.version},'} {head.day}"
    return Paper(title, "application for computing time", standing, foot, head, blocks)


COSTS = {FINAL.hours: "money.final", EXTENDED.hours: "money.extended", FINAL.remaining: "money.remaining"}
"""What the hours that are asked for cost, by the address of both."""


def told_figure(request: Request) -> str:
    """The hours that are asked for, to the digit with which they are."""
    return f"{decimal(request.hours, request.hour_places)} GPU-h"


def _describe_charged(view: View, request: Request) -> str:
    """What is charged already, and whether it is part of what is asked for: to a whole budget what is charged to that.
    Empty where nothing is."""
    total = FINAL if request.figure.address == f"{view.id}.{FINAL.hours}" else CEILING
    spent = view.maybe(total.actual)
    if spent is None or spent.missing or not spent.use:
        return ""
    if is_whole(view.id, request.figure.address):
        return f"Of the whole budget {figure_text(spent)} are charged already, as of {view.through}."
    return f"{figure_text(spent)} were charged to the project before, as of {view.through}."


def _describe_others(view: View, request: Request) -> str:
    """The work to do that others pay for, which is not asked for; empty where there is none."""
    if request.figure.address != f"allocations.{request.name}.asked":
        return ""
    parts = []
    for name, to_do in paid_by_others(view.book.figures, view.id, request.name).items():
        grant = view.book.allocations.get(name)
        whose = f"of “{grant.title}”" if grant else _NO_PAYER[name]
        unit = f" {grant.charge.unit}" if grant and grant.units is not None and grant.charge else ""
        parts.append(f"{figure_text(to_do)}{unit} {whose}")
    return f"Not asked for here, as others pay for it: {', '.join(parts)}." if parts else ""


_NO_PAYER = {"unnamed": "for which no payer is named", "none": "for which no grant is open"}


def describe_division(request: Request) -> str:
    """How the hours are divided by periods, in a sentence without its full stop."""
    days = f"after {request.after}, the last day with runs" if request.after else "of the grant"
    beyond = f". Planned for later days, but counted in these: {', '.join(request.beyond)}" if request.beyond else ""
    if request.by_plan:
        late = "; what was planned for days before is spread up to the last planned day" if request.late else ""
        from_then = f", {days}" if request.after else ""
        return f"Hours follow the planned days of the phases{from_then}{late}{beyond}"
    past = "All planned days are before these: hours" if request.late else "Hours"
    return f"{past} are spread evenly over the days {days}{beyond}"


def _table(blocks: Blocks, request: Request, name: str, parts: Sequence[Part]) -> None:
    """Parts with their total, in hours and, where that is another unit, in the centre's."""
    heads = [name, GPU_HOURS, clean(request.unit, 40)]
    rows = [Row(_part_cells(part, request)) for part in parts]
    rows.append(Row(_part_cells(_total_part(request), request), bold=True, fixed=True))
    kept = [True, True, request.unit != GPU_HOURS]
    add_columns(blocks, heads, rows, kept, f"{name.lower()}s", ELSEWHERE)


def _part_cells(part: Part, request: Request) -> list[str]:
    return [part.title, decimal(part.hours, request.hour_places), decimal(part.units, request.unit_places)]
