"""`jax.interpreters.ad`: derivative rules of primitives of users, and symbolic zeros."""

from dovetail.as_jax.avals import JVPTracer as JVPTracer
from dovetail.as_jax.derivative_rules import add_tangents as add_tangents
from dovetail.as_jax.derivative_rules import defbilinear as defbilinear
from dovetail.as_jax.derivative_rules import defjvp as defjvp
from dovetail.as_jax.derivative_rules import defjvp2 as defjvp2
from dovetail.as_jax.derivative_rules import defjvp_zero as defjvp_zero
from dovetail.as_jax.derivative_rules import deflinear as deflinear
from dovetail.as_jax.derivative_rules import deflinear2 as deflinear2
from dovetail.as_jax.derivative_rules import instantiate_zeros as instantiate_zeros
from dovetail.as_jax.derivative_rules import is_undefined_primal as is_undefined_primal
from dovetail.as_jax.derivative_rules import zeros_like_aval as zeros_like_aval
from dovetail.as_jax.opaque import opaque_class
from dovetail.transforms.custom_derivatives.symbolic import Zero as Zero
from dovetail.transforms.primitives import UndefinedPrimal as UndefinedPrimal
from dovetail.transforms.primitives import jvps as primitive_jvps  # noqa: F401
from dovetail.transforms.primitives import transposes as primitive_transposes

JVPTrace = opaque_class(__name__, "JVPTrace")


def __getattr__(name: str) -> object:
    # `add_jaxvals_p` and the like.
    from dovetail.jaxprs.primitives import find  # lazy

    return find(__name__, name)


def get_primitive_transpose(p: object) -> object:
    """The transpose rule of a primitive."""
    if p not in primitive_transposes:
        raise NotImplementedError(
            f"Transpose rule (for reverse-mode differentiation) for '{p}' not implemented"
        )
    return primitive_transposes[p]
