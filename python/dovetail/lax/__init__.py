"""JAX's `lax`: functions that validate their operands, and neither promote nor, but for scalars,
broadcast."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail import eager as _eager
from dovetail import moving as _moving
from dovetail.dtypes import dtype
from dovetail.lax.application import scatter_apply as scatter_apply
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
from dovetail.lax.collectives import (
    all_gather,
    all_to_all,
    pbroadcast,
    pmax,
    pmean,
    pmin,
    ppermute,
    pshuffle,
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
from dovetail.lax.convert import (
    bitcast_convert_type,
    convert_element_type,
    optimization_barrier,
    reduce_precision,
    stop_gradient,
)
from dovetail.lax.convolution import (
    conv,
    conv_general_dilated,
    conv_general_dilated_local,
    conv_general_dilated_patches,
    conv_transpose,
    conv_with_general_padding,
)
from dovetail.lax.create import broadcasted_iota, empty, full, full_like, iota, shape_as_value
from dovetail.lax.dot import (
    DotDimensionNumbers,
    batch_matmul,
    dot,
    dot_general,
    scaled_dot,
)
from dovetail.lax.dynamic_slices import (
    dynamic_index_in_dim,
    dynamic_slice,
    dynamic_slice_in_dim,
    dynamic_update_index_in_dim,
    dynamic_update_slice,
    dynamic_update_slice_in_dim,
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
from dovetail.lax.multiply_high import mulhi
from dovetail.lax.named_axes import axis_index, axis_size, pcast
from dovetail.lax.operands import broadcast_shapes
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
from dovetail.lax.precision import (
    AccuracyMode,
    DotAlgorithm,
    DotAlgorithmPreset,
    Precision,
    PrecisionLike,
    Tolerance,
)
from dovetail.lax.ragged import RaggedDotDimensionNumbers, ragged_dot, ragged_dot_general
from dovetail.lax.random_bits import RandomAlgorithm, rng_bit_generator, rng_uniform
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
    cumlogsumexp,
    cummax,
    cummin,
    cumprod,
    cumsum,
    sort,
    sort_key_val,
    top_k,
)
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

# Its functions use those above.
from dovetail.lax import linalg  # isort: skip

# Functions that are given to these may do anything.
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
    *("pmean", "pmin", "ppermute", "pshuffle", "psum", "psum_scatter", "pswapaxes"),
)
# Keys are moved too.
_moving.let_make_keys(globals(), ("full", "full_like"))
_moving.let_move_keys(
    globals(),
    dict.fromkeys(
        (
            *("broadcast", "broadcast_in_dim", "concatenate", "dynamic_index_in_dim"),
            *("dynamic_slice", "dynamic_slice_in_dim", "expand_dims", "index_in_dim", "reshape"),
            *("rev", "slice", "slice_in_dim", "split", "squeeze", "stack", "transpose", "unstack"),
        ),
        (0,),
    )
    | {
        "select": (1, 2),
        "dynamic_update_slice": (0, 1),
        "dynamic_update_slice_in_dim": (0, 1),
        "dynamic_update_index_in_dim": (0, 1),
    },
)
# Of `rng_uniform` no call is like another.
_eager.remember(globals(), (*_CONTROL, *_COLLECTIVES, "rng_uniform", "with_sharding_constraint"))
