"""The sheet: cells at addresses, the formulas in them, and what these come to."""
