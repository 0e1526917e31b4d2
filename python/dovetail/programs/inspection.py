"""`make_ir` and `eval_shape`: the IR and the result types of a function, without compiling it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dovetail.base import markup
from dovetail.programs.jit import jit
from dovetail.programs.jitted import Jitted
from dovetail.programs.options import Options
from dovetail.tracing.arguments import wraps
from dovetail.tracing.axes import Axis


class IRText(str):
    """IR as text that is displayed unescaped."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return markup.ir(self)


def make_ir(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Hashable, int]] | None = None,
    return_shape: bool = False,
) -> Callable[..., Any]:
    """A function that returns the IR of `fun` traced on the given arguments.

    Args:
      fun: the function.
      static_argnums: arguments that are not arrays.
      axis_env: named axes that `fun` may use, as (name, size).
      return_shape: whether to return (IR, shapes and element types of the results) instead.

    Example:
      >>> import dovetail as dt
      >>> dt.make_ir(lambda x: -x)(1.0)
      module {
        func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
          %0 = dovetail.neg %arg0 : tensor<f32>
          return %0 : tensor<f32>
        }
      }
    """
    jitted = jit(fun, static_argnums=static_argnums)
    jitted._axes = {name: Axis(str(name), size) for name, size in axis_env or ()}

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        lowered = jitted.lower(*args, **kwargs)
        text = IRText(lowered.as_text("trace"))
        return (text, lowered.out_info) if return_shape else text

    return wrapper


def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The shapes and element types of `fun`'s results, without computing them.

    Args:
      fun: the function; its results may be descriptions, too.
      args, kwargs: arrays, or anything with `shape` and `dtype`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.eval_shape(dnp.sum, dt.ShapeDtypeStruct((2, 3), "float32"))
      ShapeDtypeStruct(shape=(), dtype=float32)
    """
    return Jitted(fun, Options()).eval_shape(*args, **kwargs)
