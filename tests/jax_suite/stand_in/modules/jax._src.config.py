"""JAX's config object on dovetail's settings; settings of JAX alone are dummies or gaps."""

import contextlib
import enum
import os

from dovetail import config as _dc
from dovetail.base import setting as _setting

# Settings without a meaning for results, which JAX's test case class sets: any value, no effect.
_DUMMIES = {
    "enable_checks": False,
    "traceback_filtering": "auto",
    "use_shardy_partitioner": True,
    "use_simplified_jaxpr_constants": False,
    "captured_constants_warn_bytes": 0,
    "captured_constants_report_frames": 0,
    "embedded_constants_max_bytes": 16,
    "pprint_use_color": True,
    "persistent_cache_min_entry_size_bytes": 0,
    "persistent_cache_min_compile_time_secs": 1.0,
    "raise_persistent_cache_errors": False,
    "persistent_cache_enable_xla_caches": "",
    "mutable_array_checks": False,
    "include_full_tracebacks_in_locations": True,
    "use_direct_linearize": True,
    "softmax_custom_jvp": True,
    "remat3": False,
    "custom_vjp3": False,
    "check_static_indices": False,
    "threefry_gpu_kernel_lowering": False,
    "gpu_use_magma": "auto",
    "remove_size_one_mesh_axis_from_type": False,
    "default_dtype_bits": "64",
    "jax_platforms": None,
    "array_garbage_collection_guard": "allow",
    "enable_pgle": False,
    "pgle_profiling_runs": 0,
    "compilation_cache_check_contents": False,
    "jax_jit_cpp_cache_obj": None,
    "export_calling_convention_version": 10,
    "jax_export_calling_convention_version": 10,
    "export_ignore_forward_compatibility": False,
    "exec_time_optimization_effort": 0.0,
    "jax_ragged_dot_use_ragged_dot_instruction": False,
    "unsafe_xla_runtime_errors": False,
    "no_execution": False,
    "error_checking_behavior_nan": "ignore",
    "error_checking_behavior_divide": "ignore",
    "error_checking_behavior_oob": "ignore",
    "optimization_level": "O1",
    "memory_fitting_level": "O2",
    "explain_cache_misses_": False,
    "hlo_source_file_canonicalization_regex": None,
    "hlo_source_file_canonicalization": None,
    "cpu_enable_async_dispatch": True,
    "mock_num_gpus": 0,
    "mock_gpu_topology": None,
    "jax_pallas_use_mosaic_gpu": False,
}


class ExplicitX64Mode(enum.Enum):
    WARN = 0
    ERROR = 1
    ALLOW = 2


class _ExplicitX64:
    """Dovetail's setting, with the modes as JAX's enum."""

    option = _dc.explicit_x64_dtypes

    @property
    def value(self):
        return ExplicitX64Mode[self.option.value.upper()]

    def __call__(self, mode):
        return self.option(self._name(mode))

    def set(self, mode):
        self.option.set(self._name(mode))

    @staticmethod
    def _name(mode):
        return mode.name.lower() if isinstance(mode, ExplicitX64Mode) else mode


class _Dummy:
    def __init__(self, name, value):
        self.name, self.value = name, value

    @contextlib.contextmanager
    def __call__(self, value=True):
        old, self.value = self.value, value
        try:
            yield
        finally:
            self.value = old

    def set(self, value):
        self.value = value


class _Wrapped:
    """A dovetail option; `None` for booleans is JAX's default."""

    def __init__(self, option):
        self.option = option
        self.name = "jax_" + option.name if hasattr(option, "name") else "?"

    @property
    def value(self):
        return self.option.value

    def __call__(self, *args):
        return self.option(*args)

    def set(self, value):
        self.option.set(value)

    def __bool__(self):
        return bool(self.option.value)


config_states = {}
for _n, _o in _setting.options.items():
    config_states["jax_" + _n] = globals()[_n] = _o
for _n, _v in _DUMMIES.items():
    if "jax_" + _n not in config_states:
        config_states["jax_" + _n.removeprefix("jax_")] = globals()[_n] = _Dummy(_n, _v)
explicit_x64_dtypes = config_states["jax_explicit_x64_dtypes"] = _ExplicitX64()


class _Flag:
    def __init__(self, value):
        self.value = value


_flags = {}


def string_flag(name, default, help="", **k):
    return _flags.setdefault(name, _Flag(default))


int_flag = bool_flag = string_flag


def bool_env(name, default):
    return os.getenv(name, str(default)).lower() in ("1", "true", "yes", "y", "on")


def int_env(name, default):
    return int(os.getenv(name, default))


def _read(name):
    if name in config_states:
        return config_states[name].value
    if name in _flags:
        return _flags[name].value
    raise AttributeError(f"Unrecognized config option: {name}")


def update(name, value):
    if name in config_states:
        config_states[name].set(value)
    else:
        raise AttributeError(f"Unrecognized config option: {name}")


def parse_flags_with_absl():
    pass


def trace_context():
    return tuple(s.value for s in config_states.values())


class _Config:
    @property
    def values(self):
        return {k: v.value for k, v in config_states.items()}

    update = staticmethod(update)
    _read = staticmethod(_read)
    read = staticmethod(_read)
    parse_flags_with_absl = staticmethod(parse_flags_with_absl)

    @property
    def x64_enabled(self):
        return _dc.enable_x64.value

    def __getattr__(self, name):
        if name in config_states:
            return config_states[name].value
        if "jax_" + name in config_states:
            return config_states["jax_" + name]
        raise AttributeError(name)


config = _Config()
if bool_env("JAX_ENABLE_X64", False):
    _dc.update("enable_x64", True)
