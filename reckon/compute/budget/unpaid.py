"""What of a project no allocation is known to pay for: hours and work of which several could be, and work of none.

`PROJECT.payers.unnamed` has the hours held, the work to do and what is left of the allocations together, where more
than one could pay; `PROJECT.payers.none.to_do` is work of a project with allocations for which none of these is open.
Work is that of the base budget, as it is of each payer.
"""

from __future__ import annotations

from collections.abc import Mapping

from reckon.language.quantity import ZERO
from reckon.language.units import GPU_HOURS
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.cells import chain_of, formula_of
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .forecast_inputs import Outlook
from .payers import ProjectCharges
from .shared_grants import SharedGrants
from .work_to_do import Piece, write_to_do


def write_unpaid(
    sheet: Sheet,
    ledger: Ledger,
    tally: Tally,
    charges: ProjectCharges,
    outlook: Outlook,
    pieces: Mapping[str, Piece],
    groups: Mapping[str, SharedGrants],
) -> None:
    """Writes both; nothing of a project that draws on no allocation, or whose hours and work are all paid for."""
    project = tally.project
    if not charges.rules.grants:
        return
    base = {at for phase in outlook.base or outlook.phases for at in outlook.phases[phase]}
    pieces = {at: piece for at, piece in pieces.items() if at in base}
    several = [piece for at, piece in pieces.items() if not outlook.lanes[at].known]
    lanes = [lane for at, lane in outlook.lanes.items() if at in pieces]
    shared = dict.fromkeys(payer for lane in lanes if not lane.known for payer in lane.payers)
    hours = ZERO
    for days in charges.held(lambda _: ""):
        if len(days.payers) > 1:
            hours += days.days.total * (tally.ratio(days.card) or 0)
            shared |= dict.fromkeys(days.payers)
    if hours or several:
        writer = FigureWriter(sheet, f"{project.id}.payers.unnamed", "Payer not named")
        how = "hours for which several allocations could be charged, as the project counts them"
        writer.count("held", "held", GPU_HOURS, hours, how)
        write_to_do(writer, "work to do", several)
        _write_left(writer, ledger, project, tuple(shared), groups)
    nobody = [piece for at, piece in pieces.items() if not outlook.lanes[at].payers and not outlook.lanes[at].in_turn]
    if nobody:
        none = FigureWriter(sheet, f"{project.id}.payers.none")
        write_to_do(none, "Work to do for which no allocation is open", nobody)


def _write_left(
    writer: FigureWriter,
    ledger: Ledger,
    project: ProjectLedger,
    names: Ids,
    groups: Mapping[str, SharedGrants],
) -> None:
    """What is left of the allocations that could pay, together, as the project counts it; nothing where they cannot be
    added."""
    own, cells, words = project.gpu, writer.sheet.cells, "left of all who could pay"
    group = groups.get(names[0])
    if group is not None:
        together = f"allocations.{group.names[0]}.together.left"
        ratios = [ratio_address(group.card, own)] if group.card not in ("", own) else []
        if all(address in cells for address in (together, *ratios)):
            left = chain_of(" * ", [formula_of("max({}, 0 gpu_hours)", together), *ratios])
            writer.hours("left", words, left, late=True)
        return
    grants = [ledger.allocations[name] for name in names]
    if all(grant.amount_key == "gpu_hours" and grant.gpu in (None, own) for grant in grants):
        parts = [formula_of("max(allocations.{}.left, 0 gpu_hours)", name) for name in names]
        writer.hours("left", words, chain_of(" + ", parts), late=True)
