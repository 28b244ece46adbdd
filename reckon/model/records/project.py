"""What a project is and plans: project.yaml and the plan."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from reckon.language.text import Text, place_of
from reckon.language.units import CURRENCIES
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
    Line,
    MoneyCeiling,
    NamedPue,
    Notes,
    Once,
    Positive,
    Ratio,
    Reference,
    RefersTo,
    RunCount,
    Seed,
    SeedNames,
    Settings,
    Share,
    Words,
)

from .shared import (
    LINE,
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
    """Memory that one kind of work needs on each GPU."""

    title: Words
    need_gib_per_gpu: Amounted = Field(description="memory needed on each GPU")
    notes: Words | None = None
    source: Words | None = None


class Hardware(Record):
    """Hardware that a document names: cards, their number, and the work; other keys are its figures."""

    free: ClassVar[str] = "figures"
    title: Words
    cards: tuple[CardRef, ...] = Field((), description="cards it consists of, or a choice of them")
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

    status: Release = Field(description="whether it is released")
    date: Date | None = Field(None, description="the day of its release")
    note: Words = Field(description="what is new in it")
    waits_for: Words | None = Field(None, description="what blocks it")
    reasons: dict[Words, Words] = Field(
        default_factory=dict,
        description="reasons for changed inputs, by address: `plan.train.gpu_hours: the runs took longer`",
    )


ANYTHING = "*"


class Accept(Record):
    """An accepted finding, with the reason; or several similar ones, by a pattern."""

    finding: Words = Field(description="id of the finding; `*` means the names in `covers`")
    covers: tuple[Words, ...] = Field((), description="names that `*` covers")
    reason: Words = Field(description="why it is accepted")
    by: Words | None = Field(None, description="who accepts it; needed for a release")
    until: Words | None = Field(None, description="the version or date up to which it is accepted")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that it accepts, as they are now: of a pattern those that it covers, and no other that came since."""
        if ANYTHING not in self.finding:
            return (current_id(self.finding),)
        return tuple(current_id(self.finding.replace(ANYTHING, each, 1)) for each in self.covers)


class Policy(Record):
    """A condition that the project sets itself; `check` reports a breach."""

    title: Words | None = Field(None, description="title (default: the id)")
    members: Each | None = Field(
        None,
        alias="for",
        description="check it for each of these; names are looked up there first",
    )
    each: Each | None = Field(None, description="the older name of `for`")
    require: Condition = Field(description="the condition; a breach is a finding")
    severity: Severity = Field(Text("error"), description="severity of a breach: error, warning or note")
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
    """A cut in the plan if hours run short: an item, a phase, a seed, or a seed of an item."""

    item: Annotated[Reference, RefersTo("items")] | None = Field(
        None, description="an item; with `seed`, one seed of it"
    )
    phase: Annotated[Reference, RefersTo("phases")] | None = Field(None, description="the phase that is dropped")
    seed: Seed | None = Field(None, description="the seed that is dropped")
    why: Words | None = Field(None, description="why it can go")


class Page(Record):
    """A page of a project: its sections in order, and their records. Texts join by page and section."""

    title: Words
    summary: Words | None = Field(None, description="what it is about")
    as_of: Date | None = Field(None, description="its date")
    under: Annotated[Reference, RefersTo("pages")] | None = Field(
        None, description="page that links to this one for details"
    )
    sections: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict,
        description="records by address, under the heading: `Measured performance: [measurements.cpu-requests]`; "
        "`.parts` of a measurement, `.result` and `.costs` of a projection stand by themselves",
    )
    source: Words | None = None


class Citation(Record):
    """A publication to cite, with BibTeX fields."""

    type: Words = Field(Text("article"), description="article, inproceedings, misc, as in BibTeX")
    title: Words
    authors: tuple[Words, ...] = Field((), description="as 'Author, A.'")
    year: Date | None = Field(None, description="the year of publication")
    journal: Words | None = Field(None, description="where it appeared")
    url: Words | None = Field(None, description="its address")
    notes: Words | None = None


CEILING = "limit never to exceed: GPU-hours, `2400 usd`, or one of each, `[2000, 2400 usd]`"


class AtRisk(Record):
    """The chance above which a limit is at risk, instead of three times the odds of the plan."""

    budget: Chance | None = Field(None, description="chance of exceeding its budget, such as 30%")
    ceiling: Chance | None = Field(None, description="chance of exceeding its ceiling")
    allocations: Chance | None = Field(None, description="chance of exceeding one of its grants")


class Project(Record):
    """project.yaml: the project, and the basis of its budget."""

    title: Words
    summary: Words | None = Field(None, description="summary, in markdown")
    version: Words = Field(description="version of the plan, with numbers and dots")
    status: Words | None = Field(None, description="status in words, such as Draft")
    origin: Origin | None = Field(
        None, description="document: a published one; example: a demonstration; else the team's own"
    )
    as_of: Date = Field(description="date of the plan; pages never use today's date")
    began: Date | None = Field(None, description="first day of the project; runs cannot be earlier")
    gpu: CardRef = Field(description="the GPU whose hours the budget counts")
    gpus: Above | None = Field(None, description="most GPUs it can hold at one time")
    allocation: Payer | None = Field(
        None, description="allocation that pays by default: an id of allocations.yaml, or `none`"
    )
    price: PriceListRef | None = Field(None, description="default price list of its hours; overrides `prices`")
    models: tuple[ModelRef, ...] = Field((), description="models it uses")
    seeds: SeedNames | None = Field(None, description="how many seeds, or a list of their names")
    contingency: Ratio | None = Field(None, description="contingency, as a share of the planned work, such as 15%")
    plan_is: PlanIs | None = Field(None, description="best-case: hours if nothing goes wrong; no limit")
    currency: CurrencyWord = Field(Text("usd"), description=f"{' | '.join(CURRENCIES)}: currency of all sums (usd)")
    ceiling: HoursCeiling | None = Field(None, description=CEILING)
    ceiling_money: MoneyCeiling | None = Field(None, alias="ceiling", description=CEILING)
    at_risk: AtRisk | None = Field(
        None, description="chance above which a limit is at risk (else by the odds of its plan)"
    )
    forecast_seed: Draw | None = Field(None, description="seed of the simulation: a whole number (0)")
    pace_days: Days | None = Field(None, description="days of data for the pace (28)")
    prices: tuple[PriceListRef, ...] = Field((), description="price lists; the first that has the project's GPU counts")
    throughputs: tuple[Annotated[Reference, RefersTo("catalog.throughputs")], ...] = Field(
        (), description="tables of throughput; the first that has a card for the model counts"
    )
    grid: GridRef | None = Field(None, description="electricity grid for emissions, from catalog/grids.yaml")
    pue: NamedPue | None = Field(None, description="PUE of the data centre, 1.2, or an id of catalog/facilities.yaml")
    power_share: Share | None = Field(
        None, description="power of a GPU as a share of its board power, 60-100%; else all"
    )
    embodied_co2e_tonnes: Amounted | None = Field(
        None, description="emissions of making the hardware, as stated by a source; never calculated"
    )
    market_based_co2e_tonnes: Amounted | None = Field(
        None, description="market-based emissions, as stated by a source; all others are location-based"
    )
    price_days: Days | None = Field(None, description="greatest age of a price at `as_of` (180 days)")
    policies: dict[Id, Policy] = Field(default_factory=dict, description="policies of the project")
    descope: tuple[Drop, ...] = Field((), description="cut list: what is dropped first")
    reserve_gib: Amounted | None = Field(None, description="memory to keep free on each GPU (0)")
    memory: dict[Id, Need] = Field(default_factory=dict, description="memory needed by kinds of work")
    hardware: dict[Id, Hardware] = Field(default_factory=dict, description="hardware that the document names")
    versions: dict[Words, Version] = Field(default_factory=dict, description="the history of versions")
    pages: dict[Id, Page] = Field(default_factory=dict, description="additional pages, by file name")
    citations: dict[Id, Citation] = Field(default_factory=dict, description="publications to be cited")
    accept: tuple[Accept, ...] = Field((), description="accepted findings")
    csv: dict[Words, ColumnField] = Field(
        default_factory=dict, description="columns of `add runs` and their fields, such as `JobID: job`"
    )
    source: Words | None = None
    source_sha256: Notes = Field((), description="SHA-256 of the document, or of each; `cover` reports a change")
    ignore: tuple[Words, ...] = Field(
        (), description="figures of the document as printed, or its headings, that `cover` leaves out"
    )
    notes: Words | None = None

    @field_validator("at_risk")
    @classmethod
    def bounds_something(cls, risk: AtRisk, info: ValidationInfo) -> AtRisk:
        """A chance is stated of limits that the project has; of a best case, or without a ceiling, it does nothing."""
        problems: list[Problem] = []
        if risk.budget is not None and info.data.get("plan_is"):
            right = "remove `budget` from `at_risk`"
            problems.append(Problem(risk.budget.place, "a best-case plan has no limit", right))
        ceilings = [info.data.get(name, "refused") for name in ("ceiling", "ceiling_money")]
        if risk.ceiling is not None and ceilings == [None, None]:
            right = "add `ceiling`, or remove it from `at_risk`"
            problems.append(Problem(risk.ceiling.place, "this project has no ceiling", right))
        if problems:
            raise Wrong(problems)
        return risk


class Repeats(Record):
    """Items that an item repeats, and how often: each with one seed."""

    of: Annotated[tuple[Annotated[Reference, RefersTo("items")], ...], Once] = Field(
        description="ids of the items it repeats, one seed of each"
    )
    times: Above = Field(description="repetitions; 0.5 for half of it")


class Item(Record, by_currency="usd"):
    """An item of the plan."""

    title: Words
    scope: Scope = Field(description="one-time | per-seed | single-seed | all-seeds (already counts every seed)")
    gpu: CardRef | None = Field(None, description="GPU it runs on (default: the project's)")
    allocation: Payer | None = Field(None, description="allocation that pays, or `none`; overrides the phase")
    price: PriceListRef | None = Field(None, description="price list of its hours; overrides the phase")
    gpu_hours: Amounted = Field(description="planned GPU-hours; of one seed if the scope is per-seed")
    usd: Amounted | None = Field(
        None, description="US dollars instead of `gpu_hours`: API, storage, or what pays its runs"
    )
    estimate: GpuHours | None = Field(None, description="estimate behind the plan: a range, or formula and inputs")
    gpus: Positive | None = Field(None, description="GPUs of each run, for payers that bill whole nodes")
    runs: RunCount | None = Field(None, description="runs for one task (the item, or one seed of a per-seed item)")
    repeats: Repeats | None = Field(None, description="items it repeats, and how often; compared with their cost")
    finishes: Finishes | None = Field(
        None, description="piece | run | never: what a completed run ends; `run`: one of `runs`"
    )
    watts: Amounted | None = Field(None, description="power of each GPU (default: its board power)")
    includes_margin: Flag = Field(False, description="true: the planned hours include a contingency")
    margin: GpuHours | None = Field(None, description="that contingency, as a share of the planned hours")
    contingency: Ratio | None = Field(None, description="contingency (default: the phase's or project's); 0 for none")
    need_gib_per_gpu: Amounted | None = Field(None, description="memory needed on each GPU")
    settings: Settings = Field(default_factory=dict, description="free map: quantities, words, lists of words")
    notes: Notes = ()
    source: Words | None = None
    line: Line | None = Field(None, description=LINE)

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
    def runs_a_piece(self) -> Fraction | None:
        """How many runs a piece of its work takes; None where that is not said, or not known."""
        return self.runs.value.use if self.runs else None

    @property
    def detailed(self) -> bool:
        """Whether it has more to say than its hours: how they are estimated, a card of its own, settings, or notes."""
        return bool(self.settings or self.notes or self.estimate or self.gpu)

    @property
    def calculated(self) -> bool:
        """Whether its planned hours come from a formula."""
        return isinstance(self.gpu_hours, Derived)


class Phase(Record):
    """A phase of the plan, with its items."""

    title: Words
    contingency: Ratio | None = Field(None, description="contingency (default: the project's)")
    since: Date | None = Field(None, description="planned first day; a month means all of it")
    until: Date | None = Field(None, description="planned last day; a month means all of it")
    extension: Flag = Field(False, description="true: an extension, outside the budget and its contingency")
    ceiling: HoursCeiling | None = Field(None, description=CEILING)
    ceiling_money: MoneyCeiling | None = Field(None, alias="ceiling", description=CEILING)
    allocation: Payer | None = Field(None, description="allocation that pays, or `none`; overrides the project")
    price: PriceListRef | None = Field(None, description="price list of its items; overrides the project")
    items: dict[Id, Item] = Field(default_factory=dict, description="items, by ids that are unique in the project")
    settings: Settings = Field(default_factory=dict, description="settings of all its items")
    notes: Notes = ()

    @property
    def hour_items(self) -> dict[Id, Item]:
        """Its lines in GPU-hours."""
        return {name: item for name, item in self.items.items() if not item.currency}
