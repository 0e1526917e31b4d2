"""`jax.interpreters.xla`: a table of types that nothing reads."""

from collections.abc import Callable
from typing import Any

import numpy as np

# Programs add the types of objects that have `__array__`; those are accepted without.
canonicalize_dtype_handlers: dict[Any, Callable[[Any], Any]] = {np.ndarray: np.asarray}
