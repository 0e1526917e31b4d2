"""Gradient transformations by numbers and schedules, and averages of updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error
from dovetail.optim.transformation import (
    GradientTransformation,
    Schedule,
    Tree,
    count,
    following,
    moving,
    needed,
    stateless,
    stored,
    unbiased,
    zeros_like,
)
from dovetail.optim.wrappers import masked
from dovetail.trees import functions


class ScaleByScheduleState(NamedTuple):
    """The number of steps taken.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_schedule(lambda count: 0.1).init(dnp.zeros(2))._fields
      ('count',)
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]


class TraceState(NamedTuple):
    """The sum of past updates, older ones with less weight.

    Example:
      >>> from dovetail import optim
      >>> optim.trace(0.9).init(dnp.zeros(2))._fields
      ('trace',)
    """

    trace: Tree


class EmaState(NamedTuple):
    """The number of steps taken, and the moving average of updates.

    Example:
      >>> from dovetail import optim
      >>> optim.ema(0.9).init(dnp.zeros(2))._fields
      ('count', 'ema')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    ema: Tree


class ScaleByLionState(NamedTuple):
    """The moving average of gradients.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_lion().init(dnp.zeros(2))._fields
      ('mu',)
    """

    mu: Tree


# Numbers ------------------------------------------------------------------------------------------


def scale(step_size: Any) -> GradientTransformation:
    """Updates times a number.

    Args:
      step_size: the number.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.scale(-0.5).update(dnp.ones(2), optim.EmptyState())[0]
      Array([-0.5, -0.5], dtype=float32)
    """
    return stateless(lambda updates, params: functions.map(lambda u: step_size * u, updates))


def scale_by_schedule(step_size_fn: Schedule) -> GradientTransformation:
    """Updates times a function of the number of steps taken, 0 at the first.

    Args:
      step_size_fn: the function.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> halving = optim.scale_by_schedule(lambda count: 0.5 ** (count + 1))
      >>> updates, state = halving.update(dnp.ones(2), halving.init(0.0))
      >>> updates, int(state.count)
      (Array([0.5, 0.5], dtype=float32), 1)
    """

    def init(params: Tree) -> ScaleByScheduleState:
        del params
        return ScaleByScheduleState(count())

    def update(updates: Tree, state: Any, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        factor = dnp.asarray(step_size_fn(state.count))
        scaled = functions.map(lambda u: dnp.astype(factor, u.dtype) * u, updates)
        return scaled, ScaleByScheduleState(following(state.count))

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate: Any, *, flip_sign: bool = True) -> GradientTransformation:
    """Updates times a learning rate, in the opposite direction.

    Args:
      learning_rate: a number, or a function of the number of steps taken.
      flip_sign: whether to reverse the direction.

    Returns:
      A gradient transformation.

    Raises:
      TypeError: the rate is neither.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_learning_rate(0.5).update(dnp.ones(2), optim.EmptyState())[0]
      Array([-0.5, -0.5], dtype=float32)
    """
    sign = -1 if flip_sign else 1
    if callable(learning_rate):
        schedule: Schedule = learning_rate
        return scale_by_schedule(lambda steps: sign * schedule(steps))
    if isinstance(learning_rate, str) or learning_rate is None:
        raise type_error(
            "learning_rate must be a number or a function of the number of steps, got: "
            f"{learning_rate!r}"
        )
    return scale(sign * learning_rate)


def add_decayed_weights(weight_decay: Any = 0.0, mask: Any = None) -> GradientTransformation:
    """Updates plus the parameters times a number.

    Args:
      weight_decay: the number.
      mask: the parameters to decay: a tree of bools that is a prefix of the parameters' tree, or a
        function that returns it for the parameters; by default all.

    Returns:
      A gradient transformation, whose `update` needs the parameters.

    Example:
      >>> from dovetail import optim
      >>> decay = optim.add_decayed_weights(0.5)
      >>> decay.update(dnp.zeros(2), optim.EmptyState(), dnp.ones(2))[0]
      Array([0.5, 0.5], dtype=float32)
    """

    def decayed(updates: Tree, params: Tree) -> Tree:
        params = needed(params, "add_decayed_weights")
        return functions.map(lambda u, p: u + weight_decay * p, updates, params)

    if mask is None:
        return stateless(decayed)
    return masked(stateless(decayed), mask)


# First moments ------------------------------------------------------------------------------------


def trace(
    decay: Any, nesterov: bool = False, accumulator_dtype: Any = None
) -> GradientTransformation:
    """The sum of past updates, where each step multiplies the older ones by `decay`.

    Args:
      decay: the factor.
      nesterov: whether the updates look one step ahead.
      accumulator_dtype: the type of the sum; by default that of the parameters.

    Returns:
      A gradient transformation.

    Source: Polyak, Some methods of speeding up the convergence of iteration methods, 1964;
      Sutskever, Martens, Dahl, Hinton, On the importance of initialization and momentum, 2013.

    Example:
      >>> from dovetail import optim
      >>> momentum = optim.trace(0.5)
      >>> updates, state = momentum.update(dnp.ones(1), momentum.init(dnp.zeros(1)))
      >>> momentum.update(dnp.ones(1), state)[0]
      Array([1.5], dtype=float32)
    """

    def init(params: Tree) -> TraceState:
        return TraceState(zeros_like(params, accumulator_dtype))

    def update(updates: Tree, state: TraceState, params: Tree = None, **extra: Any) -> Any:
        del params, extra

        def decayed(new: Tree, old: Tree) -> Tree:
            return functions.map(lambda u, t: u + decay * t, new, old)

        summed = decayed(updates, state.trace)
        following_ = TraceState(stored(summed, state.trace))
        return (decayed(updates, summed) if nesterov else summed), following_

    return GradientTransformation(init, update)


def ema(decay: Any, debias: bool = True, accumulator_dtype: Any = None) -> GradientTransformation:
    """The moving average of updates.

    Args:
      decay: the weight of the past.
      debias: whether to divide the average by the sum of its weights.
      accumulator_dtype: the type of the average; by default that of the parameters.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> average = optim.ema(0.5)
      >>> average.update(dnp.ones(1), average.init(dnp.zeros(1)))[0]
      Array([1.], dtype=float32)
    """

    def init(params: Tree) -> EmaState:
        return EmaState(count(), zeros_like(params, accumulator_dtype))

    def update(updates: Tree, state: EmaState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        average, steps = moving(state.ema, updates, decay), following(state.count)
        result = unbiased(average, decay, steps) if debias else average
        return result, EmaState(steps, stored(average, state.ema))

    return GradientTransformation(init, update)


def scale_by_lion(b1: Any = 0.9, b2: Any = 0.99, mu_dtype: Any = None) -> GradientTransformation:
    """The sign of a moving average of gradients.

    Args:
      b1: the weight of the past in the average whose sign is taken.
      b2: the weight of the past in the average that is kept.
      mu_dtype: the type of the average; by default that of the parameters.

    Returns:
      A gradient transformation.

    Source: Chen et al., Symbolic discovery of optimization algorithms, arXiv:2302.06675.

    Example:
      >>> from dovetail import optim
      >>> lion = optim.scale_by_lion()
      >>> lion.update(dnp.array([-3.0, 0.1]), lion.init(dnp.zeros(2)))[0]
      Array([-1.,  1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByLionState:
        return ScaleByLionState(zeros_like(params, mu_dtype))

    def update(updates: Tree, state: ScaleByLionState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        signs = functions.map(dnp.sign, moving(state.mu, updates, b1))
        average = moving(state.mu, updates, b2)
        return signs, ScaleByLionState(stored(average, state.mu))

    return GradientTransformation(init, update)
