"""The functions of this process that lowered modules import."""

from __future__ import annotations

from typing import Any

from dovetail import ir
from dovetail.reference.program import decoded
from dovetail.reference.table import RAW, quietly
from dovetail.runtime import HostFunction
from dovetail.runtime.host_functions import MODULE_NAME


def host_functions_of(module: Any) -> list[HostFunction]:
    """The reference functions of the ops that a lowered module calls.

    The module's text says no longer which they are, so that this must be asked first.
    """
    functions = []
    for name, op, attributes, operands, results in module.take_host_imports():
        function = _reference_function(op, attributes, results)
        dtypes = tuple(ir.dtype_named(element) for _, element in operands)
        types = tuple((tuple(shape), ir.dtype_named(element)) for shape, element in results)
        functions.append(
            HostFunction(name.removeprefix(MODULE_NAME + "."), function, dtypes, types)
        )
    return functions


def _reference_function(op: str, attributes: dict[str, Any], results: Any) -> Any:
    shapes, elements = zip(*results, strict=True)
    function, keywords = RAW[op], decoded(op, attributes, shapes, elements)
    return lambda *arrays: quietly(function, *arrays, **keywords)
