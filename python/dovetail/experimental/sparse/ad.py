"""Derivatives with respect to sparse arrays: of their specified elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.experimental.sparse.transform import is_sparse
from dovetail.trees.pytree import flatten, unflatten

Function = Callable[..., Any]


def _sparse_aware(transform: Function, fun: Function, argnums: Any, **options: Any) -> Function:
    """A transform that differentiates with respect to the values of sparse arguments."""
    numbers = (argnums,) if isinstance(argnums, (int, np.integer)) else tuple(argnums)

    def differentiated(*args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], Any]]:
        parts, spec = flatten([args[i] for i in numbers], is_leaf=is_sparse)
        values = [part.data if is_sparse(part) else part for part in parts]

        def of_values(values: list[Any]) -> Any:
            full = list(args)
            made = [
                _with_data(part, value) if is_sparse(part) else value
                for part, value in zip(parts, values, strict=True)
            ]
            for i, arg in zip(numbers, unflatten(spec, made), strict=True):
                full[i] = arg
            return fun(*full, **kwargs)

        def rebuild(derivatives: list[Any]) -> Any:
            made = [
                _derivative(part, value) if is_sparse(part) else value
                for part, value in zip(parts, derivatives, strict=True)
            ]
            trees = unflatten(spec, made)
            return trees[0] if isinstance(argnums, (int, np.integer)) else tuple(trees)

        return transform(of_values, **options)(values), rebuild

    return differentiated


def _with_data(mat: Any, data: Any) -> Any:
    buffers, spec = flatten(mat)
    return unflatten(spec, [data, *buffers[1:]])


def _derivative(mat: Any, data: Any) -> Any:
    """The derivative as a sparse array; leading dimensions of a Jacobian are batches."""
    rebuild: Function = lambda values: _with_data(mat, values)  # noqa: E731
    for _ in range(data.ndim - mat.data.ndim):
        rebuild = dt.vmap(rebuild)
    return rebuild(data)


def value_and_grad(
    fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Function:
    """`dovetail.value_and_grad`, whose gradients of sparse arguments are sparse.

    Args:
      fun: the function.
      argnums: the arguments to differentiate with respect to, dense or sparse.
      has_aux: whether `fun` returns a pair of the value and something else.
      kwargs: more options of `dovetail.value_and_grad`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> X = sparse.BCOO.fromdense(dnp.arange(6.0))
      >>> sparse.value_and_grad(lambda X, y: X @ y)(X, dnp.ones(6))
      (Array(15., dtype=float32), BCOO(float32[6], nse=5))
    """
    differentiated = _sparse_aware(dt.value_and_grad, fun, argnums, has_aux=has_aux, **kwargs)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        (value, gradient), rebuild = differentiated(*args, **kwargs)
        return value, rebuild(gradient)

    return wrapped


def _first(transform: Function, fun: Function, argnums: Any, has_aux: bool, **kwargs: Any) -> Any:
    """A function whose result, or the first of two, is the derivative."""
    differentiated = _sparse_aware(transform, fun, argnums, has_aux=has_aux, **kwargs)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        made, rebuild = differentiated(*args, **kwargs)
        return (rebuild(made[0]), made[1]) if has_aux else rebuild(made)

    return wrapped


def grad(
    fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Function:
    """`dovetail.grad`, whose gradients of sparse arguments are sparse.

    Args:
      fun: the function.
      argnums: the arguments to differentiate with respect to, dense or sparse.
      has_aux: whether `fun` returns a pair of the value and something else.
      kwargs: more options of `dovetail.grad`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> X = sparse.BCOO.fromdense(dnp.arange(6.0))
      >>> sparse.grad(lambda X, y: X @ y)(X, dnp.ones(6)).data
      Array([1., 1., 1., 1., 1.], dtype=float32)
    """
    return _first(dt.grad, fun, argnums, has_aux, **kwargs)


def jacfwd(
    fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Function:
    """`dovetail.jacfwd`, whose Jacobians of sparse arguments are sparse; results are dense.

    Args:
      fun: the function.
      argnums: the arguments to differentiate with respect to, dense or sparse.
      has_aux: whether `fun` returns a pair of the result and something else.
      kwargs: more options of `dovetail.jacfwd`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.jacfwd(lambda X: X @ dnp.ones(2))(sparse.eye(2))
      BCOO(float32[2, 2, 2], nse=2, n_batch=1)
    """
    return _first(dt.jacfwd, fun, argnums, has_aux, **kwargs)


def jacrev(
    fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Function:
    """`dovetail.jacrev`, whose Jacobians of sparse arguments are sparse; results are dense.

    Args:
      fun: the function.
      argnums: the arguments to differentiate with respect to, dense or sparse.
      has_aux: whether `fun` returns a pair of the result and something else.
      kwargs: more options of `dovetail.jacrev`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.jacrev(lambda X: X @ dnp.ones(2))(sparse.eye(2)).data
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    return _first(dt.jacrev, fun, argnums, has_aux, **kwargs)


jacobian = jacrev
