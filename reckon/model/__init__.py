"""What all other rooms work with: records of a ledger, figures, problems and findings. All of it is frozen."""
