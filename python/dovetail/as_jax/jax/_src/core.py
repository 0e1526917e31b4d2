"""`jax._src.core`: what `jax.core` and `jax.extend.core` have, and more questions."""

from dovetail.as_jax.avals import is_trace_state_clean as trace_state_clean  # noqa: F401
from dovetail.as_jax.jax._src.util import safe_map as safe_map
from dovetail.as_jax.jax._src.util import safe_zip as safe_zip
from dovetail.as_jax.jax.core import *  # noqa: F403
from dovetail.as_jax.jax.extend.core import *  # noqa: F403
from dovetail.diagnostics.environment import typeof as get_aval  # noqa: F401
from dovetail.diagnostics.environment import typeof as typeof
