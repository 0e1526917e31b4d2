"""Array programs: differentiated, batched, compiled for CPUs and GPUs, and shipped without Python.

The names are JAX's. Each is loaded from its module at its first use, so that `import dovetail` is
quick and `dovetail.runtime` works where only the runtime is installed.
"""

from __future__ import annotations

import importlib

# As typing.TYPE_CHECKING, without the time that importing typing takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dovetail import config as config
    from dovetail import dtypes as dtypes
    from dovetail import errors as errors
    from dovetail import lax as lax
    from dovetail import numpy as numpy
    from dovetail import runtime as runtime
    from dovetail import test_util as test_util
    from dovetail import tree as tree
    from dovetail import tree_util as tree_util
    from dovetail.arguments import ShapeDtypeStruct as ShapeDtypeStruct
    from dovetail.arguments import block_until_ready as block_until_ready
    from dovetail.array import Array as Array
    from dovetail.autodiff import grad as grad
    from dovetail.autodiff import jvp as jvp
    from dovetail.autodiff import value_and_grad as value_and_grad
    from dovetail.batching import vmap as vmap
    from dovetail.jacobians import hessian as hessian
    from dovetail.jacobians import jacfwd as jacfwd
    from dovetail.jacobians import jacrev as jacrev
    from dovetail.lax import stop_gradient as stop_gradient
    from dovetail.linearization import linear_transpose as linear_transpose
    from dovetail.linearization import linearize as linearize
    from dovetail.linearization import vjp as vjp
    from dovetail.staging import eval_shape as eval_shape
    from dovetail.staging import jit as jit
    from dovetail.staging import make_ir as make_ir

    jacobian = jacrev
    make_jaxpr = make_ir

__version__ = "0.1.0"

# Public name: (module, name there); an empty name is the module itself.
_PUBLIC = {
    "Array": ("array", "Array"),
    "ShapeDtypeStruct": ("arguments", "ShapeDtypeStruct"),
    "block_until_ready": ("arguments", "block_until_ready"),
    "config": ("config", ""),
    "dtypes": ("dtypes", ""),
    "errors": ("errors", ""),
    "eval_shape": ("staging", "eval_shape"),
    "grad": ("autodiff", "grad"),
    "hessian": ("jacobians", "hessian"),
    "jacfwd": ("jacobians", "jacfwd"),
    "jacobian": ("jacobians", "jacrev"),
    "jacrev": ("jacobians", "jacrev"),
    "jit": ("staging", "jit"),
    "jvp": ("autodiff", "jvp"),
    "lax": ("lax", ""),
    "linear_transpose": ("linearization", "linear_transpose"),
    "linearize": ("linearization", "linearize"),
    "make_ir": ("staging", "make_ir"),
    "make_jaxpr": ("staging", "make_ir"),
    "numpy": ("numpy", ""),
    "runtime": ("runtime", ""),
    "stop_gradient": ("lax", "stop_gradient"),
    "test_util": ("test_util", ""),
    "tree": ("tree", ""),
    "tree_util": ("tree_util", ""),
    "value_and_grad": ("autodiff", "value_and_grad"),
    "vjp": ("linearization", "vjp"),
    "vmap": ("batching", "vmap"),
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    try:
        module_name, attribute = _PUBLIC[name]
    except KeyError:
        raise AttributeError(f"module 'dovetail' has no attribute {name!r}") from None
    module = importlib.import_module(f"dovetail.{module_name}")
    value = getattr(module, attribute) if attribute else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
