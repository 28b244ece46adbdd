"""Which hardware: time, cost and memory of setups, weighed against each other."""
