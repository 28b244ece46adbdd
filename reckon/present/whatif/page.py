"""What can be changed on the page, and what it shows: the sums of a budget, its phases, limits and money.

All of it follows from the plan by formulas, also what the work to do leaves of each limit (`limits`). Forecasts,
probabilities and findings are not shown: they are drawn or judged, and only the program can say them anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from jinja2 import BaseLoader

from reckon.language.calendar_days import DAYS
from reckon.language.text import capitalise
from reckon.language.units import spellings
from reckon.model.figure import Calculated, Figure
from reckon.model.kinds import CEILING
from reckon.model.pages import TemplatePage

from ..render.printing import Printer
from ..table import Bold, Cell, Table, figures, words
from ..templating import render_page
from ..view import OfProject, View
from .cards import OnCard, on_cards
from .limits import Limits
from .model import Model, TooLarge, fraction

PAGE = TemplatePage("what-if", "What if", "what-if.md.j2")
"""Made when a site is staged, and not kept in a tree: `docs/<project>/what-if.md`, beside what it calculates with."""
SCRIPTS = ("rational", "quantity", "typed", "print", "sheet", "telling", "fields", "results", "page")
"""The scripts of the page, in their order."""
TOTALS, OF_BUDGET = "Totals", "Limits, less the budget"
GROUPS = (
    (TOTALS, ("budget.final", "budget.extended", "money.final", "money.extended")),
    (OF_BUDGET, ("budget.below_ceiling",)),
    (
        "Budget",
        (
            "budget.one-time",
            "budget.per-seed",
            "budget.single-seed",
            "budget.all-seeds",
            "budget.subtotal",
            "budget.contingency",
            "budget.extensions",
            "budget.extensions_contingency",
            "budget.remaining",
            "budget.extended_remaining",
        ),
    ),
    ("Money", ("money.subtotal", "money.contingency", "money.extensions")),
    ("By the estimates", ("estimates.final", "estimates.extended")),
)
"""The figures of a project that are shown, by the heading of their part of the table."""
TITLES = {
    "budget.below_ceiling": "Ceiling, for the whole budget",
    "budget.remaining": "Final budget, not yet spent",
    "budget.extended_remaining": "Extended budget, not yet spent",
}
"""What figures are called here: more to spend is no gain where a change made the budget larger."""
ESTIMATED = ("estimate", "margin")
"""Fields of an item that its planned hours do not follow."""
LEFT, DAYS_LEFT = "Limits, less what is spent and planned", "Days to spare with all GPUs busy"
RATE = "Exchange rate"
_SETTABLE = re.compile(r"(?:plan\.[^.]+\.(?:gpu_hours|estimate|runs|margin)(?:\..+)?|figures\..+|contingency)")
_FIELD = re.compile(r"plan\.[^.]+\.[^.]+")


@dataclass(frozen=True)
class WhatIf(OfProject):
    """The page of a project: `shown` has a figure only where it follows what can be changed.

    `on` is the GPU other than its own of which it has the hours, where there is one.
    """

    on: OnCard | None = None

    @cached_property
    def _model(self) -> Model:
        return Model(self._rule, self.on.turned, self.on.stated) if self.on else Model(self._rule)

    def _rule(self, address: str) -> str:
        """What may be put in the place of a stated figure; nothing for one that stays as it is."""
        own = address.removeprefix(f"{self.view.id}.")
        if own == address:
            return "price" if address.startswith("catalog.prices.") else ""
        if own == "seeds":
            return "seeds" if self._last_seed >= 0 else ""
        if not _SETTABLE.fullmatch(own) or (self.on and address.removesuffix(".stated") in self.on.stated):
            return ""
        if own == "contingency":
            return "ratio"
        if _FIELD.fullmatch(own):
            if own.endswith(".runs"):
                return "runs"
            return "positive"
        return "any"

    @cached_property
    def _last_seed(self) -> int:
        """The largest number of a seed that runs are recorded of; -1 where a seed has a name, which no number has."""
        named = {str(seed) for seed in self.ledger.rows.column("seed") if seed}
        return max(map(int, named), default=0) if all(map(str.isdecimal, named)) else -1

    @cached_property
    def groups(self) -> list[tuple[str, list[Figure]]]:
        """The figures that are shown, by heading. None where a page would be too slow, or nothing can be changed."""
        phases = [f"phases.{phase}.planned" for phase in self.ledger.plan]
        named = [*GROUPS[:3], ("Phases", tuple(phases)), *GROUPS[3:]]
        found = [(title, [*map(self._entitle, filter(None, map(self.maybe, names)))]) for title, names in named]
        found.insert(2, (LEFT, [*Limits(self.view).all()]))
        try:
            for address, figure in self.book.figures.items():
                if address.startswith(f"{self.view.id}."):
                    self._model.take(figure)  # what is not shown can be what a change makes impossible
            kept = [(title, list(filter(self._is_followed, figures))) for title, figures in found]
        except TooLarge:
            return []
        return [(title, some) for title, some in kept if some]

    def _entitle(self, figure: Figure) -> Figure:
        """A figure by the title that it has on this page."""
        name = figure.address.removeprefix(f"{self.view.id}.")
        return replace(figure, title=TITLES.get(name, figure.title))

    def _is_followed(self, figure: Figure) -> bool:
        return not figure.missing and isinstance(figure.origin, Calculated) and self._model.moved(figure)

    @property
    def is_there(self) -> bool:
        """Whether a project has such a page: it plans, and has not done all that it planned."""
        complete = self.maybe("performance.complete_share")
        done = complete is not None and complete.value.low is not None and complete.value.low >= 1
        return self.view.kind == "budget" and not done and bool(self.groups) and self.groups[0][0] == TOTALS

    @property
    def table(self) -> Table:
        """The figures as they are planned, for who has no scripts."""
        rows = []
        for title, some in self.groups:
            for figure in some:
                name: Cell = Bold(figure.title) if title == TOTALS else figure.title
                if title in (OF_BUDGET, LEFT):
                    name = f"{DAYS_LEFT if figure.unit is DAYS else title}: {figure.title}"
                rows.append((name, replace(figure, address="") if title == LEFT else figure))
        return Table.of([words("Figure"), figures("As planned", "full")], rows)

    def data(self, others: Mapping[str, str] | None = None) -> str:
        """What the page calculates with, as a script, so that one that is opened from a folder can read it too.

        `others` are the files of the other GPUs, by their ids; None where this is one of them.
        """
        model, shown = self._model, []
        for title, some in self.groups:
            for figure in some:
                # The limit of two rows is the ceiling: what the budget leaves of it, and what the work to do leaves.
                limit = figure.address.replace("budget.below_ceiling", CEILING.hours)
                limit = limit if title == LEFT or limit != figure.address else ""
                shown.append(
                    {
                        "group": DAYS_LEFT if figure.unit is DAYS else title,
                        **model.shown(figure),
                        "total": title == TOTALS,
                        "limit": limit,
                    }
                )
        below = model.below(each["node"] for each in shown)
        inputs = [{**each, **self._told(each["address"])} for each in model.inputs.values() if each["node"] in below]
        inputs.sort(key=lambda each: (each["part"], each["place"]))
        for each in inputs:
            del each["place"]
        own = str(self.project.gpu)
        held: dict[str, Any] = {**model.data(), "project": self.view.id, "card": own, "inputs": inputs, "shown": shown}
        if others is not None:
            held["cards"] = [[card, self.view.card(card), others.get(card)] for card in (own, *others)]
            held["words"] = {
                word: [fraction(unit.scale), unit.kinds, *[1] * short] for word, (unit, short) in spellings().items()
            }
        return f"budgetWhatIf.take({json.dumps(held, ensure_ascii=False, separators=(',', ':'))});\n"

    def _told(self, address: str) -> dict[str, Any]:
        """Where an input stands on the page, under which heading, and what it is called there."""
        own, figure = address.removeprefix(f"{self.view.id}."), self.book[address]
        place = (figure.place.file, figure.place.line, figure.place.column)
        if own == "seeds":
            least = {"least": self._last_seed} if self._last_seed > 1 else {}
            return {"part": 0, "place": ("", 0, 0), "group": "", "label": "Seeds", **least}
        if own == "contingency":
            return {"part": 0, "place": ("", 1, 0), "group": "", "label": "Contingency"}
        if own == address:
            offer, what = figure.title.partition(": ")[0], self.view.card(address.rpartition(".")[2])
            what = RATE if ".rate." in address else what
            return {"part": 0, "place": ("~", *place[1:]), "group": "", "label": f"{what}: {offer}"}
        kind, _, rest = own.partition(".")
        name, _, last = rest.partition(".")
        records = self.ledger.items if kind == "plan" else self.ledger.figures
        title = str(records[name].title)
        part = 2 if kind != "plan" or last.partition(".")[0] in ESTIMATED else 1
        label = figure.title.removeprefix(f"{title}: ").rpartition(": ")[2]
        return {"part": part, "place": place, "group": title, "label": capitalise(label)}


def what_if_files(view: View, loader: BaseLoader, name: str, flat: bool) -> dict[str, str]:
    """The page of a project that has one, by its name without an ending, and the scripts with what it calculates with.

    File in the folder of the project -> text; nothing for a project without one. Pages of a `flat` site are files;
    else each is a folder of its own.
    """
    page = WhatIf(view)
    if not page.is_there:
        return {}
    cards = [WhatIf(found.view, found) for found in on_cards(view)]
    made = {each.on.card: each.data() for each in cards if each.on and each.is_there}
    files = {card: f"{name}-{card}.js" for card in made}
    data = {"view": view, "what_if": page, "scripts": SCRIPTS, "name": name, "cards": files}
    more = {"up": "" if flat else "../"}
    text = render_page(loader, PAGE.template, Printer(f"{view.id}/{name}.md"), list(view.ledger.files), data | more)
    return {f"{name}.md": text, f"{name}.js": page.data(files), **{files[card]: text for card, text in made.items()}}
