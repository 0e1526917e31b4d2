"""Ops that are a primitive of JAX on operands in another arrangement: their equations are of
transposes and reshapes, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.jaxprs.op_views import VIEWS, conv_params, fft_params
from dovetail.jaxprs.primitives import named
from dovetail.jaxprs.structure import JaxprEqn, SourceInfo, Var
from dovetail.lax.conv_dimensions import ConvDimensionNumbers

Params = dict[str, Any]
# Makes the equations of an op; returns its results.
Emit = Callable[["Arranging", Params, Sequence[Any], Sequence[Var]], list[Var]]


class Arranging:
    """Equations that arrange arrays, and one of another primitive.

    Args:
      info: where the op is.
    """

    def __init__(self, info: SourceInfo) -> None:
        self.eqns: list[JaxprEqn] = []
        self._info = info

    def results(
        self, name: str, operands: Sequence[Any], params: Params, avals: Sequence[ShapedArray]
    ) -> list[Var]:
        """The results of an equation of the primitive of a name, of these types."""
        outs = [Var(aval) for aval in avals]
        self.eqns.append(
            JaxprEqn(list(operands), outs, named(name), params, source_info=self._info)
        )
        return outs

    def _moved(self, name: str, x: Any, params: Params, shape: Sequence[int]) -> Var:
        (moved,) = self.results(name, [x], params, [ShapedArray(tuple(shape), x.aval.dtype)])
        return moved

    def transposed(self, x: Any, permutation: Sequence[int]) -> Any:
        """A value with its dimensions in another order."""
        if list(permutation) == sorted(permutation):
            return x
        shape = [x.aval.shape[dim] for dim in permutation]
        return self._moved("transpose", x, {"permutation": tuple(permutation)}, shape)

    def reshaped(self, x: Any, shape: Sequence[int]) -> Any:
        """A value in another shape."""
        if tuple(shape) == x.aval.shape:
            return x
        params = {"new_sizes": tuple(shape), "dimensions": None, "sharding": None}
        return self._moved("reshape", x, params, shape)

    def reversed(self, x: Any, dimension: int) -> Any:
        """A value with a dimension backwards."""
        return self._moved("rev", x, {"dimensions": (dimension,)}, x.aval.shape)

    def first(self, x: Any, dimension: int, count: int) -> Any:
        """The first elements of a value along a dimension."""
        limits = list(x.aval.shape)
        limits[dimension] = count
        starts = (0,) * len(limits)
        params = {"start_indices": starts, "limit_indices": tuple(limits), "strides": None}
        return self._moved("slice", x, params, limits)

    def ended(self, found: Sequence[Var], outs: Sequence[Var]) -> list[JaxprEqn]:
        """The equations, with the variables of an op's results for those that were found."""
        named_so = dict(zip(found, outs, strict=True))
        return [
            eqn.replace(outvars=[named_so.get(var, var) for var in eqn.outvars])
            for eqn in self.eqns
        ]


def _conv(
    of: Arranging, keywords: Params, operands: Sequence[Any], outs: Sequence[Var]
) -> list[Var]:
    """A convolution with any number of dimensions of each kind: one with as many groups of features
    as there are windows of dimensions that all three arrays share.
    """
    out: Any = outs[0]
    labels = [keywords[f"{name}_dims"] for name in ("lhs", "rhs", "ans")]
    spatial = list(keywords["windows"])
    sizes: dict[Any, int] = {}
    for each, array in zip(labels, (*operands, out), strict=True):
        sizes |= dict(zip(each, array.aval.shape, strict=True))
    lhs, rhs, ans = labels

    def dims(arrays: Sequence[Any], missing: Any = ()) -> list[Any]:
        return [
            label
            for label in arrays[0]
            if all(label in each for each in arrays)
            and label not in missing
            and label not in spatial
        ]

    group, batch, inner, outer = (
        dims((lhs, rhs, ans)),
        dims((lhs, ans), rhs),
        dims((lhs, rhs), ans),
        dims((rhs, ans), lhs),
    )

    def count(of_labels: list[Any]) -> int:
        return math.prod(sizes[label] for label in of_labels)

    def arranged(x: Any, given: Any, first: list[Any], second: list[Any]) -> Any:
        order = [*first, *second, *spatial]
        windows = [x.aval.shape[given.index(label)] for label in spatial]
        x = of.transposed(x, [given.index(label) for label in order])
        return of.reshaped(x, (count(first), count(second), *windows))

    dimensions = tuple(range(2 + len(spatial)))
    numbers = ConvDimensionNumbers(dimensions, dimensions, dimensions)
    params = conv_params(keywords, numbers, count(group))
    both = [
        arranged(operands[0], lhs, batch, group + inner),
        arranged(operands[1], rhs, group + outer, inner),
    ]
    windows = [out.aval.shape[ans.index(label)] for label in spatial]
    aval = ShapedArray((count(batch), count(group + outer), *windows), out.aval.dtype)
    (made,) = of.results("conv_general_dilated", both, params, [aval])
    order = [*batch, *group, *outer, *spatial]
    made = of.reshaped(made, [out.aval.shape[ans.index(label)] for label in order])
    return [of.transposed(made, [order.index(label) for label in ans])]


def _fft(name: str) -> Emit:
    """A Fourier transform along a dimension that is not the last one."""

    def fft(
        of: Arranging, keywords: Params, operands: Sequence[Any], outs: Sequence[Var]
    ) -> list[Var]:
        out: Any = outs[0].aval
        dim, rank = keywords["dimension"], len(out.shape)
        order = [*(d for d in range(rank) if d != dim), dim]
        moved = of.transposed(operands[0], order)
        aval = ShapedArray(tuple(out.shape[d] for d in order), out.dtype)
        (made,) = of.results("fft", [moved], fft_params(name, keywords), [aval])
        return [of.transposed(made, [order.index(d) for d in range(rank)])]

    return fft


def _sort(
    of: Arranging, keywords: Params, operands: Sequence[Any], outs: Sequence[Var]
) -> list[Var]:
    """A stable sort in descending order: one in ascending order of reversed operands, backwards.
    Of a sort that states how many elements it returns, the first ones.
    """
    dim, first = keywords["dimension"], keywords.get("first")
    params = {"dimension": dim, "num_keys": keywords["num_keys"], "is_stable": True}
    avals: list[Any] = [x.aval for x in operands]
    if not keywords["descending"]:
        made = of.results("sort", operands, params, avals)
    else:
        made = of.results("sort", [of.reversed(x, dim) for x in operands], params, avals)
        made = [of.reversed(x, dim) for x in made]
    return made if first is None else [of.first(x, dim, first) for x in made]


def _has_no_view(op: str) -> Callable[[Params, Sequence[ShapedArray]], bool]:
    return lambda keywords, ins: VIEWS[op].params(keywords, ins) is None


# By op: whether it is such a primitive, for its keywords and the types of its operands, and how.
ARRANGED: dict[str, tuple[Callable[[Params, Sequence[ShapedArray]], bool], Emit]] = {
    "conv": (_has_no_view("conv"), _conv),
    **{name: (_has_no_view(name), _fft(name)) for name in ("fft", "irfft", "rfft")},
    "sort": (
        lambda keywords, ins: keywords["descending"] or keywords.get("first") is not None,
        _sort,
    ),
}


def arranged_equations(
    op: str, keywords: Params, operands: Sequence[Any], outs: Sequence[Var], info: SourceInfo
) -> list[JaxprEqn] | None:
    """The equations of an op that is a primitive of operands in another arrangement; None if it is
    none.

    Args:
      op: the op, one of `ARRANGED`.
      keywords: its keywords.
      operands: its operands.
      outs: its results.
      info: where it is.
    """
    is_arranged, emit = ARRANGED[op]
    if not is_arranged(keywords, [operand.aval for operand in operands]):
        return None
    of = Arranging(info)
    return of.ended(emit(of, keywords, operands, outs), outs)
