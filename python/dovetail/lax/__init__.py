"""JAX's `lax`: functions that validate their operands, do not promote them, and broadcast only
scalars.
"""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.arrays import keys as _keys
from dovetail.base.dtypes import dtype
from dovetail.eager import cache as _eager
from dovetail.lax.application import scatter_apply as scatter_apply
from dovetail.lax.basics import (
    DotDimensionNumbers,
    RoundingMethod,
    abs,
    acos,
    acosh,
    add,
    approx_max_k,
    approx_min_k,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    batch_matmul,
    bitcast_convert_type,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    broadcast,
    broadcast_in_dim,
    broadcast_like,
    broadcast_to_rank,
    broadcasted_iota,
    cbrt,
    ceil,
    clamp,
    clz,
    collapse,
    complex,
    concatenate,
    conj,
    convert_element_type,
    cos,
    cosh,
    cumlogsumexp,
    cummax,
    cummin,
    cumprod,
    cumsum,
    div,
    dot,
    dot_general,
    empty,
    eq,
    erf,
    erfc,
    exp,
    exp2,
    expand_dims,
    expm1,
    floor,
    full,
    full_like,
    ge,
    gt,
    imag,
    index_in_dim,
    integer_pow,
    iota,
    is_finite,
    le,
    log,
    log1p,
    logistic,
    lt,
    max,
    min,
    mul,
    ne,
    neg,
    nextafter,
    optimization_barrier,
    pad,
    population_count,
    pow,
    real,
    reciprocal,
    reduce_and,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_precision,
    reduce_prod,
    reduce_sum,
    reduce_xor,
    rem,
    reshape,
    rev,
    round,
    rsqrt,
    scaled_dot,
    select,
    select_n,
    shape_as_value,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
    sign,
    sin,
    sinh,
    slice,
    slice_in_dim,
    sort,
    sort_key_val,
    split,
    sqrt,
    square,
    squeeze,
    stack,
    stop_gradient,
    sub,
    tan,
    tanh,
    tile,
    top_k,
    transpose,
    unstack,
)
from dovetail.lax.collectives import (
    all_gather,
    all_to_all,
    pbroadcast,
    pmax,
    pmean,
    pmin,
    psum,
    psum_scatter,
    pswapaxes,
)
from dovetail.lax.constraints import with_sharding_constraint
from dovetail.lax.control import (
    associative_scan,
    cond,
    custom_linear_solve,
    custom_root,
    fori_loop,
    map,
    scan,
    switch,
    while_loop,
)
from dovetail.lax.conv_dimensions import (
    ConvDimensionNumbers,
    ConvGeneralDilatedDimensionNumbers,
    conv_dimension_numbers,
    conv_general_permutations,
    conv_general_shape_tuple,
    conv_shape_tuple,
    conv_transpose_shape_tuple,
    padtype_to_pads,
)
from dovetail.lax.convolution import (
    conv,
    conv_general_dilated,
    conv_general_dilated_local,
    conv_general_dilated_patches,
    conv_transpose,
    conv_with_general_padding,
)
from dovetail.lax.dynamic_slices import (
    dynamic_index_in_dim,
    dynamic_slice,
    dynamic_slice_in_dim,
    dynamic_update_index_in_dim,
    dynamic_update_slice,
    dynamic_update_slice_in_dim,
)
from dovetail.lax.fourier import FftType, fft
from dovetail.lax.indexing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
    gather,
    index_take,
    scatter,
    scatter_add,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_sub,
)
from dovetail.lax.multiply_high import mulhi
from dovetail.lax.named_axes import axis_index, axis_size, pcast
from dovetail.lax.permutations import ppermute, precv, psend, pshuffle
from dovetail.lax.precision import (
    AccuracyMode,
    DotAlgorithm,
    DotAlgorithmPreset,
    Precision,
    PrecisionLike,
    Tolerance,
)
from dovetail.lax.ragged import RaggedDotDimensionNumbers, ragged_dot, ragged_dot_general
from dovetail.lax.ragged_exchange import ragged_all_to_all
from dovetail.lax.random_bits import RandomAlgorithm, rng_bit_generator, rng_uniform
from dovetail.lax.special import (
    bessel_i0e,
    bessel_i1e,
    betainc,
    digamma,
    erf_inv,
    igamma,
    igamma_grad_a,
    igammac,
    lgamma,
    polygamma,
    random_gamma_grad,
    zeta,
)
from dovetail.lax.staging import (
    after_all,
    composite,
    create_token,
    dce_sink,
    platform_dependent,
    stage,
)
from dovetail.lax.windows import reduce, reduce_window, reduce_window_shape_tuple
from dovetail.ops.operands import broadcast_shapes

# Its functions use those above.
from dovetail.lax import linalg  # isort: skip

# Functions passed to these may do anything.
_CONTROL = (
    "associative_scan",
    "cond",
    "custom_linear_solve",
    "custom_root",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "while_loop",
)
# These depend on the named axes in scope.
_COLLECTIVES = (
    *("all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pcast", "pmax"),
    *("pmean", "pmin", "ppermute", "precv", "psend", "pshuffle", "psum", "psum_scatter"),
    *("pswapaxes",),
    "ragged_all_to_all",
)
# Keys are moved too.
_keys.let_move_keys(
    globals(),
    {
        "dynamic_index_in_dim": (0,),
        "dynamic_slice": (0,),
        "dynamic_slice_in_dim": (0,),
        "dynamic_update_index_in_dim": (0, 1),
        "dynamic_update_slice": (0, 1),
        "dynamic_update_slice_in_dim": (0, 1),
    },
)
# `rng_uniform` returns something else at each call.
_eager.remember(globals(), (*_CONTROL, *_COLLECTIVES, "rng_uniform", "with_sharding_constraint"))
