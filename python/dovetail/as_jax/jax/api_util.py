"""`jax.api_util`: functions of leaves instead of trees."""

from dovetail.as_jax.wrapped import debug_info as debug_info
from dovetail.as_jax.wrapped import flatten_fun as flatten_fun
from dovetail.as_jax.wrapped import flatten_fun_nokwargs as flatten_fun_nokwargs
from dovetail.diagnostics.environment import typeof as shaped_abstractify  # noqa: F401
