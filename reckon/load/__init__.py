"""From the files of a ledger to its records, or to all that is wrong with them. The only room that reads YAML."""
