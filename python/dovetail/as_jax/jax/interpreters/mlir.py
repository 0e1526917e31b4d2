"""`jax.interpreters.mlir`: lowerings of primitives of users."""

from dovetail.as_jax.lowerings import emit_python_callback as emit_python_callback
from dovetail.as_jax.lowerings import lower_fun as lower_fun
from dovetail.as_jax.lowerings import register_lowering as register_lowering
from dovetail.transforms.primitive_rules import LoweringContext as LoweringRuleContext  # noqa: F401
