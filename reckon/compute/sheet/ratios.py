"""Hours on one kind of GPU as hours on another: `counts_as` of the catalogue, for plans and runs alike."""

from __future__ import annotations

from reckon.model import records as r
from reckon.model.ledger import ProjectLedger

from .sheet import Sheet


def ratio_address(gpu: str, target: str) -> str:
    """The address of what an hour on a GPU counts as in hours on the target."""
    return f"catalog.gpus.{gpu}.counts_as.{target}"


def times_ratio(sheet: Sheet, one: ProjectLedger, item: r.Item) -> str:
    """The end of a formula that brings an item's hours to the project's GPU; empty where that takes no known ratio."""
    address = ratio_address(str(item.gpu), str(one.project.gpu))
    return f" * {address}" if item.gpu and item.gpu != one.project.gpu and address in sheet.cells else ""
