"""`jax._src.ad_checkpoint`: checkpoints, and their primitive."""

from dovetail.as_jax.jax.extend.core.primitives import remat_p as remat_p
from dovetail.transforms.checkpointing import *  # noqa: F403
