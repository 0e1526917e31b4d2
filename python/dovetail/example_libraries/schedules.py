"""Schedules of `optimizers`: functions of the number of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dovetail.numpy as dnp
from dovetail.base.errors import type_error, value_error

Schedule = Callable[[Any], Any]


def constant(step_size: Any) -> Schedule:
    """The same step size at every step.

    Args:
      step_size: a number.

    Returns:
      A function of the number of the step.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.constant(0.1)(5)
      0.1
    """
    return lambda i: step_size


def exponential_decay(step_size: Any, decay_steps: Any, decay_rate: Any) -> Schedule:
    """step_size * decay_rate**(i / decay_steps).

    Args:
      step_size: a number.
      decay_steps: the number of steps for one factor.
      decay_rate: the factor.

    Returns:
      A function of the number i of the step.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.exponential_decay(1.0, 10, 0.5)(20)
      0.25
    """
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(
    step_size: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Schedule:
    """step_size / (1 + decay_rate * i / decay_steps).

    Args:
      step_size: a number.
      decay_steps, decay_rate: numbers.
      staircase: whether to round i / decay_steps down.

    Returns:
      A function of the number i of the step.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.inverse_time_decay(1.0, 10, 0.5)(20)
      0.5
    """
    if staircase:
        return lambda i: step_size / (1 + decay_rate * dnp.floor(i / decay_steps))
    return lambda i: step_size / (1 + decay_rate * i / decay_steps)


def polynomial_decay(
    step_size: Any, decay_steps: Any, final_step_size: Any, power: Any = 1.0
) -> Schedule:
    """From one step size to another along (1 - i / decay_steps)**power.

    Args:
      step_size, final_step_size: numbers.
      decay_steps: the number of steps from one to the other.
      power: the exponent.

    Returns:
      A function of the number i of the step.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> float(optimizers.polynomial_decay(1.0, 10, 0.0, 2.0)(5))
      0.25
    """

    def schedule(i: Any) -> Any:
        left = 1 - dnp.minimum(i, decay_steps) / decay_steps
        return left**power * (step_size - final_step_size) + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Schedule:
    """Step sizes that are constant between given steps.

    Args:
      boundaries: the last step of each step size but the last.
      values: the step sizes.

    Returns:
      A function of the number of the step.

    Raises:
      ValueError: the number of values is not that of boundaries plus one.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> schedule = optimizers.piecewise_constant([10], [0.5, 0.25])
      >>> float(schedule(10)), float(schedule(11))
      (0.5, 0.25)
    """
    ends, sizes = dnp.array(boundaries), dnp.array(values)
    if not (ends.ndim == sizes.ndim == 1 and len(ends) == len(sizes) - 1):
        raise value_error(
            "piecewise_constant: boundaries and values must be sequences, with one value more than "
            f"boundaries, got: shapes {ends.shape} and {sizes.shape}"
        )
    return lambda i: sizes[dnp.sum(i > ends)]


def make_schedule(scalar_or_schedule: Any) -> Schedule:
    """The function for a step size.

    Args:
      scalar_or_schedule: a number, or a function of the number of the step.

    Returns:
      A function of the number of the step.

    Raises:
      TypeError: `scalar_or_schedule` is neither.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> optimizers.make_schedule(0.1)(5)
      0.1
    """
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if isinstance(scalar_or_schedule, str) or dnp.ndim(scalar_or_schedule):
        raise type_error(
            "make_schedule: a step size must be a number or a function, got: "
            f"{scalar_or_schedule!r}"
        )
    return constant(scalar_or_schedule)
