"""What work takes of machines: what was measured and what is projected from it, what a configuration needs of memory
and time with the levers that change it, and the setups that a workload can be done on."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from reckon.language.text import Text
from reckon.model.record import Record
from reckon.model.scalars import Wrong, complain
from reckon.model.values import (
    Above,
    Amounted,
    Count,
    Date,
    Efficiency,
    Free,
    GpusPerRun,
    Id,
    Name,
    Notes,
    Once,
    Rates,
    Ratio,
    Reference,
    RefersTo,
    Rows,
    Settings,
    Share,
    SomeRuns,
    Under,
    Words,
    not_summed,
)

from .shared import CardRef, Kind, LeverStatus, ModelRef, Optimizer, PriceListRef, Recompute, Sharding, SizeFormula

MeasurementRef = Annotated[Reference, RefersTo("measurements")]
DeviceWords = Annotated[Words, Field(description="a card or device of the catalogue, or a device in words")]


class Measurement(Record):
    """Something measured, simulated or reported: rows of named columns, or single figures under keys of their own."""

    free: ClassVar[str] = "figures"
    title: Words
    kind: Kind = Field(description="origin of the figures")
    date: Date | None = Field(None, description="when")
    device: DeviceWords | None = Field(None, description="the card or device, by its id, or in words")
    gpus: Amounted | None = Field(None, description="on how many GPUs")
    model: ModelRef | None = Field(None, description="the model")
    dtype: Words | None = Field(None, description="number format that it ran in, as bf16")
    configuration: Words | None = Field(None, description="a configuration of configurations.yaml, or one in words")
    row: Words | None = Field(None, description="what one row is, as request or step")
    rows: Rows = Field((), description="one map for each, with the same columns, the unit last: `generation_seconds`")
    total: tuple[Name, ...] = Field((), description="columns whose sum is the whole of a row")
    parts: dict[Id, Ratio] = Field(default_factory=dict, description="shares of a whole, which add up to 100%")
    memory: dict[Name, Annotated[Reference, RefersTo("memory")]] = Field(
        default_factory=dict, description="figure of this record: the need under `memory` that it also covers"
    )
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None

    @field_validator("total")
    @classmethod
    def sums_columns(cls, total: tuple[Text, ...], info: ValidationInfo) -> tuple[Text, ...]:
        """Refuses a sum of columns that the rows do not have, or of unlike ones."""
        problems = list(not_summed(total, info.data["rows"])) if "rows" in info.data else []
        if problems:
            raise Wrong(problems)
        return total

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its rows, in the order of the first."""
        return tuple(self.rows[0].values) if self.rows else ()


class Projection(Record):
    """The projected time of a job, from each of its measurements: time per step x steps."""

    title: Words | None = None
    base: Annotated[Reference, RefersTo("projections")] | None = Field(
        None, description="projection whose fields this one inherits"
    )
    measurements: Annotated[tuple[MeasurementRef, ...], Once] | None = Field(
        None, description="source of the time per step; the first is the baseline of speed-ups"
    )
    steps: Above | None = Field(None, description="total steps; or their factors")
    tasks: Above | None = Field(None, description="tasks, where `steps` are not stated")
    rollouts_per_task: Above | None = Field(None, description="rollouts of each task (1)")
    steps_per_rollout: Above | None = Field(None, description="steps of each rollout")
    epochs: Above | None = Field(None, description="repetitions of all that (1)")
    parallel_environments: Above | None = Field(
        None, description="rollouts that take a step together, in one model call"
    )
    multiplier: Above | None = Field(None, description="how many times longer than the measured step")
    gpus: Above | None = Field(None, description="on how many GPUs")
    efficiency: Efficiency | None = Field(None, description="share of a perfect speed-up that several GPUs reach")
    model: ModelRef | None = Field(None, description="model (default: the measured one)")
    exponent: Amounted | None = Field(None, description="time grows with parameters to this power, from model to model")
    prices: Annotated[tuple[PriceListRef, ...], Once] | None = Field(
        None, description="price lists that its cost is calculated with"
    )
    compare: Annotated[Reference, RefersTo("items")] | None = Field(
        None, description="item of the plan that it also covers"
    )
    reported: Annotated[Reference, RefersTo("figures")] | None = Field(
        None, description="named figure with a reported time for the same work"
    )
    leaves_out: Notes = Field((), description="what it does not count, such as the environment or the update")
    notes: Words | None = None
    source: Words | None = None

    @field_validator("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")
    @classmethod
    def counts_steps_once(cls, count: Any, info: ValidationInfo) -> Any:
        """Steps are stated in all, or come from tasks, rollouts and epochs: from both they could be two numbers."""
        if info.data.get("steps") is not None:
            right = "keep `steps`, or their factors"
            raise complain(count, f"`{info.field_name}` and `steps` are both given", right)
        return count


class Bound(Record):
    """The minimum time of an inference by the peaks of devices, compared with measurements."""

    title: Words
    measurements: Annotated[tuple[MeasurementRef, ...], Once] = Field(
        description="source of model, dtype and device; the first is the baseline of speed-ups"
    )
    prefill_tokens: Above = Field(description="tokens that are read")
    decode_tokens: Above = Field(description="tokens that are generated")
    flop_per_parameter_per_token: Above | None = Field(None, description="of a forward pass (2)")
    notes: Words | None = None
    source: Words | None = None


class MemoryPart(Record):
    """A part of a configuration's GPU memory: stated, a share of the card, or calculated."""

    title: Words | None = None
    gb: Amounted | None = Field(None, description="stated, including its configuration's levers; or `gib`")
    gib: Amounted | None = Field(None, description="stated, including its configuration's levers; or `gb`")
    pool: Name | None = Field(None, description="setting for its share of the card's usable memory")
    share: Share | None = Field(None, description="that share, if no setting has it")
    reckoned: SizeFormula | None = Field(None, description="by a named formula; `rest`: what is left of its pool")
    within: Id | None = Field(None, description="the pool it is in; it takes no other memory")
    notes: Words | None = None
    source: Words | None = None

    @property
    def is_pool(self) -> bool:
        """Whether it is a share of the card."""
        return self.pool is not None or self.share is not None

    @property
    def is_stated(self) -> bool:
        """Whether its size is stated."""
        return self.gb is not None or self.gib is not None


class Configuration(Record):
    """Settings of a job, or of a document, with their memory and time."""

    title: Words
    group: Words | None = Field(None, description="a heading over several")
    file: Words | None = Field(None, description="file with the configuration")
    framework: Annotated[Reference, RefersTo("catalog.settings")] | None = Field(
        None, description="whose settings these are, in catalog/settings.yaml"
    )
    base: Annotated[Reference, RefersTo("configurations")] | None = Field(
        None, description="configuration whose fields, settings and parts this one inherits"
    )
    levers: tuple[Annotated[Reference, RefersTo("levers")], ...] = Field(
        (), description="levers applied, in this order"
    )
    settings: Settings = Field(default_factory=dict, description="settings by name")
    hours: Amounted | None = Field(None, description="how long it runs")
    time: dict[Id, Share] = Field(default_factory=dict, description="share of the time in each part, or unknown")
    memory: dict[Id, MemoryPart] = Field(default_factory=dict, description="parts of the memory of each GPU")
    model: ModelRef | None = Field(None, description="the model that runs")
    dtype: Words | None = Field(None, description="number format of weights and cache, as bf16")
    optimizer: Optimizer | None = Field(None, description="whose states are counted")
    sharding: Sharding | None = Field(None, description="ZeRO stage: what the GPUs divide among themselves")
    recompute: Recompute | None = Field(None, description="activations that are recomputed, not stored")
    gpus: Above | None = Field(None, description="GPUs that share the states")
    tokens: Above | None = Field(None, description="tokens per sequence")
    sequences: Above | None = Field(None, description="sequences processed at once")
    notes: Words | None = None
    source: Words | None = None


class Lever(Record):
    """A change of settings to save time or memory: its settings, and its stated and measured effect."""

    title: Words
    status: LeverStatus | None = Field(None, description="status of the lever")
    configuration: Annotated[Reference, RefersTo("configurations")] | None = Field(
        None, description="the configuration that it changes"
    )
    was: Settings = Field(default_factory=dict, description="settings before it")
    sets: Settings = Field(default_factory=dict, description="settings with it")
    lowers: tuple[Name, ...] = Field((), description="settings that the document says it reduces")
    effect: Words | None = Field(None, description="effect that the document states")
    factor: Ratio | None = Field(None, description="factor of the reduction that the document states, such as 5x")
    part: Id | None = Field(None, description="the part of the memory that it makes smaller")
    saves: Share | None = Field(None, description="what share of that part it saves")
    saves_gb: Amounted | None = Field(None, description="amount of it that is saved; or `saves_gib`")
    saves_gib: Amounted | None = Field(None, description="the same in GiB")
    slows: Id | None = Field(None, description="the part of the time that it makes longer")
    slower: Ratio | None = Field(None, description="extra time: 20% multiplies the time by 1.2")
    throughput_lower: Share | None = Field(None, description="loss of throughput: 30% divides it by 0.7")
    measured_without: MeasurementRef | None = Field(None, description="a measurement before it")
    measured_with: MeasurementRef | None = Field(None, description="a measurement with it")
    notes: Words | None = None
    source: Words | None = None


OF_TOKENS = (
    "tokens_per_sample",
    "samples",
    "samples_per_model",
    "models",
    "model",
    "dtype",
    "overhead",
    "overhead_minutes_per_model",
    "efficiency",
)
OF_RUNS = ("hours_per_run", "gpus_per_run", "overhead_minutes_per_run", "speed")
"""The fields of a workload that go with tokens alone, and those that go with `runs` alone."""


class Workload(Record):
    """Tokens to generate, and the overhead of generating them; or whole runs."""

    title: Words
    model: ModelRef | None = Field(None, description="whose throughput counts")
    dtype: Words | None = Field(None, description="number format of the throughputs that count; any without it")
    models: Above | None = Field(None, description="how many models generate (1)")
    samples: Above | None = Field(None, description="samples over all models")
    samples_per_model: Above | None = Field(None, description="samples of each model, instead of `samples`")
    tokens_per_sample: Above | None = Field(None, description="needed, unless the work is stated in runs")
    overhead: Ratio | None = Field(None, description="extra time, as a share of the generation time")
    overhead_minutes_per_model: Amounted | None = Field(None, description="fixed time, as for loading a model")
    efficiency: Efficiency | None = Field(None, description="share of a perfect speed-up that several GPUs reach")
    memory_gb: Under = Field(default_factory=dict, description="parts of the memory that one model needs on its GPU")
    runs: SomeRuns | None = Field(None, description="instead of tokens: number of independent runs")
    hours_per_run: Above | None = Field(None, description="time of a run on the baseline, without its fixed time")
    gpus_per_run: GpusPerRun | None = Field(None, description="GPUs per run, on every card (1)")
    overhead_minutes_per_run: Amounted | None = Field(None, description="fixed time of a run, as long on every card")
    speed: Rates = Field(
        default_factory=dict, description="speed of a card relative to the baseline (default: its counts_as)"
    )
    baseline: CardRef | None = Field(None, description="card used for comparison")
    notes: Words | None = None
    source: Words | None = None

    @property
    def piece(self) -> str:
        """What the work is made of, in a word: `model`, or `run`."""
        return "model" if self.runs is None else "run"


class Search(Record):
    """A search on a market for a setup: which, where, and the highest price of the whole offer."""

    title: Words | None = None
    choice: Words | None = Field(None, description="a setup, as rtx-3090-x4, or a ranking, as cheapest")
    provider: Annotated[Reference, RefersTo("catalog.providers")] = Field(description="where to search")
    usd_per_hour: Amounted | None = Field(None, description="highest price of the whole offer, with all its GPUs")
    vram_gib: Amounted | None = Field(None, description="without a setup: the least memory of each GPU")
    gpus: Amounted | None = Field(None, description="without a setup: how many GPUs")


class Setups(Record):
    """The setups for a workload: every card with a price or a throughput, in each of these counts."""

    title: Words
    workload: Annotated[Reference, RefersTo("workloads")] = Field(description="the work that they are for")
    reading_of: Annotated[Reference, RefersTo("setups")] | None = Field(
        None, description="comparison that this one varies; quoted, without its own tables"
    )
    counts: Annotated[tuple[Count, ...], Once] = Field(
        (), description="numbers of GPUs a setup can have, such as [1, 4]"
    )
    cards: Annotated[tuple[CardRef, ...], Once] = Field((), description="only these cards")
    leave_out: tuple[Words, ...] = Field((), description="excluded setups, such as h100-pcie-80gb-x4")
    reference: Words | None = Field(None, description="reference setup for dollars per hour saved")
    deadline_hours: Amounted | None = Field(None, description="deadline, for the rankings")
    budget_usd: Amounted | None = Field(None, description="cost limit, for the rankings")
    usd_per_hour_waited: Amounted | None = Field(None, description="what an hour of waiting costs you")
    market: dict[Words, Words] = Field(default_factory=dict, description="availability of a setup, in words")
    searches: dict[Id, Search] = Field(default_factory=dict, description="searches on a market")
    notes: Words | None = None
    source: Words | None = None
