"""`jax.interpreters.partial_eval`: partial evaluation of functions; tables that nothing reads."""

from typing import Any

from dovetail.as_jax.opaque import opaque_class
from dovetail.as_jax.partial_evaluation import PartialVal as PartialVal
from dovetail.as_jax.partial_evaluation import (
    trace_to_jaxpr_dynamic as trace_to_jaxpr_dynamic,
)
from dovetail.as_jax.partial_evaluation import (
    trace_to_jaxpr_nounits as trace_to_jaxpr_nounits,
)

custom_partial_eval_rules: dict[Any, Any] = {}
partial_eval_jaxpr_custom_rules: dict[Any, Any] = {}
dce_rules: dict[Any, Any] = {}

JaxprTracer = opaque_class(__name__, "JaxprTracer")
DynamicJaxprTracer = opaque_class(__name__, "DynamicJaxprTracer")
