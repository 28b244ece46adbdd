"""The grants that a project draws on: what is used and left of each, and what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.compute.audit.common import is_above, shared_grants_of
from reckon.compute.audit.limits import used_for_certain
from reckon.compute.budget.shared_grants import join_titles
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence, say

from ..render.numbers import format_sentence
from ..table import As, Cell, CellRow, CellRows, Columns, ShareBar, Table, below, figures
from ..view import View
from .limits import NOT_KNOWN, WITH_EXTENSIONS, Reach, chance_columns, day_cell, odds_cells, reach_grant


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


def grants_table(view: View) -> Table:
    """Who pays for the work of a project: what each allocation granted, was charged, has left and has to pay still."""
    found = [(name, near) for name in view.allocations if (near := reach_grant(view.book, name))]
    # What a reader looks for first stands first: on a telephone no more than three columns do.
    chance, extended = chance_columns(any(near.extended for _, near in found))
    columns: Columns = ["Who pays", chance, figures("Left"), extended]
    columns += map(figures, ("Work to do", "Short by", "At the end, P50 (P10–P90)"))
    return Table(columns, [*(_payer(view, name, near) for name, near in found), *_unpaid(view)])


def _payer(view: View, name: str, near: Reach) -> CellRow:
    share = view.book.get(f"allocations.{name}.used_share")
    bar = ShareBar(share) if is_known(share) else None
    title, (chance, extended) = below(payer_title(view, name), bar), odds_cells(view, near)
    left, to_do, short, most = view.book.get_all(f"allocations.{name}", "left", "to_do", "short_by", "left_at_most")
    if near.unknown:
        at_most: Cell = ("at most ", amount_cell(most)) if most else _known_bare(left)
        return [title, chance, at_most, extended, _known_bare(to_do), None, NOT_KNOWN]
    lacks = below(short if short and short.use else None, _short_range(view, name))
    return [title, chance, _known_bare(left), extended, _known_bare(to_do), lacks, _range_at_end(view, name)]


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
    held, to_do, left = view.maybe_all("payers.unnamed", "held", "to_do", "left")
    if held:
        yield ["Payer not named", None, left and ("together ", As(left, "bare")), None, _known_bare(to_do), None, None]
    if (nobody := view.maybe("payers.none.to_do")) and nobody.use:
        yield ["No open allocation takes it", None, None, None, As(nobody, "bare"), None, None]


def charged_table(view: View) -> Table:
    """What each allocation granted and was charged, when it is used up or ends, and what will expire unused."""
    rows: CellRows = []
    for name in view.allocations:
        near = reach_grant(view.book, name)
        if near is None:
            continue
        keys = ("granted", "used", "committed", "end", "unused", "pace_to_use_up", "short_by")
        granted, used, promised, end, unused, needed, short = view.book.get_all(f"allocations.{name}", *keys)
        day = below(near.day, WITH_EXTENSIONS) if near.beyond else day_cell(near, "overdrawn since")
        unused = None if short and short.use else unused  # what is left is not enough
        if near.unknown:
            day, unused, needed = NOT_KNOWN, None, None
        amounts = [_known_bare(granted), _known_bare(used), amount_cell(promised) if promised else None]
        rows.append([payer_title(view, name), day, end or "none", unused, *amounts, needed])
    if held := view.maybe("payers.unnamed.held"):
        rows.append(["Payer not named", None, None, None, None, As(held, "bare"), None, None])
    columns: Columns = ["Allocation", *map(figures, ("Used up on", "Last day", "Will expire unused"))]
    columns += [figures("Granted"), figures("Charged"), figures("Promised", optional=True)]
    return Table([*columns, figures("Pace that uses it up")], rows)


def _known_bare(figure: Figure | None) -> Cell:
    """A figure without its unit, or that it is not known; a dash where there is none."""
    if figure is None:
        return "–"
    return NOT_KNOWN if figure.missing else amount_cell(figure)
