"""`jax._src.dtypes`: what `jax.dtypes` has, and classes of element types."""

import numpy as np

from dovetail.dtypes import *  # noqa: F403

DType = np.dtype


class ExtendedDType:
    """The base of element types that libraries define; no function accepts these."""
