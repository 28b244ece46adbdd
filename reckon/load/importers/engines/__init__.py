"""Exports that no memory takes, read by a program for tables: what an engine is told, and what comes back.

An engine takes the rows that stand in their usual form, and goes by the rules of a source as `compiled_rules` has them.
Every row that it cannot take surely goes, as its cells, through the reader that everybody else's rows go through: no
message and no rule is written twice.

What any engine can be asked of a table is an expression of Ibis (`expression`, `moments`, `states`). The tables that
DuckDB makes of exports are its own, and asked in SQL (`intake`, `job_table`, `duplicates`, `monthly`).
"""

from __future__ import annotations
