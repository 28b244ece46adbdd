"""The grants that a project draws on: what is used and left of each, and what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.compute.audit.common import is_above, shared_grants_of
from reckon.compute.audit.limits import used_for_certain
from reckon.compute.budget.shared_grants import join_titles
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence, say

from ..render.numbers import format_sentence
from ..table import DASH, As, Cell, CellRow, Columns, Table, below, figures, words
from ..view import View
from .limits import (
    ENDED,
    ENDS_FIRST,
    NO_LIMIT,
    NOT_KNOWN,
    WITH_EXTENSIONS,
    LimitRow,
    Reach,
    day_cell,
    limit_row,
    limit_rows,
    reach_grant,
)

EXTENDED_RISK = "Risk with extensions"


def overdrawn_grant(view: View) -> Sentence:
    """What is used of the first grant that is overdrawn, or of grants that are so together; empty where none is."""
    book = view.book
    alone = [(used_for_certain(book, name), f"allocations.{name}", (name,)) for name in view.allocations]
    together = [
        (f"allocations.{group.names[0]}.together", group.names) for group in shared_grants_of(view.ledger, book)
    ]
    for spent, at, names in (*alone, *((f"{at}.used", at, names) for at, names in together)):
        used, granted = book.get(spent), book.get(f"{at}.granted")
        if used and granted and is_above(used, granted):
            titles = join_titles(book.ledger, names, "and")
            return say("{used} of {granted} are used of {titles}", used=used, granted=granted, titles=titles)
    return ()


def unknown_of_grants(view: View) -> list[Sentence]:
    """Why it is not known what grants of the project were charged, or will be, each reason once."""
    found: dict[str | tuple[str, ...], Sentence] = {}
    for name in view.allocations:
        near, group = reach_grant(view.book, name), view.book.shared_grants.get(name)
        if near and (why := near.unknown or near.unknown_extended):
            # Of hours that the same grants could be charged for, one of them is enough to tell.
            found.setdefault(group.rivals[name] if group else format_sentence(why), why)
    return list(found.values())


def limits_table(view: View) -> Table:
    """The limits of a project, then who pays for its work: how likely each is exceeded, what is left of it, its size,
    and when it runs out."""
    begun = view.runs or not view.planned  # else no limit is nearer than it was planned to be
    found = [*(limit_rows(view) if begun else ()), *_payer_rows(view)]
    extends = any(near.extended for near, _ in found)
    # What a reader looks for first stands first: on a telephone no more than three columns do.
    columns: Columns = ["Limit", *map(figures, ("Risk", "Left", "Size"))]
    columns += [figures(EXTENDED_RISK, shown=extends), words("Runs out", nothing=DASH)]
    return Table(columns, [row for _, row in found])


def _payer_rows(view: View) -> Iterator[LimitRow]:
    """Who pays for the work of a project, each in its own unit."""
    for name, near in _payers(view):
        left, granted, most = view.book.get_all(f"allocations.{name}", "left", "granted", "left_at_most")
        at_most = ("at most ", amount_cell(most)) if near.unknown and most else _known_bare(left)
        day = below(near.day, WITH_EXTENSIONS) if near.beyond else day_cell(near, "overdrawn since")
        last_day = _last_day(view, name, near.instead == ENDED)
        if near.unknown:
            day = NOT_KNOWN
        elif near.instead == ENDS_FIRST and last_day:
            day = None
        yield limit_row(view, payer_title(view, name), near, (at_most, _known_bare(granted)), (day, last_day))
    if left := view.maybe("payers.unnamed.left"):
        yield NO_LIMIT, ["Payer not named", None, ("together ", As(left, "bare")), None, None, None]


def _last_day(view: View, name: str, has_ended: bool) -> Cell:
    """The last day of an allocation, and what of it expires unused; None where it has no end."""
    end, unused, short = view.book.get_all(f"allocations.{name}", "end", "unused", "short_by")
    if end is None:
        return None
    if not (is_known(unused) and unused.use) or (short and short.use):
        return ("last day ", end)
    return ("last day ", end, ", ", amount_cell(unused), " unused" if has_ended else " will expire unused")


def _payers(view: View) -> list[tuple[str, Reach]]:
    """The allocations that a project draws on, with how near each is."""
    return [(name, near) for name in view.allocations if (near := reach_grant(view.book, name))]


def payers_table(view: View) -> Table:
    """What else is known of who pays: what each was charged and is expected to be, and what will expire unused."""
    headings = ("Charged", "Share used", "Promised", "Work to do", "Short by", "At the end, P50 (P10–P90)")
    columns: Columns = ["Payer", *(figures(heading, optional=True) for heading in headings)]
    columns += [figures(heading, optional=True) for heading in ("Will expire unused", "Pace that uses it up")]
    return Table(columns, [*(_payer(view, name, near) for name, near in _payers(view)), *_unpaid(view)])


def _payer(view: View, name: str, near: Reach) -> CellRow:
    keys = ("used", "used_share", "committed", "to_do", "short_by", "unused", "pace_to_use_up")
    used, share, promised, to_do, short, unused, needed = view.book.get_all(f"allocations.{name}", *keys)
    title, charged = payer_title(view, name), _known_bare(used)
    kept = promised and amount_cell(promised)
    booked = [title, charged, share if is_known(share) else None, kept, _known_bare(to_do)]
    if near.unknown:
        return [*booked, None, NOT_KNOWN, None, None]
    lacks = below(short if short and short.use else None, _short_range(view, name))
    unused = None if short and short.use else unused  # what is left is not enough
    return [*booked, lacks, _range_at_end(view, name), unused, needed]


def _short_range(view: View, name: str) -> Cell:
    """By how much an allocation will be short at the median and in the dearest tenth of cases, where that is so."""
    median, high = view.book.get_all(f"allocations.{name}", "short_by_p50", "short_by_p90")
    if not (is_known(median) and is_known(high) and high.use):
        return None
    return ("P50 ", amount_cell(median), ", P90 ", amount_cell(high))


def amount_cell(figure: Figure) -> Cell:
    """An amount of an allocation: of money with its currency, else without its unit, which stands with the title."""
    return As(figure) if any(kind.startswith("money") for kind, _ in figure.unit.kinds) else As(figure, "bare")


def payer_title(view: View, name: str) -> Cell:
    """An allocation by its title, with what it counts in where that is not hours as the project counts them."""
    grant = view.book.allocations[name]
    if grant.units:
        return (str(grant.title), ", in ", grant.unit_words)
    if grant.gpu is None or grant.gpu == view.project.gpu:
        return grant.title
    return (str(grant.title), ", in hours of ", view.card(str(grant.gpu)))


def _range_at_end(view: View, name: str) -> Cell:
    """What an allocation will have been charged: the median, and the range."""
    low, median, high = view.book.get_all(f"allocations.{name}", "forecast_p10", "forecast_p50", "forecast_p90")
    if not (low and median and high):
        return None
    if median.missing:
        return NOT_KNOWN
    if low.use == high.use:
        return amount_cell(median)
    return (amount_cell(median), " (", amount_cell(low), "–", amount_cell(high), ")")


def _unpaid(view: View) -> Iterator[CellRow]:
    """Work for which several allocations could be charged, and work for which none is open."""
    nothing = [None] * 4
    held, to_do = view.maybe_all("payers.unnamed", "held", "to_do")
    if held:
        yield ["Payer not named", As(held, "bare"), None, None, _known_bare(to_do), *nothing]
    if (nobody := view.maybe("payers.none.to_do")) and nobody.use:
        yield ["No open allocation takes it", None, None, None, As(nobody, "bare"), *nothing]


def _known_bare(figure: Figure | None) -> Cell:
    """A figure without its unit, or that it is not known; a dash where there is none."""
    if figure is None:
        return "–"
    return NOT_KNOWN if figure.missing else amount_cell(figure)
