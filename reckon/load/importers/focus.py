"""Bills in FOCUS, the open format of the FinOps Foundation (focus.finops.org): a row a charge, in CSV.

`BilledCost` is what an invoice asks for, `EffectiveCost` that with what was paid ahead spread over its use (called
`AmortizedCost` in version 0.5). A charge belongs to a billing period of a provider and an account: rows are added up by
period, rule and service before they are kept (`bills`). Times are those of UTC, as the format asks for. Resources,
accounts and descriptions of charges are not kept, and tags and accounts only matched.

Bills repeat rows, so rows that are wholly alike in one file are charges each. In two files of a command, the first of
one is the first of the other, the second the second, and so on: these are counted once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial

from reckon.language.quantity import ZERO

from . import clock
from .decimals import Unreadable, parse_number
from .job import Extras, Job
from .reading import CUT_OFF, BadRow, Cells, NamedRows, NotAnExport, Reading, ReadRow, named_rows
from .tally import SAME

# Of several names the first that a file has: versions 1.0 to 1.2, 1.3 and later, 0.5.
NAMES = {
    "billed": ("BilledCost",),
    "effective": ("EffectiveCost", "AmortizedCost"),
    "currency": ("BillingCurrency", "BilledCurrency"),
    "start": ("BillingPeriodStart",),
    "end": ("BillingPeriodEnd",),
    "through": ("ChargePeriodEnd",),
    "service": ("ServiceName",),
    "provider": ("ProviderName", "ServiceProviderName", "Provider"),
}
_BILLED_TO = "BillingAccountId"
_ACCOUNT = ("SubAccountName", "SubAccountId", "BillingAccountName", "BillingAccountId")
_CURRENCY = re.compile("[A-Z]{3}")
NONE = frozenset({"", "NULL", "null"})


def is_focus(head: Collection[str]) -> bool:
    """Whether the names of columns are those of a bill in FOCUS."""
    return "BilledCost" in head and "BillingPeriodStart" in head


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The charges of a bill, a job for each. Raises NotAnExport."""
    head, rows = named_rows(text, reading)
    columns = {}
    for field, names in NAMES.items():
        columns[field] = next((name for name in names if name in head), "")
    if lacks := [f"`{NAMES[field][0]}`" for field, name in columns.items() if not name]:
        wrong = f"this is not a FOCUS bill: it has no column {' and '.join(lacks)}"
        raise NotAnExport(wrong, "export it in FOCUS 1.0 or later")
    return reading.jobs(_new_rows(rows, reading), partial(_read_charge, columns, reading.moment))


def _new_rows(rows: NamedRows, reading: Reading) -> NamedRows:
    """The rows that stand in no file before, without words for nothing."""
    counts = Counter[bytes]()
    for line, cells in rows:
        row = {name: "" if cell in NONE else cell for name, cell in cells.items()}
        content = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).digest()
        counts[content] += 1
        if reading.charges.take(content, counts[content]):
            yield line, row
        else:
            reading.skip(SAME, line)


def _read_charge(columns: Cells, moment: Callable[[str, str], int | None], line: int, row: Cells) -> ReadRow:
    """A charge. Raises BadRow where it cannot be counted."""
    cells = {field: row[name].strip() for field, name in columns.items()}
    if cells["currency"] != "USD":
        currency = cells["currency"] if _CURRENCY.fullmatch(cells["currency"]) else "another currency"
        right = "export it in USD, or convert it first"
        raise BadRow(f"this charge is in {currency}", right)
    try:
        billed = parse_number(cells["billed"])
        effective = parse_number(cells["effective"])
    except Unreadable:
        raise BadRow("a cost is not a number", CUT_OFF) from None
    start, end, through = (moment("period", cells[name]) for name in ("start", "end", "through"))
    provider = cells["provider"].replace("/", "-")
    if start is None or end is None or end <= start or billed is None or not provider:
        raise BadRow("this charge has no cost, provider or billing period", CUT_OFF)
    through = end if through is None else through
    extras = Extras(billed_usd=billed, effective_usd=effective, through=through, rows=1)
    # Two accounts have a bill each. Which account it is stands in no entry: an entry tells them apart, no more.
    if account := row.get(_BILLED_TO, "").strip():
        provider += f"-{hashlib.sha256(account.encode()).hexdigest()[:6]}"
    id = f"{provider}/{clock.written(start, None)[:10]}"
    says = _says(row, cells["service"])
    return ReadRow(line, id, "COMPLETED", ZERO, start=str(start), end=str(end), says=says, extras=extras)


def _says(row: Cells, service: str) -> dict[str, str]:
    """What rules can ask of a charge: its service, which is its name too, its account, and its tags as `a=b,c=d`."""
    account = next((row[name] for name in _ACCOUNT if row.get(name)), "")
    tags = _tags(row.get("Tags", ""))
    texts = {"name": service, "service": service, "account": account, "tags": tags}
    return {name: text for name, text in texts.items() if text}


def _tags(text: str) -> str:
    """The tags of a charge, an object of JSON, in the order of their names."""
    try:
        tags = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(tags, dict):
        return text
    return ",".join(f"{name}={value}" for name, value in sorted(tags.items()))
