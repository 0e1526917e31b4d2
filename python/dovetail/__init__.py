"""Array programs: differentiated, batched, compiled for CPUs and GPUs, and shipped without Python.

The names are JAX's. Each is loaded from its module at its first use, so that `import dovetail` is
quick and `dovetail.runtime` works where only the runtime is installed.
"""

from __future__ import annotations

import importlib

# Like typing.TYPE_CHECKING, without the time to import typing.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dovetail import ad as ad
    from dovetail import ad_checkpoint as ad_checkpoint
    from dovetail import api_util as api_util
    from dovetail import config as config
    from dovetail import custom_batching as custom_batching
    from dovetail import custom_derivatives as custom_derivatives
    from dovetail import debug as debug
    from dovetail import deprecations as deprecations
    from dovetail import distributed as distributed
    from dovetail import dlpack as dlpack
    from dovetail import dtypes as dtypes
    from dovetail import errors as errors
    from dovetail import experimental as experimental
    from dovetail import ffi as ffi
    from dovetail import flatten_util as flatten_util
    from dovetail import image as image
    from dovetail import lax as lax
    from dovetail import memory as memory
    from dovetail import monitoring as monitoring
    from dovetail import nn as nn
    from dovetail import numpy as numpy
    from dovetail import ops as ops
    from dovetail import optim as optim
    from dovetail import profiler as profiler
    from dovetail import random as random
    from dovetail import ref as ref
    from dovetail import runtime as runtime
    from dovetail import scipy as scipy
    from dovetail import sharding as sharding
    from dovetail import stablehlo as stablehlo
    from dovetail import stages as stages
    from dovetail import test_util as test_util
    from dovetail import tree as tree
    from dovetail import tree_util as tree_util
    from dovetail import typing as typing
    from dovetail.arrays.array import Array as Array
    from dovetail.arrays.descriptions import ShapeDtypeStruct as ShapeDtypeStruct
    from dovetail.base.accepted import (
        array_garbage_collection_guard as array_garbage_collection_guard,
    )
    from dovetail.base.accepted import auto_pcast as auto_pcast
    from dovetail.base.accepted import enable_checks as enable_checks
    from dovetail.base.accepted import (
        jax2tf_associative_scan_reductions as jax2tf_associative_scan_reductions,
    )
    from dovetail.base.accepted import (
        remove_size_one_mesh_axis_from_type as remove_size_one_mesh_axis_from_type,
    )
    from dovetail.base.accepted import softmax_custom_jvp as softmax_custom_jvp
    from dovetail.base.accepted import thread_guard as thread_guard
    from dovetail.base.config import allow_f16_reductions as allow_f16_reductions
    from dovetail.base.config import check_tracer_leaks as check_tracer_leaks
    from dovetail.base.config import checking_leaks as checking_leaks
    from dovetail.base.config import debug_infs as debug_infs
    from dovetail.base.config import debug_key_reuse as debug_key_reuse
    from dovetail.base.config import debug_nans as debug_nans
    from dovetail.base.config import default_matmul_precision as default_matmul_precision
    from dovetail.base.config import default_prng_impl as default_prng_impl
    from dovetail.base.config import disable_jit as disable_jit
    from dovetail.base.config import enable_custom_prng as enable_custom_prng
    from dovetail.base.config import enable_x64 as enable_x64
    from dovetail.base.config import explain_cache_misses as explain_cache_misses
    from dovetail.base.config import explain_sharding as explain_sharding
    from dovetail.base.config import legacy_prng_key as legacy_prng_key
    from dovetail.base.config import log_compiles as log_compiles
    from dovetail.base.config import no_execution as no_execution
    from dovetail.base.config import no_tracing as no_tracing
    from dovetail.base.config import numpy_dtype_promotion as numpy_dtype_promotion
    from dovetail.base.config import numpy_rank_promotion as numpy_rank_promotion
    from dovetail.base.config import threefry_partitionable as threefry_partitionable
    from dovetail.base.config import transfer_guard as transfer_guard
    from dovetail.base.config import (
        transfer_guard_device_to_device as transfer_guard_device_to_device,
    )
    from dovetail.base.config import transfer_guard_device_to_host as transfer_guard_device_to_host
    from dovetail.base.config import transfer_guard_host_to_device as transfer_guard_host_to_device
    from dovetail.base.dtypes import float0 as float0
    from dovetail.base.scopes import ensure_compile_time_eval as ensure_compile_time_eval
    from dovetail.base.scopes import named_call as named_call
    from dovetail.base.scopes import named_scope as named_scope
    from dovetail.base.user_context import make_user_context as make_user_context
    from dovetail.checkpoint import this_module as _checkpoint
    from dovetail.compiler.cache import cache_statistics as cache_statistics
    from dovetail.diagnostics.environment import clear_caches as clear_caches
    from dovetail.diagnostics.environment import default_backend as default_backend
    from dovetail.diagnostics.environment import device_count as device_count
    from dovetail.diagnostics.environment import devices as devices
    from dovetail.diagnostics.environment import effects_barrier as effects_barrier
    from dovetail.diagnostics.environment import host_count as host_count
    from dovetail.diagnostics.environment import host_id as host_id
    from dovetail.diagnostics.environment import host_ids as host_ids
    from dovetail.diagnostics.environment import live_arrays as live_arrays
    from dovetail.diagnostics.environment import local_device_count as local_device_count
    from dovetail.diagnostics.environment import local_devices as local_devices
    from dovetail.diagnostics.environment import print_environment_info as print_environment_info
    from dovetail.diagnostics.environment import process_count as process_count
    from dovetail.diagnostics.environment import process_index as process_index
    from dovetail.diagnostics.environment import process_indices as process_indices
    from dovetail.diagnostics.environment import typeof as typeof
    from dovetail.diagnostics.notebook.extension import (
        load_ipython_extension as load_ipython_extension,
    )
    from dovetail.diagnostics.viewer.view import view as view
    from dovetail.export import this_module as _export
    from dovetail.jaxprs.making import make_jaxpr as make_jaxpr
    from dovetail.lax import stop_gradient as stop_gradient
    from dovetail.placement.device_meshes import make_mesh as make_mesh
    from dovetail.placement.devices import Device as Device
    from dovetail.placement.mesh_contexts import get_abstract_mesh as get_abstract_mesh
    from dovetail.placement.mesh_contexts import get_mesh as get_mesh
    from dovetail.placement.mesh_contexts import set_mesh as set_mesh
    from dovetail.placement.mesh_contexts import use_abstract_mesh as use_abstract_mesh
    from dovetail.placement.named_sharding import NamedSharding as NamedSharding
    from dovetail.placement.partition_spec import P as P
    from dovetail.placement.platforms import default_device as default_device
    from dovetail.placement.shardings import Shard as Shard
    from dovetail.programs.assembly import make_array_from_callback as make_array_from_callback
    from dovetail.programs.assembly import (
        make_array_from_process_local_data as make_array_from_process_local_data,
    )
    from dovetail.programs.assembly import (
        make_array_from_single_device_arrays as make_array_from_single_device_arrays,
    )
    from dovetail.programs.compiler_hints import CompilerEffortLevel as CompilerEffortLevel
    from dovetail.programs.compiler_hints import Inline as Inline
    from dovetail.programs.inspection import eval_shape as eval_shape
    from dovetail.programs.inspection import make_ir as make_ir
    from dovetail.programs.jit import jit as jit
    from dovetail.programs.transfers import copy_to_host_async as copy_to_host_async
    from dovetail.programs.transfers import device_get as device_get
    from dovetail.programs.transfers import device_put as device_put
    from dovetail.tracing.arguments import block_until_ready as block_until_ready
    from dovetail.tracing.held_indices import dslice as _dslice
    from dovetail.tracing.references import Ref as Ref
    from dovetail.transforms.autodiff import grad as grad
    from dovetail.transforms.autodiff import jvp as jvp
    from dovetail.transforms.autodiff import value_and_grad as value_and_grad
    from dovetail.transforms.batching import vmap as vmap
    from dovetail.transforms.callbacks import pure_callback as pure_callback
    from dovetail.transforms.checkpointing import checkpoint_policies as checkpoint_policies
    from dovetail.transforms.checkpointing import remat as remat
    from dovetail.transforms.custom_derivatives import closure_convert as closure_convert
    from dovetail.transforms.custom_derivatives import custom_gradient as custom_gradient
    from dovetail.transforms.custom_derivatives import custom_jvp as custom_jvp
    from dovetail.transforms.custom_derivatives import custom_vjp as custom_vjp
    from dovetail.transforms.explicit_sharding import reshard as reshard
    from dovetail.transforms.jacobians import hessian as hessian
    from dovetail.transforms.jacobians import jacfwd as jacfwd
    from dovetail.transforms.jacobians import jacrev as jacrev
    from dovetail.transforms.linearization import fwd_and_bwd as fwd_and_bwd
    from dovetail.transforms.linearization import linear_transpose as linear_transpose
    from dovetail.transforms.linearization import linearize as linearize
    from dovetail.transforms.linearization import vjp as vjp
    from dovetail.transforms.parallel_map import pmap as pmap
    from dovetail.transforms.references import empty_ref as empty_ref
    from dovetail.transforms.references import free_ref as free_ref
    from dovetail.transforms.references import freeze as freeze
    from dovetail.transforms.references import new_ref as new_ref
    from dovetail.transforms.shard_mapping import shard_map as shard_map
    from dovetail.transforms.shard_mapping import smap as smap

    # Modules that can be called.
    checkpoint = _checkpoint
    export = _export
    jacobian = jacrev
    ds = _dslice

__version__ = "0.1.0"

# Public name: (module, name there); an empty name is the module itself.
_PUBLIC = {
    "Array": ("arrays.array", "Array"),
    "Device": ("placement.devices", "Device"),
    "NamedSharding": ("placement.named_sharding", "NamedSharding"),
    "P": ("placement.partition_spec", "P"),
    "Ref": ("tracing.references", "Ref"),
    "ShapeDtypeStruct": ("arrays.descriptions", "ShapeDtypeStruct"),
    "Shard": ("placement.shardings", "Shard"),
    "ad": ("ad", ""),
    "ad_checkpoint": ("ad_checkpoint", ""),
    "allow_f16_reductions": ("base.config", "allow_f16_reductions"),
    "block_until_ready": ("tracing.arguments", "block_until_ready"),
    "cache_statistics": ("compiler.cache", "cache_statistics"),
    "check_tracer_leaks": ("base.config", "check_tracer_leaks"),
    "checkpoint": ("checkpoint", ""),
    "checkpoint_policies": ("transforms.checkpointing", "checkpoint_policies"),
    "checking_leaks": ("base.config", "checking_leaks"),
    "clear_caches": ("diagnostics.environment", "clear_caches"),
    "closure_convert": ("transforms.custom_derivatives", "closure_convert"),
    "config": ("config", ""),
    "copy_to_host_async": ("programs.transfers", "copy_to_host_async"),
    "custom_batching": ("custom_batching", ""),
    "custom_derivatives": ("custom_derivatives", ""),
    "custom_gradient": ("transforms.custom_derivatives", "custom_gradient"),
    "custom_jvp": ("transforms.custom_derivatives", "custom_jvp"),
    "custom_vjp": ("transforms.custom_derivatives", "custom_vjp"),
    "debug": ("debug", ""),
    "debug_infs": ("base.config", "debug_infs"),
    "debug_key_reuse": ("base.config", "debug_key_reuse"),
    "debug_nans": ("base.config", "debug_nans"),
    "default_backend": ("diagnostics.environment", "default_backend"),
    "default_device": ("placement.platforms", "default_device"),
    "default_matmul_precision": ("base.config", "default_matmul_precision"),
    "default_prng_impl": ("base.config", "default_prng_impl"),
    "device_count": ("diagnostics.environment", "device_count"),
    "device_get": ("programs.transfers", "device_get"),
    "device_put": ("programs.transfers", "device_put"),
    "devices": ("diagnostics.environment", "devices"),
    "deprecations": ("deprecations", ""),
    "disable_jit": ("base.config", "disable_jit"),
    "distributed": ("distributed", ""),
    "dlpack": ("dlpack", ""),
    "dtypes": ("dtypes", ""),
    "effects_barrier": ("diagnostics.environment", "effects_barrier"),
    "empty_ref": ("transforms.references", "empty_ref"),
    "enable_custom_prng": ("base.config", "enable_custom_prng"),
    "enable_x64": ("base.config", "enable_x64"),
    "ensure_compile_time_eval": ("base.scopes", "ensure_compile_time_eval"),
    "errors": ("errors", ""),
    "eval_shape": ("programs.inspection", "eval_shape"),
    "experimental": ("experimental", ""),
    "explain_cache_misses": ("base.config", "explain_cache_misses"),
    "explain_sharding": ("base.config", "explain_sharding"),
    "export": ("export", ""),
    "ffi": ("ffi", ""),
    "flatten_util": ("flatten_util", ""),
    "float0": ("base.dtypes", "float0"),
    "free_ref": ("transforms.references", "free_ref"),
    "freeze": ("transforms.references", "freeze"),
    "grad": ("transforms.autodiff", "grad"),
    "hessian": ("transforms.jacobians", "hessian"),
    "image": ("image", ""),
    "jacfwd": ("transforms.jacobians", "jacfwd"),
    "jacobian": ("transforms.jacobians", "jacrev"),
    "jacrev": ("transforms.jacobians", "jacrev"),
    "jit": ("programs.jit", "jit"),
    "jvp": ("transforms.autodiff", "jvp"),
    "lax": ("lax", ""),
    "legacy_prng_key": ("base.config", "legacy_prng_key"),
    "fwd_and_bwd": ("transforms.linearization", "fwd_and_bwd"),
    "linear_transpose": ("transforms.linearization", "linear_transpose"),
    "linearize": ("transforms.linearization", "linearize"),
    "live_arrays": ("diagnostics.environment", "live_arrays"),
    "local_device_count": ("diagnostics.environment", "local_device_count"),
    "local_devices": ("diagnostics.environment", "local_devices"),
    "load_ipython_extension": (
        "diagnostics.notebook.extension",
        "load_ipython_extension",
    ),
    "log_compiles": ("base.config", "log_compiles"),
    "make_array_from_callback": ("programs.assembly", "make_array_from_callback"),
    "make_array_from_process_local_data": (
        "programs.assembly",
        "make_array_from_process_local_data",
    ),
    "make_array_from_single_device_arrays": (
        "programs.assembly",
        "make_array_from_single_device_arrays",
    ),
    "make_mesh": ("placement.device_meshes", "make_mesh"),
    "make_ir": ("programs.inspection", "make_ir"),
    "make_jaxpr": ("jaxprs.making", "make_jaxpr"),
    "make_user_context": ("base.user_context", "make_user_context"),
    "monitoring": ("monitoring", ""),
    "named_call": ("base.scopes", "named_call"),
    "named_scope": ("base.scopes", "named_scope"),
    "nn": ("nn", ""),
    "new_ref": ("transforms.references", "new_ref"),
    "no_execution": ("base.config", "no_execution"),
    "no_tracing": ("base.config", "no_tracing"),
    "numpy": ("numpy", ""),
    "numpy_dtype_promotion": ("base.config", "numpy_dtype_promotion"),
    "numpy_rank_promotion": ("base.config", "numpy_rank_promotion"),
    "ops": ("ops", ""),
    "optim": ("optim", ""),
    "print_environment_info": ("diagnostics.environment", "print_environment_info"),
    "process_count": ("diagnostics.environment", "process_count"),
    "process_index": ("diagnostics.environment", "process_index"),
    "process_indices": ("diagnostics.environment", "process_indices"),
    "profiler": ("profiler", ""),
    "pure_callback": ("transforms.callbacks", "pure_callback"),
    "random": ("random", ""),
    "ref": ("ref", ""),
    "remat": ("transforms.checkpointing", "checkpoint"),
    "runtime": ("runtime", ""),
    "scipy": ("scipy", ""),
    "set_mesh": ("placement.mesh_contexts", "set_mesh"),
    "sharding": ("sharding", ""),
    "stablehlo": ("stablehlo", ""),
    "stages": ("stages", ""),
    "stop_gradient": ("lax", "stop_gradient"),
    "test_util": ("test_util", ""),
    "threefry_partitionable": ("base.config", "threefry_partitionable"),
    "transfer_guard": ("base.config", "transfer_guard"),
    "transfer_guard_device_to_device": ("base.config", "transfer_guard_device_to_device"),
    "transfer_guard_device_to_host": ("base.config", "transfer_guard_device_to_host"),
    "transfer_guard_host_to_device": ("base.config", "transfer_guard_host_to_device"),
    "tree": ("tree", ""),
    "tree_util": ("tree_util", ""),
    "typeof": ("diagnostics.environment", "typeof"),
    "typing": ("typing", ""),
    "value_and_grad": ("transforms.autodiff", "value_and_grad"),
    "vjp": ("transforms.linearization", "vjp"),
    "pmap": ("transforms.parallel_map", "pmap"),
    "reshard": ("transforms.explicit_sharding", "reshard"),
    "shard_map": ("transforms.shard_mapping", "shard_map"),
    "smap": ("transforms.shard_mapping", "smap"),
    "view": ("diagnostics.viewer.view", "view"),
    "vmap": ("transforms.batching", "vmap"),
    "CompilerEffortLevel": ("programs.compiler_hints", "CompilerEffortLevel"),
    "Inline": ("programs.compiler_hints", "Inline"),
    "api_util": ("api_util", ""),
    "array_garbage_collection_guard": ("base.accepted", "array_garbage_collection_guard"),
    "auto_pcast": ("base.accepted", "auto_pcast"),
    "ds": ("tracing.held_indices", "dslice"),
    "enable_checks": ("base.accepted", "enable_checks"),
    "get_abstract_mesh": ("placement.mesh_contexts", "get_abstract_mesh"),
    "get_mesh": ("placement.mesh_contexts", "get_mesh"),
    "host_count": ("diagnostics.environment", "host_count"),
    "host_id": ("diagnostics.environment", "host_id"),
    "host_ids": ("diagnostics.environment", "host_ids"),
    "jax2tf_associative_scan_reductions": ("base.accepted", "jax2tf_associative_scan_reductions"),
    "memory": ("memory", ""),
    "remove_size_one_mesh_axis_from_type": ("base.accepted", "remove_size_one_mesh_axis_from_type"),
    "softmax_custom_jvp": ("base.accepted", "softmax_custom_jvp"),
    "thread_guard": ("base.accepted", "thread_guard"),
    "use_abstract_mesh": ("placement.mesh_contexts", "use_abstract_mesh"),
}

__all__ = sorted(_PUBLIC)

# What JAX had once.
_REMOVED = ("device_put_replicated", "device_put_sharded")


def __getattr__(name: str) -> Any:
    try:
        module_name, attribute = _PUBLIC[name]
    except KeyError:
        if name in _REMOVED:
            raise AttributeError(
                f"dovetail.{name} is deprecated; use dovetail.device_put instead, with a "
                "NamedSharding"
            ) from None
        raise AttributeError(f"module 'dovetail' has no attribute {name!r}") from None
    module = importlib.import_module(f"dovetail.{module_name}")
    value = getattr(module, attribute) if attribute else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
