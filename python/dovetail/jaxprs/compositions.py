"""Primitives that are several ops here, and equations of what `make_jaxpr` makes: `bind` composes
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import lax, ops, random
from dovetail.arrays.keys import is_keys
from dovetail.base import dtypes
from dovetail.jaxprs import windows
from dovetail.jaxprs.evaluation import jaxpr_as_fun
from dovetail.jaxprs.op_primitives import bound_to_keys
from dovetail.lax import linalg
from dovetail.lax.indexing import SCATTERS
from dovetail.programs.transfers import device_put
from dovetail.random.generators import find_generator
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
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        multiple_results: bool = False,
    ) -> None:
        super().__init__(name)
        if name not in COMPOSITIONS:
            function = composed(name, multiple_results)(function)
        self.function, self.multiple_results = function, multiple_results

    def _bound(self, *args: Any, **params: Any) -> Any:
        """Apply the function."""
        if not self.name.startswith("random_") and any(map(is_keys, args)):
            return bound_to_keys(self, args, params)
        outs = self.function(*operands_of(self, args), **params)
        return list(outs) if self.multiple_results else outs

    def impl(self, *args: Any, **params: Any) -> Any:
        """The same as `bind`."""
        return self.bind(*args, **params)


def operands_of(primitive: Primitive, args: Sequence[Any]) -> list[Any]:
    """Arguments of `bind`: arrays, or arrays of keys."""
    return [
        arg if is_keys(arg) else as_operand(arg, f"operand {i} of {primitive}")
        for i, arg in enumerate(args)
    ]


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


def _sharding_constraint(x: Operand, *, sharding: Any, **params: Any) -> Any:
    return lax.with_sharding_constraint(x, sharding)


def _device_put(
    *xs: Operand, devices: Sequence[Any], srcs: Sequence[Any], copy_semantics: Sequence[Any]
) -> list[Any]:
    return [device_put(x, device) for x, device in zip(xs, devices, strict=True)]


def _gamma(keys: Any, a: Any, *, log_space: bool = False, **params: Any) -> Any:
    draw = random.loggamma if log_space else random.gamma
    return draw(keys, a, a.shape, a.dtype)


def _of_generator(name: str) -> Callable[..., Any]:
    """A primitive that makes keys, of a generator or of the name of one."""
    function = COMPOSITIONS[name].function

    def made(x: Operand, *, impl: Any) -> Any:
        return function(x, impl=find_generator(getattr(impl, "name", impl)))

    return made


_OTHERS = {
    "after_all": lax.after_all,
    "cholesky_update": linalg.cholesky_update,
    "create_token": lax.create_token,
    "empty2": lambda *, dtype, memory_space=None: lax.full((), 0, dtype),
    "eq_to": _ordered(lax.eq),
    "igamma_grad_a": lax.igamma_grad_a,
    "le_to": _ordered(lax.le),
    "lt_to": _ordered(lax.lt),
    "lu_pivots_to_permutation": linalg.lu_pivots_to_permutation,
    "ormqr": linalg.ormqr,
    "ragged_all_to_all": lax.ragged_all_to_all,
    "round": lambda x, *, rounding_method: lax.round(x, rounding_method),
    "select_and_gather_add": windows.select_and_gather_add,
    "select_and_scatter": windows.select_and_scatter,
    "select_and_scatter_add": windows.select_and_scatter_add,
    "sharding_constraint": _sharding_constraint,
    "stage": lambda x: x,
    "symmetric_product": linalg.symmetric_product,
}
_OF_SEVERAL = {
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
    **{
        name: ComposedPrimitive(name.replace("_", "-"), function)
        for name, function in SCATTERS.items()
        if name != "scatter"
    },
}
_by_name: dict[str, Primitive] = {
    **{name: ComposedPrimitive(name, function) for name, function in _OTHERS.items()},
    **{name: ComposedPrimitive(name, function, True) for name, function in _OF_SEVERAL.items()},
    "random_gamma": ComposedPrimitive("random_gamma", _gamma),
    **{
        name: ComposedPrimitive(name, _of_generator(name))
        for name in ("random_seed", "random_wrap")
    },
    **{primitive.name: primitive for primitive in _RENAMED.values()},
}

# Those that were asked for.
_of_compositions: dict[str, Primitive] = {}


def composed_named(name: str) -> Primitive | None:
    """The primitive of that name in equations, or as an attribute, if it is a composition.

    Args:
      name: JAX's name of it, without `_p`.
    """
    known = _RENAMED.get(name) or _by_name.get(name) or _of_compositions.get(name)
    if known is None and name in COMPOSITIONS:
        of = COMPOSITIONS[name]
        known = ComposedPrimitive(name, of.function, of.multiple_results)
        _of_compositions[name] = known
    return known


def composed_names() -> list[str]:
    """The names of those that are attributes of `dovetail.lax`."""
    of_lax = [
        name for name, of in COMPOSITIONS.items() if of.ops.__module__.startswith("dovetail.lax")
    ]
    return [*{*_by_name, *of_lax, *_RENAMED} - {each.name for each in _RENAMED.values()}]
