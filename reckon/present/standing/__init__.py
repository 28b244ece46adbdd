"""Where a project stands: what its status page and the portfolio say beyond its plan, out of the Book."""

from .standing import Standing

__all__ = ["Standing"]
