"""Exports that no memory takes, read by a program for tables: what an engine is told, and what comes back.

An engine takes the rows that stand in their usual form, and goes by the rules of a source as `compiled_rules` has them.
Every row that it cannot take surely goes, as its cells, through the reader that everybody else's rows go through: no
message and no rule is written twice.
"""

from __future__ import annotations
