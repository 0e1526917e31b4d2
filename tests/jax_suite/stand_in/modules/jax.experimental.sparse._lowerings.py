"""What JAX's tests for devices that we do not have refer to."""

import numpy as _np

SUPPORTED_DATA_DTYPES = [_np.float32, _np.float64, _np.complex64, _np.complex128]
