"""Evaluation of traced functions as programs of the reference evaluator.

To that, an array is whole. Functions of parts tell apart terms of the same sum, though, which only
devices have: they run as programs on these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import _core
from dovetail.base import config
from dovetail.base.errors import explained
from dovetail.base.mlir_types import Type, dtype_name, encode_array
from dovetail.compiler import phases
from dovetail.reference import Evaluator
from dovetail.tracing.check_finite import accepted, known_as

if TYPE_CHECKING:
    from dovetail.arrays.shaped_array import ShapedArray
    from dovetail.placement.shardings import Place
    from dovetail.tracing.trace import Operand


def wrapped(
    name: str,
    attributes: dict[str, Any],
    values: Sequence[np.ndarray],
    results: Sequence[Type],
) -> _core.Module:
    """A module whose `main` is an op on functions, for such operands."""
    return _wrapped(name, attributes, [(x.shape, dtype_name(x.dtype)) for x in values], results)


def _wrapped(
    name: str, attributes: dict[str, Any], operands: Sequence[Type], results: Sequence[Type]
) -> _core.Module:
    try:
        return _core.wrap(name, attributes, list(operands), list(results))
    except _core.CompilerError as error:
        raise explained(error) from None


def flat(module: _core.Module, name: str) -> Flat:
    """A module's `main`, simplified and without calls, to be evaluated.

    Args:
      module: what `wrapped` made, which is changed.
      name: the name of the op.
    """
    phases.run(module, "shard")
    return Flat(module, known_as(name))


def flat_on_refs(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Type],
    results: Sequence[Type],
) -> tuple[Flat, list[int]]:
    """The same for an op that takes references, to be evaluated on the arrays that they hold; and
    the positions of those whose arrays it returns after its results.
    """
    module = _wrapped(name, attributes, operands, results)
    try:
        written, _ = module.function("main").discharge()
    except _core.CompilerError as error:
        raise explained(error) from None
    phases.run(module, "shard")
    return Flat(module, known_as(name)), written


def as_main(function: _core.Function, last: Sequence[np.ndarray]) -> _core.Module:
    """The module of a finished function as `main`.

    Args:
      function: the function; the others of its module that it does not need are removed.
      last: the values of its last arguments.
    """
    module = function.module
    module.keep_as_main(function.name)
    module.bind_arguments([encode_array(value) for value in last])
    return module


def evaluate_on_functions(
    name: str,
    attributes: dict[str, Any],
    values: Sequence[np.ndarray],
    results: Sequence[Type],
) -> Sequence[np.ndarray]:
    """The results of an op on functions, by the reference evaluator."""
    return flat(wrapped(name, attributes, values, results), name)(values)


class Flat:
    """A module without calls whose `main` can be evaluated, with the checks that settings request.

    Args:
      module: after the phase `shard`.
      name: its name in messages.
    """

    def __init__(self, module: _core.Module, name: str) -> None:
        self.module = module
        self._name = name
        self._evaluators: dict[tuple[str, ...], Evaluator] = {}

    def __call__(self, values: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The results, by the reference evaluator."""
        checks = config.snapshot().checks
        evaluator = self._evaluators.get(checks)
        if evaluator is None:
            module = self.module
            if checks:
                module = module.clone()
                module.check_finite(checks)
                phases.run(module, "check", start="shard")
            evaluator = self._evaluators[checks] = Evaluator(module.program("main"))
        results = evaluator(values)
        return accepted(results, checks, self._name, lambda: self.module) if checks else results


class Callee:
    """A finished function that can be called in any trace, and outside of all traces.

    Args:
      function: the function.
      place: where it runs, if it names devices.
    """

    def __init__(self, function: _core.Function, place: Place | None = None) -> None:
        self.function = function
        self.place = place
        # Each access to the module creates an object.
        self.module = function.module
        self._flat: Flat | None = None

    @functools.cached_property
    def asks_for_rules(self) -> bool:
        """Whether its transforms ask this process for rules."""
        return _core.asks_for_rules(self.function)

    @functools.cached_property
    def has_terms(self) -> bool:
        """Whether it must run on devices, as a program: they hold terms of sums."""
        return self.module.has_terms()

    @property
    def flat(self) -> _core.Function:
        """A function without calls that computes the same."""
        return self._evaluated().module.function("main")

    def _evaluated(self) -> Flat:
        if self._flat is None:
            function = self.function
            attributes = {"callee": function}
            module = _wrapped("call", attributes, function.inputs, function.outputs)
            phases.run(module, "shard")
            self._flat = Flat(module, function.name)
        return self._flat

    def evaluate(self, *values: np.ndarray) -> Sequence[np.ndarray]:
        """The results, by the reference evaluator."""
        return self._evaluated()(values)


def _no_programs(
    callee: Callee, operands: Sequence[Operand], results: Sequence[ShapedArray]
) -> Any:
    raise AssertionError("dovetail.programs is not imported")


# Runs a function as `jit` does, on the devices of its arguments; `programs`, above, sets it.
run_as_program: Callable[[Callee, Sequence[Operand], Sequence[ShapedArray]], list[Operand]] = (
    _no_programs
)
