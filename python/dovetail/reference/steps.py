"""Straight-line programs of NumPy functions, and how they are made faster before they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail._core import Executor
from dovetail.reference.specialization import specialized
from dovetail.reference.table import RAW, STRETCHING, quietly

# So large are the constants together that are computed before a program runs.
_MOST_CONSTANT_BYTES = 4096
# Whether NumPy's functions take `out=...`, and then give arrays of rank 0.
_MAKES_ARRAYS = np.lib.NumpyVersion(np.__version__) >= "2.3.0"


class Step(NamedTuple):
    """One call of a function of NumPy arrays.

    Attributes:
      function: takes the operands and the keywords.
      operands, results: numbers of values.
      keywords: attributes; under `regions` the `Steps` of bodies.
      source: the instruction that it executes, or None.
      has_effects: whether it does something beside computing, so that it must be done in each run.
    """

    function: Callable[..., Any]
    operands: tuple[int, ...]
    keywords: dict[str, Any]
    results: tuple[int, ...]
    source: Any = None
    has_effects: bool = False


class Steps:
    """A straight-line program on numbered values. Its methods, but for `executor`, change it.

    Attributes:
      inputs, outputs: numbers of values.
      constants: values by their numbers.
      types: of each value, what has its `shape` and `dtype`; None if they are not known.
      steps: in an order in which they can be executed.
    """

    def __init__(self) -> None:
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.constants: dict[int, np.ndarray] = {}
        self.types: list[Any] = []
        self.steps: list[Step] = []

    def new_number(self, type: Any = None) -> int:
        """The number of another value."""
        self.types.append(type)
        return len(self.types) - 1

    def new_constant(self, value: np.ndarray) -> int:
        """The number of another value that is the same in each run."""
        number = self.new_number(value)
        self.constants[number] = value
        return number

    def append(
        self,
        function: Callable[..., Any],
        operands: Sequence[int],
        keywords: dict[str, Any],
        type: Any = None,
    ) -> int:
        """Append a step; returns the number of its result, which is of that type."""
        number = self.new_number(type)
        self.steps.append(Step(function, tuple(operands), keywords, (number,)))
        return number

    def executor(
        self,
        explain: Callable[..., Any] | None = None,
        replace: dict[Callable[..., Any], Callable[..., Any]] | None = None,
    ) -> Executor:
        """The program made ready to run; its first slots are the inputs.

        Args:
          explain: makes the error to raise of a step's source and a MemoryError.
          replace: functions to be called instead of others.
        """
        replace = replace or {}
        results = [number for step in self.steps for number in step.results]
        order = [*self.inputs, *self.constants, *results]
        slots = {number: slot for slot, number in enumerate(order)}
        return Executor(
            range(len(self.inputs)),
            {slots[number]: value for number, value in self.constants.items()},
            [
                (
                    replace.get(step.function, step.function),
                    [slots[number] for number in step.operands],
                    _with_executors(step.keywords, explain),
                    [slots[number] for number in step.results],
                    step.source if explain else None,
                )
                for step in self.steps
            ],
            [slots[number] for number in self.outputs],
            len(order),
            explain,
        )

    def copy_shared(self, results: Sequence[np.ndarray]) -> bool:
        """Whether the results of a run share memory with constants. Then further runs copy these
        first, so that their results share nothing with each other.
        """
        shared = [
            number
            for number, constant in self.constants.items()
            if any(np.may_share_memory(constant, result) for result in results)
        ]
        if not shared:
            return False
        rest, self.steps = self.steps, []
        copies = {number: self._copied(number) for number in shared}
        for step in rest:
            operands = tuple([copies.get(number, number) for number in step.operands])
            self.steps.append(step._replace(operands=operands))
        self.outputs = [copies.get(number, number) for number in self.outputs]
        self._drop_unused()
        return True

    def _copied(self, number: int) -> int:
        value = self.constants[number]
        if value.nbytes <= _MOST_CONSTANT_BYTES or not is_repeated(value):
            return self.append(np.array, (number,), {}, value)
        scalar = self.append(np.array, (self._scalar_of(value),), {})
        keywords = {"shape": value.shape, "dims": ()}
        return self.append(RAW["broadcast"], (scalar,), keywords, value)

    def specialize(self) -> None:
        """Replace repeated scalars by the scalars where functions stretch these, steps on constants
        by their results unless they are large, and functions by those for the types of their
        operands.
        """
        self._use_scalars()
        self._fold()
        self.steps = [
            self._into_array(part) for step in self.steps for part in self._specialized(step)
        ]
        self._drop_unused()

    def _into_array(self, step: Step) -> Step:
        """The step with an array as its result, where NumPy would make a scalar of it first."""
        function = step.function
        if not (_MAKES_ARRAYS and isinstance(function, np.ufunc) and function.nout == 1):
            return step
        operands = [self.types[number] for number in step.operands]
        if "out" in step.keywords or any(of is None or of.shape for of in operands):
            return step
        return step._replace(keywords=step.keywords | {"out": ...})

    def _fold(self) -> None:
        room = _MOST_CONSTANT_BYTES
        rest = []
        for step in self.steps:
            answers = self._answers(step, room)
            size = sum(_stored_bytes(value) for value in answers or ())
            if answers is None or size > room:
                rest.append(step)
                continue
            room -= size
            self.constants.update(zip(step.results, answers, strict=True))
        self.steps = rest

    def _answers(self, step: Step, room: int) -> list[np.ndarray] | None:
        """The results of a step on constants, unless they are known to be larger than that."""
        operands = [self.constants.get(number) for number in step.operands]
        is_known = not any(operand is None for operand in operands)
        # A branch that is not taken may call what raises an error.
        is_of_host = step.function in (RAW["callback"], RAW["ffi_call"])
        if not is_known or step.has_effects or is_of_host or "regions" in step.keywords:
            return None
        types = [self.types[number] for number in step.results]
        sizes = [of.size * of.dtype.itemsize for of in types if of is not None]
        if sum(sizes) > room and step.function is not RAW["broadcast"]:
            return None
        answer = quietly(step.function, *operands, **step.keywords)
        return [np.asarray(x) for x in (answer if type(answer) is tuple else (answer,))]

    def _drop_unused(self) -> None:
        """Drop what no output needs."""
        needed = set(self.outputs)
        useful: list[Step] = []
        for step in reversed(self.steps):
            if step.has_effects or not needed.isdisjoint(step.results):
                needed.update(step.results, step.operands)
                useful.append(step)
        self.steps = useful[::-1]
        self.constants = {i: value for i, value in self.constants.items() if i in needed}

    def _use_scalars(self) -> None:
        scalars: dict[int, int] = {}
        for number, value in list(self.constants.items()):
            if is_repeated(value):
                scalars[number] = self._scalar_of(value)
        steps = []
        for step in self.steps:
            if step.function is RAW["broadcast"]:
                operand = self.types[step.operands[0]]
                if operand is not None and not operand.shape:
                    scalars[step.results[0]] = step.operands[0]
            steps.append(self._on_scalars(step, scalars))
        self.steps = steps

    def _scalar_of(self, value: np.ndarray) -> int:
        return self.new_constant(np.array(value[(0,) * value.ndim]))

    def _on_scalars(self, step: Step, scalars: dict[int, int]) -> Step:
        """The step on scalars instead of repeated ones, if it stretches them itself."""
        if step.function not in STRETCHING or scalars.keys().isdisjoint(step.operands):
            return step
        result = self.types[step.results[0]]
        rest = [self.types[i] for i in step.operands if i not in scalars]
        if result is None or not any(of is not None and of.shape == result.shape for of in rest):
            return step
        return step._replace(operands=tuple([scalars.get(i, i) for i in step.operands]))

    def _specialized(self, step: Step) -> list[Step]:
        """The step for operands of these types."""
        if "regions" in step.keywords:
            for body in step.keywords["regions"]:
                body.specialize()
            return [step]
        operands = [self.types[number] for number in step.operands]
        if any(of is None for of in operands):
            return [step]
        chain = specialized(step.function, operands, step.keywords)
        if chain is None:
            return [step]
        numbers = [*[self.new_number() for _ in chain[1:]], step.results[0]]
        given = [step.operands, *[(number,) for number in numbers]]
        return [
            Step(call.function, before, call.keywords, (number,), step.source)
            for call, before, number in zip(chain, given, numbers, strict=False)
        ]


def _with_executors(keywords: dict[str, Any], explain: Callable[..., Any] | None) -> dict[str, Any]:
    """The keywords with bodies that are ready to run."""
    if "regions" not in keywords:
        return keywords
    return keywords | {"regions": [body.executor(explain) for body in keywords["regions"]]}


def is_repeated(value: np.ndarray) -> bool:
    """Whether an array is one scalar, repeated without memory for each."""
    return value.ndim > 0 and value.size > 0 and not any(value.strides)


def _stored_bytes(value: np.ndarray) -> int:
    """How much memory an array takes."""
    return value.itemsize if is_repeated(value) else value.nbytes
