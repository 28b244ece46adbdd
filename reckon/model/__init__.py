"""What the house speaks of: records of a ledger, figures, problems and findings. All of it frozen."""
