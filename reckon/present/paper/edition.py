"""The edition of a budget for funders and reviewers: verdict, table by phase, picture, method, risks, and history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from reckon.compute.budget.budget import budget_lines
from reckon.language.lean import dataclass
from reckon.model.figure import OUTSIDE, Figure
from reckon.model.groups import FindingGroup
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called

from ..budget.answer import BudgetAnswer
from ..budget.status import Standing
from ..charts import Picture, draw
from ..charts.picture import pictures
from ..choosing import Choosing
from ..render.numbers import figure_text, told, use_text, value_text
from ..rows import estimate_called, hours_then
from ..table import DASH
from ..view import View
from .blocks import Blocks, Paper, PaperPicture, Row, flat, worded

SHOWN = (("budget-waterfall",), ("burn-up", "planned-and-actual"))
"""Which pictures stand in an edition: the first that there is of each."""
MOST_PHASES, MOST_RISKS, MOST_FOUND, MOST_RELEASES = 16, 8, 6, 10
Drawn = Callable[[str, Picture], str]
"""The SVG of a picture of this name."""


@dataclass(frozen=True, slots=True)
class PaperHead:
    """What an edition is of: a release by its version, day and reason, or a `draft` of one by the day of the ledger.

    `address` is where the pages of the site stand; empty where the site has none.
    """

    version: str
    day: str
    reason: str = ""
    draft: bool = False
    address: str = ""
    as_published: bool = False


def drawn_anew(_: str, picture: Picture) -> str:
    """A picture as it is drawn now."""
    return draw(picture).svg


def edition(view: View, head: PaperHead, drawn: Drawn = drawn_anew) -> Paper:
    """The edition of a project as its ledger stands. Raises NotTypeset for a picture without a text."""
    blocks, title = Blocks(), str(view.project.title)
    verdict(view, blocks)
    add_table(view, blocks)
    add_pictures(view, blocks, drawn)
    blocks.heading("Method")
    blocks.paragraph(method(view))
    add_risks(view, blocks)
    _history(view, blocks, head)
    kind = "measurements and projections" if view.kind == "measured" else "compute budget"
    return Paper(title, kind, _standing(view, head), _foot(title, head), head.address, head.day, head.draft,
                 blocks)  # fmt: skip


def _standing(view: View, head: PaperHead) -> str:
    if head.draft:
        return f"Draft of version {head.version}: not released. From the ledger with data through {head.day}."
    way = "as published" if head.as_published else "released"
    return f"Version {head.version}, {way} {head.day}, with data through {view.through}. {_ended(head.reason)}".rstrip()


def _ended(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _foot(title: str, head: PaperHead) -> str:
    what = f"draft of {head.version}, data through" if head.draft else f"version {head.version},"
    return f"{title[:60]}, {what} {head.day}"


def verdict(view: View, blocks: Blocks) -> None:
    """What the budget page says first: the ledger's own answer, or else a sentence of figures and its summary."""
    blocks.heading("Verdict")
    if own := view.texts("answer"):
        for text in own[:2]:
            blocks.prose(worded(text.text))
        return
    if said := BudgetAnswer(view).sentence:
        blocks.paragraph(f"**{told(said)}.**")
    blocks.prose(str(view.project.summary or ""), 3)


def add_table(view: View, blocks: Blocks) -> None:
    """The plan by phase with its sums; what is estimated, charged and left stands beside it where there is any."""
    rows = list(_phases(view))
    kept = [True, True, any(row.cells[2] for row in rows), view.runs, view.runs]
    names = ("GPU-hours", "Planned", estimate_called(view.book, view.id), "Charged", "Left")
    if not rows:
        return
    blocks.heading("The budget by phase")
    blocks.table(
        [name for name, there in zip(names, kept, strict=True) if there],
        [Row([cell for cell, there in zip(row.cells, kept, strict=True) if there], row.bold) for row in rows],
        "".join(sign for sign, there in zip("<>>>>", kept, strict=True) if there),
    )
    more = len(view.ledger.plan) - MOST_PHASES
    blocks.paragraph(f"{more:,} more phases are in the sums." if more > 0 else "")


def _phases(view: View) -> Iterator[Row]:
    left = MOST_PHASES
    for extension in (False, True):
        for name, phase in view.ledger.plan.items():
            if phase.items and bool(phase.extension) == extension and left > 0:
                left -= 1
                keys = ("planned", "estimated", "actual", "remaining")
                yield _row(view, str(phase.title), [f"phases.{name}.{key}" for key in keys])
        if not extension:
            yield from (_row(view, each.title, ["", "", at, ""]) for each in OUTSIDE
                        if view.maybe(at := f"actual.{each.key}"))  # fmt: skip
            yield from _sums(view, ("contingency", "Contingency"), FINAL.id)
        else:
            yield from _sums(view, ("extensions_contingency", "Contingency on extensions"), EXTENDED.id)
    if view.maybe(CEILING.hours):
        yield _row(view, CEILING.title, [CEILING.hours, "", CEILING.actual, CEILING.remaining])


def _sums(view: View, reserve: tuple[str, str], total: str) -> Iterator[Row]:
    key, title = reserve
    if view.maybe(f"budget.{key}"):
        yield _row(view, title, [f"budget.{key}", f"estimates.{key}", "", ""])
    whole = FINAL if total == FINAL.id else EXTENDED
    if view.maybe(whole.hours):
        places = [whole.hours, f"estimates.{total}", whole.actual, whole.remaining]
        yield _row(view, called(view.project, whole.title), places, bold=True)


def _row(view: View, title: str, addresses: list[str], bold: bool = False) -> Row:
    return Row([title, *(_bare(view.maybe(at)) if at else "" for at in addresses)], bold)


def _bare(figure: Figure | None) -> str:
    return "" if figure is None else DASH if figure.missing else value_text(figure)


def add_pictures(view: View, blocks: Blocks, drawn: Drawn, most: int = len(SHOWN), width: int = 86) -> None:
    """The first pictures of `SHOWN` that there are, each with its text. Raises NotTypeset for one without."""
    standing = Standing(view)
    found = pictures(standing, Choosing(view))
    for names in SHOWN[:most]:
        if name := next((name for name in names if name in found), ""):
            picture = found[name]
            svg = drawn(name, picture)
            blocks.picture(PaperPicture(name, svg[svg.index("<svg") :], picture.alt, width))


def method(view: View) -> str:
    """How the figures come about, in a paragraph."""
    project, lines = view.project, budget_lines(view.ledger)
    said = [f"Hours are counted on {view.card(str(project.gpu))}."]
    if seeds := view.maybe("seeds"):
        said.append(f"What is planned for each seed counts for {figure_text(seeds)}.")
    rates = {line.rate for line in lines if not line.extension and line.rate}
    if len(rates) == 1 and view.maybe("budget.contingency"):
        said.append(f"The contingency is {use_text(view.fig(str(rates.pop())))} of the subtotal.")
    elif view.maybe("budget.contingency"):
        said.append("Each phase or line has a contingency of its own.")
    if view.maybe("estimates.final") or view.maybe("estimates.extended"):
        said.append("Beside the plan stands what its lines come to by their own formulas; a line without one enters as"
                    " planned.")  # fmt: skip
    if view.runs:
        said.append("What is charged is the sum of the recorded runs, failed ones included.")
    if view.runs and view.planned and not Standing(view).done:
        said.append("The forecast draws what the rest may take from how runs so far compare with their plan.")
    said.append("Each figure is calculated exactly from a ledger of plain text, rounded once, and traced to its lines"
                " on the page of derivations; an audit holds the statements against each other.")  # fmt: skip
    if project.source:
        said.append(f"Source: {project.source}.")
    return " ".join(said)


def add_risks(view: View, blocks: Blocks) -> None:
    """The risks that the ledger's texts tell, and what the audit finds open."""
    texts = [text for text in view.said if "risk" in str(text.section).lower()][:MOST_RISKS]
    found = [*_open(view, "error"), *_open(view, "warning")]
    if not texts and not found and not view.runs:
        return
    blocks.heading("Risks")
    if view.runs:
        state = Standing(view).state
        blocks.paragraph(f"**{state.word[:1].upper()}{state.word[1:]}**: {told(state.why)}.")
    parts = [(str(text.title or text.name), text.parts) for text in texts if isinstance(text.parts, Mapping)]
    heads = list(dict.fromkeys(label for _, named in parts for label in named))[:3]
    rows = [Row([name, *(flat(worded(named.get(label, ""))) for label in heads)]) for name, named in parts if named]
    blocks.table(["What", *heads], rows, "<" * (len(heads) + 1), wide=True)
    for text in texts:
        blocks.prose(worded(text.text), 2)
        if not isinstance(text.parts, Mapping):
            blocks.bullets(map(worded, text.parts))
    if found:
        errors, warnings = (view.many(_open(view, name), name, f"{name}s") for name in ("error", "warning"))
        blocks.paragraph(f"The audit has {figure_text(errors)} and {figure_text(warnings)} open"
                         f"{', the gravest first' if found[MOST_FOUND:] else ''}:")  # fmt: skip
        blocks.bullets((f"{told(group.title)}: {told(group.arithmetic)}." for group in found), MOST_FOUND)


def _open(view: View, severity: str) -> list[FindingGroup]:
    return [*view.severity(severity), *view.sourced(severity)]


OF_A_VERSION = (FINAL.hours, "estimates.final", "forecast.p50", FINAL.actual)


def _history(view: View, blocks: Blocks, head: PaperHead) -> None:
    """What each release planned, estimated and had used, the newest first, with this one at the top."""
    former = [release for release in view.releases if release.version != head.version]
    if not former:
        return
    blocks.heading("Estimate against use, by version")
    name = f"{head.version}{' (draft)' if head.draft else ''}"
    rows = [_version(name, head.day, [view.maybe(at) for at in OF_A_VERSION], bold=True)]
    rows += [_version(release.version, release.date, [hours_then(release, at) for at in OF_A_VERSION])
             for release in former[:MOST_RELEASES]]  # fmt: skip
    estimated = estimate_called(view.book, view.id)
    names = ["Version", "Date", "Budget", estimated, "Forecast at the end, P50", "Used by then"]
    blocks.table(names, rows, "<<>>>>")
    blocks.paragraph("In GPU-hours, contingency included; extensions are left out.")


def _version(name: str, day: str, found: list[Figure | None], bold: bool = False) -> Row:
    """A version: before anything was used, a forecast knows no more than the plan, and is left out."""
    budget, estimated, forecast, used = found
    told = forecast if used is not None and used.use else None
    return Row([name, day, *(_bare(figure) or DASH for figure in (budget, estimated, told, used))], bold)
