"""Reductions over sliding windows, and convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dovetail import dtypes
from support.op_row import ELEMENT, NUMBER, ORDERED, WIDE, Array, Case, Row
from support.op_samplers import Listed, Sampler, Shape, between, spaced

Dims = tuple[int, ...]

ROWS: list[Row] = []

_ANY = between(-2, 2)


def row(name: str, types: tuple[np.dtype, ...], **rest: Any) -> None:
    """Adds a row."""
    ROWS.append(Row(name, types, rest.pop("samples", ()), pointwise=False, **rest))


def _counts(shape: Shape, window: Dims, strides: Dims, dilations: Dims) -> Shape:
    """The number of windows that fit: starts such that the last element is inside."""
    return tuple(
        len(range(0, n - (w - 1) * d, s))
        for n, w, s, d in zip(shape, window, strides, dilations, strict=True)
    )


def _places(place: Dims, window: Dims, strides: Dims, dilations: Dims) -> Iterator[Dims]:
    """The positions of a window's elements, in row-major order."""
    for within in itertools.product(*map(range, window)):
        yield tuple(
            p * s + k * d for p, s, k, d in zip(place, strides, within, dilations, strict=True)
        )


def _of_each(
    function: Callable[[list[Any]], Any], dtype: np.dtype | None = None
) -> Callable[..., Array]:
    def oracle(x: Array, window: Dims, strides: Dims, dilations: Dims) -> Array:
        counts = _counts(x.shape, window, strides, dilations)
        results = [
            function([x[q] for q in _places(p, window, strides, dilations)])
            for p in np.ndindex(counts)
        ]
        return np.array(results, dtype or x.dtype).reshape(counts)

    return oracle


def _taken(x: Array, offsets: Array, window: Dims, strides: Dims, dilations: Dims) -> Array:
    result = np.zeros(offsets.shape, x.dtype)
    for p in np.ndindex(offsets.shape):
        elements = [x[q] for q in _places(p, window, strides, dilations)]
        if 0 <= offsets[p] < len(elements):
            result[p] = elements[int(offsets[p])]
    return result


def _put(x: Array, offsets: Array, window: Dims, dilations: Dims) -> Array:
    ones = (1,) * x.ndim
    result = np.zeros(_counts(x.shape, window, ones, dilations), x.dtype)
    for p in np.ndindex(result.shape):
        places = list(_places(p, window, ones, dilations))
        for k, q in enumerate(places):
            if offsets[q] == len(places) - 1 - k:
                result[p] += x[q]
    return result


_SLIDING: list[tuple[Shape, Dims, Dims, Dims]] = [
    ((4, 9), (3, 1), (2, 2), (1, 1)),  # one remains after the only window along the rows
    ((4, 9), (3, 3), (2, 2), (1, 1)),
    ((6,), (3,), (1,), (1,)),
    ((7,), (2,), (3,), (1,)),
    ((7,), (3,), (2,), (2,)),
    ((4, 5), (2, 3), (1, 2), (1, 1)),
    ((2, 4, 3), (1, 2, 1), (1, 2, 1), (1, 1, 1)),
    ((5, 2), (1, 1), (2, 1), (1, 1)),
    ((2, 3), (1, 1), (1, 1), (1, 1)),
    ((2, 3), (3, 1), (1, 1), (1, 1)),
    ((0, 3), (1, 2), (1, 1), (1, 1)),
    ((), (), (), ()),
]
_CASES = tuple(
    Case({"window": w, "strides": s, "dilations": d}, (shape,)) for shape, w, s, d in _SLIDING
)

row(
    "reduce_window_sum",
    NUMBER,
    samples=(_ANY,),
    oracle=_of_each(sum),
    cases=_CASES,
    ulps=4,
    normwise=True,
)
for _name, _extreme in (("max", np.max), ("min", np.min)):
    row(
        f"reduce_window_{_name}",
        ORDERED,
        samples=(spaced(),),
        oracle=_of_each(_extreme),
        cases=_CASES,
    )
for _name, _find in (("argmax", np.argmax), ("argmin", np.argmin)):
    row(
        f"window_{_name}",
        ORDERED,
        samples=(spaced(),),
        oracle=_of_each(_find, dtypes.int32),
        cases=_CASES,
        result_type=lambda *_: dtypes.int32,
        no_derivative="its result is an integer",
    )


def _with_offsets(dtype: np.dtype) -> tuple[np.dtype, ...]:
    return dtype, dtypes.int32


_OFFSETS = Listed(0, 2, 1, -1, 3, 7)
row(
    "window_take",
    ELEMENT,
    exact=_taken,
    cases=tuple(
        Case(
            {"window": w, "strides": s, "dilations": d},
            (shape, _counts(shape, w, s, d)),
            samples=(_ANY, _OFFSETS),
        )
        for shape, w, s, d in _SLIDING
    ),
    operand_types=_with_offsets,
)
row(
    "window_put",
    NUMBER,
    oracle=_put,
    cases=tuple(
        Case({"window": w, "dilations": d}, (shape, shape), samples=(_ANY, _OFFSETS))
        for shape, w, _, d in _SLIDING
    ),
    operand_types=_with_offsets,
    ulps=4,
    normwise=True,
)

# Convolutions ---------------------------------------------------------------------------------


def _convolved(
    x: Array,
    y: Array,
    lhs_dims: Dims,
    rhs_dims: Dims,
    ans_dims: Dims,
    windows: Dims,
    strides: Dims,
    dilations: Dims,
    element: Any = None,
) -> Array:
    """Term by term: every label runs over its size, and a window's over the kernel too."""
    sizes = dict(zip(lhs_dims, x.shape, strict=True)) | dict(zip(rhs_dims, y.shape, strict=True))
    step = dict(zip(windows, zip(strides, dilations, strict=True), strict=True))
    for label, (stride, dilation) in step.items():
        length = x.shape[lhs_dims.index(label)]
        (sizes[label],) = _counts((length,), (sizes[label],), (stride,), (dilation,))
    result = np.zeros([sizes[n] for n in ans_dims], x.dtype)
    labels = list(sizes)
    kernel = [range(y.shape[rhs_dims.index(label)]) for label in windows]
    for place in np.ndindex(*sizes.values()):
        at = dict(zip(labels, place, strict=True))
        for within in itertools.product(*kernel):
            k = dict(zip(windows, within, strict=True))
            left = tuple(
                at[n] * step[n][0] + k[n] * step[n][1] if n in k else at[n] for n in lhs_dims
            )
            right = tuple(k.get(n, at[n]) for n in rhs_dims)
            result[tuple(at[n] for n in ans_dims)] += x[left] * y[right]
    return result


def _conv(
    spec: str,
    *shapes: Shape,
    windows: str,
    strides: Dims = (),
    dilations: Dims = (),
    **rest: Any,
) -> Case:
    """A convolution in einsum's notation, "lhs,rhs->result"."""
    inputs, ans = spec.split("->")
    lhs, rhs = inputs.split(",")
    letters = sorted({*lhs, *rhs, *ans})
    ones = (1,) * len(windows)
    types = rest.pop("types", ())
    attributes = {
        "lhs_dims": tuple(map(letters.index, lhs)),
        "rhs_dims": tuple(map(letters.index, rhs)),
        "ans_dims": tuple(map(letters.index, ans)),
        "windows": tuple(map(letters.index, windows)),
        "strides": strides or ones,
        "dilations": dilations or ones,
    }
    return Case(attributes | rest, shapes, types=types)


_SAMPLE: Sampler = _ANY
row(
    "conv",
    NUMBER,
    samples=(_SAMPLE,),
    oracle=_convolved,
    cases=(
        _conv("x,x->x", (6,), (3,), windows="x"),
        _conv("nxc,xco->nxo", (2, 6, 3), (2, 3, 4), windows="x", strides=(2,)),
        _conv("ncx,ocx->nox", (2, 3, 7), (2, 3, 2), windows="x", dilations=(3,)),
        _conv("nxyc,xyco->nxyo", (1, 4, 5, 2), (2, 3, 2, 2), windows="xy", strides=(1, 2)),
        _conv("gncx,gocx->ngox", (2, 1, 2, 4), (2, 2, 2, 3), windows="x"),
        _conv("nxg,xg->nxg", (2, 5, 3), (2, 3), windows="x", strides=(3,), dilations=(2,)),
        _conv("nc,co->no", (2, 3), (3, 2), windows=""),
        # Kernels along one of two dimensions.
        _conv("ncxy,ocxy->noxy", (2, 2, 3, 7), (4, 2, 1, 3), windows="xy", strides=(2, 1)),
        _conv(
            "nxyc,xyco->nxyo",
            (1, 9, 3, 2),
            (3, 1, 2, 4),
            windows="xy",
            strides=(2, 2),
            dilations=(2, 1),
        ),
        _conv("gncxy,gocxy->ngoxy", (2, 1, 2, 3, 5), (2, 2, 2, 2, 1), windows="xy"),
        # One place along the rows, and one row left over.
        _conv("nxyc,xyco->nxyo", (1, 4, 17, 3), (2, 2, 3, 4), windows="xy", strides=(3, 3)),
        # Rows that are made longer; a dot for each place, and one for all.
        _conv("nxc,xco->nxo", (1, 11, 2), (3, 2, 4), windows="x"),
        _conv("nxc,nxo->cxo", (2, 9, 2), (2, 7, 3), windows="x", dilations=(1,)),
        _conv("xc,xo->xco", (64, 1), (37, 2), windows="x", types=WIDE),
        _conv("xc,xc->x", (2, 2), (3, 2), windows="x"),
        _conv("xc,xc->x", (4, 0), (3, 0), windows="x"),
        _conv(
            "xc,xco->xo",
            (4, 2),
            (2, 2, 3),
            windows="x",
            element=dtypes.float32,
            types=(np.dtype("bfloat16"), dtypes.float16),
        ),
        _conv("xc,xc->x", (4, 2), (2, 2), windows="x", element=dtypes.int32, types=(dtypes.int8,)),
        _conv("xc,xc->x", (4, 2), (2, 2), windows="x", element=dtypes.complex128, types=WIDE),
    ),
    result_type=lambda dtype, attributes: attributes.get("element", dtype),
    ulps=8,
    normwise=True,
)
