"""What differs between two sides, as text, as markdown for a review, and as JSON for programs."""

from .data import data
from .glance import glance
from .markdown import markdown
from .text import text
from .words import Authors, found_in

__all__ = ["Authors", "data", "found_in", "glance", "markdown", "text"]
