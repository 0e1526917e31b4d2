"""MLIR's bindings, whose types checkers do not see."""

import importlib
from typing import Any

ir: Any = importlib.import_module("iree.compiler.ir")
func: Any = importlib.import_module("iree.compiler.dialects.func")
