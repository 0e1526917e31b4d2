"""`jax.extend.core`: primitives of users, and questions about types and transforms."""

import numpy as np

from dovetail.arrays.array import Array
from dovetail.as_jax.avals import axis_names as unsafe_get_axis_names_DO_NOT_USE  # noqa: F401
from dovetail.as_jax.avals import concrete_or_error as concrete_or_error
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
from dovetail.transforms.primitives import Primitive as Primitive

array_types = {Array, np.ndarray, np.generic}

# Programs are the compiler's IR, which is not data of Python yet.
Jaxpr = opaque_class(__name__, "Jaxpr")
ClosedJaxpr = opaque_class(__name__, "ClosedJaxpr")
JaxprEqn = opaque_class(__name__, "JaxprEqn")
Var = opaque_class(__name__, "Var")
DropVar = opaque_class(__name__, "DropVar")
Literal = opaque_class(__name__, "Literal")
Token = opaque_class(__name__, "Token")
