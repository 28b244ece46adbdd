"""What a text in a ledger means: places, units, quantities and expressions. Standard library only, no files."""
