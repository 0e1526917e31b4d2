"""`jax._src.state.types`: types of arrays that can be written to."""

from dovetail.as_jax.opaque import opaque_class

AbstractRef = opaque_class(__name__, "AbstractRef")
