"""Einstein summation: subscripts parsed, operands contracted pair by pair along a good path."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.lax.dot import contract
from dovetail.lax.precision import check_precision
from dovetail.numpy import reductions
from dovetail.numpy.data import as_dtype
from dovetail.numpy.diagonals import diagonal
from dovetail.numpy.promotion import no_out, promote
from dovetail.numpy.sizes import shape_of
from dovetail.ops.operands import as_operand
from dovetail.symbolic.solve import expected_shape
from dovetail.tracing.whole import applies_singly
from dovetail.transforms.out_sharding import accepts_out_sharding

Path = list[tuple[int, ...]]
Product = Callable[..., Array]


@accepts_out_sharding
def einsum(
    subscripts: Any,
    /,
    *operands: Any,
    out: None = None,
    optimize: Any = "auto",
    precision: Any = None,
    preferred_element_type: Any = None,
    _dot_general: Callable[..., Array] = lax.dot_general,
    out_sharding: Any = None,
) -> Array:
    """The sum of products that the subscripts state, as in "ij,jk->ik"; NumPy's whole syntax.

    Args:
      subscripts: the labels; or the first operand, with the labels of each operand after it, as in
        `einsum(a, [0, 1], b, [1, 2], [0, 2])`. Dimensions of a "..." that a stated result lacks are
        summed over.
      operands: arrays, which are promoted, with a size of 1 stretched to a label's other size.
      out: must be None.
      optimize: a strategy of `numpy.einsum_path`, False for the order of the operands, or a path.
      precision: accepted; no target has a lower precision than float32 to choose.
      preferred_element_type: the type in which sums are formed, and the result's type; by default
        the promoted one.

    Returns:
      An array with a dimension for each label of the result.

    Raises:
      ValueError: subscripts are malformed, or do not match the operands.

    Example:
      >>> einsum("ij,j->i", np.float32([[1, 2], [3, 4]]), np.float32([1, 1]))
      Array([3., 7.], dtype=float32)
    """
    no_out("einsum", out)
    check_precision("einsum", precision)
    terms, result, arrays = _parse(subscripts, operands)
    xs = (
        promote("einsum", *arrays)
        if preferred_element_type is None
        else [as_operand("einsum", a, i) for i, a in enumerate(arrays)]
    )
    sizes = _sizes(terms, xs)
    pairs = list(zip(terms, xs, strict=True))
    for group in _path(terms, result, [x.shape for x in xs], optimize):
        chosen = [pairs.pop(i) for i in sorted(group, reverse=True)][::-1]
        kept = set(result).union(*(labels for labels, _ in pairs))
        while len(chosen) > 1:
            inside = kept.union(*(labels for labels, _ in chosen[2:]))
            product = _product(_dot_general, precision, preferred_element_type)
            chosen[:2] = [_contract(chosen[0], chosen[1], inside, sizes, product)]
        pairs.append(_simplified(*chosen[0], kept))
    labels, x = pairs[0]
    x = lax.transpose(x, [labels.index(c) for c in result])
    return (
        x
        if preferred_element_type is None
        else as_dtype(x, dtypes.requested(preferred_element_type, "einsum"))
    )


def einsum_path(
    subscripts: Any, /, *operands: Any, optimize: Any = "auto"
) -> tuple[list[Any], str]:
    """The order in which `einsum` contracts pairs of operands, and a table that describes it.

    Args:
      subscripts, operands: as for `einsum`; only the operands' shapes matter.
      optimize: a strategy of `numpy.einsum_path`.

    Returns:
      A list of tuples with the places of the operands contracted at each step; a table, a string.

    Raises:
      ValueError: subscripts are malformed, or do not match the operands.

    Example:
      >>> einsum_path("ij,jk", np.ones((2, 3)), np.ones((3, 4)))[0]
      [(0, 1)]
    """
    terms, result, arrays = _parse(subscripts, operands)
    dummies = [_shaped(shape_of(a)) for a in arrays]
    (_, *path), table = np.einsum_path(
        f"{','.join(terms)}->{result}", *dummies, optimize=_numpy_optimize(optimize)
    )
    return path, table


def _shaped(shape: tuple[int, ...]) -> np.ndarray:
    """An array of that shape without memory, for NumPy's path search."""
    return np.broadcast_to(np.zeros(()), expected_shape(shape))


def _numpy_optimize(optimize: Any) -> Any:
    if isinstance(optimize, (list, tuple)) and optimize and isinstance(optimize[0], (tuple, list)):
        return ["einsum_path", *optimize]
    return "greedy" if optimize == "auto" else optimize


def _path(terms: list[str], result: str, shapes: list[tuple[int, ...]], optimize: Any) -> Path:
    if len(terms) < 3:
        return [tuple(range(len(terms)))]
    if isinstance(optimize, (list, tuple)) and optimize and isinstance(optimize[0], (tuple, list)):
        return [tuple(group) for group in optimize]
    if optimize is False:
        return [(0, 1)] + [(0, len(terms) - 1 - i) for i in range(1, len(terms) - 1)]
    text = f"{','.join(terms)}->{result}"
    path = np.einsum_path(text, *map(_shaped, shapes), optimize=_numpy_optimize(optimize))[0]
    return [tuple(group) for group in path[1:]]


# Parsing ------------------------------------------------------------------------------------------


def _parse(subscripts: Any, operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    """The labels of each operand and of the result, the dots of an ellipsis replaced by letters;
    and the operands.
    """
    if isinstance(subscripts, str):
        text, arrays = subscripts.replace(" ", ""), list(operands)
    else:
        text, arrays = _from_lists((subscripts, *operands))
    left, arrow, right = _with_letters(text).partition("->")
    terms = left.split(",")
    if len(terms) != len(arrays):
        raise value_error(
            f"einsum: there must be one operand for each term, got: {len(terms)} terms in {text!r} "
            f"and {len(arrays)} operands"
        )
    for term in [*terms, right]:
        letters = term.replace("...", "", 1)
        if not all(c in string.ascii_letters for c in letters):
            raise value_error(
                f"einsum: subscripts are labels and one '...' per term, got: {term!r} in {text!r}"
            )
    terms, dots = _expand_dots(text, terms, arrays)
    if arrow:
        result = right.replace("...", dots)
    else:
        counts = Counter("".join(terms).translate(str.maketrans("", "", dots)))
        result = dots + "".join(sorted(c for c, n in counts.items() if n == 1))
    if len(set(result)) != len(result) or not set(result) <= set("".join(terms)):
        raise value_error(
            f"einsum: labels of the result must occur in a term, and once, got: {text!r}"
        )
    return terms, result, arrays


def _with_letters(text: str) -> str:
    """Subscripts in which labels that are no letters, such as digits, are letters."""
    odd = sorted({c for c in text if c.isdigit() or (c.isalpha() and not c.isascii())})
    free = (c for c in string.ascii_letters if c not in text)
    return text.translate(dict(zip(map(ord, odd), free, strict=False)))


def _from_lists(arguments: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Subscripts and operands of the form einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    paired = len(arguments) // 2 * 2
    terms = [_letters(labels) for labels in arguments[1:paired:2]]
    text = ",".join(terms)
    if len(arguments) > paired:
        text += "->" + _letters(arguments[-1])
    return text, list(arguments[:paired:2])


def _letters(labels: Any) -> str:
    return "".join("..." if c is Ellipsis else string.ascii_letters[c] for c in labels)


def _expand_dots(text: str, terms: list[str], arrays: list[Any]) -> tuple[list[str], str]:
    ranks = [len(shape_of(a)) for a in arrays]
    widths = [rank - len(t.replace("...", "")) for t, rank in zip(terms, ranks, strict=True)]
    for term, width, rank in zip(terms, widths, ranks, strict=True):
        if width < 0 or (width > 0 and "..." not in term):
            raise value_error(
                f"einsum: {term!r} must have one label for each dimension, got: an operand of rank "
                f"{rank}"
            )
    count = max((w for t, w in zip(terms, widths, strict=True) if "..." in t), default=0)
    unused = [c for c in reversed(string.ascii_letters) if c not in text]
    if count > len(unused):
        raise value_error(
            f"einsum: there are 52 labels, got: {text!r} with an ellipsis of {count} dimensions"
        )
    dots = "".join(unused[:count])
    return [t.replace("...", dots[count - w :]) for t, w in zip(terms, widths, strict=True)], dots


def _sizes(terms: list[str], xs: list[Array]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term, x in zip(terms, xs, strict=True):
        for label, size in zip(term, x.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                if 1 not in (size, sizes[label]):
                    raise value_error(
                        f"einsum: sizes of label {label!r} must be equal or 1, got: {sizes[label]} "
                        f"and {size}"
                    )
                sizes[label] = max(size, sizes[label])
    return sizes


# Contraction --------------------------------------------------------------------------------------


def _simplified(labels: str, x: Array, kept: set[str]) -> tuple[str, Array]:
    """Repeated labels replaced by diagonals, and labels that nothing else has summed over."""
    for label, count in Counter(labels).items():
        for _ in range(count - 1):
            i = labels.index(label)
            j = labels.index(label, i + 1)
            if applies_singly(x):
                # As in JAX, it keeps the axes of the second dimension.
                places = [lax.broadcasted_iota(np.int32, x.shape, dim) for dim in (i, j)]
                masked = ops.select(places[0] == places[1], x, lax.full_like(x, 0))
                x, labels = _summed(masked, (i,)), labels[:i] + labels[i + 1 :]
                continue
            x = diagonal(x, 0, i, j)
            labels = labels[:i] + labels[i + 1 : j] + labels[j + 1 :] + label
    summed = tuple(i for i, c in enumerate(labels) if c not in kept)
    if summed:
        x = _summed(x, summed)
        labels = "".join(c for c in labels if c in kept)
    return labels, x


def _summed(x: Array, dims: tuple[int, ...]) -> Array:
    is_bool = x.dtype == dtypes.bool_
    return reductions.any(x, dims) if is_bool else reductions.sum(x, dims, x.dtype)


def _product(dot_general: Callable[..., Array], precision: Any, preferred: Any) -> Product:
    """How two operands are contracted, given their dimensions; `dot_general` is `lax.dot_general`,
    or what a library has in its place.
    """

    def by(
        x: Array,
        y: Array,
        lhs_batch: tuple[int, ...],
        rhs_batch: tuple[int, ...],
        lhs_contract: tuple[int, ...],
        rhs_contract: tuple[int, ...],
    ) -> Array:
        if dot_general is lax.dot_general:
            return contract(x, y, lhs_batch, rhs_batch, lhs_contract, rhs_contract, preferred)
        numbers = (lhs_contract, rhs_contract), (lhs_batch, rhs_batch)
        return dot_general(x, y, numbers, precision=precision, preferred_element_type=preferred)

    return by


def _contract(
    first: tuple[str, Array],
    second: tuple[str, Array],
    kept: set[str],
    sizes: dict[str, int],
    product: Product,
) -> tuple[str, Array]:
    left, x = _simplified(*_without_stretched(*first, sizes, second[0]), kept | set(second[0]))
    right, y = _simplified(*_without_stretched(*second, sizes, first[0]), kept | set(left))
    # A label of `left` that `right` lost, because it is stretched there, may be summed now.
    left, x = _simplified(left, x, kept | set(right))
    batch = [c for c in left if c in right and c in kept]
    summed = [c for c in left if c in right and c not in kept]
    result = product(
        x,
        y,
        tuple(left.index(c) for c in batch),
        tuple(right.index(c) for c in batch),
        tuple(left.index(c) for c in summed),
        tuple(right.index(c) for c in summed),
    )
    free = [c for c in left if c not in batch and c not in summed]
    free += [c for c in right if c not in batch and c not in summed]
    return "".join(batch + free), result


def _without_stretched(
    labels: str, x: Array, sizes: dict[str, int], other: str
) -> tuple[str, Array]:
    """Without dimensions of size 1 that the other operand has in full size."""
    drop = [i for i, c in enumerate(labels) if x.shape[i] == 1 != sizes[c] and c in other]
    if drop:
        x = lax.squeeze(x, drop)
        labels = "".join(c for i, c in enumerate(labels) if i not in drop)
    return labels, x
