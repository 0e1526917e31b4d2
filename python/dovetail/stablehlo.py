"""Programs from StableHLO, the form in which other array compilers exchange them."""

from dovetail.exporting.stablehlo import Loaded, LoadedForShapes, load

__all__ = ["Loaded", "LoadedForShapes", "load"]
