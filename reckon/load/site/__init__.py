"""The settings of a site, read as data before any builder sees them: each key by its own shape, and no others."""

from .reading import order, settings

__all__ = ["order", "settings"]
