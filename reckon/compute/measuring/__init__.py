"""What was measured, and what is projected from it.

**Measuring.** Rows become figures: each number up to 200 rows, and the `statistics` of each column. A mean is a range
(its t-interval) and an uncertain input of its own, so that all that is projected from it has its spread. `Fields`
says what a projection takes over from its bases; counts, times, costs and bounds are formulas. What lacks an input is
written as a figure without a value (`lack`), with the address of what would settle it. A division by a time that may
be zero is undefined, by `over`.
"""
