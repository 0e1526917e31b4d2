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

    from dovetail import ad_checkpoint as ad_checkpoint
    from dovetail import config as config
    from dovetail import custom_batching as custom_batching
    from dovetail import custom_derivatives as custom_derivatives
    from dovetail import debug as debug
    from dovetail import dlpack as dlpack
    from dovetail import dtypes as dtypes
    from dovetail import errors as errors
    from dovetail import experimental as experimental
    from dovetail import flatten_util as flatten_util
    from dovetail import lax as lax
    from dovetail import monitoring as monitoring
    from dovetail import nn as nn
    from dovetail import numpy as numpy
    from dovetail import ops as ops
    from dovetail import optim as optim
    from dovetail import profiler as profiler
    from dovetail import random as random
    from dovetail import runtime as runtime
    from dovetail import scipy as scipy
    from dovetail import sharding as sharding
    from dovetail import stages as stages
    from dovetail import test_util as test_util
    from dovetail import tree as tree
    from dovetail import tree_util as tree_util
    from dovetail import typing as typing
    from dovetail.ad_checkpoint import checkpoint_policies as checkpoint_policies
    from dovetail.ad_checkpoint import remat as remat
    from dovetail.arguments import block_until_ready as block_until_ready
    from dovetail.array import Array as Array
    from dovetail.autodiff import grad as grad
    from dovetail.autodiff import jvp as jvp
    from dovetail.autodiff import value_and_grad as value_and_grad
    from dovetail.batching import vmap as vmap
    from dovetail.cache import cache_statistics as cache_statistics
    from dovetail.callbacks import pure_callback as pure_callback
    from dovetail.checkpoint import this_module as checkpoint  # noqa: F401 (a callable module)
    from dovetail.config import allow_f16_reductions as allow_f16_reductions
    from dovetail.config import check_tracer_leaks as check_tracer_leaks
    from dovetail.config import checking_leaks as checking_leaks
    from dovetail.config import debug_infs as debug_infs
    from dovetail.config import debug_key_reuse as debug_key_reuse
    from dovetail.config import debug_nans as debug_nans
    from dovetail.config import default_device as default_device
    from dovetail.config import default_matmul_precision as default_matmul_precision
    from dovetail.config import default_prng_impl as default_prng_impl
    from dovetail.config import disable_jit as disable_jit
    from dovetail.config import enable_custom_prng as enable_custom_prng
    from dovetail.config import enable_x64 as enable_x64
    from dovetail.config import explain_cache_misses as explain_cache_misses
    from dovetail.config import legacy_prng_key as legacy_prng_key
    from dovetail.config import log_compiles as log_compiles
    from dovetail.config import no_execution as no_execution
    from dovetail.config import no_tracing as no_tracing
    from dovetail.config import numpy_dtype_promotion as numpy_dtype_promotion
    from dovetail.config import numpy_rank_promotion as numpy_rank_promotion
    from dovetail.config import threefry_partitionable as threefry_partitionable
    from dovetail.config import transfer_guard as transfer_guard
    from dovetail.config import transfer_guard_device_to_device as transfer_guard_device_to_device
    from dovetail.config import transfer_guard_device_to_host as transfer_guard_device_to_host
    from dovetail.config import transfer_guard_host_to_device as transfer_guard_host_to_device
    from dovetail.custom_derivatives import closure_convert as closure_convert
    from dovetail.custom_derivatives import custom_gradient as custom_gradient
    from dovetail.custom_derivatives import custom_jvp as custom_jvp
    from dovetail.custom_derivatives import custom_vjp as custom_vjp
    from dovetail.descriptions import ShapeDtypeStruct as ShapeDtypeStruct
    from dovetail.dtypes import float0 as float0
    from dovetail.environment import clear_caches as clear_caches
    from dovetail.environment import default_backend as default_backend
    from dovetail.environment import device_count as device_count
    from dovetail.environment import devices as devices
    from dovetail.environment import effects_barrier as effects_barrier
    from dovetail.environment import live_arrays as live_arrays
    from dovetail.environment import local_device_count as local_device_count
    from dovetail.environment import local_devices as local_devices
    from dovetail.environment import print_environment_info as print_environment_info
    from dovetail.environment import process_count as process_count
    from dovetail.environment import process_index as process_index
    from dovetail.environment import process_indices as process_indices
    from dovetail.environment import typeof as typeof
    from dovetail.export import this_module as export  # noqa: F401 (a callable module)
    from dovetail.inspection import eval_shape as eval_shape
    from dovetail.inspection import make_ir as make_ir
    from dovetail.jacobians import hessian as hessian
    from dovetail.jacobians import jacfwd as jacfwd
    from dovetail.jacobians import jacrev as jacrev
    from dovetail.lax import stop_gradient as stop_gradient
    from dovetail.linearization import fwd_and_bwd as fwd_and_bwd
    from dovetail.linearization import linear_transpose as linear_transpose
    from dovetail.linearization import linearize as linearize
    from dovetail.linearization import vjp as vjp
    from dovetail.placement import Device as Device
    from dovetail.placement import Shard as Shard
    from dovetail.scopes import ensure_compile_time_eval as ensure_compile_time_eval
    from dovetail.scopes import named_call as named_call
    from dovetail.scopes import named_scope as named_scope
    from dovetail.staging import jit as jit
    from dovetail.transfers import copy_to_host_async as copy_to_host_async
    from dovetail.transfers import device_get as device_get
    from dovetail.transfers import device_put as device_put
    from dovetail.user_context import make_user_context as make_user_context

    jacobian = jacrev
    make_jaxpr = make_ir

__version__ = "0.1.0"

# Public name: (module, name there); an empty name is the module itself.
_PUBLIC = {
    "Array": ("array", "Array"),
    "Device": ("placement", "Device"),
    "ShapeDtypeStruct": ("descriptions", "ShapeDtypeStruct"),
    "Shard": ("placement", "Shard"),
    "ad_checkpoint": ("ad_checkpoint", ""),
    "allow_f16_reductions": ("config", "allow_f16_reductions"),
    "block_until_ready": ("arguments", "block_until_ready"),
    "cache_statistics": ("cache", "cache_statistics"),
    "check_tracer_leaks": ("config", "check_tracer_leaks"),
    "checkpoint": ("checkpoint", ""),
    "checkpoint_policies": ("ad_checkpoint", "checkpoint_policies"),
    "checking_leaks": ("config", "checking_leaks"),
    "clear_caches": ("environment", "clear_caches"),
    "closure_convert": ("custom_derivatives", "closure_convert"),
    "config": ("config", ""),
    "copy_to_host_async": ("transfers", "copy_to_host_async"),
    "custom_batching": ("custom_batching", ""),
    "custom_derivatives": ("custom_derivatives", ""),
    "custom_gradient": ("custom_derivatives", "custom_gradient"),
    "custom_jvp": ("custom_derivatives", "custom_jvp"),
    "custom_vjp": ("custom_derivatives", "custom_vjp"),
    "debug": ("debug", ""),
    "debug_infs": ("config", "debug_infs"),
    "debug_key_reuse": ("config", "debug_key_reuse"),
    "debug_nans": ("config", "debug_nans"),
    "default_backend": ("environment", "default_backend"),
    "default_device": ("config", "default_device"),
    "default_matmul_precision": ("config", "default_matmul_precision"),
    "default_prng_impl": ("config", "default_prng_impl"),
    "device_count": ("environment", "device_count"),
    "device_get": ("transfers", "device_get"),
    "device_put": ("transfers", "device_put"),
    "devices": ("environment", "devices"),
    "disable_jit": ("config", "disable_jit"),
    "dlpack": ("dlpack", ""),
    "dtypes": ("dtypes", ""),
    "effects_barrier": ("environment", "effects_barrier"),
    "enable_custom_prng": ("config", "enable_custom_prng"),
    "enable_x64": ("config", "enable_x64"),
    "ensure_compile_time_eval": ("scopes", "ensure_compile_time_eval"),
    "errors": ("errors", ""),
    "eval_shape": ("inspection", "eval_shape"),
    "experimental": ("experimental", ""),
    "explain_cache_misses": ("config", "explain_cache_misses"),
    "export": ("export", ""),
    "flatten_util": ("flatten_util", ""),
    "float0": ("dtypes", "float0"),
    "grad": ("autodiff", "grad"),
    "hessian": ("jacobians", "hessian"),
    "jacfwd": ("jacobians", "jacfwd"),
    "jacobian": ("jacobians", "jacrev"),
    "jacrev": ("jacobians", "jacrev"),
    "jit": ("staging", "jit"),
    "jvp": ("autodiff", "jvp"),
    "lax": ("lax", ""),
    "legacy_prng_key": ("config", "legacy_prng_key"),
    "fwd_and_bwd": ("linearization", "fwd_and_bwd"),
    "linear_transpose": ("linearization", "linear_transpose"),
    "linearize": ("linearization", "linearize"),
    "live_arrays": ("environment", "live_arrays"),
    "local_device_count": ("environment", "local_device_count"),
    "local_devices": ("environment", "local_devices"),
    "log_compiles": ("config", "log_compiles"),
    "make_ir": ("inspection", "make_ir"),
    "make_jaxpr": ("inspection", "make_ir"),
    "make_user_context": ("user_context", "make_user_context"),
    "monitoring": ("monitoring", ""),
    "named_call": ("scopes", "named_call"),
    "named_scope": ("scopes", "named_scope"),
    "nn": ("nn", ""),
    "no_execution": ("config", "no_execution"),
    "no_tracing": ("config", "no_tracing"),
    "numpy": ("numpy", ""),
    "numpy_dtype_promotion": ("config", "numpy_dtype_promotion"),
    "numpy_rank_promotion": ("config", "numpy_rank_promotion"),
    "ops": ("ops", ""),
    "optim": ("optim", ""),
    "print_environment_info": ("environment", "print_environment_info"),
    "process_count": ("environment", "process_count"),
    "process_index": ("environment", "process_index"),
    "process_indices": ("environment", "process_indices"),
    "profiler": ("profiler", ""),
    "pure_callback": ("callbacks", "pure_callback"),
    "random": ("random", ""),
    "remat": ("ad_checkpoint", "checkpoint"),
    "runtime": ("runtime", ""),
    "scipy": ("scipy", ""),
    "sharding": ("sharding", ""),
    "stages": ("stages", ""),
    "stop_gradient": ("lax", "stop_gradient"),
    "test_util": ("test_util", ""),
    "threefry_partitionable": ("config", "threefry_partitionable"),
    "transfer_guard": ("config", "transfer_guard"),
    "transfer_guard_device_to_device": ("config", "transfer_guard_device_to_device"),
    "transfer_guard_device_to_host": ("config", "transfer_guard_device_to_host"),
    "transfer_guard_host_to_device": ("config", "transfer_guard_host_to_device"),
    "tree": ("tree", ""),
    "tree_util": ("tree_util", ""),
    "typeof": ("environment", "typeof"),
    "typing": ("typing", ""),
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
