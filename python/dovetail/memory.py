"""The memories of devices."""

from dovetail.placement.memories import Space

__all__ = ["Space"]
