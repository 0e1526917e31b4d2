"""Settings, by name and as context managers."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from dovetail.base.accepted import array_garbage_collection_guard as array_garbage_collection_guard
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
from dovetail.base.config import compilation_cache_dir as compilation_cache_dir
from dovetail.base.config import compilation_cache_max_size as compilation_cache_max_size
from dovetail.base.config import compile as compile
from dovetail.base.config import compile_in_process as compile_in_process
from dovetail.base.config import (
    cpu_collectives_implementation as cpu_collectives_implementation,
)
from dovetail.base.config import debug_infs as debug_infs
from dovetail.base.config import debug_key_reuse as debug_key_reuse
from dovetail.base.config import debug_nans as debug_nans
from dovetail.base.config import default_matmul_precision as default_matmul_precision
from dovetail.base.config import default_prng_impl as default_prng_impl
from dovetail.base.config import disable_jit as disable_jit
from dovetail.base.config import dump as dump
from dovetail.base.config import enable_compilation_cache as enable_compilation_cache
from dovetail.base.config import enable_custom_prng as enable_custom_prng
from dovetail.base.config import enable_x64 as enable_x64
from dovetail.base.config import explain_cache_misses as explain_cache_misses
from dovetail.base.config import explain_sharding as explain_sharding
from dovetail.base.config import explicit_x64_dtypes as explicit_x64_dtypes
from dovetail.base.config import high_dynamic_range_gumbel as high_dynamic_range_gumbel
from dovetail.base.config import legacy_prng_key as legacy_prng_key
from dovetail.base.config import log_compiles as log_compiles
from dovetail.base.config import merge_small_ops as merge_small_ops
from dovetail.base.config import no_execution as no_execution
from dovetail.base.config import no_tracing as no_tracing
from dovetail.base.config import num_cpu_devices as num_cpu_devices
from dovetail.base.config import numpy_dtype_promotion as numpy_dtype_promotion
from dovetail.base.config import numpy_rank_promotion as numpy_rank_promotion
from dovetail.base.config import platform_name as platform_name
from dovetail.base.config import platforms as platforms
from dovetail.base.config import random_seed_offset as random_seed_offset
from dovetail.base.config import specialize_sizes as specialize_sizes
from dovetail.base.config import threefry_partitionable as threefry_partitionable
from dovetail.base.config import transfer_guard as transfer_guard
from dovetail.base.config import transfer_guard_device_to_device as transfer_guard_device_to_device
from dovetail.base.config import transfer_guard_device_to_host as transfer_guard_device_to_host
from dovetail.base.config import transfer_guard_host_to_device as transfer_guard_host_to_device
from dovetail.base.setting import Option as Option
from dovetail.base.setting import options as _options
from dovetail.placement.platforms import default_device as default_device


def _find(name: str) -> Option[Any]:
    option = _options.get(name.removeprefix("jax_"))
    if option is None:
        raise AttributeError(
            f"no setting is named {name!r}; the settings are {', '.join(_options)}"
        )
    return option


def update(name: str, value: Any) -> None:
    """Change a setting for the whole process.

    Args:
      name: the setting; a `jax_` prefix is ignored.
      value: its new value.

    Raises:
      AttributeError: there is no such setting.
      ValueError: it cannot have this value.

    Example:
      >>> from dovetail import config
      >>> config.update("enable_x64", False)
    """
    _find(name).set(value)


def read(name: str) -> Any:
    """The value of a setting, by name.

    Args:
      name: the setting; a `jax_` prefix is ignored.

    Returns:
      The value that applies here.

    Raises:
      AttributeError: there is no such setting.

    Example:
      >>> from dovetail import config
      >>> config.read("numpy_rank_promotion")
      'allow'
    """
    return _find(name).value


def __getattr__(name: str) -> Any:
    """The value of `jax_<name>`, and those of all settings as `values`."""
    if name == "values":
        return {option: read(option) for option in _options}
    if name.startswith("jax_"):
        return read(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Settings(ModuleType):
    """This module, in which assignment to a setting is an error instead of replacing it."""

    def __setattr__(self, name: str, value: Any) -> None:
        setting = name.removeprefix("jax_")
        if setting in _options and value is not _options[setting]:
            raise AttributeError(
                f"a setting cannot be assigned to; call dovetail.config.update({setting!r}, "
                f"{value!r})"
            )
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Settings
