"""`linear_call`: linear functions with a transpose of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base.errors import type_error
from dovetail.tracing.arguments import Function, as_operand, name_of
from dovetail.transforms import primitives
from dovetail.transforms.batching import vmap
from dovetail.transforms.custom_derivatives.symbolic import SymbolicZero, instantiated
from dovetail.transforms.primitives import Primitive, UndefinedPrimal
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten, unflatten


@dataclass(frozen=True, eq=False)
class _Linear:
    """A function and its transpose.

    Attributes:
      fun, transpose: take residuals, and linear arguments or cotangents of results.
      residual_spec, in_spec, out_spec: the trees of residuals, linear arguments and results.
      ins, outs: the types of the leaves of the last two.
    """

    fun: Function
    transpose: Function
    residual_spec: Any
    in_spec: Any
    out_spec: Any
    ins: Sequence[ShapedArray]
    outs: Sequence[ShapedArray]

    def transposed(self) -> _Linear:
        return _Linear(
            *(self.transpose, self.fun, self.residual_spec),
            *(self.out_spec, self.in_spec, self.outs, self.ins),
        )

    def split(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The leaves of residuals and of linear arguments."""
        count = len(args) - len(self.ins)
        return list(args[:count]), list(args[count:])

    def apply(self, *args: Any) -> list[Any]:
        """The leaves of the results."""
        residuals, linear = self.split(args)
        trees = unflatten(self.residual_spec, residuals), unflatten(self.in_spec, linear)
        outs, spec = flatten(self.fun(*trees))
        if spec != self.out_spec:
            raise type_error(
                f"linear_call: transpose output pytree structure must match that of linear inputs, "
                f"got: {where_unlike(self.out_spec, spec, 'result', ('it', name_of(self.fun)))}"
            )
        for out, aval in zip(outs, self.outs, strict=True):
            got = as_operand(out, f"result of `{name_of(self.fun)}`").aval
            if (got.shape, got.dtype) != (aval.shape, aval.dtype):
                raise type_error(
                    f"linear_call: transpose output types must match those of linear inputs, "
                    f"{aval}, got: {got} from `{name_of(self.fun)}`"
                )
        return outs


linear_call_p = Primitive("linear_call")
linear_call_p.multiple_results = True
linear_call_p.def_impl(lambda *args, call: call.apply(*args))
linear_call_p.def_abstract_eval(lambda *_, call: list(call.outs))
primitives.lowerings[linear_call_p] = lambda _, *args, call: call.apply(*args)


def _instantiate(values: Sequence[Any]) -> list[Any]:
    return [x.instantiate() if isinstance(x, SymbolicZero) else x for x in values]


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], call: _Linear
) -> tuple[list[Any], list[Any]]:
    residuals, _ = call.split(primals)
    of_residuals, of_linear = call.split(tangents)
    if not all(isinstance(tangent, SymbolicZero) for tangent in of_residuals):
        raise NotImplementedError(
            f"linear_call: residual_args of `{name_of(call.fun)}` must not be differentiated; give "
            "their derivative by a rule of custom_jvp or custom_vjp around the call"
        )
    outs = linear_call_p.bind(*primals, call=call)
    return outs, linear_call_p.bind(*residuals, *_instantiate(of_linear), call=call)


def _transpose(cotangents: Sequence[Any], *args: Any, call: _Linear) -> list[Any]:
    residuals, linear = call.split(args)
    given = [
        instantiated(aval) if isinstance(ct, SymbolicZero) else ct
        for ct, aval in zip(cotangents, call.outs, strict=True)
    ]
    made = linear_call_p.bind(*residuals, *given, call=call.transposed())
    is_asked = [isinstance(x, UndefinedPrimal) for x in linear]
    asked = [ct if asks else None for ct, asks in zip(made, is_asked, strict=True)]
    return [None] * len(residuals) + asked


def _batch(
    args: Sequence[Any], dims: Sequence[int | None], call: _Linear
) -> tuple[list[Any], list[int]]:
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    residuals, linear = call.split(args)
    of_residuals, of_linear = call.split(dims)

    def over(which: _Linear) -> Function:
        flat = vmap(which.apply, in_axes=(*of_residuals, *[0] * len(which.ins)))

        def batched(residuals: Any, linear: Any) -> Any:
            outs = flat(*flatten(residuals)[0], *flatten(linear)[0])
            return unflatten(which.out_spec, outs)

        batched.__name__ = name_of(which.fun)
        return batched

    def larger(avals: Sequence[ShapedArray]) -> list[ShapedArray]:
        return [aval.update(shape=(size, *aval.shape)) for aval in avals]

    # The cotangent of an argument that all elements share is summed where it is broadcast.
    alike = vmap(lambda *xs: xs, in_axes=tuple(of_linear), axis_size=size)
    whole = _Linear(
        *(over(call), over(call.transposed()), call.residual_spec, call.in_spec, call.out_spec),
        *(larger(call.ins), larger(call.outs)),
    )
    outs = linear_call_p.bind(*residuals, *(alike(*linear) if linear else ()), call=whole)
    return outs, [0] * len(outs)


primitives.jvps[linear_call_p] = _jvp
primitives.transposes[linear_call_p] = _transpose
primitives.batchers[linear_call_p] = _batch


def linear_call(
    fun: Callable[[Any, Any], Any],
    fun_transpose: Callable[[Any, Any], Any],
    residual_args: Any,
    linear_args: Any,
) -> Any:
    """Call a linear function that has a transpose of its own.

    Reverse-mode derivatives call `fun_transpose`, and `linear_transpose` of it calls `fun`.

    Args:
      fun: takes `residual_args` and `linear_args`, linear in the latter; returns a tree of arrays.
      fun_transpose: takes `residual_args` and a cotangent of the result; returns a cotangent of
        `linear_args`, a tree of the same structure, shapes and element types.
      residual_args: a tree of arrays, which have no derivative.
      linear_args: a tree of arrays.

    Returns:
      `fun(residual_args, linear_args)`.

    Raises:
      TypeError: `fun_transpose` returns another tree or other types.
      NotImplementedError: the derivative with respect to `residual_args` is asked for.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.custom_derivatives import linear_call
      >>> def divided(x, denominator):
      ...     f = lambda residual, x: x / residual
      ...     t = lambda residual, ct: 3 * ct / residual
      ...     return linear_call(f, t, denominator, x)
      >>> dt.grad(divided)(8.0, 4.0)
      Array(0.75, dtype=float32, weak_type=True)
    """
    from dovetail.programs.inspection import eval_shape  # lazy

    residuals, residual_spec = flatten(residual_args)
    linear, in_spec = flatten(linear_args)
    linear = [as_operand(x, f"linear argument of `{name_of(fun)}`") for x in linear]
    described, out_spec = flatten(eval_shape(fun, residual_args, linear_args))
    outs = [as_aval(each) for each in described]
    ins = [x.aval for x in linear]
    call = _Linear(fun, fun_transpose, residual_spec, in_spec, out_spec, ins, outs)
    return unflatten(out_spec, linear_call_p.bind(*residuals, *linear, call=call))


def as_aval(described: Any) -> ShapedArray:
    """The type that a `ShapeDtypeStruct` describes."""
    return described.aval
