"""`jax._src.interpreters.ad`: what `jax.interpreters.ad` has, and an error."""

from dovetail.as_jax.jax.interpreters.ad import *  # noqa: F403
from dovetail.errors import TransformError as CustomVJPException  # noqa: F401
