"""Types and constants of MLIR for types and arrays of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from dovetail.as_jax.mlir.attributes import attribute
from dovetail.as_jax.mlir.bindings import ir
from dovetail.as_jax.mlir.dialects import stablehlo
from dovetail.base.dtypes import as_dtype
from dovetail.base.errors import type_error

_FLOATS = {
    np.dtype(np.float16): ir.F16Type,
    np.dtype(np.float32): ir.F32Type,
    np.dtype(np.float64): ir.F64Type,
    np.dtype(ml_dtypes.bfloat16): ir.BF16Type,
    np.dtype(ml_dtypes.float8_e4m3fn): ir.Float8E4M3FNType,
    np.dtype(ml_dtypes.float8_e5m2): ir.Float8E5M2Type,
}


def dtype_to_ir_type(dtype: Any) -> Any:
    """The type of elements.

    Args:
      dtype: an element type.

    Raises:
      TypeError: there is none for it.
    """
    of = as_dtype(dtype)
    if of in _FLOATS:
        return _FLOATS[of].get()
    if of.kind == "b":
        return ir.IntegerType.get_signless(1)
    if of.kind == "c":
        return ir.ComplexType.get((ir.F32Type if of.itemsize == 8 else ir.F64Type).get())
    if of.kind == "i":
        return ir.IntegerType.get_signless(8 * of.itemsize)
    if of.kind == "u":
        return ir.IntegerType.get_unsigned(8 * of.itemsize)
    raise type_error(f"dtype_to_ir_type: dtype must have a type in StableHLO, got: {of}")


def type_of_aval(aval: Any) -> Any:
    """The type of arrays that an abstract value describes."""
    return ir.RankedTensorType.get(aval.shape, dtype_to_ir_type(aval.dtype))


def aval_to_ir_type(*args: Any) -> Any:
    """The same; a context of a module may be before it."""
    return type_of_aval(args[-1])


def aval_to_ir_types(*args: Any) -> tuple[Any, ...]:
    """The same, in a tuple."""
    return (type_of_aval(args[-1]),)


def ir_constant(val: Any, **options: Any) -> Any:
    """A constant, where the insertion point is.

    Args:
      val: an array or a number.
      options: ignored.
    """
    array = np.asarray(val)
    if not array.ndim and not hasattr(val, "dtype"):
        array = array.astype(_DEFAULTS.get(array.dtype, array.dtype))
    of = ir.RankedTensorType.get(array.shape, dtype_to_ir_type(array.dtype))
    return stablehlo.constant(_elements(array, of))


_DEFAULTS = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def _elements(array: np.ndarray, of: Any) -> Any:
    if array.dtype.kind in "b":
        return attribute("elements", array, "value")
    is_plain = array.dtype in (np.float16, np.float32, np.float64) or array.dtype.kind in "iuc"
    data = np.ascontiguousarray(array).reshape(array.shape)
    if not is_plain:
        data = data.view(np.dtype(f"u{array.dtype.itemsize}"))
    return ir.DenseElementsAttr.get(data, type=of.element_type, shape=array.shape)


def ir_constants(val: Any, **options: Any) -> tuple[Any, ...]:
    """The same, in a tuple."""
    return (ir_constant(val, **options),)


def ir_attribute(val: Any) -> Any:
    """The attribute for a value of Python: numbers, texts, arrays, lists and dictionaries."""
    if isinstance(val, ir.Attribute):
        return val
    if isinstance(val, (bool, np.bool_)):
        return ir.BoolAttr.get(bool(val))
    if isinstance(val, str):
        return ir.StringAttr.get(val)
    if isinstance(val, (int, float)):
        array = np.asarray(val)
        val = array.astype(_DEFAULTS.get(array.dtype, array.dtype))[()]
    if isinstance(val, np.generic):
        of = dtype_to_ir_type(val.dtype)
        is_float = val.dtype.kind == "f"
        return ir.FloatAttr.get(of, float(val)) if is_float else ir.IntegerAttr.get(of, int(val))
    if isinstance(val, np.ndarray):
        return _elements(val, ir.RankedTensorType.get(val.shape, dtype_to_ir_type(val.dtype)))
    if isinstance(val, dict):
        return ir.DictAttr.get({key: ir_attribute(each) for key, each in val.items()})
    if isinstance(val, (list, tuple)):
        return ir.ArrayAttr.get([ir_attribute(each) for each in val])
    if isinstance(val, (np.dtype, type)):
        return ir.TypeAttr.get(dtype_to_ir_type(val))
    raise type_error(f"ir_attribute: val must have an attribute in MLIR, got: {val!r}")


def dense_int_array(xs: Sequence[int]) -> Any:
    """An array of 64-bit integers."""
    return attribute("dims", xs, "xs of dense_int_array")


def dense_int_elements(xs: Any) -> Any:
    """A constant array of 64-bit integers."""
    return attribute("elements", np.asarray(xs, np.int64), "xs of dense_int_elements")


def dense_bool_array(xs: Sequence[bool]) -> Any:
    """An array of booleans."""
    return attribute("bools", xs, "xs of dense_bool_array")


def i32_attr(i: int) -> Any:
    """A 32-bit integer."""
    return attribute("i32", i, "i of i32_attr")


def i64_attr(i: int) -> Any:
    """A 64-bit integer."""
    return attribute("i64", i, "i of i64_attr")


def shape_tensor(*args: Any) -> Any:
    """A constant of sizes; a context may be before them."""
    return ir_constant(np.asarray(args[-1], np.int32))


def flatten_ir_values(xs: Any) -> list[Any]:
    """All values in lists of lists of them."""
    return [each for x in xs for each in ([x] if isinstance(x, ir.Value) else flatten_ir_values(x))]


def flatten_ir_types(xs: Any) -> list[Any]:
    """All types in lists of lists of them."""
    return [each for x in xs for each in ([x] if isinstance(x, ir.Type) else flatten_ir_types(x))]


def make_ir_context() -> Any:
    """A context of MLIR."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    return context


def module_to_string(module: Any, enable_debug_info: bool | None = None) -> str:
    """A module as text."""
    return module.operation.get_asm(enable_debug_info=bool(enable_debug_info))


def custom_call(
    call_target_name: str,
    *,
    result_types: Sequence[Any],
    operands: Sequence[Any],
    backend_config: Any = "",
    has_side_effect: bool = False,
    api_version: int = 2,
    **options: Any,
) -> Any:
    """A call of a function of another library.

    Args:
      call_target_name: its name.
      result_types: the types of the results.
      operands: its arguments.
      backend_config: a text, or a dictionary of attributes.
      has_side_effect: whether it is called exactly once.
      api_version: of XLA's interface.
      options: layouts and the like, ignored.

    Returns:
      The op.
    """
    is_text = isinstance(backend_config, (str, bytes))
    config = ir.StringAttr.get(backend_config) if is_text else ir_attribute(dict(backend_config))
    return stablehlo.CustomCallOp(
        list(result_types),
        list(operands),
        call_target_name,
        has_side_effect=has_side_effect,
        backend_config=config,
        api_version=api_version,
    )
