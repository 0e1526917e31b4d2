import ml_dtypes
import numpy as np

SUPPORTED_DTYPES_SET = frozenset(
    map(
        np.dtype,
        (
            [
                "bool",
                "int8",
                "int16",
                "int32",
                "int64",
                "uint8",
                "uint16",
                "uint32",
                "uint64",
                "float16",
                "float32",
                "float64",
                "complex64",
                "complex128",
            ]
        ),
    )
) | {np.dtype(ml_dtypes.bfloat16)}
