"""Primitives that are no equations of what `make_jaxpr` makes: those of references, whose equations
are those of the arrays in them, and that of rules of derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.array import Array
from dovetail.transforms.custom_derivatives.symbolic import Zero
from dovetail.transforms.primitives import Primitive, jvps, transposes
from dovetail.transforms.references import get, swap
from dovetail.trees.pytree import unflatten


class _OfReference(Primitive):
    """An access of a reference.

    Args:
      name: JAX's name of it.
      access: takes the reference, an index, and other operands.
    """

    def __init__(self, name: str, access: Callable[..., Any]) -> None:
        super().__init__(name)
        self._access = access

    def bind(self, ref: Any, *args: Any, tree: Any) -> Any:
        """Access the reference.

        Args:
          ref: the reference.
          args: the other operands, and the leaves of the index.
          tree: the structure of the index: a tuple of indices, each of the window before it.
        """
        count = len(args) - tree.num_leaves
        steps = unflatten(tree, args[count:])
        indices = [getattr(step, "indices", step) for step in steps] or [...]
        for index in indices[:-1]:
            ref = ref.at[index]
        return self._access(ref, indices[-1], *args[:count])

    impl = bind


get_p = _OfReference("get", get)
swap_p = _OfReference("swap", swap)

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
