"""Arguments and results of rules with symbolic zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.keys import is_keys
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.bind import zeros
from dovetail.tracing.trace import Operand
from dovetail.trees.pytree import flatten, register_node, unflatten


class SymbolicZero:
    """A tangent or cotangent that is zero, without elements.

    Args:
      aval: its type.

    Example:
      >>> from dovetail.custom_derivatives import SymbolicZero, zero_from_primal
      >>> zero_from_primal(dnp.ones(3), symbolic_zeros=True)
      SymbolicZero(float32[3])
    """

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype:
        """The element type, float0 where the primal has no derivative."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.aval.ndim

    def instantiate(self) -> Operand | np.ndarray:
        """The zeros as an array."""
        return instantiated(self.aval)

    def __repr__(self) -> str:
        return f"SymbolicZero({self.aval})"


class Zero(SymbolicZero):
    """A zero of the rules of a primitive: in trees it is a node without leaves, so that functions
    that are mapped over arrays can take and return it.

    Args:
      aval: its type.

    Example:
      >>> import dovetail as dt
      >>> dt.vmap(lambda x: (x, Zero(x.aval)))(dnp.ones(3))
      (Array([1., 1., 1.], dtype=float32), SymbolicZero(float32[]))
    """

    __slots__ = ()


register_node(Zero, lambda zero: ((), zero.aval), lambda aval, _: Zero(aval))


@dataclass(frozen=True)
class CustomVJPPrimal:
    """An argument of the `fwd` rule of a `custom_vjp` with symbolic zeros; a leaf of trees.

    Attributes:
      value: the argument.
      perturbed: False where no derivative with respect to it can be asked for.

    Example:
      >>> import dovetail as dt
      >>> @dt.custom_vjp
      ... def scaled(x, factor):
      ...     return x * factor
      >>> def fwd(x, factor):
      ...     print(x.perturbed, factor.perturbed)
      ...     return x.value * factor.value, factor.value
      >>> scaled.defvjp(fwd, lambda factor, ct: (ct * factor, None), symbolic_zeros=True)
      >>> print(dt.grad(scaled)(2.0, 3.0))
      True False
      3.0
    """

    value: Any
    perturbed: bool


def tangent_type(aval: ShapedArray) -> ShapedArray:
    """The type of tangents and cotangents."""
    return aval if dtypes.is_inexact(aval.dtype) else ShapedArray(aval.shape, dtypes.float0)


def of_whole_keys(tree: Any, function: Any) -> Any:
    """The tree with `function` of each leaf; an array of keys is one leaf, not its words."""
    leaves, spec = flatten(tree, is_leaf=is_keys)
    return unflatten(spec, [function(i, leaf) for i, leaf in enumerate(leaves)])


def instantiated(aval: ShapedArray) -> Operand | np.ndarray:
    """Zeros of a tangent type."""
    return np.zeros(aval.shape, aval.dtype) if aval.dtype == dtypes.float0 else zeros(aval)


def zero_from_primal(val: Any, symbolic_zeros: bool = False) -> Any:
    """The zero tangents of a tree of arrays.

    Args:
      val: a tree of arrays or numbers.
      symbolic_zeros: whether to return `SymbolicZero`s instead of arrays.

    Returns:
      The tree of zeros, of the shapes and dtypes of the leaves, of dtype float0 where these have no
      derivative.

    Raises:
      TypeError: a leaf is no array.

    Example:
      >>> from dovetail.custom_derivatives import zero_from_primal
      >>> zero_from_primal({"x": dnp.ones(2)}, symbolic_zeros=True)
      {'x': SymbolicZero(float32[2])}
      >>> zero_from_primal(dnp.ones(2))
      Array([0., 0.], dtype=float32)
    """

    def zero(_: int, leaf: Any) -> Any:
        aval = tangent_type(as_operand(leaf, "a leaf of val").aval)
        return SymbolicZero(aval) if symbolic_zeros else instantiated(aval)

    return of_whole_keys(val, zero)


def custom_vjp_primal_tree_values(tree: Any) -> Any:
    """The arguments of a `fwd` rule with symbolic zeros as a rule without them takes them.

    Args:
      tree: a tree whose leaves are `CustomVJPPrimal`s.

    Returns:
      The tree of their values.

    Raises:
      TypeError: another leaf.

    Example:
      >>> from dovetail.custom_derivatives import CustomVJPPrimal, custom_vjp_primal_tree_values
      >>> custom_vjp_primal_tree_values({"x": CustomVJPPrimal(2.0, True)})
      {'x': 2.0}
    """
    leaves, spec = flatten(tree)
    for leaf in leaves:
        if type(leaf) is not CustomVJPPrimal:
            raise type_error(f"leaves must be CustomVJPPrimal, got: {type(leaf).__name__}")
    return unflatten(spec, [leaf.value for leaf in leaves])
