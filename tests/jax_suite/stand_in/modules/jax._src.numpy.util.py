"""promote_dtypes & co for the NumPy side of tests: results are NumPy arrays."""

import numpy as np
from jax._src import dtypes

from dovetail import numpy as _dnp


def _cast(args, dtype):
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
