"""Evaluation of whole programs, op by op."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from typing import Any, Protocol

import numpy as np

from dovetail._core import Instruction
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import locations
from dovetail.base.dtypes import as_dtype
from dovetail.reference import callbacks
from dovetail.reference.op import OPS
from dovetail.reference.steps import Step, Steps
from dovetail.reference.table import RAW, quietly

Shape = tuple[int, ...]

# Specializing a program takes about as long as this many calls of it save.
_MANY_CALLS = 64


class Program(Protocol):
    """A body without calls, as code on numbered values; attributes may hold the bodies of ops."""

    @property
    def inputs(self) -> Sequence[int]:
        """Numbers of the arguments."""
        ...

    @property
    def input_types(self) -> Sequence[tuple[Shape, str]]:
        """Shape and element type of each argument; a size of -1 is not known."""
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


def _explained(instruction: Instruction, error: MemoryError) -> MemoryError:
    """The error to raise where an instruction has ended with one."""
    # That of an op inside, or of a function of the user's.
    if instruction.op in ("callback", "ffi_call") or isinstance(error, OpMemoryError):
        return error
    explained = OpMemoryError(instruction.op, error, instruction.place)
    explained.__cause__ = error
    return explained


def steps_of(
    program: Program,
    *,
    is_typed: bool = False,
    host_functions: Sequence[Callable[..., Any]] = (),
) -> Steps:
    """A program as steps; warnings of NumPy are not its concern.

    Args:
      is_typed: whether they are to know the types of values.
      host_functions: what steps of the host call, by number.
    """
    steps = Steps()
    steps.inputs, steps.outputs = list(program.inputs), list(program.outputs)
    types = steps.types = [None] * program.size
    for of in program.instructions:
        results = of.results
        if of.op == "host_step":
            function = host_functions[of.attributes["function"]]
            steps.steps.append(Step(function, of.operands, {}, results, of))
        else:
            keywords = decoded(of.op, of.attributes, of.shapes, of.elements, is_typed=is_typed)
            if of.op in ("constant", "arith.constant"):
                steps.constants[results[0]] = types[results[0]] = keywords["value"]
                continue
            if "place" in OPS[of.op].stated:
                keywords["place"] = of.place
            has_effects = _has_effects(keywords)
            steps.steps.append(Step(RAW[of.op], of.operands, keywords, results, of, has_effects))
        if is_typed:
            for number, shape, element in zip(results, of.shapes, of.elements, strict=True):
                types[number] = _type(shape, element)
    if is_typed:
        for number, (shape, element) in zip(program.inputs, program.input_types, strict=True):
            types[number] = _type(shape, element)
    return steps


def _has_effects(keywords: dict[str, Any]) -> bool:
    """Whether an op does something beside computing, or one in its bodies does."""
    if "regions" in keywords:
        return any(step.has_effects for body in keywords["regions"] for step in body.steps)
    return keywords.get("effect", "none") != "none" or keywords.get("has_side_effect", False)


def _type(shape: Shape, element: str) -> Any:
    """A type, if it is known; sizes have none."""
    if element == "index" or -1 in shape:
        return None
    return ShapedArray(shape, as_dtype(element))


class Evaluator:
    """A program that is decoded once and can be called many times, by several threads at a time;
    one that is called often is specialized for the types of its values.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._executor = steps_of(program).executor(_explained)
        self._calls = 0

    def __call__(self, args: Sequence[np.ndarray], watch: Watch | None = None) -> list[np.ndarray]:
        """The program's results on `args`."""
        return quietly(self._run, copy_context(), args, watch)

    def _run(self, caller: Context, args: Sequence[np.ndarray], watch: Watch | None) -> list[Any]:
        callbacks.caller.set(caller)
        self._calls += 1
        if self._calls == _MANY_CALLS:
            steps = steps_of(self._program, is_typed=True)
            steps.specialize()
            self._executor = steps.executor(_explained)
        return self._executor(args, None if watch is None else _told(watch))


def _told(watch: Watch) -> Callable[[Instruction, Any], None]:
    """A watch as the executor calls it."""

    def look(instruction: Instruction, answer: Any) -> None:
        watch(instruction.op, answer, lambda: instruction.place)

    return look


def evaluate(program: Program, args: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of `program` on `args`."""
    return Evaluator(program)(args)


def decoded(
    name: str,
    attributes: dict[str, Any],
    shapes: Sequence[Shape],
    elements: Sequence[Any],
    *,
    is_typed: bool = False,
) -> dict[str, Any]:
    """The keywords for the function of an op: attributes as it takes them, and the stated type."""
    keywords = dict(attributes)
    if name.startswith("arith."):
        # What may be assumed of overflow does not matter here.
        keywords.pop("overflowFlags", None)
    elif name == "scan":
        # How many steps an iteration of the compiled loop has does not matter, either.
        keywords.pop("unroll", None)
    if isinstance(keywords.get("value"), tuple):
        keywords["value"] = _array(*keywords["value"])
    if "regions" in keywords:
        is_long = keywords.get("length", 0) >= _MANY_CALLS
        bodies = [steps_of(body, is_typed=is_typed or is_long) for body in keywords["regions"]]
        if is_long and not is_typed:
            for body in bodies:
                body.specialize()
        keywords["regions"] = bodies
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
        # The view that np.broadcast_to gives, in an eighth of the time.
        return np.ndarray(shape, dtype, data, 0, (0,) * len(shape))
    return np.frombuffer(data, dtype, math.prod(shape)).reshape(shape)
