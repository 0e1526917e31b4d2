"""Lowerings of primitives: functions that are traced in place of an application."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.transforms.callbacks import io_callback, pure_callback
from dovetail.transforms.primitive_rules import LoweringContext
from dovetail.transforms.primitives import Primitive, lowerings

Lowering = Callable[..., Sequence[Any]]
_PLATFORMS = ("cpu", "cuda", "gpu", "metal", "rocm", "tpu", "vulkan")


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> Lowering:
    """A lowering that traces a function.

    Args:
      fun: takes the arguments and parameters of a primitive.
      multiple_results: whether it returns a sequence of arrays.
    """

    def lowering(context: LoweringContext, *args: Any, **params: Any) -> Sequence[Any]:
        def results(*args: Any) -> Sequence[Any]:
            result = fun(*args, **params)
            return list(result) if multiple_results else [result]

        return context.applied(results, args)

    lowering.__name__ = getattr(fun, "__name__", "function")
    lowering.is_traced = True  # type: ignore[attr-defined]
    return lowering


def register_lowering(
    prim: Primitive, rule: Lowering, platform: str | None = None, **options: Any
) -> Lowering:
    """Register how a primitive is compiled.

    Args:
      prim: the primitive.
      rule: what `lower_fun` or `ffi_lowering` returns, or a function of a context, values of MLIR
        and the parameters, which writes ops of StableHLO; it may call the former, and use
        `emit_python_callback`.
      platform: the platform that the rule is for: those for others than "cpu" are not used, since
        lowerings are functions that are compiled for all of them.
      options: ignored.

    Raises:
      NotImplementedError: there is no such platform.
    """
    if platform is not None and platform not in _PLATFORMS:
        raise NotImplementedError(
            f"Registering an MLIR lowering rule for primitive {prim} for an unknown platform "
            f"{platform}. Known platforms are: {', '.join(_PLATFORMS)}."
        )
    if platform is None or (platform == "cpu" and prim not in lowerings):
        lowerings[prim] = rule if getattr(rule, "is_traced", False) else _writes_ops(rule)
    return rule


def _writes_ops(rule: Lowering) -> Lowering:
    """A lowering of traced values, from one that writes ops."""

    def lowering(context: LoweringContext, *args: Any, **params: Any) -> Sequence[Any]:
        from dovetail.as_jax.mlir.recordings import recorded  # lazy

        return recorded(rule, context, args, params)

    lowering.__name__ = getattr(rule, "__name__", "lowering")
    return lowering


def emit_python_callback(
    ctx: LoweringContext,
    callback: Callable[..., Any],
    token: Any,
    operands: Sequence[Any],
    operand_avals: Sequence[ShapedArray],
    result_avals: Sequence[ShapedArray],
    *,
    has_side_effect: bool,
    **options: Any,
) -> tuple[list[Any], Any, None]:
    """The results of a function that runs on the host.

    Args:
      ctx: the context of the lowering.
      callback: takes and returns arrays.
      token: ignored: effects happen in the program's order.
      operands, operand_avals: its arguments and their types.
      result_avals: the types of its results.
      has_side_effect: whether to call it exactly once.
      options: ignored.

    Returns:
      (results, token, None).
    """
    types = [ShapeDtypeStruct(aval.shape, aval.dtype) for aval in result_avals]

    def host(*values: Any) -> list[np.ndarray]:
        return [np.asarray(out) for out in callback(*values)]

    call = io_callback if has_side_effect else pure_callback
    return ctx.applied(lambda *xs: list(call(host, types, *xs)), operands), token, None
