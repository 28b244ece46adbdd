"""Will it fit: what configurations take of the memory of a GPU and of time, and what levers change of both.

**Fitting.** A configuration (`effective_settings`) is seen through its bases and levers. `memory_needs` writes its
parts of memory as cells, by named formulas, and `verdict` judges them on every card. `search` looks for levers:
`lever_sets` tries sets of them in plain arithmetic on planned values, because there are thousands, and what it finds is
calculated by `search.Trials`: a configuration on top of this one, written with the same cells into a sheet of its own;
a test holds the two against each other. `effective_settings.derived` gives the settings that differ, as YAML. What
options alone describe (`query.query_described`) is a small project, calculated like any other.

**Settings.** `fitting/effective_settings` gives the settings that hold in a configuration (its own, those of bases and
levers, defaults), each with the role that the catalogue gives it and as a figure in its unit. Rules of the audit ask
for roles, never for names.
"""
