"""What the fields of the page of what if are called."""

from __future__ import annotations

import re
from typing import Any

from reckon.present.view import View
from reckon.present.whatif.page import WhatIf

PRICES = """\
euros:
  title: Euros
  as_of: 2025-01-01
  eur_per_gpu_hour: {card: 1.50}
  rate: {usd_per_eur: 1.08, as_of: 2025-01-01, source: a bank}
"""
PLAN = "base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n"


def test_an_exchange_rate_is_called_one(ledger: Any) -> None:
    book = ledger(project="prices: [euros]\n", plan=PLAN, **{"ledger/catalog/prices.yaml": PRICES}).book()
    labels = re.findall(r'"label":"([^"]*)"', WhatIf(View(book, book.ledger.projects["p"])).data())
    assert labels == ["Card: Euros", "Exchange rate: Euros", "GPU-hours"]
