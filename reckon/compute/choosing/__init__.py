"""Which hardware: time, cost and memory of setups, weighed against each other.

**Choosing.** `pareto` weighs the setups of a record by their frontier of time and cost, `choosing` compares them
with what is asked and gives reasons as values, `present` puts those into words. `priced_by` (beside `reckon`)
calculates the sheet again with the price lists of one provider, and nothing is written.

**Searches** (`market_search`) are commands as text, out of the words of a provider. Nothing runs them.

**Memory.** `memory.judge` is the one function that says fits, tight or does not fit, and `memory.usable_at` the one
that says which figure is the memory of a card.
"""
