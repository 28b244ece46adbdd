"""The sheet: cells at addresses, the formulas in them, and what these come to.

Every figure is a **cell at an address**. `inputs` writes a cell for each quantity of each record (the address is its
path, without the phase of an item); `budget`, `tally`, `pace`, `projections` and others write cells that hold
formulas *in the same expression language* that ledgers use. Then the sheet is calculated, operands first. So there is
one mechanism for

- what a formula in a ledger and a formula of the engine mean: names are looked up outwards from the cell, along its
  address;
- units (the engine's formulas are checked like anybody's), ranges, circles, unknown inputs;
- `explain`, the derivations page and the export, which walk the same operands.

A bridge between versions swaps inputs one by one and calculates a sheet after each (see `versions`).

**Ranges** (`arithmetic`, `evaluate`). An interval of intervals would widen: a total that contains the same range
twice must not move it twice. Each figure therefore knows the uncertain inputs it rests on and the direction in which
each moves it. An input that only raises the result gives its matching end; one that does both is tried at both ends;
more than twelve such are refused. The ends of a figure are calculated from the inputs themselves, not from the ends
of intermediate figures (unless each input moves the result one way, which comes to the same).

**Unknown is never zero.** A figure that lacks an input has no value and names the input (`Figure.missing`).
"""
