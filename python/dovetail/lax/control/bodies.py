"""Bodies of control flow: results as operands, captured values, and source locations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.base.errors import ConcretizationTypeError, type_error
from dovetail.base.mlir_types import Type
from dovetail.base.trace_stack import stack
from dovetail.tracing.arguments import name_of
from dovetail.tracing.functions import TracedFunction
from dovetail.tracing.references import type_of
from dovetail.tracing.trace import Operand


def check_callable(what: str, function: Any) -> None:
    """Reject anything that is not callable.

    Raises:
      TypeError: it is not callable.
    """
    if not callable(function):
        raise type_error(f"{what} should be callable, got: {function!r}")


@contextlib.contextmanager
def one_module() -> Iterator[None]:
    """Functions that are traced here share a module, as those of one op must."""
    before = stack.module
    stack.module = _core.module()
    try:
        yield
    finally:
        stack.module = before


def joined(functions: Sequence[TracedFunction], count: int) -> list[Operand]:
    """The union of the functions' captured values, which all of them take after their first `count`
    arguments.
    """
    captured = {id(operand): operand for traced in functions for operand in traced.captured}
    positions = {key: count + i for i, key in enumerate(captured)}
    types: list[Type] = list(functions[0].function.inputs)[:count]
    types += [type_of(operand) for operand in captured.values()]
    for traced in functions:
        own = [positions[id(operand)] for operand in traced.captured]
        traced.function.rearrange([*range(count), *own], types)
    return list(captured.values())


def known(operand: Operand) -> np.ndarray | None:
    """An operand's value; None if it is unknown while a function is traced."""
    try:
        return operand._value()
    except ConcretizationTypeError:
        return None


def defined(function: Callable[..., Any]) -> str:
    """The name of a function and where it is defined."""
    code = getattr(function, "__code__", None)
    where = f" of {code.co_filename}:{code.co_firstlineno}" if code else ""
    return f"`{name_of(function)}`{where}"
