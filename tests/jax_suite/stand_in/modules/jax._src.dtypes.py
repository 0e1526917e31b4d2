"""The names of jax._src.dtypes that tests use: those of dovetail.dtypes, else equivalents."""

import ml_dtypes
import numpy as np
from jax._src import config

from dovetail.base import dtypes as _d

_FLOAT8 = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e8m0fnu",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
]
_INTN = ["int2", "int4", "uint2", "uint4"]
# JAX has classes of scalars here, which tests put in tables.
for _n in ["bfloat16", *_FLOAT8, "float4_e2m1fn", *_INTN]:
    globals()[_n] = getattr(ml_dtypes, _n)
int1 = uint1 = None
float0 = _d.float0
bool_, int_, uint, float_, complex_ = np.bool_, np.int64, np.uint64, np.float64, np.complex128
DType = np.dtype
ExtendedDType = type("ExtendedDType", (), {})
_float8_dtypes = [np.dtype(getattr(ml_dtypes, n)) for n in _FLOAT8]
_intn_dtypes = [np.dtype(getattr(ml_dtypes, n)) for n in _INTN]
python_scalar_types = {bool, int, float, complex}
python_scalar_types_to_dtypes = {
    bool: np.dtype("bool"),
    int: np.dtype("int64"),
    float: np.dtype("float64"),
    complex: np.dtype("complex128"),
}
_weak_types = [int, float, complex]
_X32 = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def canonicalize_dtype(dtype, allow_extended_dtype=False):
    # Independent of dovetail: a reference in assertDtypesMatch.
    if isinstance(dtype, type) and dtype in python_scalar_types_to_dtypes:
        dtype = python_scalar_types_to_dtypes[dtype]
    if not isinstance(dtype, np.dtype):
        try:
            dtype = np.dtype(dtype)
        except TypeError:
            if allow_extended_dtype:
                return dtype
            raise
    if not config.enable_x64.value and dtype.name in _X32:
        return np.dtype(_X32[dtype.name])
    return dtype


def default_int_dtype():
    return canonicalize_dtype(np.int64)


def default_uint_dtype():
    return canonicalize_dtype(np.uint64)


def default_float_dtype():
    return canonicalize_dtype(np.float64)


def default_complex_dtype():
    return canonicalize_dtype(np.complex128)


default_types = {
    "b": lambda: np.dtype("bool"),
    "i": default_int_dtype,
    "u": default_uint_dtype,
    "f": default_float_dtype,
    "c": default_complex_dtype,
}
finfo, iinfo = ml_dtypes.finfo, ml_dtypes.iinfo


itemsize_bits = _d.itemsize_bits


def to_inexact_dtype(dtype):
    dtype = np.dtype(dtype)
    if _d.issubdtype(dtype, np.inexact):
        return dtype
    return (
        default_float_dtype()
        if dtype.kind in "b" or (True and dtype.itemsize < 0)
        else {
            "bool": np.dtype("float32"),
            "int8": np.dtype("float32"),
            "uint8": np.dtype("float32"),
            "int16": np.dtype("float32"),
            "uint16": np.dtype("float32"),
            "int32": np.dtype("float32"),
            "uint32": np.dtype("float32"),
            "int64": np.dtype("float64"),
            "uint64": np.dtype("float64"),
        }.get(dtype.name, np.dtype("float32"))
    )


def to_numeric_dtype(dtype):
    dtype = np.dtype(dtype)
    return np.dtype("int32") if dtype == np.bool_ else dtype


def to_complex_dtype(dtype):
    f = to_inexact_dtype(dtype)
    if _d.issubdtype(f, np.complexfloating):
        return f
    return np.dtype("complex128") if f == np.float64 else np.dtype("complex64")


def supports_inf(dtype):
    t = np.dtype(dtype)
    return np.isinf(np.array(np.inf).astype(t).astype(float)).item() and t.name not in (
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float4_e2m1fn",
        "float8_e8m0fnu",
    )


def is_weakly_typed(x):
    if type(x) in _weak_types:
        return True
    return bool(getattr(x, "weak_type", False))


def lattice_result_type(*args):
    return _d.promote(*map(_d.dtype_and_weakness, args))


_base = _d


def dtype(x):
    """The element type of a value, or that which a function has for its argument `dtype`."""
    return _d.requested(x, "") if isinstance(x, (type, str, np.dtype)) else _d.dtype(x)


def safe_to_cast(input_dtype_or_value, output_dtype_or_value):
    if input_dtype_or_value is output_dtype_or_value:
        return True
    if input_dtype_or_value is None or output_dtype_or_value is None:
        raise ValueError("safe_to_cast: arguments must not be None")

    def as_dt(x):
        return np.dtype(x) if isinstance(x, (type, str, np.dtype)) else _d.dtype_and_weakness(x)[0]

    def weak(x):
        return False if isinstance(x, (type, str, np.dtype)) else is_weakly_typed(x)

    if weak(output_dtype_or_value):
        raise ValueError("output_dtype should not be weakly-typed")
    if input_dtype_or_value in _weak_types:
        o = as_dt(output_dtype_or_value)
        return _d.promote((_d.PYTHON[input_dtype_or_value], True), (o, False))[0] == o
    i, o = as_dt(input_dtype_or_value), as_dt(output_dtype_or_value)
    if i == o:
        return True
    with config.numpy_dtype_promotion("standard"):
        return _d.promote_types(i, o) == o
