"""What the commands print: derivations, a summary, problems and findings. Nothing of a ledger can act in it."""

from ..render.escape import terminal as plain
from .added import added, measured
from .choosing import chosen
from .derivation import explain, listing, resolve
from .fitting import fitted
from .lines import changes
from .messages import NO_PROJECTS, problems, report
from .projection import projected, refused
from .status import shared, status

__all__ = ["NO_PROJECTS", "added", "changes", "chosen", "explain", "fitted", "listing", "measured", "plain",
           "problems", "projected", "refused", "report", "resolve", "shared", "status"]  # fmt: skip
