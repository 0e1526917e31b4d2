"""Attributes of StableHLO: made of Python's values, and checked before ops get them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.as_jax.mlir.bindings import ir
from dovetail.base.errors import type_error


def _integer(bits: int) -> Callable[[Any], Any]:
    return lambda x: ir.IntegerAttr.get(ir.IntegerType.get_signless(bits), int(x))


def _elements(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype == np.bool_:
        bit = ir.IntegerType.get_signless(1)
        return ir.DenseElementsAttr.get(array, type=bit, shape=array.shape)
    return ir.DenseElementsAttr.get(np.ascontiguousarray(array).reshape(array.shape))


# (class, what makes one of a Python value), by the kinds of the table of ops.
_PLAIN: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "array": (ir.ArrayAttr, lambda xs: ir.ArrayAttr.get(list(xs))),
    "bool": (ir.BoolAttr, lambda x: ir.BoolAttr.get(bool(x))),
    "bools": (ir.DenseBoolArrayAttr, lambda xs: ir.DenseBoolArrayAttr.get([bool(x) for x in xs])),
    "dict": (ir.DictAttr, lambda xs: ir.DictAttr.get(dict(xs))),
    "dims": (ir.DenseI64ArrayAttr, lambda xs: ir.DenseI64ArrayAttr.get([int(x) for x in xs])),
    "elements": (ir.DenseElementsAttr, _elements),
    "f32": (ir.FloatAttr, lambda x: ir.FloatAttr.get(ir.F32Type.get(), float(x))),
    "i32": (ir.IntegerAttr, _integer(32)),
    "i64": (ir.IntegerAttr, _integer(64)),
    "str": (ir.StringAttr, lambda x: ir.StringAttr.get(x)),
    "symbol": (ir.FlatSymbolRefAttr, lambda x: ir.FlatSymbolRefAttr.get(x)),
}
_ENUMS = (
    *("comparison_direction", "comparison_type", "fft_type", "precision", "rng_algorithm"),
    *("rng_distribution", "transpose"),
)


def attribute(kind: str, value: Any, what: str) -> Any:
    """An attribute of a kind.

    Args:
      kind: as in the table of ops.
      value: an attribute, or a value that it is made of.
      what: the parameter, for messages.

    Raises:
      TypeError: the value is of another kind.
    """
    if kind == "any":
        return value
    if kind == "unit":
        return ir.UnitAttr.get()
    is_made = isinstance(value, ir.Attribute)
    if kind in _PLAIN:
        of, make = _PLAIN[kind]
        try:
            made = value if is_made else make(value)
        except (TypeError, ValueError):
            made = None
        if isinstance(made, of):
            return made
        raise type_error(f"{what} must be one for {of.__name__}, got: {value!r}")
    if kind in _ENUMS and isinstance(value, str):
        return enum(kind, value)
    if is_made and str(value).startswith((f"#stablehlo<{kind} ", f"#stablehlo.{kind}<")):
        return value
    raise type_error(f"{what} must be an attribute `{kind}` of StableHLO, got: {value!r}")


def enum(kind: str, value: str) -> Any:
    """An attribute that is one of several words."""
    return ir.Attribute.parse(f"#stablehlo<{kind} {value}>")


def _class(name: str, get: Callable[..., Any]) -> type:
    def create(*args: Any, context: Any = None, **named: Any) -> Any:
        return get(*args, **named)

    return type(name, (), {"get": staticmethod(create), "__doc__": f"Makes `{name}`s."})


def _enum_class(name: str, kind: str) -> type:
    return _class(name, lambda value: enum(kind, value))


def _structure(kind: str, **fields: Sequence[int] | int | None) -> Any:
    """An attribute with fields: those without elements are not written."""
    written = [
        f"{name} = {list(map(int, value)) if not isinstance(value, int) else value}"
        for name, value in fields.items()
        if isinstance(value, int) or (value is not None and len(value))
    ]
    return ir.Attribute.parse(f"#stablehlo.{kind}<{', '.join(written)}>")


def _dot(
    lhs_batching_dimensions: Sequence[int],
    rhs_batching_dimensions: Sequence[int],
    lhs_contracting_dimensions: Sequence[int],
    rhs_contracting_dimensions: Sequence[int],
) -> Any:
    return _structure("dot", **locals())


def _gather(
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int],
    start_indices_batching_dims: Sequence[int],
    start_index_map: Sequence[int],
    index_vector_dim: int,
) -> Any:
    return _structure("gather", **locals())


def _scatter(
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int],
    scatter_indices_batching_dims: Sequence[int],
    scattered_dims_to_operand_dims: Sequence[int],
    index_vector_dim: int,
) -> Any:
    fields = locals()
    fields["scatter_dims_to_operand_dims"] = fields.pop("scattered_dims_to_operand_dims")
    return _structure("scatter", **fields)


def _conv(
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Sequence[int],
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Sequence[int],
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Sequence[int],
) -> Any:
    def labels(named: dict[int, str], spatial: Sequence[int]) -> str:
        all_of_them = named | {dim: str(i) for i, dim in enumerate(spatial)}
        return f"[{', '.join(all_of_them[dim] for dim in sorted(all_of_them))}]"

    lhs = labels(
        {input_batch_dimension: "b", input_feature_dimension: "f"}, input_spatial_dimensions
    )
    rhs = labels(
        {kernel_input_feature_dimension: "i", kernel_output_feature_dimension: "o"},
        kernel_spatial_dimensions,
    )
    out = labels(
        {output_batch_dimension: "b", output_feature_dimension: "f"}, output_spatial_dimensions
    )
    return ir.Attribute.parse(f"#stablehlo.conv<{lhs}x{rhs}->{out}>")


CLASSES = {
    "ChannelHandle": _class(
        "ChannelHandle",
        lambda handle, type: ir.Attribute.parse(
            f"#stablehlo.channel_handle<handle = {handle}, type = {type}>"
        ),
    ),
    "ComparisonDirectionAttr": _enum_class("ComparisonDirectionAttr", "comparison_direction"),
    "ComparisonTypeAttr": _enum_class("ComparisonTypeAttr", "comparison_type"),
    "ConvDimensionNumbers": _class("ConvDimensionNumbers", _conv),
    "DotDimensionNumbers": _class("DotDimensionNumbers", _dot),
    "FftTypeAttr": _enum_class("FftTypeAttr", "fft_type"),
    "GatherDimensionNumbers": _class("GatherDimensionNumbers", _gather),
    "PrecisionAttr": _enum_class("PrecisionAttr", "precision"),
    "RngAlgorithmAttr": _enum_class("RngAlgorithmAttr", "rng_algorithm"),
    "RngDistributionAttr": _enum_class("RngDistributionAttr", "rng_distribution"),
    "ScatterDimensionNumbers": _class("ScatterDimensionNumbers", _scatter),
    "TransposeAttr": _enum_class("TransposeAttr", "transpose"),
}
