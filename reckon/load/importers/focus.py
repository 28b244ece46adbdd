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
from collections.abc import Iterator, Mapping
from fractions import Fraction

from . import clock
from .job import Beside, Job, Says
from .numbers import Unreadable, number
from .reading import SKIP, NamedRows, NotAnExport, Reading, ReadRow, named_rows
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


Cells = Mapping[str, str]
"""Texts of a row, or the names of its columns, by what they say."""


def is_focus(head: list[str]) -> bool:
    """Whether the names of columns are those of a bill in FOCUS."""
    return "BilledCost" in head and "BillingPeriodStart" in head


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The charges of a bill, a job for each. Raises NotAnExport."""
    rows = named_rows(text, reading)
    _, head = next(rows)
    columns = {what: next((name for name in names if name in head), "") for what, names in NAMES.items()}
    if missing := [NAMES[what][0] for what, name in columns.items() if not name]:
        said = " and ".join(f"`{name}`" for name in missing)
        raise NotAnExport(f"this is not a bill in FOCUS: no column is called {said}", "export it in FOCUS 1.0 or later")
    return _charges(rows, columns, reading)


def _charges(rows: NamedRows, columns: Cells, reading: Reading) -> Iterator[Job]:
    found = Counter[bytes]()
    for line, cells in rows:
        row = {name: "" if cell in NONE else cell for name, cell in cells.items()}
        content = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).digest()
        found[content] += 1
        if not reading.charges.take(content, found[content]):
            reading.skip(SAME, line)
            continue
        said = {what: row[name].strip() for what, name in columns.items()}
        said["account"] = row.get(_BILLED_TO, "").strip()
        if job := _charge(line, said, _says(row, said), reading):
            yield job


def _charge(line: int, said: Cells, says: Says, reading: Reading) -> Job | None:
    """A charge; None, with a problem, where it cannot be counted."""
    if said["currency"] != "USD":
        shown = said["currency"] if _CURRENCY.fullmatch(said["currency"]) else "another currency"
        reading.wrong(
            line, f"this charge is in {shown}", "money is in US dollars here: export it in USD, or convert it first"
        )
        return None
    try:
        billed = number(said["billed"])
        effective = number(said["effective"])
    except Unreadable:
        reading.wrong(line, "a cost is not a number", f"look for a row that was cut off{SKIP}")
        return None
    try:
        start, end, through = (clock.moment(said[name], reading.zone) for name in ("start", "end", "through"))
    except clock.Unclear as unclear:
        reading.wrong(line, f"the period {unclear.wrong}", unclear.right)
        return None
    if start is None or end is None or end <= start or billed is None or not said["provider"]:
        reading.wrong(
            line, "this charge has no cost, provider or billing period", f"look for a row that was cut off{SKIP}"
        )
        return None
    beside = Beside(billed_usd=billed, effective_usd=effective, through=end if through is None else through, rows=1)
    # Two accounts have a bill each. Which account it is stands in no entry: an entry tells them apart, no more.
    account = hashlib.sha256(said["account"].encode()).hexdigest()[:6] if said["account"] else ""
    billed_by = "-".join(filter(None, (said["provider"].replace("/", "-"), account)))
    return reading.job(
        ReadRow(
            line,
            f"{billed_by}/{clock.written(start, None)[:10]}",
            "COMPLETED",
            Fraction(0),
            start=str(start),
            end=str(end),
            says=says,
            beside=beside,
        )
    )


def _says(row: Cells, said: Cells) -> dict[str, str]:
    """What rules can ask of a charge: its service, which is its name too, its account, and its tags as `a=b,c=d`."""
    account = next((row[name] for name in _ACCOUNT if row.get(name)), "")
    service = said["service"]
    tags = _tags(row.get("Tags", ""))
    found = {"name": service, "service": service, "account": account, "tags": tags}
    return {name: text for name, text in found.items() if text}


def _tags(text: str) -> str:
    """The tags of a charge, an object of JSON, in the order of their names."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return text
    if not isinstance(found, dict):
        return text
    return ",".join(f"{name}={value}" for name, value in sorted(found.items()))
