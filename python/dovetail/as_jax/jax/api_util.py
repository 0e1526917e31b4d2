"""`jax.api_util`: functions of leaves instead of trees, and functions on lists."""

from dovetail.api_util import *  # noqa: F403
from dovetail.as_jax.jax._src.util import safe_map as safe_map
