"""Checkpoints: `checkpoint(f)` reduces the memory of derivatives; `save` and `load` store trees,
`CheckpointFolder` those of the steps of a computation, and `save_named` and `load_named` exchange
arrays with other libraries.

The module can be called: it is the function `dovetail.ad_checkpoint.checkpoint`, which is also
`dovetail.remat`.
"""

from __future__ import annotations

import sys
import types
from typing import cast

from dovetail.saving.folders import CheckpointFolder as CheckpointFolder
from dovetail.saving.named import Matching as Matching
from dovetail.saving.named import load_named as load_named
from dovetail.saving.named import save_named as save_named
from dovetail.saving.trees import load as load
from dovetail.saving.trees import save as save
from dovetail.transforms.checkpointing import checkpoint as _checkpoint


class CheckpointModule(types.ModuleType):
    """A module that is also the function `checkpoint`.

    Example:
      >>> import dovetail as dt
      >>> float(dt.grad(dt.checkpoint(lambda x: x * x))(3.0))
      6.0
    """

    __call__ = staticmethod(_checkpoint)
    save = staticmethod(save)
    load = staticmethod(load)
    load_named = staticmethod(load_named)
    save_named = staticmethod(save_named)


this_module = cast(CheckpointModule, sys.modules[__name__])
this_module.__class__ = CheckpointModule
