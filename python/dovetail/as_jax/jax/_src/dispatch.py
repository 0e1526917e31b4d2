"""`jax._src.dispatch`: primitives outside of programs, and waiting for side effects."""

from typing import Any

from dovetail.diagnostics.environment import effects_barrier as wait_for_tokens
from dovetail.programs.jit import jit as _jit
from dovetail.transforms.primitives import Primitive as _Primitive

__all__ = ["apply_primitive", "wait_for_tokens"]


def apply_primitive(prim: _Primitive, *args: Any, **params: Any) -> Any:
    """The results of a primitive by its lowering, as an implementation.

    Args:
      prim: the primitive.
      args: arrays.
      params: its parameters.

    Raises:
      NotImplementedError: it has no lowering.

    Example:
      >>> from functools import partial
      >>> import dovetail.as_jax
      >>> from jax.extend.core import Primitive
      >>> from jax.interpreters import mlir, xla
      >>> double_p = Primitive("double")
      >>> _ = double_p.def_impl(partial(xla.apply_primitive, double_p))
      >>> _ = double_p.def_abstract_eval(lambda x: x)
      >>> _ = mlir.register_lowering(double_p, mlir.lower_fun(lambda x: x + x, False))
      >>> double_p.bind(2.0)
      Array(4., dtype=float32, weak_type=True)
    """
    return _jit(lambda *args: prim.bind(*args, **params))(*args)
