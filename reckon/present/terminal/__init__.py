"""What the commands print: derivations, a summary, problems and findings. Nothing of a ledger can act in it."""
