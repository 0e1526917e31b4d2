"""Programs from StableHLO, the form in which other array compilers exchange them."""

from dovetail.exporting.stablehlo import Loaded, load

__all__ = ["Loaded", "load"]
