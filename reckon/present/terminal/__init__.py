"""What the commands print: derivations, a summary, problems and findings. Nothing of a ledger can act in it."""

from .derivation import explain, listing, resolve
from .messages import FORMATS, problems, report, told
from .summary import status

__all__ = ["FORMATS", "explain", "listing", "problems", "report", "resolve", "status", "told"]
