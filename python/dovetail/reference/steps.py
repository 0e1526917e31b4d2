"""Straight-line programs of NumPy functions, and how they are made faster before they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail._core import Executor
from dovetail.reference.specialization import specialized
from dovetail.reference.table import RAW, STRETCHING, quietly


class Step(NamedTuple):
    """One call of a function of NumPy arrays.

    Attributes:
      function: takes the operands and the keywords.
      operands, results: numbers of values.
      keywords: attributes; under `regions` the `Steps` of bodies.
      source: the instruction that it executes, or None.
    """

    function: Callable[..., Any]
    operands: tuple[int, ...]
    keywords: dict[str, Any]
    results: tuple[int, ...]
    source: Any = None


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

    def constant_bytes(self) -> int:
        """How large the constants are together."""
        return sum(value.nbytes for value in self.constants.values())

    def executor(self, explain: Callable[..., Any] | None = None) -> Executor:
        """The program made ready to run; its first slots are the inputs.

        Args:
          explain: makes the error to raise of a step's source and a MemoryError.
        """
        results = [number for step in self.steps for number in step.results]
        order = [*self.inputs, *self.constants, *results]
        slots = {number: slot for slot, number in enumerate(order)}
        return Executor(
            range(len(self.inputs)),
            {slots[number]: value for number, value in self.constants.items()},
            [
                (
                    step.function,
                    [slots[number] for number in step.operands],
                    _with_executors(step.keywords, explain),
                    [slots[number] for number in step.results],
                    step.source,
                )
                for step in self.steps
            ],
            [slots[number] for number in self.outputs],
            len(order),
            explain,
        )

    def merge(self) -> None:
        """Drop steps that do again, and not for an output, what one before does."""
        kept = set(self.outputs)
        first: dict[int, int] = {}
        seen: dict[Any, tuple[int, ...]] = {}
        different = []
        for given in self.steps:
            step = given._replace(operands=tuple([first.get(i, i) for i in given.operands]))
            try:
                key = step.function, step.operands, *step.keywords.items()
                results = seen.setdefault(key, step.results)
            except TypeError:
                # An attribute that cannot be hashed.
                results = step.results
            if results is step.results or not kept.isdisjoint(step.results):
                different.append(step)
            else:
                first.update(zip(step.results, results, strict=True))
        self.steps = different

    def fold(self, most_bytes: int) -> None:
        """Execute the steps on constants, as long as constants have no more bytes than that."""
        room = most_bytes - self.constant_bytes()
        rest = []
        for step in self.steps:
            answers = self._answers(step, room)
            size = sum(value.nbytes for value in answers or ())
            if answers is None or size > room:
                rest.append(step)
                continue
            room -= size
            self.constants.update(zip(step.results, answers, strict=True))
        self.steps = rest

    def _answers(self, step: Step, room: int) -> list[np.ndarray] | None:
        """The results of a step on constants, unless they are known to be larger than that."""
        operands = [self.constants.get(number) for number in step.operands]
        if any(operand is None for operand in operands) or self._bytes(step.results) > room:
            return None
        answer = quietly(step.function, *operands, **step.keywords)
        return [np.asarray(x) for x in (answer if type(answer) is tuple else (answer,))]

    def _bytes(self, numbers: Sequence[int]) -> int:
        """How large values are together, as far as that is known."""
        types = [self.types[number] for number in numbers]
        return sum(of.size * of.dtype.itemsize for of in types if of is not None)

    def copy(self, constants: Sequence[int]) -> None:
        """Copy constants before anything else is done, so that results share nothing with them."""
        copies = {number: self.new_number(self.types[number]) for number in constants}
        first = [Step(np.array, (old,), {}, (new,)) for old, new in copies.items()]
        rest = [
            step._replace(operands=tuple([copies.get(i, i) for i in step.operands]))
            for step in self.steps
        ]
        self.steps = first + rest
        self.outputs = [copies.get(number, number) for number in self.outputs]

    def specialize(self) -> None:
        """Replace functions by those for the types of their operands, and repeated scalars by the
        scalars where functions stretch these.
        """
        self._use_scalars()
        self.steps = [part for step in self.steps for part in self._specialized(step)]
        self.drop_unused()

    def drop_unused(self) -> None:
        """Drop what no output needs."""
        needed = set(self.outputs)
        useful: list[Step] = []
        for step in reversed(self.steps):
            if not needed.isdisjoint(step.results):
                needed.update(step.results, step.operands)
                useful.append(step)
        self.steps = useful[::-1]
        self.constants = {i: value for i, value in self.constants.items() if i in needed}

    def _use_scalars(self) -> None:
        scalars: dict[int, int] = {}
        for number, value in list(self.constants.items()):
            if value.ndim and value.size and not any(value.strides):
                scalars[number] = self.new_constant(value[(0,) * value.ndim].reshape(()))
        steps = []
        for step in self.steps:
            if step.function is RAW["broadcast"]:
                operand = self.types[step.operands[0]]
                if operand is not None and not operand.shape:
                    scalars[step.results[0]] = step.operands[0]
            steps.append(self._on_scalars(step, scalars))
        self.steps = steps

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
