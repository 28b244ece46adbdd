#!/usr/bin/env python3
"""The budget ledger: `python budget.py --help` says what it does."""

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs an older one is told here
        print("Python 3.11 or later is needed; this is " + sys.version.split()[0], file=sys.stderr)
        sys.exit(2)
    from reckon.entry import main

    sys.exit(main())
