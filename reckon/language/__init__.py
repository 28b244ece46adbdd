"""What a text in a ledger means: places, units from keys, quantities and expressions. Standard library only, no files."""
