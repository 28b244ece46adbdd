"""Search commands for a market, as text: made from the words of a provider in the catalogue, and never run.

The conditions stand between double quotes. Only characters that no shell acts on there are let through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.lazy import regex
from reckon.language.quantity import decimal_text
from reckon.language.text import Refusal, Text, place_of
from reckon.model import records as r
from reckon.model.figure import Figures, use_at
from reckon.model.finding import Problem, nearest, refused
from reckon.model.ledger import Ledger, ProjectLedger

from .pareto import RANKS, Tradeoff
from .setups import title_of

VALUES = ("card", "count", "vram_gib", "usd_per_hour")
_QUOTED = regex(r"[^A-Za-z0-9 _.,:<>=+/()\[\]*'-]")
_BARE = regex(r"[^A-Za-z0-9 _.,:=+/'-]")
PLACES = 4


class Command(Struct, frozen=True):
    """A search: the setup that it is for (or none), and its command; or what is lacking for one."""

    setups: str
    name: str
    title: str
    choice: str
    provider: str
    text: str = ""
    lacking: tuple[str, ...] = ()


def check_markets(ledger: Ledger) -> Iterator[Problem]:
    """A problem for each text of a market that could act in a shell, or stands for a value that there is not."""
    for provider in ledger.catalog.providers.values():
        if (market := provider.search) is None:
            continue
        for key, term in market.terms.items():
            yield from _harmless(term, _QUOTED, term.replace("{}", "  "))
            if "{}" in term and key not in VALUES:
                yield Problem(place_of(key), f"a search has no value `{key[:60]}`", nearest(key, VALUES))
        for name in market.names.values():
            yield from _harmless(name, _QUOTED)
        for text in (market.command, *([market.order] if market.order else [])):
            yield from _harmless(text, _BARE)
            if text.count("'") % 2:
                yield Problem(place_of(text), "a quote is not closed in a search command", "write two of them, or none")


def _harmless(text: Text, unsafe: re.Pattern[str], read: str = "") -> Iterator[Problem]:
    if found := unsafe.search(read or text):
        right = "write letters, digits, spaces and . , : = + / _ - (in conditions and names also < > ( ) [ ] *)"
        yield refused(Refusal(f"`{found[0]}` is not let through into a search command", right, found.start()), text)


def searches_of(
    figures: Figures, ledger: Ledger, project: ProjectLedger, weighed: Sequence[Tradeoff]
) -> Iterator[Command]:
    """The searches of a project, in the order of its ledger."""
    for found in weighed:
        for name, search in found.record.searches.items():
            yield _command(figures, ledger, found, f"{project.id}.setups.{found.name}.searches.{name}", search)


def _command(figures: Figures, ledger: Ledger, found: Tradeoff, at: str, search: r.Search) -> Command:
    wanted = search.choice or ""
    choice = found.ranks.get(wanted, "") if wanted in RANKS else wanted
    name, provider = at.rpartition(".")[2], ledger.catalog.providers[search.provider]
    lacking = [f"no setup is {RANKS[wanted].lower()}"] if wanted in RANKS and not choice else []
    text = ""
    if provider.search is None:
        lacking.append(f"how to search at {provider.title} is not in the catalogue")
    else:
        values = _values(figures, found, at, choice, provider.search)
        if choice:
            # What a search for a setup cannot do without.
            title = title_of(ledger, replace(found.choices[choice], gpus=1))
            needs = {"card": f"how {provider.title} calls the {title}", "vram_gib": f"the memory of the {title}"}
            lacking += [
                f"{missing} is not in the catalogue"
                for key, missing in needs.items()
                if key not in values and "{}" in provider.search.terms.get(Text(key), "")
            ]
        text = "" if lacking else _make_command(provider.search, values)
    title = search.title or found.titles.get(choice) or name
    return Command(found.name, name, title, choice, search.provider, text, tuple(lacking))


def _values(figures: Figures, found: Tradeoff, at: str, choice: str, market: r.Market) -> dict[str, str]:
    """What the conditions of a search say: what it states itself, else what its setup has."""
    values: dict[str, str] = {}
    if choice:
        setup = found.choices[choice]
        if setup.card in market.names:
            values["card"] = market.names[setup.card]
        values["count"] = str(setup.gpus)
        values |= _number(use_at(figures, f"catalog.gpus.{setup.card}.vram_gib"), "vram_gib")
    for key, field in (("count", "gpus"), ("vram_gib", "vram_gib"), ("usd_per_hour", "usd_per_hour")):
        values |= _number(use_at(figures, f"{at}.{field}"), key)
    return values


def _number(use: Fraction | None, key: str) -> dict[str, str]:
    """A value to plan with in digits, without an exponent or separators."""
    if use is None:
        return {}
    places = next((place for place in range(PLACES) if (use * 10**place).denominator == 1), PLACES)
    return {key: decimal_text(use, places)}


def _make_command(market: r.Market, values: Mapping[str, str]) -> str:
    """The command: conditions in their order, those of values that are not stated left out."""
    used = [(key, term) for key, term in market.terms.items() if "{}" not in term or key in values]
    terms = [term.replace("{}", values.get(key, "")) for key, term in used]
    quoted = [f'"{" ".join(terms)}"'] if terms else []
    return " ".join([market.command, *quoted, *([market.order] if market.order else [])])
