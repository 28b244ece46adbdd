"""Records that projects share: the catalogue, and grants of GPU-hours; before them the closed lists of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import dropwhile
from typing import Annotated

from pydantic import Field

from reckon.language.calendar_days import first_day
from reckon.language.quantity import Quantity
from reckon.language.text import Text
from reckon.language.units import CURRENCIES, DOLLAR, OTHERS, Unit, key_unit, value_unit
from reckon.model.amounts import AmountValue, is_unknown
from reckon.model.fields import ReadBy
from reckon.model.record import Record
from reckon.model.scalars import read_word
from reckon.model.values import (
    Above,
    Amounted,
    ByCard,
    CountsAs,
    Date,
    Exactly,
    Id,
    Name,
    Positive,
    Pue,
    Rates,
    Reference,
    RefersTo,
    Under,
    UnitWords,
    Words,
)


def word(*words: str) -> ReadBy:
    """How a field is read that is one of a closed list of words, and what an editor is told of it."""
    return ReadBy(partial(read_word, words), {"type": "string", "enum": list(words)})


SCOPES = ("one-time", "per-seed", "single-seed", "all-seeds")
STATUSES = (
    "completed",
    "failed",
    "cancelled",
    "timeout",
    "out-of-memory",
    "node-failure",
    "preempted",
    "running",
    "held-idle",
    "queued",
)
FINISHES = ("piece", "run", "never")
Scope = Annotated[Text, word(*SCOPES)]
PlanIs = Annotated[Text, word("best-case")]
DOCUMENT, EXAMPLE = "document", "example"
Origin = Annotated[Text, word(DOCUMENT, EXAMPLE)]
Kind = Annotated[Text, word("measured", "simulated", "datasheet", "reported", "estimated")]
Status = Annotated[Text, word(*STATUSES)]
Finishes = Annotated[Text, word(*FINISHES)]
Each = Annotated[Text, word("phase", "item", "seed", "run", "payer", "allocation")]
Severity = Annotated[Text, word("error", "warning", "note")]
LeverStatus = Annotated[Text, word("active", "tested", "planned", "rejected")]
# What a setting is for. Rules of the audit look for roles, never for the names that frameworks give.
ROLES = (
    "request-timeout",
    "output-cap",
    "input-cap",
    "history",
    "temperature",
    "sampling",
    "decoding",
    "workers",
    "epochs",
    "label",
)
Role = Annotated[Text, word(*ROLES)]
SIZE_FORMULAS = ("weights", "gradients", "optimizer", "activations", "kv-cache", "rest")
SizeFormula = Annotated[Text, word(*SIZE_FORMULAS)]
Optimizer = Annotated[Text, word("adam", "adam-8bit", "sgd-momentum", "sgd")]
Sharding = Annotated[Text, word("none", "zero-1", "zero-2", "zero-3")]
Recompute = Annotated[Text, word("none", "selective", "full")]
Rendering = Annotated[Text, word("ci", "people", "none")]
ForgeKind = Annotated[Text, word("github", "gitlab")]
Release = Annotated[Text, word("released", "pending", "future")]
EnergyOf = Annotated[Text, word("machine", "facility")]
CardRef = Annotated[Reference, RefersTo("catalog.gpus")]
NOBODY = "none"
"""Stands in place of a payer where no allocation pays: the project pays for itself."""
Payer = Annotated[Reference, RefersTo("allocations")]
PriceListRef = Annotated[Reference, RefersTo("catalog.prices")]
ModelRef = Annotated[Reference, RefersTo("catalog.models")]
GridRef = Annotated[Reference, RefersTo("catalog.grids")]


class Card(Record):
    """A GPU. What vendors print as GB of VRAM is GiB."""

    title: Words
    architecture: Words | None = Field(None, description="in words")
    released: Date | None = Field(None, description="the date of its release")
    vram_gib: Amounted | None = Field(None, description="nominal memory; what vendors print as GB is GiB")
    usable_vram_gib: Amounted | None = Field(None, description="memory a process can use, if known")
    dense_tflops: Under = Field(default_factory=dict, description="dense peak by number format, without sparsity")
    sparse_tflops: Under = Field(default_factory=dict, description="peak with sparsity, by number format")
    memory_gb_per_second: Amounted | None = Field(None, description="bandwidth of its memory")
    cores: Amounted | None = Field(None, description="its processing cores")
    watts: Amounted | None = Field(None, description="board power limit; the basis of energy")
    counts_as: CountsAs = Field(
        default_factory=dict, description="hours of the named GPU that one hour on this one counts as: 0.5, or `1/7`"
    )
    source: Words | None = None
    as_of: Date | None = None
    notes: Words | None = None


class Device(Record):
    """A device that is not counted in GPU-hours: a CPU, a laptop. It has peaks like a card."""

    title: Words
    released: Date | None = Field(None, description="the date of its release")
    memory_gib: Amounted | None = Field(None, description="its memory")
    dense_tflops: Under = Field(default_factory=dict, description="peak, or what is sustained, by number format")
    memory_gb_per_second: Amounted | None = Field(None, description="bandwidth of its memory")
    cores: Amounted | None = Field(None, description="its cores")
    watts: Amounted | None = Field(None, description="power limit")
    source: Words | None = None
    as_of: Date | None = None
    notes: Words | None = None


class SettingSpec(Record):
    """The meaning of a setting of a framework."""

    title: Words | None = None
    role: Role | None = Field(None, description="role, used by rules of the audit (`label`: a name)")
    of: Name | None = Field(None, description="measured column it limits, such as output_tokens")
    unit: UnitWords | None = Field(None, description="unit, if its name has none, such as seconds")
    default: Words | None = Field(None, description="default value")
    group: Words | None = Field(None, description="heading it appears under")
    notes: Words | None = None

    def measure(self, name: str) -> Unit:
        """The unit of the setting of this name: what the name carries, or else what stands here.

        Frameworks choose their names without our units in mind: a `max_tokens_per_mb` is of a micro-batch. Where what
        stands here measures something else than the name seems to, it counts.
        """
        own = key_unit(name)
        if self.unit is None:
            return own
        stated = value_unit(str(self.unit)) or key_unit(str(self.unit).replace(" ", "_"))
        return own if own.kinds and own.kinds == stated.kinds else stated


class Framework(Record):
    """The settings of a framework by name: their purpose and units."""

    title: Words
    settings: dict[Name, SettingSpec] = Field(default_factory=dict, description="its settings by name")
    source: Words | None = None
    notes: Words | None = None


LINE = "line of the document that states it; `cover` looks there"
CurrencyWord = Annotated[Text, word(*CURRENCIES)]


class Factors(Record):
    """Factors for the charge of a run, by its properties."""

    qos: dict[Words, Exactly] = Field(default_factory=dict, description="by quality of service: `{low: 0.5}`")
    partition: dict[Words, Exactly] = Field(default_factory=dict, description="by partition")


class Billing(Record):
    """Billing rules of a run: time steps, a minimum, whole nodes."""

    minimum_hours: Positive | None = Field(None, description="shortest billed time of a run")
    step_hours: Positive | None = Field(None, description="time is rounded up to a multiple of this")
    whole_gpus: Positive | None = Field(None, description="GPUs are rounded up to a multiple of this, as 4 of a node")
    factors: Factors | None = Field(None, description="multipliers: `{qos: {low: 0.5}}`")

    @property
    def bills(self) -> bool:
        """Whether what is billed of a run may differ from what it held."""
        rules = (self.minimum_hours, self.step_hours, self.whole_gpus, self.factors)
        return any(rule is not None for rule in rules)


class HourlyPrices(Record, by_currency="usd_per_gpu_hour"):
    """The price of an hour on each card, in one currency."""

    usd_per_gpu_hour: ByCard = Field(
        default_factory=dict, description="the price of an hour on each card, in US dollars"
    )

    def stated(self) -> list[tuple[str, Mapping[str, AmountValue]]]:
        """The currencies in which prices of an hour are stated here, each with its prices by card."""
        every = ((currency, getattr(self, f"{currency}_per_gpu_hour")) for currency in CURRENCIES)
        return [(currency, prices) for currency, prices in every if prices]


class PriceChange(HourlyPrices):
    """Prices from a day on."""

    source: Words | None = None
    notes: Words | None = None


class DatedRates(Record, by_currency="usd_per_eur"):
    """The price of one unit of a currency in US dollars, from a day on."""

    usd_per_eur: Above | None = Field(None, description="US dollars for a euro")
    source: Words
    notes: Words | None = None

    @property
    def currencies(self) -> tuple[str, ...]:
        """The currencies of which a rate is stated."""
        return tuple(name for name in OTHERS if getattr(self, f"usd_per_{name}") is not None)


class ExchangeRate(DatedRates):
    """The rate of the currency of a price list: one of these, of a day, by a source."""

    as_of: Date = Field(description="the day of the rate")


class PriceList(HourlyPrices):
    """What an hour on each card costs: one provider, one tier, one source; at one date, or from some days on."""

    title: Words | None = None
    provider: Annotated[Reference, RefersTo("catalog.providers")] | None = Field(None, description="who rents it out")
    tier: Words | None = Field(None, description="as on-demand, spot, reserved")
    as_of: Date | None = None
    since: dict[Date, PriceChange] = Field(
        default_factory=dict, description="prices from a day on: `2026-03-15: {usd_per_gpu_hour: {a100-80gb: 1.50}}`"
    )
    rate: ExchangeRate | None = Field(
        None, description="exchange rate for other currencies: `{usd_per_eur: 1.08, as_of: 2026-01-02, source: …}`"
    )
    usd_per_month: ByCard = Field(default_factory=dict, description="monthly price of a subscription, by card")
    minimum_hours: Amounted | None = Field(None, description="shortest billed time of a run")
    step_hours: Positive | None = Field(None, description="time is rounded up to a multiple of this")
    whole_gpus: Positive | None = Field(None, description="GPUs are rounded up to a multiple of this, as 8 of a node")
    market: dict[Id, Words] = Field(default_factory=dict, description="availability of each card, in words")
    source: Words | None = None
    notes: Words | None = None

    @property
    def billing(self) -> Billing:
        """What is billed of each run that is paid at these prices."""
        least = self.minimum_hours.value.use if isinstance(self.minimum_hours, Quantity) else None
        return Billing.model_construct(
            place=self.place, minimum_hours=least or None, step_hours=self.step_hours, whole_gpus=self.whole_gpus
        )

    def tables(self) -> Iterator[tuple[str, str, Mapping[str, AmountValue]]]:
        """The prices of an hour by card: the day from which they hold (empty: from the first), and their currency."""
        days = sorted(self.since, key=str)
        for day, prices in (("", self), *((str(day), self.since[day]) for day in days)):
            yield from ((day, currency, by_card) for currency, by_card in prices.stated())

    def told(self, card: str) -> list[tuple[str, str]]:
        """The prices of a card in their order: the day from which each holds, as it is written (empty: from the first),
        and its address in the list, in US dollars: where they are in another currency, that of the converted one."""
        days = dict.fromkeys(day for day, _, prices in self.tables() if card in prices)
        return [(day, _address_of(day, DOLLAR, card)) for day in days]

    def hourly(self, card: str) -> list[tuple[int, str]]:
        """The same in the currency of the list, with the days as numbers; 0 for the price from the first. An unknown
        price has an empty address; one before the first known price is left out, as if the list said nothing of these
        days."""
        known = {day for day, _, prices in self.tables() if not is_unknown(prices.get(card))}
        # What is stated in another currency is refused.
        own = [day for day, currency, prices in self.tables() if card in prices and currency == self.currency]
        stated = [(day, _address_of(day, self.currency, card)) for day in own]
        prices = [(first_day(day), address if day in known else "") for day, address in stated]
        return list(dropwhile(lambda price: not price[1], prices))

    def last_price(self, card: str) -> str:
        """The address in the list of the last known price of a card; of the one that it lacks where it has none."""
        prices = self.told(card)
        return prices[-1][1] if prices else f"usd_per_gpu_hour.{card}"

    @property
    def cards(self) -> dict[str, None]:
        """The cards that have a price of an hour, in their order."""
        return dict.fromkeys(card for _, _, prices in self.tables() for card in prices)

    @property
    def currency(self) -> str:
        """The currency of its prices, in small letters; a list has only one."""
        return next((currency for _, currency, _ in self.tables()), DOLLAR)


def _address_of(day: str, currency: str, card: str) -> str:
    """Where the price of a card from a day on stands in its list; from the first where no day is named."""
    key = f"{currency}_per_gpu_hour.{card}"
    return f"since.{day}.{key}" if day else key


class Grid(Record):
    """Emissions of a kWh from an electricity grid in one year, by one source; location-based."""

    title: Words
    year: Date | None = None
    co2e_grams_per_kwh: Amounted = Field(description="emissions of a kWh; another unit is converted: `0.385 kg/kWh`")
    source: Words | None = None
    licence: Words | None = None
    notes: Words | None = None


class Facility(Record):
    """The PUE of a data centre, by one source: total energy for each kWh of its machines."""

    title: Words
    pue: Pue = Field(description="energy of the data centre ÷ energy of its machines, 1 or more")
    year: Date | None = None
    source: Words | None = None
    licence: Words | None = None
    notes: Words | None = None


class Throughputs(Record):
    """Tokens a second on one GPU of each card, for a model and a number format."""

    title: Words | None = None
    kind: Kind | None = Field(None, description="origin of the figures")
    model: ModelRef = Field(description="the model that generates")
    dtype: Words | None = Field(None, description="number format, as bf16")
    as_of: Date | None = None
    tokens_per_second_per_gpu: Rates = Field(default_factory=dict, description="tokens a second on a GPU, by card")
    source: Words | None = None
    notes: Words | None = None


class Market(Record):
    """How to search at a provider: the command, and its spelling of each condition."""

    command: Words = Field(description="search command; printed, never run")
    terms: dict[Name, Words] = Field(
        default_factory=dict,
        description="card, count, vram_gib, usd_per_hour: with {} for the value; others are printed unchanged",
    )
    order: Words | None = Field(None, description="text after the conditions, such as `-o 'dlperf_usd-'`")
    names: dict[Id, Words] = Field(default_factory=dict, description="the market's name for each card")


class Provider(Record):
    """Who rents out GPUs."""

    title: Words
    url: Words | None = Field(None, description="its address")
    search: Market | None = Field(None, description="how to search there")
    source: Words | None = None
    notes: Words | None = None


class Model(Record):
    """A model whose training or inference is budgeted."""

    title: Words
    parameters: Amounted | None = Field(None, description="how many parameters it has")
    layers: Amounted | None = Field(None, description="its layers")
    kv_heads: Amounted | None = Field(None, description="heads of keys and values")
    head_size: Amounted | None = Field(None, description="width of a head")
    heads: Amounted | None = Field(None, description="attention heads, which activations take")
    hidden_size: Amounted | None = Field(None, description="width of the hidden state, which activations take")
    dtype: Words | None = Field(None, description="number format, in words")
    source: Words | None = None
    notes: Words | None = None
