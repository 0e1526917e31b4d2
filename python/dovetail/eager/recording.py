"""Eager calls of public functions as traces, which are simplified and made ready to be replayed.

Meanwhile the function computes with values that have types only: one that asks for a value is found
out and not cached; one that asks for values of scalars only is cached for each of these.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.memory_limits import LARGE, check_size
from dovetail.base import config
from dovetail.base.locations import Location
from dovetail.base.mlir_types import dtype_name
from dovetail.base.trace_stack import outside_of_traces, stack
from dovetail.compiler import phases
from dovetail.eager.recorded_values import DynamicShapeArray, RecordedArray, ScalarProxy
from dovetail.reference.checks import unwanted
from dovetail.reference.program import steps_of
from dovetail.reference.steps import Step, Steps
from dovetail.reference.table import quietly
from dovetail.tracing.trace import LARGEST_CONSTANT, Trace
from dovetail.trees.pytree import flatten

# Executors keep their constants; a function with more bytes of them is not cached.
_MOST_CONSTANT_BYTES = 4096
# What goes wrong in a recording is said by the function when it is called as it is.
_NOWHERE: Location = ("", 0, "")


class Unrecordable(BaseException):
    """A function that is recorded did what depends on values; not for its own handlers."""


def _recorded(
    trace: Recording,
    number: int,
    shape: tuple[int, ...],
    dtype: np.dtype,
    weak_type: bool,
    where: Location = _NOWHERE,
) -> Any:
    """The array that stands for a value."""
    aval = ShapedArray(shape, dtype, weak_type)
    if -1 in shape:
        return DynamicShapeArray(trace, number, aval)
    array = RecordedArray(trace, number, aval)
    if math.prod(shape) * dtype.itemsize > LARGE:
        check_size(array)
    return array


class Recording(Trace):
    """The trace of an eager call."""

    is_eager = True
    value_class = staticmethod(_recorded)
    where = staticmethod(lambda: _NOWHERE)

    def __init__(self) -> None:
        super().__init__("eager call", "recorded", True, ())
        self.refused = False
        # Whether it was for the value of a Python scalar.
        self.for_scalar = False
        # Arrays and scalars among the arguments of the call, in the order of its key.
        self.leaves: list[Any] = []
        # The trace's arguments by their numbers: a leaf, a conversion of one, or a constant.
        self._arguments: dict[int, int | Step | np.ndarray] = {}
        self._conversions: dict[Any, int] = {}
        self._constant_bytes = 0
        self._host_functions: list[Callable[..., Any]] = []
        # What they have returned, by the ids of their operands, which the trace keeps.
        self._host_answers: dict[tuple[Any, ...], Any] = {}

    def refuse(self, for_scalar: bool = False) -> NoReturn:
        """End the recording: the function is not one to cache calls of."""
        self.for_scalar = for_scalar and not self.refused
        self.refused = True
        raise Unrecordable

    # Values ---------------------------------------------------------------------------------------

    def sizes_of(self, operand: Any) -> tuple[int, ...]:
        """The shape of an operand; a size of -1 is not known."""
        return operand._data.shape if type(operand) is DynamicShapeArray else operand.shape

    def number(self, operand: Any) -> int:
        """The value's number in the trace; a concrete array becomes a constant."""
        if type(operand) in (RecordedArray, DynamicShapeArray):
            if operand._trace is not self:
                self.refuse()
            return operand.number
        return super().number(operand)

    def _capture(self, operand: Any) -> int:
        if operand._place is not None:
            self.refuse()
        # Kept so that its id stays its own.
        self.constants.append(operand)
        value = operand._value()
        if value.size <= LARGEST_CONSTANT:
            return self.constant(value).number
        self._constant_bytes += value.nbytes
        if self._constant_bytes > _MOST_CONSTANT_BYTES:
            self.refuse()
        number = self._new_argument(value.shape, value.dtype, value)
        self._known[number] = value
        return number

    def _new_argument(self, shape: Any, dtype: np.dtype, source: int | Step | np.ndarray) -> int:
        number = self.function.argument(shape, dtype_name(dtype), _NOWHERE)
        self._arguments[number] = source
        return number

    # Arguments of the call ------------------------------------------------------------------------

    def stand_in(self, value: Any, is_operand: bool, by_value: bool) -> Any:
        """What the function gets for an argument."""
        kind = type(value)
        if kind is Array:
            number = self._new_argument(value.shape, value.dtype, len(self.leaves))
            self.leaves.append(value)
            self._known[number] = value._value()
            return _recorded(self, number, value.shape, value.dtype, value.weak_type)
        if kind is list or kind is tuple:
            return kind([self.stand_in(item, is_operand, by_value) for item in value])
        if kind is slice:
            parts = value.start, value.stop, value.step
            return slice(*(self.stand_in(part, False, by_value) for part in parts))
        is_scalar = kind in (int, float, complex) and not by_value
        if is_operand and (is_scalar or isinstance(value, (np.ndarray, np.generic))):
            self.leaves.append(value)
            return ScalarProxy(self, value, len(self.leaves) - 1)
        return value

    def converted(
        self, leaf: int, convert: Callable[..., np.ndarray], dtype: np.dtype, weak_type: bool
    ) -> RecordedArray:
        """The array that `convert` makes of a scalar or NumPy array: another argument of the trace,
        of which it is part in no other way, so that it may be refused in each call.
        """
        value, key = self.leaves[leaf], (leaf, convert, dtype)
        shape = getattr(value, "shape", ())
        number = self._conversions.get(key)
        if number is None:
            step = Step(convert, (leaf,), {"dtype": dtype}, ())
            number = self._conversions[key] = self._new_argument(shape, dtype, step)
            compute = functools.partial(quietly, convert, value, dtype=dtype)
            self._producers[number] = compute, {}, (), (number,)
        return _recorded(self, number, shape, dtype, weak_type)

    # Steps of the host ----------------------------------------------------------------------------

    def emit_host_step(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        weak_types: Sequence[bool],
        is_sized: bool,
    ) -> list[Any]:
        """Append a call of a function of arrays; values decide on shapes unless it `is_sized`.

        The types of its results are found by calling it.
        """
        is_sized = is_sized and DynamicShapeArray not in map(type, operands)
        numbers = [self.number(operand) for operand in operands]
        values = [self._computed(number) for number in numbers]
        # A function may itself apply ops; they are part of the step.
        with outside_of_traces():
            answer = quietly(function, *values)
        self._host_answers[function, *map(id, values)] = answer
        answers = [np.asarray(part) for part in (answer if type(answer) is tuple else (answer,))]
        shapes = [part.shape if is_sized else (-1,) * part.ndim for part in answers]
        types = [
            (shape, dtype_name(part.dtype)) for shape, part in zip(shapes, answers, strict=True)
        ]
        if function not in self._host_functions:
            self._host_functions.append(function)
        attributes = {"function": self._host_functions.index(function)}
        emitted = self.function.emit("host_step", numbers, attributes, types, _NOWHERE)
        outs = [number for number, _, _ in emitted]
        self._known.update(zip(outs, answers, strict=True))
        return [
            _recorded(self, number, shape, part.dtype, weak)
            for number, shape, part, weak in zip(outs, shapes, answers, weak_types, strict=False)
        ]

    # Replays --------------------------------------------------------------------------------------

    def steps(self, outputs: Sequence[Any]) -> Steps:
        """What computes the outputs of the leaves, simplified and specialized for their types."""
        traced = [self.number(output) for output in outputs]
        self.function.finish(traced)
        self.module.keep_as_main(self.function.name)
        phases.run(self.module, "simplify")
        program = self.module.program("main")
        steps = steps_of(program, is_typed=True, host_functions=self._host_functions)
        leaves: dict[int, int] = {}
        conversions = []
        for number, source in zip(program.inputs, self._arguments.values(), strict=True):
            if isinstance(source, int):
                leaves[source] = number
            elif isinstance(source, Step):
                conversions.append(source._replace(results=(number,)))
            else:
                steps.constants[number] = steps.types[number] = source
        steps.inputs = [
            leaves[leaf] if leaf in leaves else steps.new_number()
            for leaf in range(len(self.leaves))
        ]
        steps.steps[:0] = [
            step._replace(operands=(steps.inputs[step.operands[0]],)) for step in conversions
        ]
        self._separate_outputs(steps, traced)
        steps.specialize()
        return steps

    def _separate_outputs(self, steps: Steps, traced: Sequence[int]) -> None:
        """Copy what is an argument, or another output, only since the trace was simplified."""
        arguments = set(steps.inputs)
        first: dict[int, int] = {}
        for i, (before, number) in enumerate(zip(traced, steps.outputs, strict=True)):
            is_new = number in arguments and before not in self._arguments
            if is_new or first.setdefault(number, before) != before:
                steps.outputs[i] = steps.append(np.array, (number,), {}, steps.types[number])

    def replayed(self, steps: Steps) -> tuple[_core.Executor, list[np.ndarray]]:
        """The steps made ready to be replayed, and the outputs of a first replay."""
        leaves = [leaf._value() if type(leaf) is Array else leaf for leaf in self.leaves]
        values = quietly(self._first_executor(steps), leaves)
        if steps.copy_shared(values):
            values = quietly(self._first_executor(steps), leaves)
        return steps.executor(), values

    def _first_executor(self, steps: Steps) -> _core.Executor:
        """What does not do again what took a call of the host while it was recorded."""
        return steps.executor(replace={f: self._answering(f) for f in self._host_functions})

    def _answering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: np.ndarray) -> Any:
            answer = self._host_answers.get((function, *map(id, operands)))
            return function(*operands) if answer is None else answer

        return call

    def result(self, number: int, value: np.ndarray, weak_type: bool, steps: Steps) -> Array:
        """An output as the caller gets it."""
        if number in steps.inputs:
            leaf = self.leaves[steps.inputs.index(number)]
            if type(leaf) is Array and leaf.weak_type == weak_type:
                return leaf
        return Array(value, weak_type)


class Recorded(NamedTuple):
    """What is known after a call of a function.

    Args:
      result: what it returned; None without an executor: then it must be called as it is.
      executor: what it did, or None if that cannot be replayed.
      by_value: whether there may be an executor for given values of scalars.
      weak_types: of each output of the executor, whether its element type is weak.
      structure: makes the result of a list of outputs; None if it is the one output.
    """

    result: Any
    executor: _core.Executor | None
    by_value: bool
    weak_types: Sequence[bool] = ()
    structure: Callable[[list[Any]], Any] | None = None


def record(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    are_operands: Sequence[bool],
    by_value: bool,
) -> Recorded:
    """Call a function, and record what it does.

    Args:
      are_operands: for each argument, positional ones first, whether scalars in it are operands.
      by_value: whether scalars are constants.
    """
    settings = config.snapshot()
    if unwanted() or settings.guards or settings.place is not None:
        # Operands and results are looked at one by one, or are on another device.
        return Recorded(None, None, False)
    recording = Recording()
    stack.traces.append(recording)
    try:
        given = [
            recording.stand_in(value, is_operand, by_value)
            for value, is_operand in zip([*args, *kwargs.values()], are_operands, strict=True)
        ]
        count = len(args)
        result = function(*given[:count], **dict(zip(kwargs, given[count:], strict=True)))
        outputs, structure = _parts(result)
        if recording.refused or not all(isinstance(output, Array) for output in outputs):
            return Recorded(None, None, recording.for_scalar)
        steps = recording.steps(outputs)
        with outside_of_traces():
            executor, values = recording.replayed(steps)
    except Unrecordable:
        return Recorded(None, None, recording.for_scalar)
    except Exception:
        # Called as it is, the function says what is wrong; unless it is that scalars have no value.
        return Recorded(None, None, not by_value)
    finally:
        stack.traces.pop()
    weak = [output.weak_type for output in outputs]
    results = [
        recording.result(*output, steps) for output in zip(steps.outputs, values, weak, strict=True)
    ]
    result = results[0] if structure is None else structure(results)
    return Recorded(result, executor, False, weak, structure)


def _parts(result: Any) -> tuple[list[Any], Callable[[list[Any]], Any] | None]:
    """The arrays of a result, and what makes the result of them if it is not the one array."""
    if isinstance(result, Array):
        return [result], None
    if type(result) is tuple and result and all(isinstance(item, Array) for item in result):
        return list(result), tuple
    leaves, spec = flatten(result)
    return (leaves, spec.unflatten) if leaves else ([None], None)
