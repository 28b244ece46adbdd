"""Margins upon margins."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.units import GPU_HOURS
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.budget import budget_lines
from ..sheet.cells import total_of
from ..sheet.evaluate import derive
from .common import places, product


def margin_on_margin(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Contingency taken on lines whose planned hours include a margin already."""
    covered = [line for line in budget_lines(one) if line.rate and one.items[line.item].includes_margin]
    for rate in dict.fromkeys(line.rate for line in covered):
        members = [line.item for line in covered if line.rate == rate]
        totals = {f"plan.{item}.total": book[f"{one.id}.plan.{item}.total"] for item in members}
        whole = derive(total_of(list(totals)), totals, GPU_HOURS, title="lines that include a margin")
        share = book[f"{one.id}.{rate}"]
        if whole.use is None or not share.use:
            continue
        yield Finding(
            "margin-on-margin",
            "warning",
            f"{one.id}.{rate}",
            say("Contingency is taken on lines that include a margin already"),
            say("{lines}: {whole} in all; {share} of that is {extra}",
                lines=", ".join(str(one.items[item].title) for item in members),
                whole=whole, share=share, extra=product(whole, share)),
            say("The same uncertainty is paid for twice."),
            say("Plan these lines without a margin, or set their own contingency to 0."),
            places(share, whole),
        )  # fmt: skip
