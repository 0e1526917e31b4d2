"""`jax._src.literals`: classes of typed numbers, of which there are no instances here."""

from dovetail.as_jax.opaque import opaque_class

TypedInt = opaque_class(__name__, "TypedInt")
TypedFloat = opaque_class(__name__, "TypedFloat")
TypedComplex = opaque_class(__name__, "TypedComplex")
TypedNdArray = opaque_class(__name__, "TypedNdArray")
