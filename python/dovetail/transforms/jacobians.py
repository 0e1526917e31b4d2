"""Whole matrices of derivatives, as vmap of jvp or vjp over the standard basis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import dtypes
from dovetail.base.locations import here
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.arguments import Function, as_numbers, name_of, results_of, select, wraps
from dovetail.transforms.autodiff import check_differentiable, jvp, needed_outputs
from dovetail.transforms.batching import vmap
from dovetail.transforms.linearization import vjp
from dovetail.trees.pytree import flatten, unflatten


def jacfwd(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """A function that returns `fun`'s Jacobian, computed column by column (forward mode).

    Args:
      fun: the function; its result is a tree of arrays.
      argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of
        Jacobians.
      has_aux: whether `fun` returns a pair (result, auxiliary data).
      holomorphic: whether `fun` is holomorphic.

    Returns:
      A function that returns the result's tree with, for each leaf of shape r, the arguments' tree
      with leaves of shape (*r, *a) for arguments of shape a; or (that, auxiliary data).

    Raises:
      TypeError: an argument is not real (complex, with `holomorphic`).

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.jacfwd(lambda x: x * x)(dnp.array([1.0, 2.0]))
      Array([[2., 0.],
             [0., 4.]], dtype=float32)
    """
    numbers = as_numbers(argnums, "argnums")

    @wraps(fun)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        selected = select(fun, numbers, args, kwargs)
        for i, leaf in enumerate(selected.leaves):
            check_differentiable(leaf, selected, i, "jacfwd", holomorphic, allow_int=False)

        def partial(*replaced: Any) -> Any:
            return selected.call(flatten(replaced)[0])

        primals = unflatten(selected.spec, selected.leaves)

        def push(*tangents: Any) -> Any:
            return jvp(partial, primals, tangents, has_aux)[1:]

        basis = unflatten(selected.spec, _standard_basis(selected.avals))
        columns, *aux = vmap(push, out_axes=(-1, None) if has_aux else -1)(*basis)
        leaves, spec = flatten(columns)
        jacobians = [
            _nest(
                _split(leaf, -1, selected.avals, leaf.shape[:-1]),
                selected.spec,
                isinstance(argnums, int),
            )
            for leaf in leaves
        ]
        result = unflatten(spec, jacobians)
        return (result, *aux) if has_aux else result

    return jacobian


def jacrev(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Function:
    """A function that returns `fun`'s Jacobian, computed row by row (reverse mode).

    Args:
      fun: the function; its result is a tree of arrays.
      argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of
        Jacobians.
      has_aux: whether `fun` returns a pair (result, auxiliary data).
      holomorphic: whether `fun` is holomorphic.
      allow_int: whether integer arguments are allowed; their Jacobian is zero, of dtype float0.

    Returns:
      A function that returns the result's tree with, for each leaf of shape r, the arguments' tree
      with leaves of shape (*r, *a) for arguments of shape a; or (that, auxiliary data).

    Raises:
      TypeError: an argument is not of float or complex type, or a result is not real (complex, with
        `holomorphic`).

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.jacrev(lambda x: dnp.sum(x * x))(dnp.array([1.0, 2.0]))
      Array([2., 4.], dtype=float32)
    """
    numbers = as_numbers(argnums, "argnums")
    name = name_of(fun)

    @wraps(fun)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        selected = select(fun, numbers, args, kwargs)
        for i, leaf in enumerate(selected.leaves):
            check_differentiable(leaf, selected, i, "jacrev", holomorphic, allow_int)

        def partial(*replaced: Any) -> Any:
            return selected.call(flatten(replaced)[0])

        primals = unflatten(selected.spec, selected.leaves)
        result, pull, *aux = vjp(partial, *primals, has_aux=has_aux)
        values, spec = flatten(result)
        avals = [result.aval for result in results_of(fun, values, spec)]
        for i, aval in enumerate(avals):
            kind = dtypes.kind(aval.dtype)
            if kind != ("c" if holomorphic else "f"):
                raise TypeError(
                    f"{needed_outputs('jacrev', holomorphic)}, but got {aval.dtype.name} for "
                    f"result {i} of `{name}` {here()}"
                )
        rows = flatten(vmap(pull)(unflatten(spec, _standard_basis(avals))))[0]
        # Per argument leaf, the blocks of all results; wanted is the reverse.
        blocks = [
            _split(row, 0, avals, leaf.shape)
            for row, leaf in zip(rows, selected.avals, strict=True)
        ]
        jacobians = [
            _nest([block[i] for block in blocks], selected.spec, isinstance(argnums, int))
            for i in range(len(avals))
        ]
        tree = unflatten(spec, jacobians)
        return (tree, *aux) if has_aux else tree

    return jacobian


def hessian(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """A function that returns the second derivatives of `fun`, as the `jacfwd` of its `jacrev`.

    Args:
      fun: the function; its result is a tree of arrays.
      argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of
        tuples.
      has_aux: whether `fun` returns a pair (result, auxiliary data).
      holomorphic: whether `fun` is holomorphic.

    Returns:
      A function that returns the result's tree with, for each leaf of shape r, the arguments' tree
      twice over with leaves of shape (*r, *a, *b) for arguments of shapes a and b; or (that,
      auxiliary data).

    Raises:
      TypeError: an argument or a result is not real (complex, with `holomorphic`).

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.hessian(lambda x: dnp.sum(x**3))(dnp.array([1.0, 2.0]))
      Array([[ 6.,  0.],
             [ 0., 12.]], dtype=float32)
    """
    return jacfwd(
        jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic),
        argnums,
        has_aux=has_aux,
        holomorphic=holomorphic,
    )


def _standard_basis(avals: Sequence[ShapedArray]) -> list[Any]:
    """The unit vectors of the space of all arrays of these types, as a batch per array."""
    sizes = [math.prod(aval.shape) for aval in avals]
    total, start = sum(sizes), 0
    basis = []
    for aval, size in zip(avals, sizes, strict=True):
        if dtypes.is_inexact(aval.dtype):
            basis.append(_units(total, size, start, aval))
        else:
            basis.append(np.zeros((total, *aval.shape), dtypes.float0))
        start += size
    return basis


def _units(total: Any, size: Any, start: Any, aval: ShapedArray) -> Any:
    """Rows, those from `start` on being unit vectors of arrays of a type."""
    if not has_sizes((total, size)):
        units = np.eye(total, size, k=-start, dtype=aval.dtype)
        return Array(units.reshape(total, *aval.shape), aval.weak_type)
    row, column = (ops.iota(i, (total, size), dtypes.int32) for i in range(2))
    units = (row == column + start).astype(aval.dtype)
    return units.reshape(total, *aval.shape)


def _split(array: Any, axis: int, avals: Sequence[ShapedArray], others: Sequence[int]) -> list[Any]:
    """The array cut along `axis`, first or last: a part of shape (result, argument) per type."""
    parts, start = [], 0
    axis %= len(array.shape)
    for aval in avals:
        stop = start + math.prod(aval.shape)
        part = array[start:stop] if axis == 0 else array[..., start:stop]
        shape = (*aval.shape, *others) if axis == 0 else (*others, *aval.shape)
        parts.append(part.reshape(shape))
        start = stop
    return parts


def _nest(leaves: Sequence[Any], spec: Any, single: bool) -> Any:
    """The arguments' tree; the first argument's alone if there is one argument."""
    tree = unflatten(spec, leaves)
    return tree[0] if single else tree
