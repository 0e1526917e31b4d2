"""Primitives that are several ops here: `bind` composes them.

Those of `dovetail.tracing.composed` are equations of what `make_jaxpr` makes; in the place of
others, equations have the ops that they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import lax, ops, random
from dovetail.base import dtypes
from dovetail.jaxprs.evaluation import jaxpr_as_fun
from dovetail.jaxprs.structure import ClosedJaxpr
from dovetail.lax import linalg
from dovetail.programs.transfers import device_put
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.composed import COMPOSITIONS
from dovetail.tracing.trace import Operand
from dovetail.transforms.autodiff import jvp
from dovetail.transforms.linearization import vjp
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


# Windows ------------------------------------------------------------------------------------------


def _program(jaxpr: Any, consts: Sequence[Any]) -> Callable[..., list[Any]]:
    return jaxpr_as_fun(jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, consts))


def _combination(jaxpr: Any, consts: Sequence[Any], count: int) -> Callable[..., Any]:
    """The function of a reduction on two tuples, from its program."""
    program = _program(jaxpr, consts)
    return lambda x, y: tuple(program(*x, *y)) if count > 1 else program(x, y)[0]


def _reduced(reduction: Callable[..., Any], args: Sequence[Operand], combine: Any) -> list[Any]:
    count = len(args) // 2
    operands, inits = tuple(args[:count]), tuple(args[count:])
    if count == 1:
        return [reduction(operands[0], inits[0], combine)]
    return list(reduction(operands, inits, combine))


def _reduce(
    *args: Operand,
    computation: Any,
    jaxpr: Any,
    dimensions: Sequence[int],
    out_sharding: Any = None,
) -> list[Any]:
    combine = computation or _combination(jaxpr, (), len(args) // 2)
    return _reduced(lambda xs, init, f: lax.reduce(xs, init, f, dimensions), args, combine)


def _reduce_window(*args: Operand, jaxpr: Any, consts: Sequence[Any], **window: Any) -> list[Any]:
    combine = _combination(jaxpr, consts, len(args) // 2)
    return _reduced(lambda xs, init, f: lax.reduce_window(xs, init, f, **window), args, combine)


def _selected(select_prim: Any, operand: Operand, window: dict[str, Any]) -> Callable[..., Any]:
    """The reduction by `max` or `min` whose derivative selects elements of windows."""
    of_greatest = select_prim is not None and select_prim.name == "ge"
    combine = lax.max if of_greatest else lax.min
    name = operand.dtype
    limits = dtypes.finfo(name) if dtypes.KINDS[name] == "f" else dtypes.iinfo(name)
    init = limits.min if of_greatest else limits.max
    if dtypes.KINDS[name] == "f":
        init = -float("inf") if of_greatest else float("inf")
    return lambda x: lax.reduce_window(x, lax.full((), init, name), combine, **window)


def _select_and_scatter_add(
    source: Operand, operand: Operand, *, select_prim: Any, **window: Any
) -> Any:
    return vjp(_selected(select_prim, operand, window), operand)[1](source)[0]


def _select_and_gather_add(
    tangents: Operand, operand: Operand, *, select_prim: Any, **window: Any
) -> Any:
    return jvp(_selected(select_prim, operand, window), (operand,), (tangents,))[1]


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

    def function(name: str) -> Callable[..., Any]:
        program = jaxpr_as_fun(getattr(jaxprs, name))
        return lambda x: tuple(program(*parts[name], *x))

    def solver(name: str) -> Any:
        return None if getattr(jaxprs, name) is None else lambda _, x: function(name)(x)

    transposed = solver("transpose_solve")
    return list(lax.custom_linear_solve(function("matvec"), b, solver("solve"), transposed))


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
    "select_and_gather_add": _select_and_gather_add,
    "select_and_scatter_add": _select_and_scatter_add,
    "sharding_constraint": _sharding_constraint,
    "stage": lambda x: x,
    "symmetric_product": linalg.symmetric_product,
}
_OF_SEVERAL = {
    "approx_top_k": _approx_top_k,
    "device_put": _device_put,
    "linear_solve": _linear_solve,
    "dce_sink": lambda *xs, **params: [],
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "rng_bit_generator": lax.rng_bit_generator,
}
# All of them, by JAX's name.
composed_by_name: dict[str, Primitive] = {
    **{name: ComposedPrimitive(name, function) for name, function in _OTHERS.items()},
    **{name: ComposedPrimitive(name, function, True) for name, function in _OF_SEVERAL.items()},
    **{
        name: ComposedPrimitive(name, function, takes_arrays=False)
        for name, function in _OF_KEYS.items()
    },
    **{
        name: ComposedPrimitive(name, of.function, of.multiple_results)
        for name, of in COMPOSITIONS.items()
    },
}
composed_by_name["add_jaxvals"] = ComposedPrimitive("add_any", ops.add)
