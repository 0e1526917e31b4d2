"""Lowerings of primitives that are calls of functions of native libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import value_error
from dovetail.transforms.foreign_calls import ffi_call
from dovetail.transforms.primitive_rules import LoweringContext


class _Results(NamedTuple):
    """What a call returns.

    Attributes:
      results: an array for each result of the primitive.
    """

    results: Sequence[Any]


def build_ffi_lowering_function(
    call_target_name: str,
    *,
    operand_layouts: Sequence[Any] | None = None,
    result_layouts: Sequence[Any] | None = None,
    backend_config: Mapping[str, Any] | None = None,
    skip_ffi_layout_processing: bool = False,
    has_side_effect: bool = False,
    operand_output_aliases: Mapping[int, int] | None = None,
    api_version: int = 4,
) -> Callable[..., Any]:
    """A part of a primitive's lowering that calls a function of a native library.

    Args:
      call_target_name: the name under which the function is registered where the program runs.
      operand_layouts, result_layouts: for each array the order of its dimensions in memory, a
        `Layout`, or numbers from minor to major, unlike those of `ffi_call`; None for their own.
      backend_config: attributes of all calls.
      skip_ffi_layout_processing: whether to ignore the layouts.
      has_side_effect, operand_output_aliases, api_version: `has_side_effect`,
        `input_output_aliases` and `custom_call_api_version` of `ffi_call`.

    Returns:
      A function of a context, the arguments and, as keywords, further attributes. The `results` of
      what it returns are the arrays of the primitive.

    Raises:
      ValueError: when called: `backend_config` is not a dict, or as for `ffi_call`.

    Example:
      >>> from dovetail import ffi
      >>> ffi.build_ffi_lowering_function("rms_norm").__name__
      'rms_norm'
    """
    if backend_config is not None and not isinstance(backend_config, Mapping):
        raise value_error(
            f"When api_version > 4, backend_config must be a dictionary. got: {backend_config!r}"
        )

    def lowering(context: LoweringContext, *operands: Any, **params: Any) -> _Results:
        types = [ShapeDtypeStruct(aval.shape, aval.dtype) for aval in context.avals_out]
        keeps = skip_ffi_layout_processing
        call = ffi_call(
            call_target_name,
            types,
            has_side_effect=has_side_effect,
            input_layouts=None if keeps else _major_to_minor(operand_layouts),
            output_layouts=None if keeps else _major_to_minor(result_layouts),
            input_output_aliases=operand_output_aliases,
            custom_call_api_version=api_version,
        )
        attributes = {**(backend_config or {}), **params}
        return _Results(context.applied(lambda *xs: call(*xs, **attributes), operands))

    lowering.__name__ = call_target_name
    return lowering


def ffi_lowering(call_target_name: str, **options: Any) -> Callable[..., Sequence[Any]]:
    """A primitive's lowering that calls a function of a native library.

    Args:
      call_target_name, options: those of `build_ffi_lowering_function`.

    Returns:
      A function of a context, the arguments and, as keywords, further attributes, which returns an
      array for each result: a lowering that `register_lowering` takes.

    Raises:
      ValueError: as for `build_ffi_lowering_function`.

    Example:
      >>> from dovetail import ffi
      >>> ffi.ffi_lowering("rms_norm").__name__
      'rms_norm'
    """
    build = build_ffi_lowering_function(call_target_name, **options)

    def lowering(context: LoweringContext, *operands: Any, **params: Any) -> Sequence[Any]:
        return build(context, *operands, **params).results

    lowering.__name__ = call_target_name
    lowering.is_traced = True  # type: ignore[attr-defined]
    return lowering


def _major_to_minor(layouts: Sequence[Any] | None) -> list[Any] | None:
    """The layouts as `ffi_call` takes them."""
    if layouts is None:
        return None
    return [
        each if each is None or hasattr(each, "major_to_minor") else tuple(reversed(each))
        for each in layouts
    ]
