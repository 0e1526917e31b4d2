"""The sparse forms of operations, by the names of primitives."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.dtypes import is_weakly_typed
from dovetail.experimental.sparse import bcoo_parts, bcoo_shape, bcsr
from dovetail.experimental.sparse.base import JAXSparse
from dovetail.experimental.sparse.bcoo import BCOO
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout
from dovetail.experimental.sparse.bcoo_products import (
    bcoo_dot_general,
    bcoo_multiply_dense,
    bcoo_multiply_sparse,
)
from dovetail.experimental.sparse.bcoo_windows import bcoo_conv_general_dilated, bcoo_reduce_sum
from dovetail.experimental.sparse.bcsr import BCSR
from dovetail.jaxprs.making import make_jaxpr
from dovetail.jaxprs.structure import ClosedJaxpr, JaxprEqn
from dovetail.tracing.composed import COMPOSITIONS
from dovetail.trees.pytree import flatten

# Evaluates a program for dense and sparse arguments.
Evaluate = Callable[[ClosedJaxpr, Sequence[Any]], list[Any]]
Sparse = BCOO | BCSR


class Stretched:
    """An array that was broadcast, which products do not need as a whole.

    Args:
      operand: the array before, dense or sparse.
      eqn: the equation that broadcasts it.
    """

    def __init__(self, operand: Any, eqn: JaxprEqn) -> None:
        self.operand, self.eqn = Stretched.whole(operand), eqn
        self.shape = tuple(eqn.outvars[0].aval.shape)

    @staticmethod
    def before(value: Any) -> Any:
        """The array before it was broadcast, if it was."""
        return value.operand if isinstance(value, Stretched) else value

    @staticmethod
    def whole(value: Any) -> Any:
        """The array itself."""
        return value._broadcast(value.shape) if isinstance(value, Stretched) else value

    @staticmethod
    def small(value: Any) -> Any:
        """An operand of a product that is broadcast to the same by NumPy's rules."""
        if isinstance(value, Stretched):
            dims, before = value.eqn.params["broadcast_dimensions"], np.shape(value.operand)
            shape = [1] * len(value.shape)
            for d, size in zip(dims, before, strict=True):
                shape[d] = size
            is_number = not before and not isinstance(value.operand, (BCOO, BCSR))
            return value.operand if is_number else value._broadcast(shape)
        if isinstance(value, np.ndarray) and value.size and not any(value.strides):
            # A constant whose elements are all the same.
            return value.reshape(-1)[0]
        return value

    def _broadcast(self, shape: Sequence[int]) -> Any:
        dims = self.eqn.params["broadcast_dimensions"]
        if isinstance(self.operand, BCOO):
            broadcast: Any = bcoo_shape.bcoo_broadcast_in_dim
        elif isinstance(self.operand, BCSR):
            broadcast = bcsr.bcsr_broadcast_in_dim
        else:
            return lax.broadcast_in_dim(dnp.asarray(self.operand), tuple(shape), dims)
        return broadcast(self.operand, shape=tuple(shape), broadcast_dimensions=dims)


def description(value: Any) -> Any:
    """The dense array that an argument stands for; dense ones are described by themselves.

    Raises:
      NotImplementedError: there are no rules for its format.
    """
    if not isinstance(value, JAXSparse):
        return value
    if not isinstance(value, (BCOO, BCSR)):
        raise NotImplementedError(f"sparse rules for {type(value).__name__} are not implemented.")
    return ShapeDtypeStruct(value.shape, value.dtype, weak_type=is_weakly_typed(value.data))


def apply_rule(
    evaluate: Evaluate, primitive: Any, values: list[Any], params: dict[str, Any]
) -> list[Any]:
    """The results of an operation of which some operands are sparse.

    Raises:
      NotImplementedError: it has no sparse form.
    """
    name = primitive.name
    if name not in _PRODUCTS:
        values = [Stretched.whole(value) for value in values]
    if name in _LINEAR or name in _ZERO_PRESERVING:
        return [_unary(primitive, values[0], params)]
    if name == "integer_pow":
        return [_integer_pow(primitive, values[0], params)]
    if name in _NESTED:
        return _NESTED[name](evaluate, values, params)
    rules = _BCSR if any(isinstance(value, BCSR) for value in values) else _BCOO
    if name in rules and not _has_more_ops(name, values, params):
        return [rules[name](*values, **params)]
    if name in COMPOSITIONS:
        ops = make_jaxpr(functools.partial(COMPOSITIONS[name].ops, **params))
        return evaluate(ops(*map(description, values)), values)
    message = f"sparse rule for {name} is not implemented"
    if name in _DENSIFYING:
        raise NotImplementedError(
            f"{message} because it would result in dense output. If this is your intent, use "
            "sparse.todense() to convert your arguments to dense matrices."
        )
    raise NotImplementedError(f"{message}.")


# Elementwise --------------------------------------------------------------------------------------

# What takes operands before they are broadcast.
_PRODUCTS = frozenset(["add", "div", "mul"])
_LINEAR = frozenset("conj imag neg real stop_gradient name".split())  # noqa: SIM905
_ZERO_PRESERVING = frozenset(
    "abs asin asinh atan atanh bessel_i1e cbrt ceil convert_element_type erf expm1 floor log1p "  # noqa: SIM905
    "round round_even sign sin sinh sqrt tan tanh trunc".split()
)
_DENSIFYING = frozenset(
    "acos acosh bessel_i0e cos cosh eq erfc exp exp2 ge gt le lgamma log logistic lt ne not "  # noqa: SIM905
    "xor".split()
)


def _with_data(mat: Any, data: Array) -> Any:
    """The array with other values at the same places."""
    return type(mat)((data, *mat._bufs[1:]), **mat._info._asdict())


def _unary(primitive: Any, mat: Any, params: dict[str, Any]) -> Any:
    """Applied to the values; they are summed first where that makes a difference."""
    if primitive.name not in _LINEAR and not mat.unique_indices:
        mat = mat.sum_duplicates(nse=mat.nse, remove_zeros=False)
    return _with_data(mat, primitive.bind(mat.data, **params))


def _integer_pow(primitive: Any, mat: Any, params: dict[str, Any]) -> Any:
    if params["y"] <= 0:
        raise NotImplementedError(
            f"sparse rule for integer_pow with non-positive exponent {params['y']} is not "
            "implemented because it would result in dense output. If this is your intent, use "
            "sparse.todense() to convert your argument to a dense array."
        )
    return _unary(primitive, mat, params)


def _add(x: Any, y: Any) -> Any:
    x, y = (v if isinstance(Stretched.before(v), BCOO) else Stretched.small(v) for v in (x, y))
    x, y = Stretched.whole(x), Stretched.whole(y)
    if isinstance(x, BCOO) and isinstance(y, BCOO):
        return _add_sparse(x, y)
    mat, dense = (x, y) if isinstance(x, BCOO) else (y, x)
    if np.shape(dense) != mat.shape:
        raise NotImplementedError(
            "Addition between a sparse array X and a dense array Y is not implemented when the "
            "output shape is larger than Y.shape. This is to prevent silent densification of a "
            "large sparse array. If this is your intent, you can explicitly cast the sparse array "
            "to a dense matrix."
        )
    return mat.todense() + dnp.asarray(dense)


def _add_sparse(x: BCOO, y: BCOO) -> BCOO:
    if x.shape != y.shape:
        raise NotImplementedError("Addition between sparse matrices of different shapes.")
    if x.indices is y.indices:
        return _with_data(x, x.data + y.data)
    if (x.n_batch, x.n_dense) != (y.n_batch, y.n_dense):
        raise NotImplementedError(
            "Addition between sparse matrices with different batch/dense dimensions."
        )
    n_batch = x.n_batch
    made = []
    for buffers in ((x.data, y.data), (x.indices, y.indices)):
        batch = np.broadcast_shapes(*(buffer.shape[:n_batch] for buffer in buffers))
        whole = [dnp.broadcast_to(each, (*batch, *each.shape[n_batch:])) for each in buffers]
        made.append(dnp.concatenate(whole, axis=n_batch))
    return BCOO(made, shape=x.shape)


def _sub(x: Any, y: Any) -> Any:
    if isinstance(x, BCOO) and isinstance(y, BCOO):
        return _add_sparse(x, _with_data(y, -y.data))
    raise NotImplementedError("Subtraction between sparse and dense array.")


def _mul(x: Any, y: Any, **_: Any) -> Any:
    x, y = Stretched.small(x), Stretched.small(y)
    if isinstance(x, BCOO) and isinstance(y, BCOO):
        if x.indices is y.indices and x.unique_indices:
            return _with_data(x, x.data * y.data)
        return bcoo_multiply_sparse(x, y)
    mat, dense = (x, y) if isinstance(x, BCOO) else (y, x)
    return _with_data(mat, bcoo_multiply_dense(mat, dense))


def _div(x: Any, y: Any) -> Any:
    x, divisor = Stretched.whole(x), Stretched.small(y)
    if isinstance(divisor, BCOO):
        raise NotImplementedError(
            "Division by a sparse array is not implemented because it would result in dense "
            "output. If this is your intent, use sparse.todense() to convert your arguments to a "
            "dense array."
        )
    if np.ndim(divisor) == 0:
        return _with_data(x, lax.div(x.data, dnp.broadcast_to(divisor, x.data.shape)))
    return _with_data(x, bcoo_multiply_dense(x, 1 / dnp.asarray(divisor)))


# Shapes -------------------------------------------------------------------------------------------


def _matched(before: Sequence[int], after: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """The dimensions that stay, before and after, if the others have size 1.

    The last that fit stay, so that new ones come first: these may be batches.
    """
    i, j = len(before) - 1, len(after) - 1
    kept: list[tuple[int, int]] = []
    while i >= 0 or j >= 0:
        if i >= 0 and j >= 0 and before[i] == after[j]:
            kept.append((i, j))
            i, j = i - 1, j - 1
        elif j >= 0 and after[j] == 1:
            j -= 1
        elif i >= 0 and before[i] == 1:
            i -= 1
        else:
            return None
    return [i for i, _ in reversed(kept)], [j for _, j in reversed(kept)]


def _reshape(mat: Any, new_sizes: Sequence[int], **_: Any) -> Any:
    new_sizes = tuple(new_sizes)
    matched = _matched(mat.shape, new_sizes)
    if matched is None:
        if isinstance(mat, BCSR):
            return BCSR.from_bcoo(bcoo_shape.bcoo_reshape(mat.to_bcoo(), new_sizes=new_sizes))
        return bcoo_shape.bcoo_reshape(mat, new_sizes=new_sizes)
    before, after = matched
    gone = [d for d in range(mat.ndim) if d not in before]
    made = mat.to_bcoo() if isinstance(mat, BCSR) else mat
    if gone:
        made = bcoo_shape.bcoo_squeeze(made, dimensions=gone)
    if len(after) < len(new_sizes):
        made = bcoo_shape.bcoo_broadcast_in_dim(made, shape=new_sizes, broadcast_dimensions=after)
    return BCSR.from_bcoo(made) if isinstance(mat, BCSR) else made


def _pad(mat: Any, value: Any, padding_config: Sequence[tuple[int, int, int]]) -> BCOO:
    if not isinstance(mat, BCOO) or np.any(np.asarray(value)):
        raise NotImplementedError("sparse rule for pad with another value than 0.")
    return bcoo_shape.pad(mat, padding_config)


def _conv_general_dilated(
    x: Any,
    y: Any,
    *,
    window_strides: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Any,
    **_: Any,
) -> BCOO:
    return _conv(
        x,
        y,
        windows=dimension_numbers.out_spec[2:],
        strides=window_strides,
        dilations=rhs_dilation,
        ans_dims=range(x.ndim),
    )


def _conv(
    x: Any,
    y: Any,
    *,
    windows: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    ans_dims: Sequence[int],
    **_: Any,
) -> BCOO:
    """A convolution in one dimension; other dimensions have size 1."""
    others = math.prod(x.shape) == max(x.shape) and math.prod(y.shape) == max(y.shape)
    if len(windows) != 1 or {*strides, *dilations} != {1} or not others:
        raise NotImplementedError(
            "sparse rule for conv_general_dilated is implemented for one dimension and channel "
            "without strides and dilations only."
        )
    lines = [_line(operand) for operand in (x, y)]
    made = bcoo_conv_general_dilated(*lines, window_strides=(1,), padding=[(0, 0)])
    size = made.shape[-1]
    shape = [size if d == windows[0] else 1 for d in ans_dims]
    return bcoo_shape.bcoo_reshape(bcoo_update_layout(made, n_batch=0), new_sizes=shape)


def _line(operand: Any) -> Any:
    """An array of one line as (1, 1, n)."""
    shape = (1, 1, math.prod(operand.shape))
    if not isinstance(operand, BCOO):
        return dnp.asarray(operand).reshape(shape)
    return bcoo_shape.bcoo_reshape(bcoo_update_layout(operand, n_batch=0), new_sizes=shape)


def _reduce_sum(mat: BCOO, axes: Sequence[int], **_: Any) -> Any:
    made = bcoo_reduce_sum(mat, axes=axes)
    return dnp.sum(made.data, dtype=made.dtype) if not made.shape else made


def _has_more_ops(name: str, values: list[Any], params: dict[str, Any]) -> bool:
    """Whether an equation is more than the op that the rule of its name is for."""
    if name == "gather":
        numbers = params["dimension_numbers"]
        is_filled = params["mode"] is lax.GatherScatterMode.FILL_OR_DROP
        # The op has all dimensions of windows, after those of the batch.
        batch, rank = np.ndim(values[1]) - 1, len(params["slice_sizes"])
        are_last = numbers.offset_dims == tuple(range(batch, batch + rank))
        return not (is_filled and params["fill_value"] == 0 and are_last)
    if name == "conv_general_dilated":
        is_padded = any(low or high for low, high in params["padding"])
        groups = params["feature_group_count"], params["batch_group_count"]
        return is_padded or any(by != 1 for by in params["lhs_dilation"]) or groups != (1, 1)
    return False


def _gather(
    mat: Any, start: Any, dimension_numbers: Any, slice_sizes: Sequence[int], **_: Any
) -> Any:
    if not isinstance(mat, BCOO) or isinstance(start, (BCOO, BCSR)):
        raise NotImplementedError("sparse rule for gather with sparse indices is not implemented.")
    dims = dimension_numbers.start_index_map
    window = tuple(slice_sizes[d] for d in dims)
    return bcoo_parts.gather_slices(mat, dnp.asarray(start), dims, window)


def _concatenate(*mats: Any, dimension: int) -> Any:
    if isinstance(mats[0], BCSR):
        return bcsr.bcsr_concatenate(mats, dimension=dimension)
    return bcoo_shape.bcoo_concatenate(mats, dimension=dimension)


def _tile(mat: BCOO, reps: Sequence[int]) -> BCOO:
    """Copies along batch and sparse dimensions are joined; dense ones are tiled themselves."""
    n_joined = mat.n_batch + mat.n_sparse
    for dimension, count in enumerate(reps[:n_joined]):
        if count == 0:
            sizes = [count * size for count, size in zip(reps, mat.shape, strict=True)]
            return BCOO._empty(sizes, dtype=mat.dtype, n_batch=mat.n_batch, n_dense=mat.n_dense)
        if count > 1:
            mat = bcoo_shape.bcoo_concatenate([mat] * count, dimension=dimension)
    data = lax.tile(mat.data, (*[1] * (mat.n_batch + 1), *reps[n_joined:]))
    shape = (
        *mat.shape[:n_joined],
        *(count * size for count, size in zip(reps[n_joined:], mat.shape[n_joined:], strict=True)),
    )
    return BCOO((data, mat.indices), shape=shape)


def _dot_general(x: Any, y: Any, dimension_numbers: Any, **params: Any) -> Any:
    dot = bcsr.bcsr_dot_general if isinstance(x, BCSR) else bcoo_dot_general
    y = y.to_bcoo() if isinstance(y, BCSR) and not isinstance(x, BCSR) else y
    element = params["preferred_element_type"]
    return dot(x, y, dimension_numbers=dimension_numbers, preferred_element_type=element)


_BCOO: dict[str, Callable[..., Any]] = {
    "add": _add,
    "concatenate": _concatenate,
    "conv": _conv,
    "conv_general_dilated": _conv_general_dilated,
    "div": _div,
    "dot_general": _dot_general,
    "gather": _gather,
    "mul": _mul,
    "optimization_barrier": lambda mat: mat.todense(),
    "pad": _pad,
    "reduce_sum": _reduce_sum,
    "reshape": _reshape,
    "rev": bcoo_shape.bcoo_rev,
    "slice": bcoo_parts.bcoo_slice,
    "sub": _sub,
    "tile": _tile,
    "transpose": bcoo_shape.bcoo_transpose,
}
_BCSR: dict[str, Callable[..., Any]] = {
    "concatenate": _concatenate,
    "dot_general": _dot_general,
    "optimization_barrier": lambda mat: mat.todense(),
    "reshape": _reshape,
}

# Programs within programs -------------------------------------------------------------------------


def _call(evaluate: Evaluate, values: list[Any], params: dict[str, Any]) -> list[Any]:
    program: Any = params.get("call_jaxpr", params.get("jaxpr"))
    closed = program if isinstance(program, ClosedJaxpr) else ClosedJaxpr(program, [])
    return evaluate(closed, values)


def _plain(values: Sequence[Any]) -> tuple[Any, ...]:
    """Operands of loops; nothing is said of the order of indices, which bodies may change."""
    return tuple(
        type(value)(value._bufs, shape=value.shape)
        if isinstance(value, (BCOO, BCSR))
        else dnp.asarray(value)
        for value in values
    )


def _while(evaluate: Evaluate, values: list[Any], params: dict[str, Any]) -> list[Any]:
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    consts, more = values[:n_cond], values[n_cond : n_cond + n_body]
    made = lax.while_loop(
        lambda carry: evaluate(params["cond_jaxpr"], [*consts, *carry])[0],
        lambda carry: _plain(evaluate(params["body_jaxpr"], [*more, *carry])),
        _plain(values[n_cond + n_body :]),
    )
    return list(made)


def _scan(evaluate: Evaluate, values: list[Any], params: dict[str, Any]) -> list[Any]:
    n_consts, n_carry = params["num_consts"], params["num_carry"]
    consts = values[:n_consts]
    xs = values[n_consts + n_carry :]
    if any(isinstance(value, (BCOO, BCSR)) for value in xs):
        raise NotImplementedError("sparse rule for scan with x values.")

    def body(carry: Any, x: Any) -> Any:
        outs = evaluate(params["jaxpr"], [*consts, *carry, *x])
        return _plain(outs[:n_carry]), tuple(outs[n_carry:])

    carry, ys = lax.scan(
        body,
        _plain(values[n_consts : n_consts + n_carry]),
        _plain(xs),
        length=params["length"],
        reverse=params["reverse"],
    )
    return [*carry, *ys]


def _cond(evaluate: Evaluate, values: list[Any], params: dict[str, Any]) -> list[Any]:
    index, *operands = _plain(values)
    branches = [
        lambda *args, _of=branch: _plain(evaluate(_of, args)) for branch in params["branches"]
    ]
    specs = [flatten(dt.eval_shape(branch, *operands))[1] for branch in branches]
    for spec in specs[1:]:
        if spec != specs[0]:
            raise TypeError(
                "sparsified true_fun output must have same type structure as sparsified false_fun "
                f"output, got: {specs[0]} and {spec}"
            )
    return list(lax.switch(index, branches, *operands))


_NESTED: dict[str, Callable[..., list[Any]]] = {
    "cond": _cond,
    "custom_jvp_call": _call,
    "custom_vjp_call": _call,
    "jit": _call,
    "remat2": _call,
    "scan": _scan,
    "while": _while,
}
