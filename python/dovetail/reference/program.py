"""Evaluation of whole programs, op by op."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from dovetail._core import Instruction
from dovetail.base import locations
from dovetail.base.dtypes import as_dtype
from dovetail.reference import callbacks
from dovetail.reference.op import OPS, Function
from dovetail.reference.table import RAW, quietly

Shape = tuple[int, ...]


class Program(Protocol):
    """A body without calls, as code on numbered values; attributes may hold the bodies of ops."""

    @property
    def inputs(self) -> Sequence[int]:
        """Numbers of the arguments."""
        ...

    @property
    def instructions(self) -> Sequence[Instruction]:
        """In an order in which they can be executed."""
        ...

    @property
    def outputs(self) -> Sequence[int]:
        """Numbers of the results."""
        ...

    @property
    def size(self) -> int:
        """How many numbers there are."""
        ...


class Watch(Protocol):
    """What looks at an evaluation, and may end it by an error.

    Args:
      name: an op.
      answer: its result, or several.
      place: tells where in the user's program it is from.
    """

    def __call__(self, name: str, answer: Any, place: Callable[[], Any]) -> None:
        """Look at what an op has computed."""
        ...


class OpMemoryError(MemoryError):
    """There is no memory for an op.

    Args:
      name: the op.
      error: what NumPy says.
      place: where in the user's program it is from.
    """

    def __init__(self, name: str, error: MemoryError, place: Any) -> None:
        super().__init__(f"{name}: {error or 'no memory'}, at {locations.describe(place)}")


class Step(NamedTuple):
    """An instruction made ready; the values numbered in `dead` are not used after it."""

    name: str
    function: Function
    operands: Sequence[int]
    results: Sequence[int]
    attributes: dict[str, Any]
    dead: list[int]


def _ready(of: Instruction, dead: list[int]) -> Step:
    attributes = decoded(of.op, of.attributes, of.shapes, of.elements)
    return Step(of.op, RAW[of.op], of.operands, of.results, attributes, dead)


class Evaluator:
    """A program that is decoded once and can be called many times, by several threads at a time."""

    def __init__(self, program: Program) -> None:
        self.inputs = program.inputs
        self.outputs = program.outputs
        self.size = program.size
        self._instructions = instructions = program.instructions
        last_use = [-1] * self.size
        for position, instruction in enumerate(instructions):
            for i in (*instruction.results, *instruction.operands):
                last_use[i] = position
        for i in self.outputs:
            last_use[i] = len(instructions)
        self.steps = [
            _ready(
                instruction,
                [
                    i
                    for i in sorted({*instruction.results, *instruction.operands})
                    if last_use[i] == position
                ],
            )
            for position, instruction in enumerate(instructions)
        ]

    def __call__(self, args: Sequence[np.ndarray], watch: Watch | None = None) -> list[np.ndarray]:
        """The program's results on `args`."""
        return quietly(self._run_for, copy_context(), args, watch)

    def _run_for(
        self, caller: Context, args: Sequence[np.ndarray], watch: Watch | None
    ) -> list[Any]:
        callbacks.caller.set(caller)
        return self.run(args, watch)

    def run(self, args: Sequence[np.ndarray], watch: Watch | None = None) -> list[Any]:
        """The same, with whatever NumPy warns of."""
        values: list[Any] = [None] * self.size
        for i, value in zip(self.inputs, args, strict=True):
            values[i] = value
        for position, (name, function, operands, results, attributes, dead) in enumerate(
            self.steps
        ):
            if watch is not None and "regions" in attributes:
                attributes = _watched(attributes, watch)
            try:
                answer = function(*[values[i] for i in operands], **attributes)
            except MemoryError as error:
                # That of an op inside, or of a function of the user's.
                if function is callbacks.callback or isinstance(error, OpMemoryError):
                    raise
                raise OpMemoryError(name, error, self._place(position)) from error
            if watch is not None:
                watch(name, answer, partial(self._place, position))
            if type(answer) is np.ndarray:
                values[results[0]] = answer
            else:
                # Several results, or a scalar where NumPy has no array of rank 0.
                answers = answer if isinstance(answer, tuple) else (answer,)
                for i, value in zip(results, answers, strict=True):
                    values[i] = np.asarray(value)
            for i in dead:
                values[i] = None
        return [values[i] for i in self.outputs]

    def _place(self, position: int) -> Any:
        return self._instructions[position].place


def evaluate(program: Program, args: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of `program` on `args`."""
    return Evaluator(program)(args)


def _watched(attributes: dict[str, Any], watch: Watch) -> dict[str, Any]:
    """The attributes of an op whose bodies are watched as well."""
    bodies = [partial(body, watch=watch) for body in attributes["regions"]]
    return {**attributes, "regions": bodies}


def decoded(
    name: str, attributes: dict[str, Any], shapes: Sequence[Shape], elements: Sequence[Any]
) -> dict[str, Any]:
    """The keywords for the function of an op: attributes as it takes them, and the stated type."""
    keywords = dict(attributes)
    if name.startswith("arith."):
        # What may be assumed of overflow does not matter here.
        keywords.pop("overflowFlags", None)
    if isinstance(keywords.get("value"), tuple):
        keywords["value"] = _array(*keywords["value"])
    if "regions" in keywords:
        keywords["regions"] = [Evaluator(body).run for body in keywords["regions"]]
    if "element" in keywords:
        keywords["element"] = as_dtype(keywords["element"])
    stated = OPS[name].stated
    if "shape" in stated:
        keywords["shape"] = shapes[0]
    if "shapes" in stated:
        keywords["shapes"], keywords["elements"] = shapes, [as_dtype(e) for e in elements]
    if "dtype" in stated:
        keywords["dtype"] = as_dtype(elements[0])
    return keywords


def _array(data: bytes, element: str, shape: Shape, is_splat: bool) -> np.ndarray:
    """An array from its bytes, which are those of one element if all are equal."""
    dtype = as_dtype(element)
    if is_splat and math.prod(shape):
        return np.broadcast_to(np.frombuffer(data, dtype, 1)[0], shape)
    return np.frombuffer(data, dtype, math.prod(shape)).reshape(shape)
