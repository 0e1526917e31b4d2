"""`jax.core`: types, tracers, questions about them, and programs as data."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray as ShapedArray
from dovetail.as_jax.avals import AbstractValue as AbstractValue
from dovetail.as_jax.avals import axis_names as unsafe_get_axis_names_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import concrete_or_error as concrete_or_error
from dovetail.as_jax.avals import find_top_trace as find_top_trace
from dovetail.as_jax.avals import get_opaque_trace_state as get_opaque_trace_state
from dovetail.as_jax.avals import has_axes as nonempty_axis_env_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import is_concrete as is_concrete
from dovetail.as_jax.avals import is_constant_dim as is_constant_dim
from dovetail.as_jax.avals import is_constant_shape as is_constant_shape
from dovetail.as_jax.avals import is_in_jit as unsafe_am_i_under_a_jit_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import is_in_vmap as unsafe_am_i_under_a_vmap_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype
from dovetail.as_jax.avals import valid_jaxtype as valid_jaxtype
from dovetail.base.scopes import ensure_compile_time_eval as ensure_compile_time_eval
from dovetail.base.trace_stack import suspended as eval_context  # noqa: F401
from dovetail.diagnostics.environment import typeof as _typeof
from dovetail.errors import InconclusiveDimensionOperation as InconclusiveDimensionOperation
from dovetail.jaxprs.evaluation import eval_jaxpr as eval_jaxpr
from dovetail.jaxprs.structure import Atom as Atom
from dovetail.jaxprs.structure import DropVar as DropVar
from dovetail.jaxprs.structure import no_effects as no_effects
from dovetail.jaxprs.traversal import check_jaxpr as check_jaxpr
from dovetail.jaxprs.traversal import gensym as gensym
from dovetail.jaxprs.traversal import jaxprs_in_params as jaxprs_in_params
from dovetail.jaxprs.traversal import new_jaxpr_eqn as new_jaxpr_eqn
from dovetail.jaxprs.user_traces import UserTrace as Trace  # noqa: F401
from dovetail.jaxprs.user_traces import UserTracer as Tracer  # noqa: F401
from dovetail.ref import Ref as Ref
from dovetail.ref import empty_ref as empty_ref
from dovetail.ref import free_ref as free_ref
from dovetail.ref import freeze as freeze
from dovetail.ref import new_ref as new_ref
from dovetail.trees.wrapped import DebugInfo as DebugInfo


class Effect:
    """The base of effects that libraries define; the effects of ops are known to the compiler."""


Effects = frozenset
# What variables stand for, and the parameters of an equation.
Value = Any
ParamDict = dict[str, Any]
# The types of arrays, which nothing reads: objects that have `__array__` are accepted without.
pytype_aval_mappings: dict[Any, Callable[[Any], Any]] = {np.ndarray: _typeof}
