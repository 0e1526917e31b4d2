"""`jax.extend.core`: programs as data, primitives, and questions about types and transforms."""

import numpy as np

from dovetail.arrays.array import Array
from dovetail.as_jax.avals import axis_names as unsafe_get_axis_names_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import concrete_or_error as concrete_or_error
from dovetail.as_jax.avals import find_top_trace as find_top_trace
from dovetail.as_jax.avals import get_opaque_trace_state as get_opaque_trace_state
from dovetail.as_jax.avals import has_axes as nonempty_axis_env_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import is_in_jit as unsafe_am_i_under_a_jit_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import is_in_vmap as unsafe_am_i_under_a_vmap_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import mapped_aval as mapped_aval
from dovetail.as_jax.avals import primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype
from dovetail.as_jax.avals import unmapped_aval as unmapped_aval
from dovetail.as_jax.avals import valid_jaxtype as valid_jaxtype
from dovetail.as_jax.jax.core import Effect as Effect
from dovetail.as_jax.jax.core import Effects as Effects
from dovetail.as_jax.jax.core import no_effects as no_effects
from dovetail.as_jax.opaque import opaque_class
from dovetail.errors import InconclusiveDimensionOperation as InconclusiveDimensionOperation
from dovetail.jaxprs.evaluation import jaxpr_as_fun as jaxpr_as_fun
from dovetail.jaxprs.structure import ClosedJaxpr as ClosedJaxpr
from dovetail.jaxprs.structure import DropVar as DropVar
from dovetail.jaxprs.structure import Jaxpr as Jaxpr
from dovetail.jaxprs.structure import JaxprEqn as JaxprEqn
from dovetail.jaxprs.structure import Literal as Literal
from dovetail.jaxprs.structure import Var as Var
from dovetail.jaxprs.traversal import check_jaxpr as check_jaxpr
from dovetail.jaxprs.traversal import gensym as gensym
from dovetail.jaxprs.traversal import jaxprs_in_params as jaxprs_in_params
from dovetail.jaxprs.traversal import new_jaxpr_eqn as new_jaxpr_eqn
from dovetail.jaxprs.traversal import subjaxprs as subjaxprs
from dovetail.jaxprs.user_traces import TraceTag as TraceTag
from dovetail.jaxprs.user_traces import set_current_trace as set_current_trace
from dovetail.jaxprs.user_traces import take_current_trace as take_current_trace
from dovetail.transforms.primitives import Primitive as Primitive
from dovetail.trees.wrapped import DebugInfo as DebugInfo

array_types = {Array, np.ndarray, np.generic}

Token = opaque_class(__name__, "Token")
