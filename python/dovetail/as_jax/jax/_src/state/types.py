"""`jax._src.state.types`: types of arrays that can be written to."""

from dovetail.ref import AbstractRef as AbstractRef
from dovetail.tracing.held import RefView as TransformedRef  # noqa: F401
