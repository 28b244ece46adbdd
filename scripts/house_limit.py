"""The size that the engine may have at most (`python scripts/house.py`). It may only fall.

It was raised seven times: for payers (who pays, what is billed, dated changes, work to do and forecasts by payer, lost
hours; and payers, plan lines and ceilings in money, in several currencies), for imports that account for every row, for
an audit that judges runs by their siblings and estimates, inputs by what is known of cards, and tries what follows from
what, for installing it everywhere (a light install, a code for each problem, bounds, keys of kept answers), for
comparing a document with its ledger (5,000), for formats of imports as data, and for what surrounds a job: schemas for
editors, a gate before it, a record of it, its idle hours, completion in shells and another builder (7,700 with those
formats).
The third comes down again as rules of one judgement become one.
"""

from __future__ import annotations

MOST = 667_889
