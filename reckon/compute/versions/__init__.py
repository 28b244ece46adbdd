"""Two ledgers compared: which inputs changed, which figures moved, and the bridge from one total to the other."""
