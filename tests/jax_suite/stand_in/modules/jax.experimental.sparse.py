"""`jax.experimental.sparse`, with private functions that JAX's tests call."""

import importlib as _importlib

from dovetail.experimental import sparse as _sparse
from dovetail.experimental.sparse import *  # noqa: F403

for _name in ("bcoo", "bcsr", "coo", "csr", "util"):
    globals()[_name] = _importlib.import_module(f"jax.experimental.sparse.{_name}")
grad, random_bcoo = _sparse.grad, _sparse.random_bcoo
