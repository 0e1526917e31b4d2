from typing import Any

import numpy as np

Array = ArrayLike = DTypeLike = Shape = Any
DType = np.dtype
