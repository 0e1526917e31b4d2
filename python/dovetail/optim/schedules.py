"""Schedules: functions that take the number of steps taken and return a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import dovetail.numpy as dnp
from dovetail.base.errors import value_error
from dovetail.optim.transformation import Schedule


def constant_schedule(value: Any) -> Schedule:
    """The same value at every step.

    Args:
      value: a number.

    Returns:
      A function of the number of steps.

    Example:
      >>> from dovetail import optim
      >>> optim.constant_schedule(0.1)(5)
      0.1
    """
    return lambda count: value


def polynomial_schedule(
    init_value: Any,
    end_value: Any,
    power: Any,
    transition_steps: int,
    transition_begin: int = 0,
) -> Schedule:
    """From one value to another along (1 - t)**power, where t goes from 0 to 1.

    Args:
      init_value, end_value: the values before and after.
      power: the exponent.
      transition_steps: the number of steps from one to the other.
      transition_begin: the number of steps before it begins.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: a number of steps is not positive, or a beginning is negative.

    Example:
      >>> from dovetail import optim
      >>> optim.polynomial_schedule(1.0, 0.0, 2, 10)(5)
      Array(0.25, dtype=float32, weak_type=True)
    """
    _check_steps("polynomial_schedule", "transition_steps", transition_steps)
    _check_begin("polynomial_schedule", transition_begin)

    def schedule(count: Any) -> Any:
        done = dnp.clip(count - transition_begin, 0, transition_steps) / transition_steps
        return (init_value - end_value) * (1 - done) ** power + end_value

    return schedule


def linear_schedule(
    init_value: Any, end_value: Any, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """From one value to another along a line.

    Args:
      init_value, end_value: the values before and after.
      transition_steps: the number of steps from one to the other.
      transition_begin: the number of steps before it begins.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: a number of steps is not positive, or a beginning is negative.

    Example:
      >>> from dovetail import optim
      >>> optim.linear_schedule(0.0, 1.0, 10)(5)
      Array(0.5, dtype=float32, weak_type=True)
    """
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def piecewise_constant_schedule(
    init_value: Any, boundaries_and_scales: Mapping[int, Any] | None = None
) -> Schedule:
    """A value that is multiplied by factors at given steps.

    Args:
      init_value: the value before the first.
      boundaries_and_scales: the factors, by the number of steps at which they start to apply.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: a factor is negative.

    Example:
      >>> from dovetail import optim
      >>> schedule = optim.piecewise_constant_schedule(1.0, {10: 0.5, 20: 0.5})
      >>> [float(schedule(count)) for count in (9, 10, 20)]
      [1.0, 0.5, 0.25]
    """
    factors = dict(boundaries_and_scales or {})
    for boundary, scale in factors.items():
        if not scale >= 0:
            raise value_error(
                "piecewise_constant_schedule: factors must not be negative, got: "
                f"{scale} from step {boundary} on"
            )

    def schedule(count: Any) -> Any:
        value = init_value
        for boundary, scale in factors.items():
            value = value * dnp.where(count >= boundary, scale, 1.0)
        return value

    return schedule


def exponential_decay(
    init_value: Any,
    transition_steps: int,
    decay_rate: Any,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: Any = None,
) -> Schedule:
    """init_value * decay_rate**(steps / transition_steps).

    Args:
      init_value: the value before.
      transition_steps: the number of steps for one factor.
      decay_rate: the factor.
      transition_begin: the number of steps before it begins.
      staircase: whether to round the exponent down.
      end_value: a lower bound if the factor is less than 1, otherwise an upper bound.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: a number of steps is not positive, a beginning is negative, or the factor is 0.

    Example:
      >>> from dovetail import optim
      >>> optim.exponential_decay(1.0, 10, 0.5)(20)
      Array(0.25, dtype=float32, weak_type=True)
    """
    _check_steps("exponential_decay", "transition_steps", transition_steps)
    _check_begin("exponential_decay", transition_begin)
    if decay_rate == 0:
        raise value_error("exponential_decay: decay_rate must not be 0, got: 0")

    def schedule(count: Any) -> Any:
        done = dnp.maximum(count - transition_begin, 0) / transition_steps
        value = init_value * decay_rate ** (dnp.floor(done) if staircase else done)
        if end_value is None:
            return value
        return (dnp.maximum if decay_rate < 1 else dnp.minimum)(value, end_value)

    return schedule


def cosine_decay_schedule(
    init_value: Any, decay_steps: int, alpha: Any = 0.0, exponent: Any = 1.0
) -> Schedule:
    """From a value to a fraction of it, along half a period of the cosine.

    Args:
      init_value: the value before.
      decay_steps: the number of steps to the end.
      alpha: the fraction of it at the end.
      exponent: the exponent of the cosine, which goes from 1 to 0.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: the number of steps is not positive.

    Source: Loshchilov, Hutter, arXiv:1608.03983.

    Example:
      >>> from dovetail import optim
      >>> float(optim.cosine_decay_schedule(1.0, 10)(5).round(6))
      0.5
    """
    _check_steps("cosine_decay_schedule", "decay_steps", decay_steps)

    def schedule(count: Any) -> Any:
        done = dnp.clip(count, 0, decay_steps) / decay_steps
        cosine = 0.5 * (1 + dnp.cos(math.pi * done))
        return init_value * ((1 - alpha) * cosine**exponent + alpha)

    return schedule


def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[int]) -> Schedule:
    """Schedules one after the other, each of which counts steps from its own beginning.

    Args:
      schedules: functions of the number of steps.
      boundaries: the number of steps at which each but the first begins.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: the number of boundaries does not match that of schedules.

    Example:
      >>> from dovetail import optim
      >>> joined = optim.join_schedules([lambda n: n, lambda n: -n], [3])
      >>> [int(joined(count)) for count in (1, 3, 5)]
      [1, 0, -2]
    """
    if len(boundaries) != len(schedules) - 1:
        raise value_error(
            "join_schedules: there must be one boundary less than schedules, got: "
            f"{len(boundaries)} boundaries for {len(schedules)} schedules"
        )

    def schedule(count: Any) -> Any:
        value = schedules[0](count)
        for boundary, later in zip(boundaries, schedules[1:], strict=True):
            value = dnp.where(count < boundary, value, later(count - boundary))
        return value

    return schedule


def warmup_constant_schedule(init_value: Any, peak_value: Any, warmup_steps: int) -> Schedule:
    """Along a line from one value to another, and then constant.

    Args:
      init_value, peak_value: the values.
      warmup_steps: the number of steps from one to the other.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: the number of steps is not positive.

    Example:
      >>> from dovetail import optim
      >>> float(optim.warmup_constant_schedule(0.0, 1.0, 10)(50))
      1.0
    """
    return linear_schedule(init_value, peak_value, warmup_steps)


def warmup_cosine_decay_schedule(
    init_value: Any,
    peak_value: Any,
    warmup_steps: int,
    decay_steps: int,
    end_value: Any = 0.0,
    exponent: Any = 1.0,
) -> Schedule:
    """Along a line to a peak, then along half a period of the cosine to the end.

    Args:
      init_value, peak_value, end_value: the values at the beginning, between, and at the end.
      warmup_steps: steps to the peak.
      decay_steps: steps to the end, including those to the peak.
      exponent: the exponent of the cosine, which goes from 1 to 0.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: there are no steps after the peak, or before it.

    Example:
      >>> from dovetail import optim
      >>> schedule = optim.warmup_cosine_decay_schedule(0.0, 1.0, 10, 30)
      >>> [round(float(schedule(count)), 6) for count in (5, 10, 20, 30)]
      [0.5, 1.0, 0.5, 0.0]
    """
    _check_steps(
        "warmup_cosine_decay_schedule", "decay_steps - warmup_steps", decay_steps - warmup_steps
    )
    # The peak may be a tracer, which cannot be compared with 0.
    alpha = 0.0 if type(peak_value) in (int, float) and peak_value == 0 else end_value / peak_value
    after = cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent)
    before = linear_schedule(init_value, peak_value, warmup_steps)
    return join_schedules([before, after], [warmup_steps])


def warmup_exponential_decay_schedule(
    init_value: Any,
    peak_value: Any,
    warmup_steps: int,
    transition_steps: int,
    decay_rate: Any,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: Any = None,
) -> Schedule:
    """Along a line to a peak, then `exponential_decay`.

    Args:
      init_value, peak_value: the values at the beginning and between.
      warmup_steps: steps to the peak.
      transition_steps, decay_rate, transition_begin, staircase, end_value: as for
        `exponential_decay`, counted from the peak.

    Returns:
      A function of the number of steps.

    Raises:
      ValueError: a number of steps is not positive, a beginning is negative, or the factor is 0.

    Example:
      >>> from dovetail import optim
      >>> schedule = optim.warmup_exponential_decay_schedule(0.0, 1.0, 10, 5, 0.5)
      >>> [float(schedule(count)) for count in (5, 10, 15)]
      [0.5, 1.0, 0.5]
    """
    after = exponential_decay(
        peak_value, transition_steps, decay_rate, transition_begin, staircase, end_value
    )
    before = linear_schedule(init_value, peak_value, warmup_steps)
    return join_schedules([before, after], [warmup_steps])


def _check_steps(name: str, what: str, steps: int) -> None:
    if not steps > 0:
        raise value_error(f"{name}: {what} must be positive, got: {steps}")


def _check_begin(name: str, steps: int) -> None:
    if steps < 0:
        raise value_error(f"{name}: transition_begin must not be negative, got: {steps}")
