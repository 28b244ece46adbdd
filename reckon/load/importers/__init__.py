"""Exports of schedulers, trackers and bills, read as jobs: one module a format, and the table of them.

A reader takes the text of a file and what the ledger says of its source, and yields jobs, each with its line; what is
wrong it tells as problems, in which no name of a person, no path and no comment of the file is ever repeated.
"""

from __future__ import annotations
