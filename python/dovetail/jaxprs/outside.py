"""The primitive of rules of derivatives, which is no equation of what `make_jaxpr` makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.array import Array
from dovetail.transforms.custom_derivatives.symbolic import Zero
from dovetail.transforms.primitives import Primitive, jvps, transposes

custom_lin_p = Primitive("custom_lin")
custom_lin_p.multiple_results = True


@custom_lin_p.def_impl
def _evaluated(*args: Any, **params: Any) -> list[Array]:
    raise TypeError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.")


@custom_lin_p.def_abstract_eval
def _types(*args: Any, out_avals: Sequence[Any], **params: Any) -> list[Any]:
    return list(out_avals)


def _transposed(
    cotangents: Sequence[Any],
    *args: Any,
    num_res: int,
    bwd: Any,
    out_avals: Sequence[Any],
    symbolic_zeros: bool,
    in_zeros: Sequence[bool],
) -> list[Any]:
    if not symbolic_zeros:
        cotangents = [ct.instantiate() if type(ct) is Zero else ct for ct in cotangents]
    function = getattr(bwd, "call_wrapped", bwd)
    made = function(*args[:num_res], *cotangents)
    kept = [ct for ct, is_zero in zip(made, in_zeros, strict=True) if not is_zero]
    return [*[None] * num_res, *kept]


def _derivative(
    primals: Sequence[Any], tangents: Sequence[Any], *, num_res: int, **params: Any
) -> tuple[list[Any], list[Any]]:
    """The op itself: it is linear in all operands but the residuals, which are constants."""
    residuals, linear = primals[:num_res], tangents[num_res:]
    given = [ct.instantiate() if type(ct) is Zero else ct for ct in linear]
    return (
        custom_lin_p.bind(*primals, num_res=num_res, **params),
        custom_lin_p.bind(*residuals, *given, num_res=num_res, **params),
    )


jvps[custom_lin_p] = _derivative
transposes[custom_lin_p] = _transposed
