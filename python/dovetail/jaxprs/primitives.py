"""All primitives that equations may have, by JAX's names: `add_p` and the like."""

from __future__ import annotations

from typing import Any

from dovetail.jaxprs import callbacks, over_axes, references
from dovetail.jaxprs.compositions import composed_named, composed_names
from dovetail.jaxprs.higher_order import (
    call_p,
    closed_call_p,
    cond_p,
    custom_jvp_call_p,
    custom_vjp_call_p,
    jit_p,
    remat_p,
    scan_p,
    while_p,
)
from dovetail.jaxprs.op_primitives import by_name
from dovetail.jaxprs.outside import custom_lin_p

_HIGHER_ORDER = {
    "call": call_p,
    "closed_call": closed_call_p,
    "cond": cond_p,
    "custom_lin": custom_lin_p,
    "custom_jvp_call": custom_jvp_call_p,
    "custom_vjp_call": custom_vjp_call_p,
    "jit": jit_p,
    "remat": remat_p,
    "scan": scan_p,
    "while": while_p,
    **references.PRIMITIVES,
    **callbacks.PRIMITIVES,
    **over_axes.PRIMITIVES,
}


def names() -> list[str]:
    """The names that `find` knows, in order.

    Example:
      >>> names()[:3]
      ['abs_p', 'acos_p', 'acosh_p']
    """
    return sorted(f"{name}_p" for name in {*_HIGHER_ORDER, *by_name, *composed_names()})


def find(module: str, attribute: str) -> Any:
    """The primitive that is an attribute of a module, such as `add_p`.

    Args:
      module: the module's name, for the error.
      attribute: the attribute.

    Raises:
      AttributeError: there is no such primitive.

    Example:
      >>> import dovetail as dt
      >>> dt.lax.add_p.bind(1.0, 2.0)
      Array(3., dtype=float32, weak_type=True)
    """
    name = attribute.removesuffix("_p")
    found = None if name == attribute else named(name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {attribute!r}")
    return found


def named(name: str) -> Any:
    """The primitive of that name, or None.

    Args:
      name: JAX's name of it, without `_p`.
    """
    return _HIGHER_ORDER.get(name) or composed_named(name) or by_name.get(name)
