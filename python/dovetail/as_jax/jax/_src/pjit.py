"""`jax._src.pjit`: `jit`, and the primitive of its calls."""

from dovetail import jit as jit
from dovetail.as_jax.jax.extend.core.primitives import jit_p as jit_p
from dovetail.lax import with_sharding_constraint as with_sharding_constraint
