"""The edition of a budget for funders and reviewers: verdict, tables, pictures, method, risks, and history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from reckon.compute.budget.budget import budget_lines
from reckon.model.figure import Figure

from ..budget.budget_headline import budget_answer
from ..budget.status import Standing
from ..charts import Picture, draw
from ..charts.bars import Bars, by_item
from ..charts.burn_up import BurnUp, on_paper
from ..charts.picture import pictures
from ..charts.waterfall import Waterfall, by_phase
from ..choosing import Choosing
from ..render.numbers import figure_text, format_sentence, use_text
from ..view import View
from .blocks import Blocks, NotTypeset, Paper, PaperHead, brief, expand_quotes
from .risks import add_risks
from .tables import add_glance, add_history, add_others, add_table, projected

SHOWN = (("budget-waterfall",), ("burn-up", "planned-and-actual"))
"""Which pictures stand in an edition: the first that there is of each."""
OTHERS = ("frontier", "projection-", "breakdown-", "memory", "configurations-")
"""The same without a budget, by the beginnings of their names."""
MOST_BARS = 20
"""The most bars of a waterfall that can be read on paper, its sums included."""
KINDS = {"budget": "compute budget", "comparison": "comparison of hardware", "measured": "measurements and projections"}
"""What a document of a project is called, by what it is about."""
Drawn = Callable[[str, Picture], str]
"""The SVG of a picture of this name."""


def drawn_anew(_: str, picture: Picture) -> str:
    """A picture as it is drawn now."""
    return draw(picture).svg


def edition(view: View, head: PaperHead, drawn: Drawn = drawn_anew) -> Paper:
    """The edition of a project as its ledger stands. Raises NotTypeset for a picture without a text, and where there is
    nothing to print but words."""
    blocks, title = Blocks(), view.project.title
    blocks.heading("Verdict")
    verdict(view, blocks)
    blocks.paragraph(projected(view))
    add_glance(view, blocks)
    before = len(blocks.parts)
    add_table(view, blocks)
    if view.kind != "budget":
        add_others(view, blocks)
    add_pictures(view, blocks, drawn)
    if len(blocks.parts) == before:
        raise NotTypeset(f"{view.id} has nothing yet to print: {WANTED}")
    blocks.heading("Method")
    blocks.paragraph(method(view))
    add_risks(view, blocks)
    add_history(view, blocks, head.version, head.day, head.draft)
    kind = KINDS[view.kind] if view.planned else "compute used"
    what = f"draft of {head.version}, data through" if head.draft else f"version {head.version},"
    foot = f"{brief(title, 60)}, {what} {head.day}"
    return Paper(title, kind, _standing(view, head), foot, head, blocks)


WANTED = "write a plan, runs, setups of hardware, or measurements with a projection"


def _standing(view: View, head: PaperHead) -> str:
    if head.draft:
        return f"Draft of version {head.version}: not released. From the ledger with data through {head.day}."
    stand = f"Version {head.version}, {head.way} {head.day}, with data through {view.through}."
    if not head.reason:
        return stand
    return f"{stand} {head.reason}" if head.reason.endswith((".", "!", "?")) else f"{stand} {head.reason}."


def verdict(view: View, blocks: Blocks, printed: Mapping[str, str] = MappingProxyType({})) -> None:
    """What the budget page says first: the ledger's own answer, or else a sentence of figures and its summary.

    `printed` has figures of that sentence, by address, that are printed otherwise than usual.
    """
    if own := view.texts("answer"):
        for text in own[:2]:
            blocks.prose(expand_quotes(text.text))
        return
    if said := budget_answer(view):
        parts = (printed.get(part.address, part) if isinstance(part, Figure) else part for part in said)
        blocks.paragraph(f"**{format_sentence(tuple(parts))}.**")
    blocks.prose(str(view.project.summary or ""), 3)


def add_pictures(view: View, blocks: Blocks, drawn: Drawn, spare: bool = False, width: int = 86) -> None:
    """The first pictures of `SHOWN` that there are, or else one of `OTHERS`, each with its text. With `spare`, only the
    first kind of them is worth a page.

    Raises NotTypeset for one without.
    """
    found = dict(pictures(Standing(view), Choosing(view)))
    names = [next((name for name in some if name in found), "") for some in SHOWN]
    if not any(names):
        names = [next((name for start in OTHERS for name in found if name.startswith(start)), "")]
    for at, name in enumerate(names):
        if not name:
            continue
        picture, drawing = _for_paper(view, found[name]), drawn
        if picture != found[name]:
            drawing = drawn_anew
        svg = drawing(name, picture)
        if not blocks.picture(name, svg[svg.index("<svg") :], picture.alt, width, spare and at > 0):
            blocks.paragraph(f"“{picture.title}” is too high for a page: it is on the pages of the project.")


def _for_paper(view: View, picture: Picture) -> Picture:
    """A picture as it can be read where nobody can point at it: by phase where its bars are many, each bar named."""
    if isinstance(picture, Waterfall) and len(picture.bars) > MOST_BARS:
        return by_phase(view) or picture
    if isinstance(picture, BurnUp):
        return on_paper(view, picture)
    return (not view.planned and isinstance(picture, Bars) and by_item(view)) or picture


def method(view: View) -> str:
    """How the figures come about, in a paragraph."""
    return " ".join(_describe_method(view))


def _describe_method(view: View) -> Iterator[str]:
    """The same, sentence by sentence."""
    project, lines = view.project, budget_lines(view.ledger)
    yield f"Hours are counted on {view.card(project.gpu)}."
    if seeds := view.maybe("seeds"):
        yield f"What is planned for each seed counts for {figure_text(seeds)}."
    rates = {line.rate for line in lines if not line.extension and line.rate}
    if len(rates) == 1 and view.maybe("budget.contingency"):
        yield f"The contingency is {use_text(view.fig(str(rates.pop())))} of the subtotal."
    elif view.maybe("budget.contingency"):
        yield "Each phase or line has a contingency of its own."
    if view.maybe("estimates.final") or view.maybe("estimates.extended"):
        yield ("The estimate next to the plan adds up the formulas of its lines; a line without one counts as planned.")
    if view.runs:
        yield "What is charged is the sum of the recorded runs, failed ones included."
    if view.runs and view.planned and not Standing(view).done:
        yield "The forecast draws what the rest may take from how runs so far compare with their plan."
    yield (
        "Each figure is calculated exactly from a ledger of plain text, rounded once, and traced to its lines"
        " on the page of derivations; an audit holds the statements against each other."
    )
    if project.source:
        yield f"Source: {project.source}."
