"""promote_dtypes & co: tests use them for NumPy arrays, of which they make others, and tracers."""

import numpy as np
from jax._src import dtypes

from dovetail import Array
from dovetail import numpy as _dnp


def _cast(args, dtype):
    if any(isinstance(a, Array) for a in args):
        return [_dnp.asarray(a, dtype) for a in args]
    return [np.asarray(a).astype(dtype) for a in args]


def _result(args):
    from dovetail import config

    with config.numpy_dtype_promotion("standard"):
        return _dnp.result_type(*args)


def promote_dtypes(*args):
    return _cast(args, _result(args))


def promote_dtypes_inexact(*args):
    return _cast(args, dtypes.to_inexact_dtype(_result(args)))


def promote_dtypes_complex(*args):
    return _cast(args, dtypes.to_complex_dtype(_result(args)))


def promote_dtypes_numeric(*args):
    return _cast(args, dtypes.to_numeric_dtype(_result(args)))
