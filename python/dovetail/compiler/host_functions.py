"""The functions of this process that lowered modules import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import _core
from dovetail.base.mlir_types import Type, dtype_named
from dovetail.compiler.late_programs import LateProgram
from dovetail.reference import callbacks
from dovetail.reference.program import decoded
from dovetail.reference.table import RAW, quietly
from dovetail.runtime import HostFunction
from dovetail.runtime.host_functions import MODULE_NAME


def host_functions_of(module: _core.Module) -> list[HostFunction]:
    """The functions of the ops that a lowered module calls: the evaluator's, or other programs.

    The module's text no longer states which they are, so this must be called first.
    """
    functions = []
    for imported in module.take_host_imports():
        function = _function(imported.op, imported.attributes, imported.results)
        dtypes = tuple(dtype_named(element) for _, element in imported.operands)
        types = tuple((shape, dtype_named(element)) for shape, element in imported.results)
        name = imported.name.removeprefix(MODULE_NAME + ".")
        functions.append(HostFunction(name, function, dtypes, types, imported.has_effects))
    return functions


def _function(op: str, attributes: dict[str, Any], results: Sequence[Type]) -> Callable[..., Any]:
    shapes, elements = zip(*results, strict=True) if results else ((), ())
    if op == "late_call":
        return LateProgram(attributes["program"], [dtype_named(element) for element in elements])
    if op == "callback":
        count = attributes["operandSegmentSizes"][0]
        return _callback(attributes["function"], count, shapes, elements)
    function, keywords = RAW[op], decoded(op, attributes, shapes, elements)
    return lambda *arrays: quietly(function, *arrays, **keywords)


def _callback(name: str, count: int, shapes: Sequence[Any], elements: Sequence[str]) -> Any:
    """A user's function, by name, with `count` array arguments; owned by the program."""
    dtypes = [dtype_named(element) for element in elements]

    def call(*arrays: Any) -> Any:
        known = callbacks.known_shapes(shapes, arrays[count:])
        # The arrays are only borrowed.
        return callbacks.call(name, [array.copy() for array in arrays[:count]], known, dtypes)

    return call
