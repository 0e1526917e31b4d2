"""Functions of scalars or vectors, applied to all of those in larger arrays by vmap."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from dovetail.arrays.array import Array
from dovetail.arrays.keys import moves_keys
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.creation import asarray as _asarray
from dovetail.numpy.promotion import check_ranks
from dovetail.numpy.shape import expand_dims as _expand_dims
from dovetail.numpy.shape import moveaxis as _moveaxis
from dovetail.numpy.shape import reshape as _reshape
from dovetail.ops.operands import ArrayLike, broadcast_shapes, canonical_axis
from dovetail.transforms.batching import vmap
from dovetail.trees.functions import map as tree_map

# The names of an operand's dimensions that the function sees.
Names = tuple[str, ...]

# The functions are also applied to arrays of keys.
asarray, expand_dims, moveaxis, reshape = (
    moves_keys(each, (0,)) for each in (_asarray, _expand_dims, _moveaxis, _reshape)
)

_OPERAND = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
_OPERANDS = rf"\s*{_OPERAND}\s*(?:,\s*{_OPERAND}\s*)*"


def vectorize(
    pyfunc: Callable[..., Any],
    *,
    excluded: Collection[int | str] = frozenset(),
    signature: str | None = None,
) -> Callable[..., Any]:
    """A function that applies another one to all scalars, vectors or matrices in its arguments,
    which are broadcast.

    Args:
      pyfunc: a function of scalars, or of arrays as stated by the signature, that returns an array
        or a tuple of arrays.
      excluded: positions and names of arguments that are passed on as they are.
      signature: the dimensions that `pyfunc` sees, such as `(m,n),(n)->(m)`, which are the last
        of each argument; by default none, and results of any shape.

    Returns:
      The function of arrays. An argument that is None is passed on, and one given by name must be
      excluded.

    Raises:
      ValueError: the signature is not of this form, or a shape does not match it.
      TypeError: the numbers of arguments or results do not match it.

    Example:
      >>> product = vectorize(dnp.dot, signature="(n),(n)->()")
      >>> product(dnp.ones((3, 1, 2)), dnp.ones((4, 2))).shape
      (3, 4)
    """
    if any(not isinstance(e, (int, str)) for e in excluded):
        raise type_error(
            "vectorize can only exclude integer or string arguments, positions and names, got: "
            f"{excluded!r}"
        )
    if any(isinstance(e, int) and e < 0 for e in excluded):
        raise value_error(f"vectorize: excluded positions must be 0 or more, got: {excluded!r}")
    parsed = None if signature is None else _parsed(signature)

    @functools.wraps(pyfunc)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in excluded:
                raise type_error(
                    f"vectorize: an argument given by name must be excluded, got: {name!r}; give "
                    "it by position"
                )
        batched = [i for i in range(len(args)) if i not in excluded]
        inputs, results = parsed or ([()] * len(batched), None)
        if len(batched) != len(inputs):
            raise type_error(
                f"vectorize: wrong number of positional arguments: expected {len(inputs)}, got: "
                f"{len(batched)} for signature={signature!r}"
            )
        names = {i: n for i, n in zip(batched, inputs, strict=True) if args[i] is not None or n}
        if missing := {i for i in names if args[i] is None}:
            raise value_error(
                f"vectorize: Cannot pass None at locations {missing} with {signature=}"
            )
        operands = [asarray(args[i]) for i in names]
        sizes: dict[str, int] = {}
        for x, dims in zip(operands, names.values(), strict=True):
            _agree(sizes, x.shape, dims)

        def function(*xs: Any) -> Any:
            given = list(args)
            for i, x in zip(names, xs, strict=True):
                given[i] = x
            result = pyfunc(*given, **kwargs)
            if results is not None:
                _check_results(result, results, sizes)
            return result

        return _over_leading(function, operands, [len(n) for n in names.values()])

    return wrapper


def _parsed(signature: str) -> tuple[list[Names], list[Names]]:
    if not re.fullmatch(rf"{_OPERANDS}->{_OPERANDS}", signature):
        raise value_error(
            f"vectorize: a signature must be of the form '(m,n),(n)->(m)', got: {signature!r}"
        )
    inputs, results = (
        [tuple(re.findall(r"\w+", operand)) for operand in re.findall(_OPERAND, side)]
        for side in signature.split("->")
    )
    return inputs, results


def _agree(sizes: dict[str, int], shape: Sequence[int], names: Names) -> None:
    """Record the sizes of the last dimensions of a shape, which must match those recorded
    before.
    """
    if len(shape) < len(names):
        raise value_error(
            f"vectorize: input with shape {tuple(shape)} does not have enough dimensions for all "
            f"core dimensions ({','.join(names)})"
        )
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise value_error(
                f"vectorize: inconsistent size for core dimension {name!r}: {size} vs {sizes[name]}"
            )


def _check_results(result: Any, names: list[Names], sizes: dict[str, int]) -> None:
    results = result if isinstance(result, tuple) else (result,)
    if len(names) > 1 and not isinstance(result, tuple):
        raise type_error(
            "vectorize: output must be a tuple when multiple outputs are expected, got: "
            f"{type(result).__name__}"
        )
    if len(results) != len(names):
        raise type_error(
            f"vectorize: wrong number of output arguments: expected {len(names)}, got: "
            f"{len(results)}"
        )
    known = dict(sizes)
    for x, dims in zip(results, names, strict=True):
        inner = asarray(x).shape
        if len(inner) != len(dims):
            raise value_error(
                f"vectorize: output shape {inner} does not match core dimensions ({','.join(dims)})"
            )
        _agree(known, inner, dims)


def _over_leading(function: Callable[..., Any], operands: list[Array], ranks: list[int]) -> Any:
    """Apply a function to parts with some last dimensions; the others are broadcast."""
    leading = [x.shape[: x.ndim - r] for x, r in zip(operands, ranks, strict=True)]
    check_ranks("vectorize", leading, operands, stacklevel=4)
    loops = broadcast_shapes(*leading, name="vectorize")
    padded = [(1,) * (len(loops) - len(s)) + s for s in leading]
    # Dimensions to broadcast are left to vmap, which knows that they have one element.
    xs = [
        reshape(x, tuple(n for n in s if n != 1) + x.shape[x.ndim - r :])
        for x, s, r in zip(operands, leading, ranks, strict=True)
    ]
    single = []
    for d in reversed(range(len(loops))):
        axes = tuple(0 if s[d] != 1 else None for s in padded)
        if any(a == 0 for a in axes):
            function = vmap(function, axes)
        else:
            single.append(d)
    result = function(*xs)
    return tree_map(lambda r: expand_dims(r, single), result) if single else result


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Any:
    """A function of vectors, applied to all those along a dimension.

    Args:
      func1d: a function of a vector, and of `args` and `kwargs`, that returns arrays.
      axis: the dimension.
      arr: an array.

    Returns:
      An array in which the dimension is replaced by those of the function's result.

    Example:
      >>> apply_along_axis(dnp.sum, 0, dnp.array([[1, 2], [3, 4]]))
      Array([4, 6], dtype=int32)
    """
    x = asarray(arr)
    dim = canonical_axis(axis, x.ndim)
    loops = x.ndim - 1

    def function(v: Any) -> Any:
        return tree_map(asarray, func1d(v, *args, **kwargs))

    for _ in range(loops):
        function = vmap(function)

    def placed(r: Array) -> Array:
        inner = r.ndim - loops
        return moveaxis(r, tuple(range(loops, r.ndim)), tuple(range(dim, dim + inner)))

    return tree_map(placed, function(moveaxis(x, dim, -1)))
