"""Optimizers as three functions: for the initial state, for a step, and for the parameters in a
state.

Names are JAX's. `dovetail.optim` has more of them, which can be combined.
"""

from __future__ import annotations

import functools
from typing import Any

import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.example_libraries.optimizer_state import (
    JoinPoint,
    Optimizer,
    OptimizerState,
    Rules,
    optimizer,
    pack_optimizer_state,
    unpack_optimizer_state,
)
from dovetail.example_libraries.schedules import (
    Schedule,
    constant,
    exponential_decay,
    inverse_time_decay,
    make_schedule,
    piecewise_constant,
    polynomial_decay,
)
from dovetail.trees import functions as _tree
from dovetail.trees import pytree

_OPTIMIZER = """
    Args:
      step_size: a number, or a function of the number of the step.

    Returns:
      An `Optimizer`.
"""

__all__ = [
    "JoinPoint",
    "Optimizer",
    "OptimizerState",
    "Schedule",
    "adagrad",
    "adam",
    "adamax",
    "clip_grads",
    "constant",
    "exponential_decay",
    "inverse_time_decay",
    "l2_norm",
    "make_schedule",
    "momentum",
    "nesterov",
    "optimizer",
    "pack_optimizer_state",
    "piecewise_constant",
    "polynomial_decay",
    "rmsprop",
    "rmsprop_momentum",
    "sgd",
    "sm3",
    "unpack_optimizer_state",
]


def _first(state: tuple[Any, ...]) -> Any:
    """The parameter in a state that begins with it."""
    return state[0]


@optimizer
@documented(_OPTIMIZER)
def sgd(step_size: Any) -> Rules:
    """Gradient descent.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.sgd(0.5)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)
    return lambda x0: x0, lambda i, g, x: x - size(i) * g, lambda x: x


def _with_momentum(step_size: Any, mass: Any, ahead: bool) -> Rules:
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - size(i) * (mass * velocity + g if ahead else velocity), velocity

    return lambda x0: (x0, dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def momentum(step_size: Any, mass: Any) -> Rules:
    """Gradient descent with momentum.

    Args:
      mass: the factor of the sum of past gradients at each step.

    Source: Polyak, Some methods of speeding up the convergence of iteration methods, 1964.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.momentum(0.5, 0.9)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    return _with_momentum(step_size, mass, ahead=False)


@optimizer
@documented(_OPTIMIZER)
def nesterov(step_size: Any, mass: Any) -> Rules:
    """Gradient descent with momentum that looks one step ahead.

    Args:
      mass: the factor of the sum of past gradients at each step.

    Source: Sutskever, Martens, Dahl, Hinton, On the importance of initialization and momentum in
      deep learning, 2013.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.nesterov(0.5, 1.0)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.], dtype=float32)
    """
    return _with_momentum(step_size, mass, ahead=True)


def _inverse_root(x: Any) -> Any:
    """1 / sqrt(x), and 0 where that is infinite."""
    return dnp.where(x > 0, 1.0 / dnp.sqrt(dnp.where(x > 0, x, 1)), 0.0)


@optimizer
@documented(_OPTIMIZER)
def adagrad(step_size: Any, momentum: Any = 0.9) -> Rules:
    """Steps by gradients over the root of the sum of their squares so far, averaged.

    Args:
      momentum: the weight of the past in the average.

    Source: Duchi, Hazan, Singer, Adaptive subgradient methods, 2011.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.adagrad(0.5, momentum=0.0)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, squares, average = state
        squares = squares + dnp.square(g)
        average = (1.0 - momentum) * (g * _inverse_root(squares)) + momentum * average
        return x - size(i) * average, squares, average

    return lambda x0: (x0, dnp.zeros_like(x0), dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def rmsprop(step_size: Any, gamma: Any = 0.9, eps: Any = 1e-8) -> Rules:
    """Steps by gradients over the root of a moving average of their squares.

    Args:
      gamma: the weight of the past in the average.
      eps: a number added to the average.

    Source: Tieleman, Hinton, Neural networks for machine learning, lecture 6.5, 2012.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.rmsprop(0.5, gamma=0.0)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, average = state
        average = average * gamma + dnp.square(g) * (1.0 - gamma)
        return x - size(i) * g / dnp.sqrt(average + eps), average

    return lambda x0: (x0, dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def rmsprop_momentum(
    step_size: Any, gamma: Any = 0.9, eps: Any = 1e-8, momentum: Any = 0.9
) -> Rules:
    """Like `rmsprop`, with momentum.

    Args:
      gamma, eps: as for `rmsprop`.
      momentum: the factor of the sum of past steps at each step.

    Source: Graves, arXiv:1308.0850.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.rmsprop_momentum(0.5, gamma=0.0)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, average, steps = state
        average = average * gamma + dnp.square(g) * (1.0 - gamma)
        steps = momentum * steps + size(i) * g / dnp.sqrt(average + eps)
        return x - steps, average, steps

    return lambda x0: (x0, dnp.zeros_like(x0), dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def adam(step_size: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> Rules:
    """Adam: steps by the ratio of moving averages, of gradients and of their squares.

    Args:
      b1, b2: the weights of the past in the two averages.
      eps: a number added to the root of the second.

    Source: Kingma, Ba, arXiv:1412.6980.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.adam(0.5, b2=0.5)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1)))).round(5)
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, m, v = state
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * dnp.square(g) + b2 * v
        first = m / (1 - dnp.asarray(b1, m.dtype) ** (i + 1))
        second = v / (1 - dnp.asarray(b2, m.dtype) ** (i + 1))
        return x - size(i) * first / (dnp.sqrt(second) + eps), m, v

    return lambda x0: (x0, dnp.zeros_like(x0), dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def adamax(step_size: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> Rules:
    """Adam with a decaying maximum in place of the average of squares.

    Args:
      b1: the weight of the past in the average of gradients.
      b2: the factor by which the maximum decays.
      eps: a number added to the maximum.

    Source: Kingma, Ba, arXiv:1412.6980, section 7.1.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.adamax(0.5)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1)))).round(5)
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, m, largest = state
        m = (1 - b1) * g + b1 * m
        largest = dnp.maximum(b2 * largest, dnp.abs(g))
        factor = size(i) / (1 - dnp.asarray(b1, m.dtype) ** (i + 1))
        return x - factor * m / (largest + eps), m, largest

    return lambda x0: (x0, dnp.zeros_like(x0), dnp.zeros_like(x0)), update, _first


@optimizer
@documented(_OPTIMIZER)
def sm3(step_size: Any, momentum: Any = 0.9) -> Rules:
    """Like `adagrad`, with one number for each row, column, ... instead of one for each element.

    Args:
      momentum: the weight of the past in the average of steps.

    Source: Anil, Gupta, Koren, Singer, Memory-efficient adaptive optimization, arXiv:1901.11150.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.sm3(0.5, momentum=0.0)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """
    size = make_schedule(step_size)

    def init(x0: Any) -> Any:
        x = dnp.asarray(x0)
        sizes = dnp.atleast_1d(x).shape
        return x, dnp.zeros_like(x), [dnp.zeros(n, x.dtype) for n in sizes]

    def update(i: Any, g: Any, state: Any) -> Any:
        x, average, largest = state
        squares = dnp.square(dnp.atleast_1d(g))
        axes = range(squares.ndim)
        spread = [
            dnp.reshape(v, [-1 if other == axis else 1 for other in axes])
            for axis, v in enumerate(largest)
        ]
        squares = functools.reduce(dnp.minimum, spread) + squares
        step = g * dnp.reshape(_inverse_root(squares), x.shape)
        average = (1.0 - momentum) * step + momentum * average
        largest = [squares.max([other for other in axes if other != axis]) for axis in axes]
        return x - size(i) * average, average, largest

    return init, update, _first


# Trees of gradients -------------------------------------------------------------------------------


def l2_norm(tree: Any) -> Array:
    """The Euclidean norm of all elements of a tree.

    Args:
      tree: a tree of arrays.

    Returns:
      An array of rank 0.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.l2_norm([dnp.array([3.0]), dnp.array([4.0])])
      Array(5., dtype=float32)
    """
    return dnp.sqrt(sum((dnp.vdot(x, x) for x in pytree.flatten(tree)[0]), 0))


def clip_grads(grad_tree: Any, max_norm: Any) -> Any:
    """Scale gradients together so that the norm of all elements is at most `max_norm`.

    Args:
      grad_tree: a tree of arrays.
      max_norm: a positive number.

    Returns:
      A tree like it.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.clip_grads([dnp.array([3.0]), dnp.array([4.0])], 1.0)
      [Array([0.6], dtype=float32), Array([0.8], dtype=float32)]
    """
    norm = l2_norm(grad_tree)
    return _tree.map(lambda g: dnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree)
