"""`jax.config`: Dovetail's settings, and those of JAX that have no effect on results."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import os
import re
import sys
from typing import Any

import dovetail.config
from dovetail.base.setting import Option, options

# Settings of JAX's compiler, logs, checks of itself and tracebacks: any value, no effect.
NO_EFFECT: dict[str, Any] = {
    "backend_target": "",
    "bcoo_cusparse_lowering": False,
    "captured_constants_report_frames": 0,
    "captured_constants_warn_bytes": -1,
    "check_proxy_envs": True,
    "compilation_cache_check_contents": False,
    "compilation_cache_expect_pgle": False,
    "compilation_cache_include_metadata_in_key": False,
    "compiler_detailed_logging_min_ops": 10,
    "compiler_enable_remat_pass": True,
    "cpu_enable_async_dispatch": True,
    "cpu_enable_gloo_collectives": False,
    "cpu_get_global_topology_timeout_minutes": 5,
    "cpu_get_local_topology_timeout_minutes": 2,
    "cross_host_transfer_socket_address": "",
    "cross_host_transfer_timeout_seconds": None,
    "cross_host_transfer_transfer_size": None,
    "cross_host_transport_addresses": "",
    "cuda_visible_devices": "all",
    "custom_vjp3": False,
    "debug_leaked_clients_on_clear_backends": False,
    "debug_log_modules": "",
    "disable_most_optimizations": False,
    "distributed_debug": False,
    "dump_ir_modes": "stablehlo",
    "eager_constant_folding": False,
    "embedded_constants_max_bytes": 16,
    "enable_pgle": False,
    "enable_preemption_service": True,
    "enable_recoverability": False,
    "exec_time_optimization_effort": 0.0,
    "explain_cache_misses_": False,
    "export_calling_convention_version": 10,
    "export_ignore_forward_compatibility": False,
    "force_dcn_cross_host_transfers": False,
    "gpu_use_magma": "auto",
    "hlo_source_file_canonicalization_regex": None,
    "include_debug_info_in_dumps": True,
    "include_full_tracebacks_in_locations": True,
    "jax2tf_default_native_serialization": True,
    "logging_level": "NOTSET",
    "memory_fitting_effort": 0.0,
    "memory_fitting_level": "O2",
    "mock_gpu_topology": "",
    "mock_num_gpu_processes": 0,
    "mosaic_allow_hlo": False,
    "oneapi_visible_devices": "all",
    "optimization_level": "UNKNOWN",
    "pallas_enable_debug_checks": False,
    "pallas_poison_buffers": False,
    "pallas_use_mosaic_gpu": True,
    "pallas_verbose_errors": False,
    "persistent_cache_enable_xla_caches": "xla_gpu_per_fusion_autotune_cache_dir",
    "persistent_cache_min_compile_time_secs": 1.0,
    "persistent_cache_min_entry_size_bytes": 0,
    "pgle_aggregation_percentile": 90,
    "pgle_profiling_runs": 3,
    "pjrt_client_create_options": None,
    "pprint_use_color": True,
    "ragged_dot_use_gpu_pallas_triton_lowering": False,
    "ragged_dot_use_ragged_dot_instruction": True,
    "raise_persistent_cache_errors": False,
    "refs_to_pins": False,
    "remat3": False,
    "remove_custom_partitioning_ptr_from_cache_key": False,
    "rocm_visible_devices": "all",
    "scan3": False,
    "send_traceback_to_runtime": "off",
    "serialization_version": 0,
    "share_binary_between_hosts": False,
    "share_binary_between_hosts_timeout_ms": 1200000,
    "sort_devices_by_process_index": True,
    "source_url_schema": None,
    "threefry_gpu_kernel_lowering": False,
    "traceback_filtering": "auto",
    "traceback_in_locations_limit": 10,
    "tracer_error_num_traceback_frames": 5,
    "unsafe_xla_runtime_errors": False,
    "use_direct_linearize": True,
    "use_emit_pipeline_primitive": False,
    "use_magma": "auto",
    "use_shardy_partitioner": True,
    "use_simplified_jaxpr_constants": False,
    "xla_backend": "",
    "xla_profile_version": 0,
}

# Settings of JAX that would change what programs do, and that Dovetail lacks: their only values.
ONLY: dict[str, Any] = {
    "check_static_indices": False,
    "check_vma": False,
    "disable_bwd_checks": False,
    "disable_vmap_shmap_error": False,
    "disallow_mesh_context_manager": False,
    "dump_ir_to": "",
    "error_checking_behavior_divide": "ignore",
    "error_checking_behavior_nan": "ignore",
    "error_checking_behavior_oob": "ignore",
    "experimental_unsafe_xla_runtime_errors": False,
    "log_checkpoint_residuals": False,
    "mutable_array_checks": True,
}


class Config:
    """JAX's settings by name: `jax.config`.

    Example:
      >>> import dovetail.as_jax
      >>> import jax
      >>> jax.config.update("jax_traceback_filtering", "off")  # without effect
      >>> jax.config.jax_enable_x64
      False
    """

    def __init__(self) -> None:
        object.__setattr__(self, "_no_effect", NO_EFFECT | ONLY)

    def update(self, name: str, value: Any) -> None:
        """Change a setting for the whole process.

        Args:
          name: the setting; a `jax_` prefix is ignored.
          value: its new value.

        Raises:
          AttributeError: there is no such setting.
          ValueError: it cannot have this value.
          NotImplementedError: it asks for what Dovetail lacks.
        """
        known = name.removeprefix("jax_")
        if known in ONLY and known not in options and value != ONLY[known]:
            raise NotImplementedError(
                f"config.update: Dovetail lacks the setting {name} of JAX: it must be "
                f"{ONLY[known]!r}, got: {value!r}; jax.experimental.checkify finds wrong indices, "
                "divisions and NaNs"
            )
        if known in self._no_effect and known not in options:
            self._no_effect[known] = value
        else:
            dovetail.config.update(name, value)

    def read(self, name: str) -> Any:
        """The value of a setting, by name."""
        known = name.removeprefix("jax_")
        if known in self._no_effect and known not in options:
            return self._no_effect[known]
        return dovetail.config.read(name)

    @property
    def values(self) -> dict[str, Any]:
        """The values of all settings, by JAX's names."""
        known = self._no_effect | dovetail.config.values
        return {f"jax_{name}": value for name, value in known.items()}

    def config_with_absl(self) -> None:
        """Nothing: `parse_flags_with_absl` reads the settings of the command line itself."""

    def parse_flags_with_absl(self) -> None:
        """Change the settings that the command line names, such as `--jax_enable_x64=1`.

        If absl is installed, its flags are parsed after that, with their default values.

        Raises:
          ValueError: an option has a value that its setting cannot have.
        """
        for argument in itertools.takewhile(lambda each: each != "--", sys.argv[1:]):
            name, _, text = argument.removeprefix("--jax_").partition("=")
            if argument.startswith("--jax_") and name in options:
                _set(options[name], text or "1")
        if importlib.util.find_spec("absl") is not None:
            flags = importlib.import_module("absl.flags")
            flags.FLAGS([""], known_only=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.removeprefix("jax_") in self._no_effect and name.startswith("jax_"):
            return self.read(name)
        return getattr(dovetail.config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(dovetail.config, name, value)


config = Config()


def read_environment() -> None:
    """Give settings the values of JAX's environment variables, such as `JAX_ENABLE_X64`.

    Those of Dovetail's own variables come first. At the first use of a device, the number of CPUs
    is that of `--xla_force_host_platform_device_count` in `XLA_FLAGS`.

    Raises:
      ValueError: a variable has a value that its setting cannot have.
    """
    for name, option in options.items():
        text = os.environ.get(f"JAX_{name.upper()}")
        if text is not None and f"DOVETAIL_{name.upper()}" not in os.environ:
            _set(option, text)
    # Programs set it after they have imported JAX, too.
    dovetail.config.num_cpu_devices.ask = _devices_of_xla


def _devices_of_xla() -> int | None:
    """The number of CPU devices that the environment variable `XLA_FLAGS` asks for."""
    found = re.search(
        r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", "")
    )
    return int(found[1]) if found and dovetail.config.num_cpu_devices.value == 1 else None


def _set(option: Option[Any], text: str) -> None:
    option.set(option.parse(text))
