"""Will it fit, as pages show it: configurations side by side, their memory on each card, and their times."""
