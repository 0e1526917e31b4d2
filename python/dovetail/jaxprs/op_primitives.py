"""The compiler's ops as primitives, with JAX's names and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import _core, ops
from dovetail.arrays.keys import is_keys
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.dtypes import as_dtype
from dovetail.ops.operands import broadcast_shapes, broadcast_to
from dovetail.reference.op import OPS
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.bind import bind, bind_all
from dovetail.tracing.trace import Operand
from dovetail.transforms.primitives import Primitive

Params = dict[str, Any]
# Keywords of an op, and the types of its operands and results, to parameters; and back, given the
# operands.
ToParams = Callable[[Params, Sequence[ShapedArray], Sequence[ShapedArray]], Params]
FromParams = Callable[[Params, Sequence[Operand]], Params]


class OpPrimitive(Primitive):
    """An op of the compiler.

    Args:
      name: JAX's name of it.
      op: its name in the dialect.
      fixed: keywords that the name implies.
    """

    def __init__(self, name: str, op: str, fixed: Params | None = None) -> None:
        super().__init__(name)
        self.op, self.fixed = op, fixed or {}
        self.multiple_results = op in _SEVERAL
        self._to, self._from = _TRANSLATIONS.get(op, (_same, _same_back))

    def params_of(
        self, keywords: Params, ins: Sequence[ShapedArray], outs: Sequence[ShapedArray]
    ) -> Params:
        """JAX's parameters for an op's keywords."""
        keywords = {key: value for key, value in keywords.items() if key not in self.fixed}
        return self._to(keywords, ins, outs)

    def _bound(self, *args: Any, **params: Any) -> Any:
        """Apply the op.

        Args:
          args: arrays; numbers where an operand has the shape of another.
          params: as in the equations of jaxprs.
        """
        if any(map(is_keys, args)):
            return bound_to_keys(self, args, params)
        operands = [as_operand(arg, f"operand {i} of {self}") for i, arg in enumerate(args)]
        if self.op in ALIKE:
            operands = _alike(operands, 1 if self.op == "select" else 0)
        keywords = self._from(params, operands) | self.fixed
        if self.op == "select":
            operands = [operands[0], operands[2], operands[1]]
        weak_type = None if self.op not in _STRONG else False
        if self.multiple_results:
            return bind_all(self.op, *operands, weak_type=weak_type, **keywords)
        return bind(self.op, *operands, weak_type=weak_type, **keywords)

    def impl(self, *args: Any, **params: Any) -> Any:
        """The same as `bind`."""
        return self.bind(*args, **params)


def bound_to_keys(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """A primitive that only moves elements, applied to arrays of keys."""

    def bound(*operands: Operand) -> Any:
        return primitive.bind(*operands, **params)

    bound.__name__ = primitive.name
    positions = [i for i, arg in enumerate(args) if is_keys(arg)]
    return args[positions[0]]._move(bound, positions, args, {})


def _alike(operands: list[Operand], first: int) -> list[Operand]:
    """Operands of one shape and element type: numbers are made like the others."""
    rest: list[Any] = operands[first:]
    shape = broadcast_shapes(*(x.shape for x in rest))
    dtype = next((x for x in rest if not x.weak_type), rest[0]).dtype
    made = []
    for x in rest:
        if x.dtype != dtype and x.weak_type:
            x = ops.convert(x, dtype=dtype)
        made.append(x if x.shape == shape else broadcast_to(x, shape))
    return [*operands[:first], *made]


# Parameters ---------------------------------------------------------------------------------------


def _same(keywords: Params, ins: Sequence[ShapedArray], outs: Sequence[ShapedArray]) -> Params:
    return keywords


def _same_back(params: Params, operands: Sequence[Operand]) -> Params:
    return params


def _renamed(more: Params | None = None, **names: str) -> tuple[ToParams, FromParams]:
    """Parameters that only have other names in JAX, and `more` that have one value here."""
    back, more = {new: old for old, new in names.items()}, more or {}

    def to(keywords: Params, ins: Sequence[ShapedArray], outs: Sequence[ShapedArray]) -> Params:
        return {names.get(key, key): value for key, value in keywords.items()} | more

    def from_params(params: Params, operands: Sequence[Operand]) -> Params:
        return {back.get(key, key): value for key, value in params.items() if key not in more}

    return to, from_params


def _slice_params(keywords: Params, ins: Sequence[Any], outs: Sequence[ShapedArray]) -> Params:
    starts, strides = keywords["starts"], keywords["strides"]
    limits = tuple(
        start + (size - 1) * stride + 1 if size else start
        for start, size, stride in zip(starts, outs[0].shape, strides, strict=True)
    )
    are_ones = all(stride == 1 for stride in strides)
    return {
        "start_indices": starts,
        "limit_indices": limits,
        "strides": None if are_ones else strides,
    }


def _slice_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    starts, limits = params["start_indices"], params["limit_indices"]
    strides = params.get("strides") or (1,) * len(starts)
    shape = tuple(
        max(0, -(-(limit - start) // stride))
        for start, limit, stride in zip(starts, limits, strides, strict=True)
    )
    return {"starts": tuple(starts), "strides": tuple(strides), "shape": shape}


def _pad_params(keywords: Params, ins: Sequence[ShapedArray], outs: Sequence[Any]) -> Params:
    config = []
    for low, interior, size, out in zip(
        keywords["low"], keywords["interior"], ins[0].shape, outs[0].shape, strict=True
    ):
        inner = size + max(0, size - 1) * interior
        config.append((low, out - low - inner, interior))
    return {"padding_config": tuple(config)}


def _pad_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    config = params["padding_config"]
    shape = tuple(
        low + high + size + max(0, size - 1) * interior
        for (low, high, interior), size in zip(config, operands[0].shape, strict=True)
    )
    low, _, interior = zip(*config, strict=True) if config else ((), (), ())
    return {"low": low, "interior": interior, "shape": shape}


def _dot_params(keywords: Params, ins: Sequence[Any], outs: Sequence[ShapedArray]) -> Params:
    contract = keywords["lhs_contract"], keywords["rhs_contract"]
    batch = keywords["lhs_batch"], keywords["rhs_batch"]
    return {
        "dimension_numbers": (contract, batch),
        "precision": None,
        "preferred_element_type": outs[0].dtype,
        "out_sharding": None,
    }


def _dot_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = params["dimension_numbers"]
    keywords: Params = {
        "lhs_batch": tuple(lhs_batch),
        "rhs_batch": tuple(rhs_batch),
        "lhs_contract": tuple(lhs_contract),
        "rhs_contract": tuple(rhs_contract),
    }
    wanted = params.get("preferred_element_type")
    if wanted is not None and as_dtype(wanted) != operands[0].dtype:
        keywords["element"] = as_dtype(wanted)
    return keywords


def _argument_params(keywords: Params, ins: Sequence[Any], outs: Sequence[Any]) -> Params:
    return {"axes": (keywords["dimension"],), "index_dtype": keywords["dtype"]}


def _argument_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    (dimension,) = params["axes"]
    return {"dimension": dimension, "dtype": as_dtype(params["index_dtype"])}


def _sort_params(keywords: Params, ins: Sequence[Any], outs: Sequence[Any]) -> Params:
    kept = {k: v for k, v in keywords.items() if k != "descending" or v}
    return kept | {"is_stable": True}


def _sort_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    return {"descending": False} | {k: v for k, v in params.items() if k != "is_stable"}


def _conj_params(keywords: Params, ins: Sequence[ShapedArray], outs: Sequence[Any]) -> Params:
    return {"input_dtype": ins[0].dtype}


def _conj_keywords(params: Params, operands: Sequence[Operand]) -> Params:
    return {}


_WITH_ACCURACY = (
    *("exp", "exp2", "log", "log1p", "expm1", "sin", "cos", "tan", "tanh"),
    *("sqrt", "rsqrt", "cbrt", "logistic"),
)
_REDUCTION = _renamed(dims="axes")
_RUNNING = _renamed(dimension="axis", reverse="reverse")
_TRANSLATIONS: dict[str, tuple[ToParams, FromParams]] = {
    "convert": _renamed({"weak_type": False, "sharding": None}, dtype="new_dtype"),
    "bitcast": _renamed(dtype="new_dtype"),
    "broadcast": _renamed({"sharding": None}, dims="broadcast_dimensions", shape="shape"),
    "reshape": _renamed({"dimensions": None, "sharding": None}, shape="new_sizes"),
    "transpose": _renamed(permutation="permutation"),
    "reverse": _renamed(dims="dimensions"),
    "concatenate": _renamed(dimension="dimension"),
    "slice": (_slice_params, _slice_keywords),
    "pad": (_pad_params, _pad_keywords),
    "iota": _renamed({"sharding": None}, dtype="dtype", shape="shape", dimension="dimension"),
    "integer_pow": _renamed(exponent="y"),
    "dot_general": (_dot_params, _dot_keywords),
    "reduce_sum": _renamed({"out_sharding": None}, dims="axes"),
    "reduce_max": _REDUCTION,
    "reduce_min": _REDUCTION,
    "argmax": (_argument_params, _argument_keywords),
    "argmin": (_argument_params, _argument_keywords),
    "sort": (_sort_params, _sort_keywords),
    "eig": _renamed(
        {"enable_eigvec_derivs": False, "implementation": None},
        left="compute_left_eigenvectors",
        right="compute_right_eigenvectors",
    ),
    "schur": _renamed(
        {"sort_eig_vals": False, "select_callable": None}, vectors="compute_schur_vectors"
    ),
    "qr": _renamed({"use_magma": None}),
    "mul": _renamed({"out_dtype": None}),
    "conj": (_conj_params, _conj_keywords),
    **{name: _renamed({"accuracy": None}) for name in _WITH_ACCURACY},
    **{f"reduce_{name}": _REDUCTION for name in ("prod", "and", "or", "xor")},
    **{f"cum{name}": _RUNNING for name in ("sum", "prod", "max", "min", "logsumexp")},
}

# Ops ----------------------------------------------------------------------------------------------

_FACTORIZATIONS = frozenset(
    "eig eigh geqrf hessenberg lu qr schur svd threefry2x32 tridiagonal".split()  # noqa: SIM905
)
_SEVERAL = _FACTORIZATIONS | {"optimization_barrier", "sort"}
# Ops whose results have an element type of their own, not that of operands.
_STRONG = _FACTORIZATIONS | {"argmax", "argmin", "compare", "convert", "is_finite"}
# Ops of operands of one type: JAX's primitives take numbers in their place.
ALIKE = frozenset(op for op, of in OPS.items() if of.stretches and op != "ldexp").union(
    ("clamp", "igamma", "igammac", "nextafter", "zeta"),
    ("shift_left", "shift_right_arithmetic", "shift_right_logical"),
)
# JAX's names of ops that have others here.
_NAMES = {
    "all_reduce_max": "pmax",
    "all_reduce_min": "pmin",
    "all_reduce_sum": "psum",
    "betainc": "regularized_incomplete_beta",
    "bitcast": "bitcast_convert_type",
    "broadcast": "broadcast_in_dim",
    "convert": "convert_element_type",
    "count_leading_zeros": "clz",
    "fft": "fft_along",
    "irfft": "irfft_along",
    "rfft": "rfft_along",
    "permute": "ppermute",
    "random_gamma_grad": "random_gamma_grad",
    "reverse": "rev",
    "select": "select_n",
}
# Ops that are several primitives of JAX.
_DIRECTIONS = ("eq", "ne", "lt", "le", "gt", "ge")
# Not ops of arrays.
_OTHER = ("constant", "case", "scan", "while", "callback", "ffi_call", "compare")

_by_op = {
    op: OpPrimitive(_NAMES.get(op, op), op)
    for op in OPS
    if not op.startswith("arith.") and op not in _OTHER
}
_by_direction = {
    direction: OpPrimitive(direction, "compare", {"direction": direction})
    for direction in _DIRECTIONS
}
# All of them, by JAX's name.
by_name: dict[str, Primitive] = {
    primitive.name: primitive for primitive in (*_by_op.values(), *_by_direction.values())
}


_OF_JAX = frozenset(Path(__file__).with_name("jax_primitives.txt").read_text().split())
# The names of functions of JAX that are ops here with other names.
_FUNCTIONS = {
    "exponent": "frexp",
    "floor_div": "floor_divide",
    "floor_rem": "remainder",
    "fraction": "modf",
    "lu_log_det": "slogdet",
}


def is_foreign(primitive: Primitive) -> bool:
    """Whether a primitive is an op that is none of JAX, and that other ops can compute."""
    if not isinstance(primitive, OpPrimitive) or primitive.name in _OF_JAX:
        return False
    return _core.is_decomposable(primitive.op)


def function_of(op: str) -> str:
    """JAX's name of the function that is such an op."""
    return _FUNCTIONS.get(op, op)


def primitive_of(op: str, keywords: Params) -> OpPrimitive:
    """The primitive of an op."""
    if op == "compare":
        return _by_direction[keywords["direction"]]
    if op not in _by_op:
        _by_op[op] = OpPrimitive(op, op)
    return _by_op[op]


def scalar_or_array(value: np.ndarray) -> Any:
    """The value of a literal: a scalar of NumPy if it has no dimensions."""
    return value[()] if value.ndim == 0 else value
