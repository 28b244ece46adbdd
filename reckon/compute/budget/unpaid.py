"""What of a project no allocation is known to pay for: hours and work of which several could be, and work of none.

`PROJECT.payers.unnamed` has the hours held, the work to do and what is left of the allocations together, where more
than one could pay; `PROJECT.payers.none.to_do` is work of a project with allocations for which none of these is open.
Work is that of the base budget, as it is of each payer.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
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
    shared = dict.fromkeys(payer for at in outlook.lanes if at in pieces for payer in _rivals(outlook, at))
    hours = Fraction(0)
    for days in charges.held(lambda _: ""):
        if len(days.payers) > 1:
            hours += sum(days.days.values(), Fraction(0)) * (tally.ratio(days.card) or 0)
            shared |= dict.fromkeys(days.payers)
    if hours or several:
        at, title = f"{project.id}.payers.unnamed", "Payer not named"
        origin = Worked("hours for which several allocations could be charged, as the project counts them")
        sheet.counted(Figure(f"{at}.held", f"{title}: held", GPU_HOURS, point(hours), origin))
        write_to_do(sheet, f"{at}.to_do", f"{title}: work to do", several)
        _write_left(sheet, ledger, project, tuple(shared), groups)
    nobody = [piece for at, piece in pieces.items() if not outlook.lanes[at].payers and not outlook.lanes[at].in_turn]
    if nobody:
        words = "Work to do for which no allocation is open"
        write_to_do(sheet, f"{project.id}.payers.none.to_do", words, nobody)


def _rivals(outlook: Outlook, piece: str) -> tuple[str, ...]:
    """The allocations that could pay for a piece of work, where it is not known which of them does."""
    lane = outlook.lanes[piece]
    return () if lane.known else lane.payers


def _write_left(
    sheet: Sheet, ledger: Ledger, project: ProjectLedger, names: tuple[str, ...], groups: Mapping[str, SharedGrants]
) -> None:
    """What is left of the allocations that could pay, together, as the project counts it; nothing where they cannot be
    added."""
    own, title = str(project.project.gpu), "Payer not named: left of all who could pay"
    address = f"{project.id}.payers.unnamed.left"
    group = groups.get(names[0])
    if group is not None:
        together = f"allocations.{group.names[0]}.together.left"
        ratio = ratio_address(group.card, own)
        if together not in sheet.cells or (group.card not in ("", own) and ratio not in sheet.cells):
            return
        times = f" * {ratio}" if group.card not in ("", own) else ""
        sheet.formula(address, title, GPU_HOURS, f"max({together}, 0 gpu_hours){times}", late=True)
        return
    grants = [ledger.allocations[name] for name in names]
    if all(grant.amount_key == "gpu_hours" and grant.gpu in (None, own) for grant in grants):
        parts = (f"max(allocations.{name}.left, 0 gpu_hours)" for name in names)
        sheet.formula(address, title, GPU_HOURS, " + ".join(parts), late=True)
