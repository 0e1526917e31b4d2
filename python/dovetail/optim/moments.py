"""Gradient transformations that divide updates by their magnitudes, past and present."""

from __future__ import annotations

from typing import Any, NamedTuple

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.optim.transformation import (
    GradientTransformation,
    Tree,
    count,
    following,
    logarithm,
    moving,
    needed,
    square,
    stateless,
    stored,
    unbiased,
    zeros_like,
)
from dovetail.trees import functions


class ScaleByAdamState(NamedTuple):
    """The number of steps taken, and moving averages of gradients and of their squares.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_adam().init(dnp.zeros(2))._fields
      ('count', 'mu', 'nu')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    mu: Tree
    nu: Tree


class ScaleByAmsgradState(NamedTuple):
    """The state of Adam, and the largest averages of squares so far.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_amsgrad().init(dnp.zeros(2))._fields
      ('count', 'mu', 'nu', 'nu_max')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    mu: Tree
    nu: Tree
    nu_max: Tree


class ScaleByRssState(NamedTuple):
    """The sum of squares of gradients.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_rss().init(dnp.zeros(2))._fields
      ('sum_of_squares',)
    """

    sum_of_squares: Tree


class ScaleByRmsState(NamedTuple):
    """The number of steps taken, and the moving average of squares of gradients.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_rms().init(dnp.zeros(2))._fields
      ('count', 'nu')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    nu: Tree


class ScaleByRStdDevState(NamedTuple):
    """The number of steps taken, and moving averages of gradients and of their squares.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_stddev().init(dnp.zeros(2))._fields
      ('count', 'mu', 'nu')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    mu: Tree
    nu: Tree


class ScaleByAdadeltaState(NamedTuple):
    """Moving averages of squares of gradients and of updates.

    Example:
      >>> from dovetail import optim
      >>> optim.scale_by_adadelta().init(dnp.zeros(2))._fields
      ('e_g', 'e_x')
    """

    e_g: Tree
    e_x: Tree


def _squares_like(params: Tree) -> Tree:
    return functions.map(lambda p: dnp.zeros_like(dnp.real(p)), params)


def _squares(updates: Tree) -> Tree:
    return functions.map(square, updates)


def scale_by_adam(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """The moving average of gradients, divided by the root of that of their squares.

    Args:
      b1, b2: the weights of the past in the two averages.
      eps: a number added to the root.
      eps_root: a number added under the root: derivatives of the updates need it.
      mu_dtype: the type of the first average; by default that of the parameters.
      nesterov: whether the first average looks one step ahead.

    Returns:
      A gradient transformation.

    Source: Kingma, Ba, arXiv:1412.6980; Dozat, Incorporating Nesterov momentum into Adam, 2016.

    Example:
      >>> from dovetail import optim
      >>> adam = optim.scale_by_adam(eps=0.0)
      >>> adam.update(dnp.array([-3.0]), adam.init(dnp.zeros(1)))[0].round(5)
      Array([-1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByAdamState:
        return ScaleByAdamState(count(), zeros_like(params, mu_dtype), _squares_like(params))

    def update(updates: Tree, state: ScaleByAdamState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        mu = moving(state.mu, updates, b1)
        nu = moving(state.nu, _squares(updates), b2)
        if nesterov:
            first = moving(unbiased(mu, b1, following(steps)), unbiased(updates, b1, steps), b1)
        else:
            first = unbiased(mu, b1, steps)
        second = unbiased(nu, b2, steps)
        result = functions.map(lambda m, v: m / (dnp.sqrt(v + eps_root) + eps), first, second)
        return result, ScaleByAdamState(steps, stored(mu, state.mu), stored(nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_amsgrad(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
) -> GradientTransformation:
    """Like `scale_by_adam`, with the largest average of squares so far.

    Args:
      b1, b2, eps, eps_root, mu_dtype: as for `scale_by_adam`.

    Returns:
      A gradient transformation.

    Source: Reddi, Kale, Kumar, On the convergence of Adam and beyond, arXiv:1904.09237.

    Example:
      >>> from dovetail import optim
      >>> amsgrad = optim.scale_by_amsgrad(eps=0.0)
      >>> amsgrad.update(dnp.array([-3.0]), amsgrad.init(dnp.zeros(1)))[0].round(5)
      Array([-1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByAmsgradState:
        squares = _squares_like(params)
        return ScaleByAmsgradState(count(), zeros_like(params, mu_dtype), squares, squares)

    def update(updates: Tree, state: ScaleByAmsgradState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        mu = moving(state.mu, updates, b1)
        nu = moving(state.nu, _squares(updates), b2)
        largest = functions.map(dnp.maximum, state.nu_max, unbiased(nu, b2, steps))
        first = unbiased(mu, b1, steps)
        result = functions.map(lambda m, v: m / (dnp.sqrt(v + eps_root) + eps), first, largest)
        return result, ScaleByAmsgradState(
            steps, stored(mu, state.mu), stored(nu, state.nu), stored(largest, state.nu_max)
        )

    return GradientTransformation(init, update)


def scale_by_adamax(b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> GradientTransformation:
    """The moving average of gradients, divided by a decaying maximum of their magnitudes.

    Args:
      b1: the weight of the past in the average.
      b2: the factor by which the maximum decays.
      eps: a number added to magnitudes.

    Returns:
      A gradient transformation.

    Source: Kingma, Ba, arXiv:1412.6980, section 7.1.

    Example:
      >>> from dovetail import optim
      >>> adamax = optim.scale_by_adamax(eps=0.0)
      >>> adamax.update(dnp.array([-3.0]), adamax.init(dnp.zeros(1)))[0].round(5)
      Array([-1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByAdamState:
        return ScaleByAdamState(count(), zeros_like(params), _squares_like(params))

    def update(updates: Tree, state: ScaleByAdamState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        mu = moving(state.mu, updates, b1)
        nu = functions.map(lambda v, u: dnp.maximum(b2 * v, dnp.abs(u) + eps), state.nu, updates)
        result = functions.map(lambda m, v: m / v, unbiased(mu, b1, steps), nu)
        return result, ScaleByAdamState(steps, stored(mu, state.mu), stored(nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_radam(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    threshold: Any = 5.0,
) -> GradientTransformation:
    """Like `scale_by_adam`, with smaller steps as long as the average of squares varies strongly.

    Args:
      b1, b2, eps, eps_root: as for `scale_by_adam`.
      threshold: the number of averaged squares up to which updates are not divided by their root.

    Returns:
      A gradient transformation.

    Source: Liu et al., On the variance of the adaptive learning rate, arXiv:1908.03265.

    Example:
      >>> from dovetail import optim
      >>> radam = optim.scale_by_radam()
      >>> radam.update(dnp.array([-3.0]), radam.init(dnp.zeros(1)))[0].round(5)
      Array([-3.], dtype=float32)
    """
    limit = 2.0 / (1.0 - b2) - 1.0

    def init(params: Tree) -> ScaleByAdamState:
        return ScaleByAdamState(count(), zeros_like(params), _squares_like(params))

    def update(updates: Tree, state: ScaleByAdamState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        mu = moving(state.mu, updates, b1)
        nu = moving(state.nu, _squares(updates), b2)
        exponent = steps * logarithm(b2)
        length = limit + 2 * steps * dnp.exp(exponent) / dnp.expm1(exponent)
        enough = length >= threshold
        safe = dnp.where(enough, length, limit)
        over = (safe - 4) * (safe - 2) * limit
        factor = dnp.sqrt(over / ((limit - 4) * (limit - 2) * safe))

        def scaled(m: Array, v: Array) -> Array:
            divided = dnp.astype(factor, m.dtype) * m / (dnp.sqrt(v + eps_root) + eps)
            return dnp.where(enough, divided, m)

        result = functions.map(scaled, unbiased(mu, b1, steps), unbiased(nu, b2, steps))
        return result, ScaleByAdamState(steps, stored(mu, state.mu), stored(nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_rss(initial_accumulator_value: Any = 0.1, eps: Any = 1e-7) -> GradientTransformation:
    """Updates divided by the root of the sum of their squares so far.

    Args:
      initial_accumulator_value: the sum before the first step.
      eps: a number added under the root.

    Returns:
      A gradient transformation.

    Source: Duchi, Hazan, Singer, Adaptive subgradient methods, 2011.

    Example:
      >>> from dovetail import optim
      >>> adagrad = optim.scale_by_rss(0.0, 0.0)
      >>> adagrad.update(dnp.array([-3.0]), adagrad.init(dnp.zeros(1)))[0].round(5)
      Array([-1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByRssState:
        filled = functions.map(
            lambda p: dnp.full_like(dnp.real(p), initial_accumulator_value), params
        )
        return ScaleByRssState(filled)

    def update(updates: Tree, state: ScaleByRssState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        sums = functions.map(lambda s, u: s + square(u), state.sum_of_squares, updates)
        result = functions.map(
            lambda s, u: u * dnp.where(s > 0, lax.rsqrt(dnp.where(s > 0, s + eps, 1)), 0),
            sums,
            updates,
        )
        return result, ScaleByRssState(stored(sums, state.sum_of_squares))

    return GradientTransformation(init, update)


def _over_root(eps: Any, eps_in_sqrt: bool) -> Any:
    """u / sqrt(v), with `eps` inside or outside the root."""
    if eps_in_sqrt:
        return lambda u, v: u * lax.rsqrt(v + eps)
    return lambda u, v: u / (dnp.sqrt(v) + eps)


def scale_by_rms(
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """Updates divided by the root of the moving average of their squares.

    Args:
      decay: the weight of the past in the average.
      eps: a number added to the average.
      initial_scale: the average before the first step.
      eps_in_sqrt: whether `eps` is added under the root.
      bias_correction: whether the average is divided by the sum of its weights.

    Returns:
      A gradient transformation.

    Source: Tieleman, Hinton, Neural networks for machine learning, lecture 6.5, 2012.

    Example:
      >>> from dovetail import optim
      >>> rms = optim.scale_by_rms(eps=0.0, bias_correction=True)
      >>> rms.update(dnp.array([-3.0]), rms.init(dnp.zeros(1)))[0].round(5)
      Array([-1.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByRmsState:
        squares = functions.map(lambda p: dnp.full_like(dnp.real(p), initial_scale), params)
        return ScaleByRmsState(count(), squares)

    def update(updates: Tree, state: ScaleByRmsState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        nu = moving(state.nu, _squares(updates), decay)
        second = unbiased(nu, decay, steps) if bias_correction else nu
        result = functions.map(_over_root(eps, eps_in_sqrt), updates, second)
        return result, ScaleByRmsState(steps, stored(nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_stddev(
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """Updates divided by the root of a moving average of their variance.

    Args:
      decay, eps, initial_scale, eps_in_sqrt, bias_correction: as for `scale_by_rms`.

    Returns:
      A gradient transformation.

    Source: Graves, Generating sequences with recurrent neural networks, arXiv:1308.0850.

    Example:
      >>> from dovetail import optim
      >>> scaling = optim.scale_by_stddev(0.5, eps=0.0)
      >>> scaling.update(dnp.array([-3.0]), scaling.init(dnp.zeros(1)))[0].round(5)
      Array([-2.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByRStdDevState:
        squares = functions.map(lambda p: dnp.full_like(dnp.real(p), initial_scale), params)
        return ScaleByRStdDevState(count(), zeros_like(params), squares)

    def update(updates: Tree, state: ScaleByRStdDevState, params: Tree = None, **extra: Any) -> Any:
        del params, extra
        steps = following(state.count)
        mu = moving(state.mu, updates, decay)
        nu = moving(state.nu, _squares(updates), decay)
        first, second = (
            (unbiased(mu, decay, steps), unbiased(nu, decay, steps))
            if bias_correction
            else (mu, nu)
        )
        variance = functions.map(lambda v, m: v - square(m), second, first)
        result = functions.map(_over_root(eps, eps_in_sqrt), updates, variance)
        return result, ScaleByRStdDevState(steps, stored(mu, state.mu), stored(nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_adadelta(rho: Any = 0.9, eps: Any = 1e-6) -> GradientTransformation:
    """Updates times the ratio of the roots of moving averages: of squared updates and gradients.

    Args:
      rho: the weight of the past in the averages.
      eps: a number added under the roots.

    Returns:
      A gradient transformation.

    Source: Zeiler, ADADELTA: an adaptive learning rate method, arXiv:1212.5701.

    Example:
      >>> from dovetail import optim
      >>> adadelta = optim.scale_by_adadelta(eps=1.0)
      >>> adadelta.update(dnp.array([0.0]), adadelta.init(dnp.zeros(1)))[0]
      Array([0.], dtype=float32)
    """

    def init(params: Tree) -> ScaleByAdadeltaState:
        return ScaleByAdadeltaState(_squares_like(params), _squares_like(params))

    def update(
        updates: Tree, state: ScaleByAdadeltaState, params: Tree = None, **extra: Any
    ) -> Any:
        del params, extra
        e_g = moving(state.e_g, _squares(updates), rho)
        result = functions.map(
            lambda u, g, x: u * dnp.sqrt(x + eps) / dnp.sqrt(g + eps), updates, e_g, state.e_x
        )
        e_x = moving(state.e_x, _squares(result), rho)
        return result, ScaleByAdadeltaState(stored(e_g, state.e_g), stored(e_x, state.e_x))

    return GradientTransformation(init, update)


def scale_by_trust_ratio(
    min_norm: Any = 0.0, trust_coefficient: Any = 1.0, eps: Any = 0.0
) -> GradientTransformation:
    """Each array of updates times the ratio of the norms of its parameters and of itself.

    Args:
      min_norm: a lower bound of both norms.
      trust_coefficient: a factor of the ratio.
      eps: a number added to the norm of the updates.

    Returns:
      A gradient transformation, whose `update` needs the parameters. If a norm is 0, the updates
      are unchanged.

    Source: You, Gitman, Ginsburg, arXiv:1708.03888; You et al., arXiv:1904.00962.

    Example:
      >>> from dovetail import optim
      >>> ratio = optim.scale_by_trust_ratio()
      >>> ratio.update(dnp.array([0.5]), ratio.init(0.0), dnp.array([3.0]))[0]
      Array([3.], dtype=float32)
    """

    def norm(x: Array) -> Array:
        return dnp.maximum(dnp.sqrt(dnp.sum(square(x))), min_norm)

    def scaled(u: Array, p: Array) -> Array:
        own, of_params = norm(u), norm(p)
        none = (own == 0) | (of_params == 0)
        ratio = trust_coefficient * of_params / dnp.where(none, 1, own + eps)
        return u * dnp.astype(dnp.where(none, 1, ratio), dtypes.to_real_dtype(u.dtype))

    def ratios(updates: Tree, params: Tree) -> Tree:
        return functions.map(scaled, updates, needed(params, "scale_by_trust_ratio"))

    return stateless(ratios)
