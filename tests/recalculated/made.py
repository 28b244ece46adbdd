"""Ledgers made by chance from a number: the same number makes the same files.

Each has phases (one may be an extension), items of all scopes, in hours and in money, seeds, contingencies, runs with
all outcomes, cards that count as others, price lists, dated rates, up to two payers with changes, and ceilings.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import yaml

Record = dict[str, Any]
CARDS = ("a100", "h100", "v100")
GPUS: Record = {
    "a100": {"title": "A100", "counts_as": {"h100": 0.5, "v100": 2}},
    "h100": {"title": "H100", "counts_as": {"a100": "2x", "v100": 4}},
    "v100": {"title": "V100", "counts_as": {"a100": 0.5, "h100": "1/4"}},
}
PRICES: Record = {
    "dollars": {
        "title": "Dollars",
        "as_of": "2026-01-01",
        "usd_per_gpu_hour": {"a100": 1.8, "h100": 3.5},
        "since": {"2026-02-10": {"usd_per_gpu_hour": {"a100": 1.5}}},
    },
    "euros": {
        "title": "Euros",
        "as_of": "2026-01-01",
        "eur_per_gpu_hour": {"a100": 2, "h100": 3, "v100": 0.4},
        "since": {"2026-01-20": {"eur_per_gpu_hour": {"h100": 2.75, "v100": 0.5}}},
    },
    "stepped": {
        "title": "Stepped",
        "as_of": "2026-01-01",
        "usd_per_gpu_hour": {"a100": 2, "h100": 4, "v100": 0.6},
        "minimum_hours": 1,
        "step_hours": 0.5,
        "whole_gpus": 4,
    },
}
RATES: Record = {
    "2026-01-01": {"usd_per_eur": 1.10, "source": "made up"},
    "2026-02-15": {"usd_per_eur": 1.25, "source": "made up"},
}
SCOPES = ("one-time", "per-seed", "per-seed", "single-seed", "all-seeds")
STATUSES = (
    *("completed",) * 5,
    "running",
    "queued",
    "failed",
    "cancelled",
    "timeout",
    "out-of-memory",
    "node-failure",
    "preempted",
    "held-idle",
)
CURRENCIES = ("usd", "eur")
LAST_DAY = 23
WORDS = ("low", "normal", "high")


class Maker:
    """Makes one ledger."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        self.payers: list[str] = []
        self.units: dict[str, Any] = {}
        self.seeds: list[str] = []
        self.items: Record = {}
        self.phases: dict[str, str] = {}
        """The phase of each item."""

    def odds(self, share: float) -> bool:
        return self.chance.random() < share

    def one_of(self, *values: Any) -> Any:
        return self.chance.choice(values)

    def files(self) -> dict[str, Any]:
        """What stands in each file, by its path."""
        allocations = self.allocations()
        project = self.project()
        plan = self.plan()
        found = {
            "ledger/tree.yaml": {"format": 3},
            "ledger/catalog/gpus.yaml": GPUS,
            "ledger/catalog/prices.yaml": PRICES,
            "ledger/catalog/rates.yaml": RATES,
            "ledger/allocations.yaml": allocations,
            "ledger/p/project.yaml": project,
            "ledger/p/plan.yaml": plan,
            "ledger/p/runs/all.yaml": [self.run(place) for place in range(self.one_of(0, 3, 8, 14, 20))],
        }
        return {path: content for path, content in found.items() if content}

    # Who pays

    def allocations(self) -> Record:
        found = {}
        for name in ("north", "south")[: self.one_of(0, 1, 1, 2, 2)]:
            self.payers.append(name)
            grant = self.grant()
            self.units[name] = unit_of(grant)
            found[name] = {"title": name.title(), "projects": ["p"], **grant}
            if self.odds(0.3):
                found[name] |= self.one_of({"since": "2026-01"}, {"until": "2026-02"}, {"since": "2026-02-01"})
        for name in self.payers:
            if changes := [self.change(name) for _ in range(self.one_of(0, 0, 1, 3))]:
                found[name]["changes"] = changes
        return found

    def grant(self) -> Record:
        kind = self.one_of("card", "counted", "nodes", "credits", "usd", "eur")
        size = self.one_of(50, 400, 3000)
        if kind in ("usd", "eur"):
            return {kind: size, "prices": self.chance.sample(sorted(PRICES), self.one_of(2, 3))}
        found: Record = {}
        if self.odds(0.25):
            found["prices"] = [self.one_of(*PRICES)]
        if kind in ("card", "nodes"):
            found["gpu"] = self.one_of(*CARDS)
        charge = self.billing() if self.odds(0.5) else {}
        if kind in ("card", "counted"):
            if charge:
                found["charge"] = {"unit": "GPU-hours", **charge}
            return {"gpu_hours": size, **found}
        per: Record = {"gpus_per_unit": 4}
        if kind == "credits":
            per = {"units_per_gpu_hour": self.one_of(6, {card: self.one_of(1, 2.5) for card in CARDS})}
        return {"units": size, **found, "charge": {"unit": kind, **per, **charge}}

    def billing(self) -> Record:
        found: Record = {}
        if self.odds(0.4):
            found["minimum_hours"] = self.one_of(0.5, 1)
        if self.odds(0.4):
            found["step_hours"] = self.one_of(0.25, 1)
        if self.odds(0.4):
            found["whole_gpus"] = self.one_of(4, 8)
        if self.odds(0.4):
            found["factors"] = {"qos": {"low": 0.5, "high": 1.5}}
        return found

    def change(self, name: str) -> Record:
        kind = self.one_of("granted", "granted", "refunded", "charged", "moved")
        day = f"2026-0{self.one_of(1, 2, 3)}-{self.one_of('05', '11', '23')}"
        found = {"date": day, kind: self.one_of(5, 12.5, 40), "why": "made up"}
        if kind == "moved":
            others = [other for other in self.payers if other != name and self.units[other] == self.units[name]]
            if not others:
                return {"date": day, "granted": -3, "why": "taken back"}
            found["to"] = others[0]
        return found

    def payer(self, item: Record) -> str:
        """Who can be named for an item: of a line of money who pays in money."""
        able = [name for name in self.payers if "gpu_hours" in item or self.units[name] in CURRENCIES]
        return self.one_of(*able, "none")

    # What is planned

    def project(self) -> Record:
        found: Record = {"title": "P", "version": "1.0.0", "as_of": "2026-01-01", "gpu": "a100"}
        if self.odds(0.6):
            many = self.one_of(1, 2, 3)
            self.seeds = self.one_of([str(each + 1) for each in range(many)], ["ann", "ben"][:many])
            found["seeds"] = many if self.seeds[0] == "1" else self.seeds
        if self.odds(0.7):
            found["contingency"] = self.one_of("10%", "15%", "25%", "7.5%")
        found["prices"] = self.chance.sample(sorted(PRICES), self.one_of(0, 1, 2, 3))
        found["currency"] = self.one_of("usd", "eur")
        if self.odds(0.5):
            money = f"{self.one_of(90, 900, 5000)} {self.one_of('usd', 'eur')}"
            hours = self.one_of(150, 1000)
            found["ceiling"] = self.one_of(hours, money, [hours, money])
        if self.payers and self.odds(0.6):
            found["allocation"] = self.one_of(*self.payers)
        if self.odds(0.15):
            found["price"] = self.one_of(*PRICES)
        return found

    def plan(self) -> Record:
        found = {}
        for name in ("first", "second", "third", "fourth")[: self.one_of(1, 2, 3, 4)]:
            phase: Record = {"title": name.title()}
            if self.odds(0.2):
                phase["extension"] = True
            if self.odds(0.3):
                phase["contingency"] = self.one_of("20%", 0, "5%")
            if self.payers and self.odds(0.3):
                phase["allocation"] = self.one_of(*self.payers, "none")
            if self.odds(0.15):
                phase["price"] = self.one_of(*PRICES)
            if self.odds(0.2):
                phase["ceiling"] = self.one_of(80, "300 usd", [60, "200 eur"])
            phase["items"] = {}
            for _ in range(self.one_of(1, 2, 3)):
                item = f"item-{len(self.items)}"
                self.phases[item] = name
                self.items[item] = phase["items"][item] = self.item(item)
            found[name] = phase
        return found

    def item(self, name: str) -> Record:
        scope = self.one_of(*SCOPES)
        if scope == "per-seed" and not self.seeds:
            scope = "one-time"
        found: Record = {"title": name.title(), "scope": scope}
        if self.odds(0.2):
            found[self.one_of("usd", "eur")] = self.one_of(40, 125, 300)
        else:
            found["gpu_hours"] = self.hours()
            if self.odds(0.3):
                found["gpu"] = self.one_of(*CARDS)
            if self.odds(0.3):
                found["estimate"] = self.hours()
            if self.odds(0.3):
                found["gpus"] = self.one_of(1, 3, 6)
            if self.odds(0.25):
                found["runs"] = self.one_of(2, 4)
            elif self.odds(0.2):
                found["finishes"] = self.one_of("piece", "never")
        if self.odds(0.2):
            found["contingency"] = self.one_of("30%", 0, "2.5%")
        if self.payers and self.odds(0.3):
            found["allocation"] = self.payer(found)
        if self.odds(0.1) and "gpu_hours" in found:
            found["price"] = self.one_of(*PRICES)
        return found

    def hours(self) -> Any:
        return self.one_of(
            self.one_of(20, 45, 100, 12.5),
            self.one_of("8-10", "30-42"),
            {"low": 25, "high": 60, "use": 32},
            {
                "formula": "epochs * hours_per_epoch * gpus",
                "epochs": 3,
                "hours_per_epoch": self.one_of(2, "1-2.5"),
                "gpus": 4,
            },
        )

    # What ran

    def run(self, place: int) -> Record:
        """A run with a day of its own, so that it is plain which attempt of a piece of work is the latest."""
        item = self.one_of(*self.items, "extra")
        found: Record = {**self.days(place), "item": item}
        planned = self.items.get(item)
        if planned is None:
            found["unplanned"] = True
        elif planned["scope"] == "per-seed" and self.odds(0.9):
            found["seed"] = self.one_of(*self.seeds)
        if planned is not None and "gpu_hours" not in planned:
            found[self.one_of("cost_usd", "cost_eur")] = self.one_of(4, 17.5, 60)
            if self.payers and self.odds(0.3):
                found["allocation"] = self.payer(planned)
            return found
        found["status"] = self.one_of(*STATUSES)
        found |= {"gpus": self.one_of(1, 2, 3)} if found["status"] == "queued" else self.held(found)
        if found["status"] == "queued" or (found["status"] == "running" and "gpus" in found):
            found["limit_hours"] = self.one_of(6, 24)
        if planned is not None and found["status"] != "queued" and self.odds(0.6):
            found["progress"] = {"done": self.chance.randint(0, 10), "total": 10}
        if self.odds(0.2):
            found["gpu"] = self.one_of(*CARDS)
        if self.odds(0.4):
            found["qos"] = self.one_of(*WORDS)
        if found["status"] == "queued":
            return found
        if self.payers and self.odds(0.3):
            found["allocation"] = self.one_of(*self.payers, "none")
            if found["allocation"] != "none" and self.odds(0.5):
                found["charged"] = self.one_of(0, 3.5, 20)
        # The guide does not say what the limit of a running job leaves of a cost that it states.
        if self.odds(0.15) and found["status"] != "running":
            found[self.one_of("cost_usd", "cost_eur")] = self.one_of(3, 22.4)
        if self.odds(0.1):
            found["price"] = self.one_of(*PRICES)
        return found

    def days(self, place: int) -> Record:
        month, day = 1 + place // 8, 2 + 3 * (place % 8)
        date = f"2026-0{month}-{day:02}"
        if self.odds(0.1):
            return {"start": f"{date}T21:00", "end": f"2026-0{month}-{day + 1:02}T09:00"}
        if day == LAST_DAY and self.odds(0.3):  # the one run of its month that may count over all of it
            return {"date": f"2026-0{month}"}
        return {"date": date}

    def held(self, run: Record) -> Record:
        if "end" in run:  # no more hours than the clock leaves
            return {"gpus": self.one_of(1, 2, 8), "wall_hours": self.one_of(2, 11.5)}
        if self.odds(0.25):
            return {"gpu_hours": self.one_of(3, 18.5, 44)}
        return {"gpus": self.one_of(1, 2, 3, 8), "wall_hours": self.one_of(0.1, 1.25, 7, "2 h 20 min", 20)}


def unit_of(grant: Record) -> Any:
    """What an allocation counts in: only what counts alike is moved from one to the other."""
    for currency in CURRENCIES:
        if currency in grant:
            return currency
    return (grant.get("gpu"), "units" in grant, repr(grant.get("charge")), repr(grant.get("prices")))


def write(folder: Path, number: int) -> None:
    """Writes the files of a ledger below a folder."""
    for name, content in Maker(number).files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False, width=1000), "utf-8")
