"""Whether a document and a ledger hold the same: a reader of markdown, the numbers that it prints, and what the ledger
has of them."""
