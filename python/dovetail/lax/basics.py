"""The functions that the rest of `lax` is built on, with cached eager calls and support for key
arrays.
"""
# ruff: noqa: F401 (they are used by name)

from __future__ import annotations

from dovetail.arrays import keys as _keys
from dovetail.eager import cache as _eager
from dovetail.lax.arithmetic import (
    RoundingMethod,
    abs,
    add,
    ceil,
    complex,
    conj,
    div,
    floor,
    imag,
    max,
    min,
    mul,
    neg,
    nextafter,
    real,
    reciprocal,
    rem,
    round,
    sign,
    square,
    sub,
)
from dovetail.lax.convert import (
    bitcast_convert_type,
    convert_element_type,
    optimization_barrier,
    reduce_precision,
    stop_gradient,
)
from dovetail.lax.create import broadcasted_iota, empty, full, full_like, iota, shape_as_value
from dovetail.lax.dot import (
    DotDimensionNumbers,
    batch_matmul,
    dot,
    dot_general,
    scaled_dot,
)
from dovetail.lax.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    integer_pow,
    log,
    log1p,
    logistic,
    pow,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from dovetail.lax.logic import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clamp,
    clz,
    eq,
    ge,
    gt,
    is_finite,
    le,
    lt,
    ne,
    population_count,
    select,
    select_n,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
)
from dovetail.lax.logsumexp import cumlogsumexp
from dovetail.lax.pieces import (
    concatenate,
    index_in_dim,
    pad,
    slice,
    slice_in_dim,
    split,
    stack,
    unstack,
)
from dovetail.lax.reduce import (
    argmax,
    argmin,
    reduce_and,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_prod,
    reduce_sum,
    reduce_xor,
)
from dovetail.lax.shape import (
    broadcast,
    broadcast_in_dim,
    broadcast_like,
    broadcast_to_rank,
    collapse,
    expand_dims,
    reshape,
    rev,
    squeeze,
    tile,
    transpose,
)
from dovetail.lax.sort import (
    approx_max_k,
    approx_min_k,
    cummax,
    cummin,
    cumprod,
    cumsum,
    sort,
    sort_key_val,
    top_k,
)

_keys.let_make_keys(globals(), ("full", "full_like"))
_keys.let_move_keys(
    globals(),
    dict.fromkeys(
        (
            *("broadcast", "broadcast_in_dim", "concatenate", "expand_dims", "index_in_dim"),
            *("reshape", "rev", "slice", "slice_in_dim", "split", "squeeze", "stack"),
            *("transpose", "unstack"),
        ),
        (0,),
    )
    | {"select": (1, 2)},
)
_eager.remember(globals(), module="dovetail.lax")
