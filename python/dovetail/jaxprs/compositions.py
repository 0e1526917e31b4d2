"""Primitives that are several ops here: `bind` composes them.

Those of arrays are equations of what `make_jaxpr` makes; in the place of those of keys, equations
have the ops that they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import lax, ops, random
from dovetail.base import dtypes
from dovetail.jaxprs import windows
from dovetail.jaxprs.evaluation import jaxpr_as_fun
from dovetail.lax import linalg
from dovetail.programs.transfers import device_put
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.composed import COMPOSITIONS, composed
from dovetail.tracing.trace import Operand
from dovetail.transforms.primitives import Primitive


class ComposedPrimitive(Primitive):
    """A function of several ops.

    Args:
      name: JAX's name of it.
      function: takes arrays, and the parameters by name.
      multiple_results: whether it returns a sequence of arrays.
      takes_arrays: whether all operands are arrays of numbers.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        multiple_results: bool = False,
        takes_arrays: bool = True,
    ) -> None:
        super().__init__(name)
        if takes_arrays and name not in COMPOSITIONS:
            function = composed(name, multiple_results)(function)
        self.function, self.multiple_results = function, multiple_results
        self.takes_arrays = takes_arrays

    def bind(self, *args: Any, **params: Any) -> Any:
        """Apply the function."""
        operands: Sequence[Any] = args
        if self.takes_arrays:
            operands = [as_operand(arg, f"operand {i} of {self}") for i, arg in enumerate(args)]
        outs = self.function(*operands, **params)
        return list(outs) if self.multiple_results else outs

    def impl(self, *args: Any, **params: Any) -> Any:
        """The same as `bind`."""
        return self.bind(*args, **params)


# Order --------------------------------------------------------------------------------------------


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A comparison in the total order of floats: -NaN, -inf, …, -0, 0, …, inf, NaN."""

    def function(x: Operand, y: Operand) -> Any:
        return compare(_rank(x), _rank(y))

    return function


def _rank(x: Operand) -> Operand:
    if dtypes.KINDS[x.dtype] != "f":
        return x
    bits = 8 * x.dtype.itemsize
    number = lax.bitcast_convert_type(x, f"int{bits}")
    magnitude = lax.full_like(number, 2 ** (bits - 1) - 1)
    is_negative = lax.lt(number, lax.full_like(number, 0))
    return lax.select(is_negative, lax.bitwise_xor(number, magnitude), number)


# Others -------------------------------------------------------------------------------------------


def _approx_top_k(x: Operand, *, k: int, is_max_k: bool, **params: Any) -> Any:
    function = lax.approx_max_k if is_max_k else lax.approx_min_k
    return function(x, k, **params)


def _linear_solve(*args: Operand, const_lengths: Any, jaxprs: Any) -> list[Any]:
    parts, first = {}, 0
    for name in ("matvec", "vecmat", "solve", "transpose_solve"):
        length = getattr(const_lengths, name)
        parts[name] = args[first : first + length]
        first += length
    b = tuple(args[first:])
    has_aux = len(jaxprs.solve.out_avals) > len(b)

    def function(name: str) -> Callable[..., Any]:
        program = jaxpr_as_fun(getattr(jaxprs, name))
        return lambda x: tuple(program(*parts[name], *x))

    def solver(name: str) -> Any:
        if getattr(jaxprs, name) is None:
            return None

        def solved(_: Any, x: Any) -> Any:
            outs = function(name)(x)
            return (outs[: len(b)], outs[len(b) :]) if has_aux else outs

        return solved

    transposed = solver("transpose_solve")
    outs = lax.custom_linear_solve(
        function("matvec"), b, solver("solve"), transposed, has_aux=has_aux
    )
    return [*outs[0], *outs[1]] if has_aux else list(outs)


def _scatter_sub(
    *args: Operand, update_jaxpr: Any = None, update_consts: Any = None, **params: Any
) -> Any:
    return lax.scatter_sub(*args, **params)


def _sharding_constraint(x: Operand, *, sharding: Any, **params: Any) -> Any:
    return lax.with_sharding_constraint(x, sharding)


def _device_put(
    *xs: Operand, devices: Sequence[Any], srcs: Sequence[Any], copy_semantics: Sequence[Any]
) -> list[Any]:
    return [device_put(x, device) for x, device in zip(xs, devices, strict=True)]


def _seeded(seeds: Operand, *, impl: Any) -> Any:
    return random.key(seeds, impl=getattr(impl, "name", impl))


def _gamma(keys: Any, a: Any, *, log_space: bool = False, **params: Any) -> Any:
    draw = random.loggamma if log_space else random.gamma
    return draw(keys, a, a.shape, a.dtype)


def _bits(keys: Any, *, bit_width: int, shape: Sequence[int]) -> Any:
    return random.bits(keys, tuple(shape), f"uint{bit_width}")


_OF_KEYS = {
    "random_bits": _bits,
    "random_fold_in": random.fold_in,
    "random_gamma": _gamma,
    "random_seed": _seeded,
    "random_split": lambda keys, *, shape: random.split(keys, tuple(shape)),
}
_OTHERS = {
    "after_all": lax.after_all,
    "cholesky_update": linalg.cholesky_update,
    "copy": lambda x: x,
    "create_token": lax.create_token,
    "empty2": lambda *, dtype, memory_space=None: lax.full((), 0, dtype),
    "eq_to": _ordered(lax.eq),
    "householder_product": linalg.householder_product,
    "igamma_grad_a": lax.igamma_grad_a,
    "le_to": _ordered(lax.le),
    "lt_to": _ordered(lax.lt),
    "lu_pivots_to_permutation": linalg.lu_pivots_to_permutation,
    "ormqr": linalg.ormqr,
    "ragged_all_to_all": lax.ragged_all_to_all,
    "rng_uniform": lambda a, b, *, shape: lax.rng_uniform(a, b, shape),
    "scatter_sub": _scatter_sub,
    "select_and_gather_add": windows.select_and_gather_add,
    "select_and_scatter": windows.select_and_scatter,
    "select_and_scatter_add": windows.select_and_scatter_add,
    "sharding_constraint": _sharding_constraint,
    "stage": lambda x: x,
    "symmetric_product": linalg.symmetric_product,
}
_OF_SEVERAL = {
    "approx_top_k": _approx_top_k,
    "device_put": _device_put,
    "dce_sink": lambda *xs, **params: [],
    "reduce": windows.reduce,
    "reduce_window": windows.reduce_window,
    "rng_bit_generator": lax.rng_bit_generator,
}
# Those that have other names in equations than as attributes.
_RENAMED = {
    "add_jaxvals": ComposedPrimitive("add_any", ops.add),
    "linear_solve": ComposedPrimitive("custom_linear_solve", _linear_solve, True),
}
_by_name: dict[str, Primitive] = {
    **{name: ComposedPrimitive(name, function) for name, function in _OTHERS.items()},
    **{name: ComposedPrimitive(name, function, True) for name, function in _OF_SEVERAL.items()},
    **{
        name: ComposedPrimitive(name, function, takes_arrays=False)
        for name, function in _OF_KEYS.items()
    },
    **{primitive.name: primitive for primitive in _RENAMED.values()},
}


def composed_named(name: str) -> Primitive | None:
    """The primitive of that name in equations, or as an attribute, if it is a composition.

    Args:
      name: JAX's name of it, without `_p`.
    """
    if name not in _by_name and name in COMPOSITIONS:
        of = COMPOSITIONS[name]
        _by_name[name] = ComposedPrimitive(name, of.function, of.multiple_results)
    return _RENAMED.get(name) or _by_name.get(name)


def composed_names() -> list[str]:
    """The names of those that are attributes of `dovetail.lax`."""
    of_lax = [
        name for name, of in COMPOSITIONS.items() if of.ops.__module__.startswith("dovetail.lax")
    ]
    return [*{*_by_name, *of_lax, *_RENAMED} - {each.name for each in _RENAMED.values()}]
