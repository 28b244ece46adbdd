"""The engine of the budget ledger: what the ledger says is reckoned into a book and said through templates."""

__version__ = "0.2.0"
