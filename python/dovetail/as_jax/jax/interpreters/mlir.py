"""`jax.interpreters.mlir`: lowerings of primitives of users."""

from collections.abc import Callable
from typing import Any

from dovetail.as_jax.primitives import Primitive


class LoweredFunction:
    """A lowering that compiles a function.

    Args:
      fun: the function.
      multiple_results: whether it returns a sequence of arrays.
    """

    def __init__(self, fun: Callable[..., Any], multiple_results: bool) -> None:
        self.fun = fun
        self.multiple_results = multiple_results

    def __call__(self, *args: Any, **params: Any) -> Any:
        """The function's result."""
        result = self.fun(*args, **params)
        return list(result) if self.multiple_results else result


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> LoweredFunction:
    """A lowering that compiles a function.

    Args:
      fun: takes the arguments and parameters of a primitive.
      multiple_results: whether it returns a sequence of arrays.
    """
    return LoweredFunction(fun, multiple_results)


def register_lowering(
    prim: Primitive, rule: Any, platform: str | None = None, **options: Any
) -> Any:
    """Register how a primitive is compiled.

    Args:
      prim: the primitive.
      rule: what `lower_fun` returns; others, which make MLIR by JAX's bindings, are not used.
      platform: the platform that the rule is for; rules for one are not used.
      options: ignored.
    """
    if platform is None and isinstance(rule, LoweredFunction):
        prim.lowering = rule
    return rule
