"""From a ledger to its book: pure functions. No file, clock, environment or random source is touched here."""
