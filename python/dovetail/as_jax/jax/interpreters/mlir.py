"""`jax.interpreters.mlir`: lowerings of primitives of users."""

import importlib
from typing import Any

from dovetail.as_jax.lowerings import emit_python_callback as emit_python_callback
from dovetail.as_jax.lowerings import lower_fun as lower_fun
from dovetail.as_jax.lowerings import register_lowering as register_lowering
from dovetail.transforms.primitive_rules import LoweringContext as LoweringRuleContext  # noqa: F401

_OF_TYPES = frozenset(
    """
    aval_to_ir_type aval_to_ir_types custom_call dense_bool_array dense_int_array dense_int_elements
    dtype_to_ir_type flatten_ir_types flatten_ir_values i32_attr i64_attr ir ir_attribute
    ir_constant ir_constants make_ir_context module_to_string shape_tensor
    """.split()  # noqa: SIM905
)


def __getattr__(name: str) -> Any:
    # MLIR's bindings take time to load, which lowerings by functions do not need.
    if name in _OF_TYPES:
        return getattr(importlib.import_module("dovetail.as_jax.mlir.types"), name)
    raise AttributeError(f"module 'jax.interpreters.mlir' has no attribute {name!r}")
