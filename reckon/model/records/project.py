"""What a project is and plans: project.yaml and the plan."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from reckon.language.text import Text, place_of
from reckon.model.amounts import Derived
from reckon.model.finding import Problem
from reckon.model.record import Record
from reckon.model.rules import current_id
from reckon.model.scalars import Wrong
from reckon.model.values import (
    Above,
    Amounted,
    Chance,
    ColumnField,
    Condition,
    Date,
    Days,
    Draw,
    Flag,
    Free,
    GpuHours,
    HoursCeiling,
    Id,
    MoneyCeiling,
    NamedPue,
    Notes,
    Once,
    Positive,
    Ratio,
    Reference,
    RefersTo,
    RunCount,
    SeedNames,
    Settings,
    Share,
    Words,
)

from .shared import (
    CURRENCIES,
    CardRef,
    CurrencyWord,
    Each,
    Finishes,
    GridRef,
    ModelRef,
    Origin,
    Payer,
    PlanIs,
    PriceListRef,
    Release,
    Scope,
    Severity,
)


class Need(Record):
    """Memory that a kind of work needs on each GPU."""

    title: Words
    need_gib_per_gpu: Amounted = Field(description="memory that it needs on each GPU")
    notes: Words | None = None
    source: Words | None = None


class Hardware(Record):
    """A hardware configuration that a document names: cards, how many, for which work; free keys are its figures."""

    free: ClassVar[str] = "figures"
    title: Words
    cards: tuple[CardRef, ...] = Field((), description="the cards that it consists of, or a choice of them")
    gpus: Amounted | None = Field(None, description="how many GPUs")
    runs: tuple[Annotated[Reference, RefersTo("memory")], ...] = Field(
        (), description="ids under `memory` of the work it is recommended for"
    )
    details: dict[Words, Words] = Field(default_factory=dict, description="facts in words: `network: InfiniBand`")
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None


class Version(Record):
    """An entry of the version history."""

    status: Release = Field(description="whether it is out")
    date: Date | None = Field(None, description="the day of its release")
    note: Words = Field(description="what is new in it")
    waits_for: Words | None = Field(None, description="what it waits for")
    reasons: dict[Words, Words] = Field(
        default_factory=dict,
        description="why inputs changed, by address: `plan.train.gpu_hours: the runs took longer`",
    )


ANYTHING = "*"


class Accept(Record):
    """A finding that somebody has seen and accepts, with the reason; or several alike, by a pattern."""

    finding: Words = Field(description="its id; `*` in it stands for what `covers` lists")
    covers: tuple[Words, ...] = Field((), description="what `*` stood for when this was written, one each")
    reason: Words = Field(description="why it is accepted")
    by: Words | None = Field(None, description="who accepts it, as pages name them; a release asks for it")
    until: Words | None = Field(None, description="the version or date up to which it is accepted")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that it accepts, as they are now: of a pattern those that it covers, and no other that came since."""
        if ANYTHING not in self.finding:
            return (current_id(self.finding),)
        return tuple(current_id(self.finding.replace(ANYTHING, each, 1)) for each in self.covers)


class Policy(Record):
    """A condition that the project is to keep; `check` tells when it does not."""

    title: Words | None = Field(None, description="in words; the id, if there is none")
    members: Each | None = Field(
        None,
        alias="for",
        description="judge it for each of these; names mean theirs first",
    )
    each: Each | None = Field(None, description="the older name of `for`")
    require: Condition = Field(description="the condition; a finding where it is not kept")
    severity: Severity = Field(Text("error"), description="error, warning or note: what a breach is")
    remedy: Words = Field(Text("Meet it, or change the policy."), description="what to do when it is breached")
    message: Words | None = Field(None, description="the older name of `remedy`")

    @classmethod
    def fill_in(cls, found: dict[str, Any], info: ValidationInfo) -> None:
        """Puts what has an older name under the newer one."""
        for older, newer in (("each", "for"), ("message", "remedy")):
            if older in found and newer in found and info.context is not None:
                place = place_of(found[older])
                info.context.append(Problem(place, f"`{older}` is the older name of `{newer}`", "write one of them"))
            elif older in found:
                found[newer] = found.pop(older)


class Drop(Record):
    """A piece of the plan that is given up if there is not enough: an item, a phase, a seed, or a seed of an item."""

    item: Annotated[Reference, RefersTo("items")] | None = Field(
        None, description="an item; with `seed`, one seed of it"
    )
    phase: Annotated[Reference, RefersTo("phases")] | None = Field(None, description="the phase that is dropped")
    seed: Words | None = Field(None, description="the seed that is dropped")
    why: Words | None = Field(None, description="why it can go")


class Page(Record):
    """A page of a project: its sections in order, and the records that each shows. Texts join by page and section."""

    title: Words
    summary: Words | None = Field(None, description="what it is about")
    as_of: Date | None = Field(None, description="its date")
    under: Annotated[Reference, RefersTo("pages")] | None = Field(
        None, description="the page of which this one has the details; it is linked from its end"
    )
    sections: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict,
        description="records by address, under the heading: `Measured performance: [measurements.cpu-requests]`; "
        "`.parts` of a measurement, `.result` and `.costs` of a projection stand by themselves",
    )
    source: Words | None = None


class Citation(Record):
    """A publication to be cited, as BibTeX has it."""

    type: Words = Field(Text("article"), description="article, inproceedings, misc, as in BibTeX")
    title: Words
    authors: tuple[Words, ...] = Field((), description="as 'Author, A.'")
    year: Date | None = Field(None, description="the year of publication")
    journal: Words | None = Field(None, description="where it appeared")
    url: Words | None = Field(None, description="its address")
    notes: Words | None = None


CEILING = "what must not be passed: GPU-hours, `2400 usd`, or one of each, `[2000, 2400 usd]`"


class AtRisk(Record):
    """From which chance of exceeding a limit on a project is at risk, in place of three times the odds of its plan."""

    budget: Chance | None = Field(None, description="of exceeding its budget, as 30%")
    ceiling: Chance | None = Field(None, description="of exceeding its ceiling")
    allocations: Chance | None = Field(None, description="of exceeding a grant that it draws on")


class Project(Record):
    """project.yaml: what the project is and what its budget rests on."""

    title: Words
    summary: Words | None = Field(None, description="what it is about, as markdown")
    version: Words = Field(description="the version of the plan, of numbers and dots")
    status: Words | None = Field(None, description="in words, as Draft")
    origin: Origin | None = Field(
        None, description="document: it tells one of others; example: it only shows something; else the team's own"
    )
    as_of: Date = Field(description="the date of the plan; nothing that renders reads the clock")
    began: Date | None = Field(None, description="the first day of the project; no run is before it")
    gpu: CardRef = Field(description="the GPU whose hours the budget counts")
    gpus: Above | None = Field(None, description="capacity: GPUs that it can hold at one time")
    allocation: Payer | None = Field(
        None, description="who pays where nothing nearer says so: an id of allocations.yaml, or `none`"
    )
    price: PriceListRef | None = Field(
        None, description="the price list of its hours where nothing nearer names one; before `prices`"
    )
    models: tuple[ModelRef, ...] = Field((), description="the models that it is about")
    seeds: SeedNames | None = Field(None, description="how many seeds, or a list of their names")
    contingency: Ratio | None = Field(None, description="share of the subtotal kept for the unforeseen, as 15%")
    plan_is: PlanIs | None = Field(None, description="best-case: hours if nothing goes wrong, which set no limit")
    currency: CurrencyWord = Field(
        Text("usd"), description="usd | eur | gbp | chf | cny | jpy: of all sums of money (usd)"
    )
    ceiling: HoursCeiling | None = Field(None, description=CEILING)
    ceiling_money: MoneyCeiling | None = Field(None, alias="ceiling", description=CEILING)
    at_risk: AtRisk | None = Field(
        None, description="from which chance of exceeding a limit on it is at risk (else by the odds of its plan)"
    )
    forecast_seed: Draw | None = Field(None, description="another whole number makes other draws (0)")
    pace_days: Days | None = Field(None, description="days of data that the pace is taken from (28)")
    prices: tuple[PriceListRef, ...] = Field((), description="price lists; the first that has the project's GPU counts")
    throughputs: tuple[Annotated[Reference, RefersTo("catalog.throughputs")], ...] = Field(
        (), description="tables of throughput; the first that has a card for the model counts"
    )
    grid: GridRef | None = Field(None, description="the grid whose emissions count, of catalog/grids.yaml")
    pue: NamedPue | None = Field(None, description="PUE of the data centre, 1.2, or an id of catalog/facilities.yaml")
    power_share: Share | None = Field(None, description="what a GPU draws of the power of its board, 60-100%; else all")
    embodied_co2e_tonnes: Amounted | None = Field(
        None, description="emissions of making the hardware, as a source states them; they are never calculated"
    )
    market_based_co2e_tonnes: Amounted | None = Field(
        None, description="market-based emissions, as a source states them; all others are location-based"
    )
    price_days: Days | None = Field(None, description="how much older than `as_of` a price may be (180 days)")
    policies: dict[Id, Policy] = Field(default_factory=dict, description="conditions that the project is to keep")
    descope: tuple[Drop, ...] = Field((), description="what is dropped if there is not enough, in this order")
    reserve_gib: Amounted | None = Field(None, description="memory of each GPU that is to stay free (0)")
    memory: dict[Id, Need] = Field(default_factory=dict, description="memory needed by kinds of work")
    hardware: dict[Id, Hardware] = Field(default_factory=dict, description="hardware that the document names")
    versions: dict[Words, Version] = Field(default_factory=dict, description="the history of versions")
    pages: dict[Id, Page] = Field(default_factory=dict, description="pages beside the first, by file name")
    citations: dict[Id, Citation] = Field(default_factory=dict, description="publications to be cited")
    accept: tuple[Accept, ...] = Field((), description="findings that are accepted")
    csv: dict[Words, ColumnField] = Field(
        default_factory=dict, description="columns of `add runs` and the fields they hold, as `JobID: job`"
    )
    source: Words | None = None
    notes: Words | None = None

    @field_validator("at_risk")
    @classmethod
    def bounds_something(cls, risk: AtRisk, info: ValidationInfo) -> AtRisk:
        """A chance is stated of limits that the project has; of a best case, or without a ceiling, it does nothing."""
        problems: list[Problem] = []
        if risk.budget is not None and info.data.get("plan_is"):
            right = "leave `budget` out of `at_risk`"
            problems.append(Problem(risk.budget.place, "a plan that is a best case sets no limit", right))
        ceilings = [info.data.get(name, "refused") for name in ("ceiling", "ceiling_money")]
        if risk.ceiling is not None and ceilings == [None, None]:
            right = "state `ceiling`, or leave it out of `at_risk`"
            problems.append(Problem(risk.ceiling.place, "this project has no ceiling", right))
        if problems:
            raise Wrong(problems)
        return risk


class Repeats(Record):
    """What a line does again: other lines, and how often each of them as it is done once, with one seed."""

    of: Annotated[tuple[Annotated[Reference, RefersTo("items")], ...], Once] = Field(
        description="ids of the items that it does again, one seed of each"
    )
    times: Above = Field(description="how often; 0.5 for half of it")


class Item(Record):
    """A line of the budget."""

    title: Words
    scope: Scope = Field(description="one-time | per-seed | single-seed | all-seeds (already counts every seed)")
    gpu: CardRef | None = Field(None, description="where it runs, if not on the project's GPU")
    allocation: Payer | None = Field(None, description="who pays for it, or `none`; before what its phase says")
    price: PriceListRef | None = Field(None, description="the price list of its hours; before what its phase says")
    gpu_hours: Amounted = Field(description="the planned budget, of one seed where the scope is per-seed")
    usd: Amounted | None = Field(
        None, description="a line of money in place of `gpu_hours`: API, storage, or what its runs are paid from"
    )
    eur: Amounted | None = Field(None, description="the same in euros")
    gbp: Amounted | None = Field(None, description="the same in pounds")
    chf: Amounted | None = Field(None, description="the same in Swiss francs")
    cny: Amounted | None = Field(None, description="the same in yuan")
    jpy: Amounted | None = Field(None, description="the same in yen")
    estimate: GpuHours | None = Field(None, description="how the plan is arrived at: a range, or formula and inputs")
    gpus: Positive | None = Field(
        None, description="GPUs that each of its runs holds: what a payer that bills whole nodes bills of the plan"
    )
    runs: RunCount | None = Field(
        None, description="how many runs a piece of work takes: the item, or one seed of it where it is per-seed"
    )
    repeats: Repeats | None = Field(None, description="lines that it does again, how often: held against their cost")
    finishes: Finishes | None = Field(
        None, description="piece | run | never: what a completed run ends; `run` is one of `runs`"
    )
    watts: Amounted | None = Field(None, description="what each GPU draws, in place of the power of its board")
    includes_margin: Flag = Field(False, description="true: the planned hours contain a margin already")
    margin: GpuHours | None = Field(None, description="how much of the planned hours that margin is")
    contingency: Ratio | None = Field(None, description="instead of the phase's or the project's; 0 for none")
    need_gib_per_gpu: Amounted | None = Field(None, description="memory that the job needs on each GPU")
    settings: Settings = Field(default_factory=dict, description="free map: quantities, words, lists of words")
    notes: Notes = ()
    source: Words | None = None

    @property
    def currency(self) -> str:
        """The currency of a line of money, in small letters; empty for one in hours."""
        return next(iter(self.list_stated(CURRENCIES)), "")

    @classmethod
    def fill_in(cls, found: dict[str, Any], info: ValidationInfo) -> None:
        """A line of money plans no hours; one that says both, or money in two currencies, is refused."""
        said = [name for name in ("gpu_hours", *CURRENCIES) if found.get(name) is not None]
        if len(said) > 1 and info.context is not None:
            wrong = f"both `{said[0]}` and `{said[1]}` are planned"
            info.context.append(
                Problem(place_of(found[said[1]]), wrong, "write one of them, and another item for the other")
            )
        elif said and said[0] in CURRENCIES:
            found["gpu_hours"] = Text("0", place_of(found[said[0]]))

    @property
    def detailed(self) -> bool:
        """Whether it has more to say than its hours: how they are estimated, a card of its own, settings, or notes."""
        return bool(self.settings or self.notes or self.estimate or self.gpu)

    @property
    def calculated(self) -> bool:
        """Whether its planned hours come from a formula."""
        return isinstance(self.gpu_hours, Derived)


class Phase(Record):
    """A phase of the plan with its items."""

    title: Words
    contingency: Ratio | None = Field(None, description="instead of the project's")
    since: Date | None = Field(None, description="its first day, as planned; a month means all of it")
    until: Date | None = Field(None, description="its last day, as planned; a month means all of it")
    extension: Flag = Field(False, description="true: beside the base budget, outside its contingency")
    ceiling: HoursCeiling | None = Field(None, description=CEILING)
    ceiling_money: MoneyCeiling | None = Field(None, alias="ceiling", description=CEILING)
    allocation: Payer | None = Field(None, description="who pays for its items, or `none`; before the project's")
    price: PriceListRef | None = Field(None, description="the price list of its items; before the project's")
    items: dict[Id, Item] = Field(default_factory=dict, description="its lines, by ids that are unique in the project")
    settings: Settings = Field(default_factory=dict, description="settings of all its items")
    notes: Notes = ()

    @property
    def hour_items(self) -> dict[Id, Item]:
        """Its lines in GPU-hours."""
        return {name: item for name, item in self.items.items() if not item.currency}
