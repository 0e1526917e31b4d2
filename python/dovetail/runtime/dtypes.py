"""The single table of NumPy dtypes, HAL element types and MLIR element types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from iree.runtime import HalElementType

# Its type stub does not declare it as an integer.
_E: Any = HalElementType

# (dtype, HAL element type, MLIR spelling). An i1 tensor is stored as one byte per element, as are
# all types for which the code generator has no arrays.
_TABLE = (
    (np.bool_, _E.BOOL_8, "i1"),
    (np.int8, _E.SINT_8, "i8"),
    (np.int16, _E.SINT_16, "i16"),
    (np.int32, _E.SINT_32, "i32"),
    (np.int64, _E.SINT_64, "i64"),
    (np.uint8, _E.UINT_8, "ui8"),
    (np.uint16, _E.UINT_16, "ui16"),
    (np.uint32, _E.UINT_32, "ui32"),
    (np.uint64, _E.UINT_64, "ui64"),
    (np.float16, _E.FLOAT_16, "f16"),
    (np.float32, _E.FLOAT_32, "f32"),
    (np.float64, _E.FLOAT_64, "f64"),
    (np.complex64, _E.COMPLEX_64, "complex<f32>"),
    (np.complex128, _E.COMPLEX_128, "complex<f64>"),
    (ml_dtypes.bfloat16, _E.BFLOAT_16, "bf16"),
    (ml_dtypes.float8_e4m3fn, _E.FLOAT_8_E4M3_FN, "f8E4M3FN"),
    (ml_dtypes.float8_e4m3fnuz, _E.FLOAT_8_E4M3_FNUZ, "f8E4M3FNUZ"),
    (ml_dtypes.float8_e5m2, _E.FLOAT_8_E5M2, "f8E5M2"),
    (ml_dtypes.float8_e5m2fnuz, _E.FLOAT_8_E5M2_FNUZ, "f8E5M2FNUZ"),
    (ml_dtypes.float8_e8m0fnu, _E.FLOAT_8_E8M0_FNU, "f8E8M0FNU"),
    (ml_dtypes.float8_e3m4, _E.UINT_8, "f8E3M4"),
    (ml_dtypes.float8_e4m3, _E.UINT_8, "f8E4M3"),
    (ml_dtypes.float8_e4m3b11fnuz, _E.UINT_8, "f8E4M3B11FNUZ"),
    (ml_dtypes.float6_e2m3fn, _E.UINT_8, "f6E2M3FN"),
    (ml_dtypes.float6_e3m2fn, _E.UINT_8, "f6E3M2FN"),
    (ml_dtypes.float4_e2m1fn, _E.UINT_8, "f4E2M1FN"),
    (ml_dtypes.int2, _E.UINT_8, "i2"),
    (ml_dtypes.int4, _E.UINT_8, "i4"),
    (ml_dtypes.uint2, _E.UINT_8, "ui2"),
    (ml_dtypes.uint4, _E.UINT_8, "ui4"),
)

ELEMENT_OF_DTYPE: dict[np.dtype, int] = {np.dtype(t): int(e) for t, e, _ in _TABLE}
DTYPE_OF_ELEMENT: dict[int, np.dtype] = {int(e): np.dtype(t) for t, e, _ in reversed(_TABLE)}
DTYPE_OF_MLIR: dict[str, np.dtype] = {m: np.dtype(t) for t, _, m in _TABLE}
DTYPE_OF_NAME: dict[str, np.dtype] = {np.dtype(t).name: np.dtype(t) for t, _, _ in _TABLE}

# IREE's arithmetic is signless: it returns such element types for i8…i64; the caller knows the
# sign.
DTYPE_OF_ELEMENT |= {
    int(_E.INT_8): np.dtype(np.int8),
    int(_E.INT_16): np.dtype(np.int16),
    int(_E.INT_32): np.dtype(np.int32),
    int(_E.INT_64): np.dtype(np.int64),
}
