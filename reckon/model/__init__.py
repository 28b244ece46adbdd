"""What all other rooms work with: records of a ledger, figures, problems and findings. All of it is frozen.

Records are frozen pydantic models (`record`); the types of their fields say how they are read (`fields`, `values`),
what they refer to (`RefersTo`) and what editors show. A record class with `free` takes keys of its own as figures.
`model/kinds.py` declares each kind of record once (its file, what sections of pages show of it, its turn in a bridge,
what its figures rest on), the groups of calculated figures, and the totals of a project; `model/pages.py` declares the
pages. All rooms read these tables; `tests/model/test_kinds.py` and `tests/present/test_pages.py` name what one of them
leaves out.

All that figures rest on is walked by `figure.closure`, what a record takes its fields over from by `ledger.chain`.
"""
