"""What a text in a ledger means: places, units, quantities and expressions. No files, and no library but msgspec.

- A key carries its unit (`units.key_unit`): the words at its end, and what stands after `_per_`. Strict kinds (time,
  gpu, node, data, money, flop, energy, mass, month) must come out right. A word after `per` that is not a unit is a
  count: in a formula, names that end in it carry it, and no count may be left below.
- Values are exact fractions, kept in the unit of their key; `Unit.scale` leads to base units (hour, GPU, byte, FLOP,
  watt-hour, gram).
- One expression language (`parser`, `expression`) for formulas and for the conditions of policies and texts. Trees
  are data; nothing executes text.
- `Text` is a string that knows its file, line and column. Every text of a record is one, so any problem can name its
  place.
- `lazy` is for all rooms: regular expressions and imported modules, made when first used.
"""
