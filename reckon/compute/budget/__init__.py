"""Hours planned, spent and to come: budget, runs, earned value, forecast, grants, money, energy.

A sum over runs is one cell with its selection, count and subtotal per file (`Tallied`). The selection is data
(`model/figure`): the pass that sums and whoever lists the runs behind a figure ask it the same question. Runs never
become cells: one pass gathers all sums, so that a hundred thousand runs cost one pass.

**Progress, earned value, forecast.** `actuals` is the one pass over the runs: it adds up those that no selection can
tell apart, and gathers how far each piece of work has come (`PieceOfWork`, in `progress`). `earned_value` writes it as
formulas over the values to plan with; a cell's `over` names its divisor, and where that is not above zero the figure is
undefined because of it. What a completed run says may depend on the plan of its piece, which may be any formula, so
such shares are `Computed`. `lost_hours` writes what failed attempts lost, and `idle_hours` what the other runs held and
did not use. `simulation`, `loss_model` and `random_numbers` are pure and in floats; `forecast_inputs` reads what they
need off the sheet, `forecast` writes its cells (`Computed`: a function of other figures).

**Time** (`history`, `pace`). Runs become a series of hours by day; one over several days is spread by the time in each
of them, or evenly where only days are known. Pace, months and the day on which a limit is reached are read from such
series; a date is a figure in days (`language/calendar_days.py`), and "now" is the last day of data. A grant is a series
too: the hours on its GPU, between its dates.

**Dates** (`schedule`). Where a capacity is known, each phase has days on all GPUs, the days after which it ends at the
earliest (formulas in days from a start) and the day that this is. Where none is known, phases with a last day have the
day on which they end at the present pace.

**Contingency** (`drawdown`). Each piece of work draws what it took above its plan, as formulas; what finished work
left of its plan is shown, and never added back. `History` keeps the sources with their days, for pictures.

**Who pays** (`payers`) is asked in one place. `bookings` says what a payer booked for the runs of a project, day by day
and in its own unit (`billing`, `payer_units`); allocations, statements, promises and the table of charges read that.

**Money** (`money`): `prices` has what an hour on a card costs, by day, currency and who pays (`Terms`), `priced_cards`
what a project uses of that. `spending` adds up what runs cost; `money_lines` are lines of the plan in money, and
`money_ceiling` is what may not be paid. Without a price, a line or a payer in money there are no such cells.

**Energy and emissions** (`energy`) are hours times power times PUE, and that times what a kWh emits; runs that state
their energy count with that. Without a grid, a PUE or a power of its own, a project has no such cells. `amounts` adds
up what each item takes of money, energy and emissions, and has their forecast.

**De-scoping** (in `forecast`) runs the forecast again without the dropped pieces: the same draws, so that the rows
compare.
"""
