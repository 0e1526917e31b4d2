"""`jax.interpreters.ad`: derivative rules of primitives of users, and symbolic zeros."""

from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.as_jax.opaque import opaque_class
from dovetail.as_jax.primitives import registration
from dovetail.transforms.custom_derivatives.symbolic import SymbolicZero as Zero

primitive_jvps: dict[Any, Any] = {}
primitive_transposes: dict[Any, Any] = {}

defjvp = registration(primitive_jvps)
defjvp2 = registration(primitive_jvps)
deflinear = registration(primitive_transposes)
deflinear2 = registration(primitive_transposes)
defbilinear = registration(primitive_transposes)

JVPTrace = opaque_class(__name__, "JVPTrace")
JVPTracer = opaque_class(__name__, "JVPTracer")


class UndefinedPrimal:
    """A value of which a transpose rule computes the cotangent.

    Args:
      aval: its type.
    """

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: Any) -> bool:
    """Whether a transpose rule computes the cotangent of `x`."""
    return type(x) is UndefinedPrimal


def instantiate_zeros(tangent: Any) -> Any:
    """A tangent as an array, if it is a symbolic zero."""
    return tangent.instantiate() if type(tangent) is Zero else tangent


def zeros_like_aval(aval: ShapedArray) -> Any:
    """Zeros of a type."""
    return Zero(aval).instantiate()
