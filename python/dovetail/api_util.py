"""Functions of leaves instead of trees, for libraries that make transforms of their own."""

from dovetail.diagnostics.environment import typeof as shaped_abstractify
from dovetail.trees.wrapped import debug_info, flatten_fun, flatten_fun_nokwargs

__all__ = ["debug_info", "flatten_fun", "flatten_fun_nokwargs", "shaped_abstractify"]
