"""`jax.interpreters.xla`: primitives outside of programs, and types that nothing reads."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.as_jax.jax._src.dispatch import apply_primitive as apply_primitive

# Programs add the types of objects that have `__array__`; those are accepted without.
canonicalize_dtype_handlers: dict[Any, Callable[[Any], Any]] = {np.ndarray: np.asarray}
