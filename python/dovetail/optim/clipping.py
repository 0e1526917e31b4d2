"""Gradient transformations that bound updates."""

from __future__ import annotations

from typing import Any

import dovetail.numpy as dnp
from dovetail.optim.transformation import GradientTransformation, Tree, square, stateless
from dovetail.optim.updates import global_norm
from dovetail.trees import functions


def clip(max_delta: Any) -> GradientTransformation:
    """Clip the elements of updates to [-max_delta, max_delta].

    Args:
      max_delta: a positive number.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.clip(1.0).update(dnp.array([-3, 0.5]), optim.EmptyState())[0]
      Array([-1. ,  0.5], dtype=float32)
    """
    return stateless(
        lambda updates, params: functions.map(lambda u: dnp.clip(u, -max_delta, max_delta), updates)
    )


def _bounded(x: Any, norm: Any, max_norm: Any) -> Any:
    # The division comes first: products of large numbers overflow.
    return dnp.where(norm < max_norm, x, dnp.astype(x / norm * max_norm, x.dtype))


def clip_by_norm(max_norm: Any) -> GradientTransformation:
    """Scale each array of updates whose Euclidean norm exceeds `max_norm` to that norm.

    Args:
      max_norm: a positive number.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.clip_by_norm(1.0).update(dnp.array([3.0, 4.0]), optim.EmptyState())[0]
      Array([0.6, 0.8], dtype=float32)
    """

    def bounded(x: Any) -> Any:
        return _bounded(x, dnp.sqrt(dnp.sum(square(x))), max_norm)

    return stateless(lambda updates, params: functions.map(bounded, updates))


def clip_by_block_rms(threshold: Any) -> GradientTransformation:
    """Scale each array of updates whose root mean square exceeds `threshold` to that value.

    Args:
      threshold: a positive number.

    Returns:
      A gradient transformation.

    Source: Shazeer, Stern, arXiv:1804.04235, section 6.

    Example:
      >>> from dovetail import optim
      >>> optim.clip_by_block_rms(1.0).update(dnp.array([2.0, 2.0]), optim.EmptyState())[0]
      Array([1., 1.], dtype=float32)
    """

    def bounded(x: Any) -> Any:
        return _bounded(x, dnp.sqrt(dnp.mean(square(x))), threshold)

    return stateless(lambda updates, params: functions.map(bounded, updates))


def clip_by_global_norm(max_norm: Any) -> GradientTransformation:
    """Scale all updates together so that their global norm is at most `max_norm`.

    Args:
      max_norm: a positive number.

    Returns:
      A gradient transformation.

    Source: Pascanu, Mikolov, Bengio, arXiv:1211.5063.

    Example:
      >>> from dovetail import optim
      >>> clipping = optim.clip_by_global_norm(1.0)
      >>> clipping.update([dnp.array(3.0), dnp.array(4.0)], optim.EmptyState())[0]
      [Array(0.6, dtype=float32), Array(0.8, dtype=float32)]
    """

    def bounded(updates: Tree, params: Tree) -> Tree:
        norm = global_norm(updates)
        return functions.map(lambda x: _bounded(x, norm, max_norm), updates)

    return stateless(bounded)
