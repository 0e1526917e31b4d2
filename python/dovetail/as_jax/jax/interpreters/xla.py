"""`jax.interpreters.xla`: a table that nothing reads."""

from typing import Any

canonicalize_dtype_handlers: dict[Any, Any] = {}
