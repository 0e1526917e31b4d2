"""Functions recorded while they run outside of all traces, as calls of the reference evaluator.

Meanwhile their arrays are `Watched` and their scalars `Deferred`: these have types and no values,
so a function that asks for a value is found out and not remembered; one that asks for values of
scalars only is remembered for each of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.memory_limits import LARGE, check_size
from dovetail.base import config
from dovetail.base.trace_stack import stack
from dovetail.reference.checks import unwanted
from dovetail.reference.steps import Step, Steps
from dovetail.reference.table import quietly
from dovetail.trees.pytree import flatten

# Executors keep their constants; a function with more bytes of them is not cached.
_MOST_CONSTANT_BYTES = 4096


class Unrecordable(BaseException):
    """A function that is recorded did what depends on values; not for its own handlers."""


class Watched(Array):
    """An array of a function that is recorded: its value is known, but not to be asked for."""

    __slots__ = ("number", "recording")

    def __init__(self, recording: Recording, value: np.ndarray, weak_type: bool) -> None:
        super().__init__(value, weak_type)
        self.recording = recording
        self.number = recording.new_number(value, self._type(value))

    @staticmethod
    def _type(value: np.ndarray) -> Any:
        """What is known of the types of all values that it stands for."""
        return value

    def _value(self) -> np.ndarray:
        self.recording.refuse()

    def __iter__(self) -> Iterator[Array]:
        # By indices, not by values.
        return super(Array, self).__iter__()

    @property
    def buffer(self) -> Any:
        """Not to be asked for."""
        self.recording.refuse()

    def with_weakness(self, weak_type: bool) -> Watched:
        """The same elements, of a weak type or not."""
        alias = type(self).__new__(type(self))
        Array.__init__(alias, self._data, weak_type)
        alias.recording, alias.number = self.recording, self.number
        return alias

    def copy(self) -> Array:
        """Not to be asked for: copies are where the elements are, replays on the host."""
        self.recording.refuse()


class Unsized(Watched):
    """One whose shape is not to be asked for either."""

    __slots__ = ()

    @staticmethod
    def _type(value: np.ndarray) -> Any:
        return None

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Not to be asked for."""
        self.recording.refuse()


class Deferred:
    """A scalar or a NumPy array among the arguments of a function that is recorded.

    It says that it is of the class of its value, and nothing else about it but, of what has them,
    shape and element type.
    """

    def __init__(self, recording: Recording, value: Any) -> None:
        self._recording = recording
        self._value = value
        self._number = recording.new_number(value)

    def __getattribute__(self, name: str) -> Any:
        get = object.__getattribute__
        if name in ("_recording", "_value", "_number", "refuse", "converted"):
            return get(self, name)
        value = get(self, "_value")
        if name == "__class__":
            return type(value)
        # NumPy would make an array of objects without them.
        if not name.startswith("__array_"):
            answer = getattr(value, name)
            if name in ("shape", "dtype", "ndim", "size"):
                return answer
        return self.refuse()

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """End the recording."""
        self._recording.refuse(isinstance(self._value, (bool, int, float, complex)))

    def converted(self, convert: Callable[..., Any], dtype: np.dtype, weak_type: bool) -> Watched:
        """The array of an element type that `convert` makes of it."""
        keywords = {"dtype": dtype}
        return self._recording.apply(convert, (self,), keywords, weak_type)


# Python looks operators up in the class.
for _name in {name for kind in (int, float, complex, np.ndarray) for name in dir(kind)}:
    if _name.startswith("__") and not hasattr(object, _name):
        setattr(Deferred, _name, Deferred.refuse)
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "hash", "str", "repr", "format", "reduce_ex"):
    setattr(Deferred, f"__{_name}__", Deferred.refuse)


class Recording:
    """The steps of a function while it runs, and the values of its arrays and scalars."""

    def __init__(self) -> None:
        self.steps = Steps()
        self.values: list[Any] = []
        self.leaves: list[Any] = []
        # The numbers of constants, by the ids of their arrays.
        self._constants: dict[int, int] = {}
        # Kept so that their ids stay their own.
        self._arrays: list[Array] = []
        self.refused = False
        # Whether it was for the value of a Python scalar.
        self.for_scalar = False

    def new_number(self, value: Any, type: Any = None) -> int:
        """The number of another value, of a type that is the same in each run, if it is given."""
        self.values.append(value)
        return self.steps.new_number(type)

    def refuse(self, for_scalar: bool = False) -> NoReturn:
        """End the recording: the function is not one to remember."""
        self.for_scalar = for_scalar and not self.refused
        self.refused = True
        raise Unrecordable

    def argument(self, value: Any, is_operand: bool, by_value: bool) -> Any:
        """What the function gets for an argument; the numbers follow the order in keys."""
        kind = type(value)
        if kind is Array:
            self.leaves.append(value)
            return Watched(self, value._value(), value.weak_type)
        if kind is list or kind is tuple:
            return kind([self.argument(item, is_operand, by_value) for item in value])
        if kind is slice:
            parts = value.start, value.stop, value.step
            return slice(*(self.argument(part, False, by_value) for part in parts))
        is_scalar = kind in (int, float, complex) and not by_value
        if is_operand and (is_scalar or isinstance(value, (np.ndarray, np.generic))):
            self.leaves.append(value)
            return Deferred(self, value)
        return value

    def apply(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        keywords: dict[str, Any],
        weak_type: bool,
        is_sized: bool = True,
    ) -> Watched:
        """The result of a step; values decide on its shape unless it `is_sized`."""
        numbers, answer = self._evaluate(function, operands, keywords)
        answer = np.asarray(answer)
        if answer.nbytes > LARGE:
            check_size(answer)
        result = self._kind(operands, is_sized)(self, answer, weak_type)
        self.steps.steps.append(Step(function, numbers, keywords, (result.number,)))
        return result

    def apply_all(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        keywords: dict[str, Any],
        weak_types: Iterable[bool],
        is_sized: bool = True,
    ) -> list[Watched]:
        """The results of a step that has several; values decide on shapes unless `is_sized`."""
        kind = self._kind(operands, is_sized)
        numbers, answers = self._evaluate(function, operands, keywords)
        results = [
            kind(self, np.asarray(answer), weak)
            for answer, weak in zip(answers, weak_types, strict=False)
        ]
        of_results = tuple(result.number for result in results)
        self.steps.steps.append(Step(function, numbers, keywords, of_results))
        return results

    def _kind(self, operands: Sequence[Any], is_sized: bool) -> type[Watched]:
        """What the results of a step are."""
        is_sized = is_sized and not any(type(operand) is Unsized for operand in operands)
        return Watched if is_sized else Unsized

    def _evaluate(
        self, function: Callable[..., Any], operands: Sequence[Any], keywords: dict[str, Any]
    ) -> tuple[tuple[int, ...], Any]:
        numbers = tuple([self._number(operand) for operand in operands])
        values = [self.values[number] for number in numbers]
        # A function may itself apply ops; they are part of the step.
        stack.recording = None
        try:
            return numbers, quietly(function, *values, **keywords)
        finally:
            stack.recording = self

    def _number(self, operand: Any) -> int:
        if type(operand) is Deferred:
            return operand._number
        if type(operand) in (Watched, Unsized):
            if operand.recording is not self:
                self.refuse()
            return operand.number
        if operand._place is not None:
            self.refuse()
        number = self._constants.get(id(operand))
        if number is None:
            value = operand._value()
            number = self._constants[id(operand)] = self.new_number(value, value)
            self.steps.constants[number] = value
            self._arrays.append(operand)
            if self.steps.constant_bytes() > _MOST_CONSTANT_BYTES:
                self.refuse()
        return number

    def executor(self, outputs: Sequence[Watched | Array]) -> tuple[_core.Executor, list[Any]]:
        """The recording made ready to be replayed, without what no result needs, and the results.
        The first slots are the arguments.
        """
        steps = self.steps
        steps.outputs = [self._number(output) for output in outputs]
        steps.inputs = [*range(len(self.leaves))]
        steps.merge()
        steps.fold(_MOST_CONSTANT_BYTES)
        steps.specialize()
        arguments = self.values[: len(self.leaves)]
        executor = steps.executor()
        results = quietly(executor, arguments)
        shared = [
            number
            for number, constant in steps.constants.items()
            if any(np.may_share_memory(constant, result) for result in results)
        ]
        if shared:
            # Else results would share it with each other.
            steps.copy(shared)
            executor = steps.executor()
            results = quietly(executor, arguments)
        return executor, results

    def result(self, output: Watched | Array, number: int, value: np.ndarray) -> Array:
        """A result as the caller gets it."""
        if number < len(self.leaves):
            leaf = self.leaves[number]
            if isinstance(leaf, Array) and leaf.weak_type == output.weak_type:
                return leaf
        return Array(value, output.weak_type)


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
    outer, stack.recording = stack.recording, recording
    try:
        watched = [
            recording.argument(value, is_operand, by_value)
            for value, is_operand in zip([*args, *kwargs.values()], are_operands, strict=True)
        ]
        count = len(args)
        result = function(*watched[:count], **dict(zip(kwargs, watched[count:], strict=True)))
        outputs, structure = _parts(result)
        if not recording.refused and all(isinstance(output, Array) for output in outputs):
            stack.recording = None
            executor, results = recording.executor(outputs)
            numbers, weak = recording.steps.outputs, [output.weak_type for output in outputs]
            known = [*map(recording.result, outputs, numbers, results)]
            result = known[0] if structure is None else structure(known)
            return Recorded(result, executor, False, weak, structure)
    except Unrecordable:
        pass
    except Exception:
        # Called as it is, the function says what is wrong; unless it is that scalars have no value.
        recording.for_scalar = not by_value
    finally:
        stack.recording = outer
    return Recorded(None, None, recording.for_scalar)


def _parts(result: Any) -> tuple[list[Any], Callable[[list[Any]], Any] | None]:
    """The arrays of a result, and what makes the result of them if it is not the one array."""
    if isinstance(result, Array):
        return [result], None
    if type(result) is tuple and result and all(isinstance(item, Array) for item in result):
        return list(result), tuple
    leaves, spec = flatten(result)
    return (leaves, spec.unflatten) if leaves else ([None], None)
