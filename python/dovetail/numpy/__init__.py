"""NumPy's functions on arrays that can be traced, with JAX's names and promotion."""

# ruff: noqa: F401 - the names are the package's interface.

from numpy import (
    character,
    complexfloating,
    dtype,
    e,
    euler_gamma,
    flexible,
    floating,
    generic,
    get_printoptions,
    inexact,
    inf,
    integer,
    nan,
    newaxis,
    number,
    object_,
    pi,
    printoptions,
    set_printoptions,
    signedinteger,
    unsignedinteger,
)
from numpy.exceptions import ComplexWarning

from dovetail.arrays import keys as _keys
from dovetail.arrays.array import Array as ndarray
from dovetail.arrays.dlpack import from_dlpack
from dovetail.base.dtypes import (
    can_cast,
    finfo,
    iinfo,
    isdtype,
    issubdtype,
    promote_types,
    result_type,
)
from dovetail.eager import cache as _eager
from dovetail.numpy import fft, linalg
from dovetail.numpy.arithmetic import (
    abs,
    absolute,
    add,
    divide,
    divmod,
    fabs,
    floor_divide,
    fmod,
    mod,
    multiply,
    negative,
    positive,
    reciprocal,
    remainder,
    sign,
    square,
    subtract,
    true_divide,
)
from dovetail.numpy.bessel import i0
from dovetail.numpy.bisection import digitize, searchsorted
from dovetail.numpy.bits import (
    bitwise_and,
    bitwise_count,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    invert,
    left_shift,
    packbits,
    right_shift,
    unpackbits,
)
from dovetail.numpy.bounds import clip, fmax, fmin, maximum, minimum
from dovetail.numpy.choice import choose, isin, piecewise, select, where
from dovetail.numpy.convolution import convolve, correlate
from dovetail.numpy.covariance import (
    corrcoef,
    cov,
)
from dovetail.numpy.creation import (
    array,
    asarray,
    astype,
    copy,
    empty,
    empty_like,
    fromfunction,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from dovetail.numpy.cumulative import (
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
    nancumprod,
    nancumsum,
)
from dovetail.numpy.diagonals import diag, diagflat, diagonal, fill_diagonal, trace
from dovetail.numpy.differences import (
    bartlett,
    blackman,
    diff,
    ediff1d,
    gradient,
    hamming,
    hanning,
    kaiser,
    polyadd,
    polyder,
    polyint,
    polysub,
    polyval,
    trapezoid,
)
from dovetail.numpy.divisors import gcd, lcm
from dovetail.numpy.einsum import einsum, einsum_path
from dovetail.numpy.elementary import (
    cbrt,
    exp,
    exp2,
    expm1,
    float_power,
    hypot,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    pow,
    power,
    sqrt,
)
from dovetail.numpy.extremes import top_k
from dovetail.numpy.files import (
    array_repr,
    array_str,
    frombuffer,
    fromfile,
    fromiter,
    fromstring,
    load,
    save,
    savez,
)
from dovetail.numpy.histograms import histogram, histogram2d, histogram_bin_edges, histogramdd
from dovetail.numpy.index_tricks import (
    c_,
    diag_indices,
    diag_indices_from,
    index_exp,
    indices,
    ix_,
    mask_indices,
    mgrid,
    ogrid,
    r_,
    ravel_multi_index,
    s_,
    tril_indices,
    tril_indices_from,
    triu_indices,
    triu_indices_from,
    unravel_index,
)
from dovetail.numpy.indexing import getitem
from dovetail.numpy.inserting import delete, insert
from dovetail.numpy.interpolation import interp
from dovetail.numpy.joining import (
    append,
    array_split,
    block,
    column_stack,
    concat,
    concatenate,
    dsplit,
    dstack,
    hsplit,
    hstack,
    split,
    stack,
    trim_zeros,
    unstack,
    vsplit,
    vstack,
)
from dovetail.numpy.logic import (
    allclose,
    array_equal,
    array_equiv,
    equal,
    greater,
    greater_equal,
    isclose,
    iscomplex,
    iscomplexobj,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from dovetail.numpy.masks import place
from dovetail.numpy.moments import average, mean, std, var
from dovetail.numpy.namespace_info import __array_api_version__, __array_namespace_info__
from dovetail.numpy.nan_reductions import (
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from dovetail.numpy.padding import pad
from dovetail.numpy.parts import (
    angle,
    conj,
    conjugate,
    copysign,
    frexp,
    heaviside,
    imag,
    ldexp,
    modf,
    nan_to_num,
    nextafter,
    real,
    signbit,
    spacing,
)
from dovetail.numpy.patterns import (
    eye,
    identity,
    meshgrid,
    tri,
    tril,
    triu,
    vander,
)
from dovetail.numpy.phases import unwrap
from dovetail.numpy.places import At
from dovetail.numpy.polynomial_fits import polyfit, roots
from dovetail.numpy.polynomials import poly, polydiv, polymul
from dovetail.numpy.products import (
    cross,
    dot,
    inner,
    kron,
    matmul,
    matvec,
    outer,
    tensordot,
    vdot,
    vecdot,
    vecmat,
)
from dovetail.numpy.quantiles import (
    median,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    quantile,
)
from dovetail.numpy.ranges import arange, geomspace, linspace, logspace
from dovetail.numpy.rearranging import (
    flip,
    fliplr,
    flipud,
    repeat,
    roll,
    rot90,
    tile,
)
from dovetail.numpy.reductions import (
    all,
    amax,
    amin,
    any,
    apply_over_axes,
    argmax,
    argmin,
    count_nonzero,
    max,
    min,
    prod,
    ptp,
    sum,
)
from dovetail.numpy.rounding import around, ceil, floor, rint, round, trunc
from dovetail.numpy.scalar_types import (
    bfloat16,
    bool_,
    cdouble,
    complex64,
    complex128,
    complex_,
    csingle,
    double,
    float4_e2m1fn,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    float_,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    int_,
    single,
    uint,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dovetail.numpy.scalar_types import (
    bool_ as bool,
)
from dovetail.numpy.sets import (
    intersect1d,
    setdiff1d,
    setxor1d,
    union1d,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from dovetail.numpy.shape import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    matrix_transpose,
    moveaxis,
    permute_dims,
    ravel,
    reshape,
    resize,
    rollaxis,
    squeeze,
    swapaxes,
    transpose,
)
from dovetail.numpy.sizes import isscalar, iterable, ndim, shape, size
from dovetail.numpy.sorting import (
    argpartition,
    argsort,
    lexsort,
    partition,
    sort,
    sort_complex,
    unique,
)
from dovetail.numpy.taking import (
    argwhere,
    bincount,
    compress,
    extract,
    flatnonzero,
    nonzero,
    put,
    put_along_axis,
    take,
    take_along_axis,
)
from dovetail.numpy.trigonometry import (
    acos,
    acosh,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    deg2rad,
    degrees,
    rad2deg,
    radians,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)
from dovetail.numpy.ufuncs import attach_methods as _attach_methods
from dovetail.numpy.ufuncs import frompyfunc, ufunc
from dovetail.numpy.vectorization import apply_along_axis, vectorize
from dovetail.ops.operands import broadcast_shapes

# Keys are moved too.
_keys.let_move_keys(
    globals(),
    dict.fromkeys(
        (
            *("array", "array_split", "asarray", "atleast_1d", "broadcast_to", "concatenate"),
            *("copy", "expand_dims", "flip", "hstack", "moveaxis", "ravel", "repeat", "reshape"),
            *("roll", "split", "squeeze", "stack", "swapaxes", "take", "tile", "transpose"),
            *("unstack", "vstack"),
        ),
        (0,),
    )
    | {"append": (0, 1), "broadcast_arrays": range(64), "where": (1, 2)},
)
_keys.let_make_keys(
    globals(),
    (
        *("empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros"),
        *("zeros_like",),
    ),
)
_eager.remember(globals(), impure=("fromfile", "fromiter", "frombuffer", "from_dlpack", "load"))
_attach_methods(globals())
