"""How pieces of pages are printed: numbers and formulas as text, ledger text escaped, tables as markdown."""
