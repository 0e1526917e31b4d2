import types

from dovetail import (  # noqa
    device_count,
    devices,
    local_device_count,
    local_devices,
    process_count,
    process_index,
)
from dovetail.config import num_cpu_devices  # noqa

_backend = types.SimpleNamespace(platform="cpu", platform_version="cpu")


def get_backend(*a):
    return _backend


get_backend.cache_clear = lambda: None


def backend_pjrt_c_api_version(*a):
    return None


def backend_stablehlo_version(*a):
    return None


def canonicalize_platform(p):
    return p


def using_pjrt_c_api(*a):
    return False
