"""What the commands print: derivations, a summary, problems and findings. Plain text; nothing of a ledger can act in it."""

from .derivation import explain, listing, resolve
from .messages import FORMATS, annotations, problems, report, told
from .summary import status

__all__ = ["FORMATS", "annotations", "explain", "listing", "problems", "report", "resolve", "status", "told"]
