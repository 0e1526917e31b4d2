import types

from dovetail.as_jax import missing

version = (0, 10, 2)
jaxlib_extension_version = 1000
ifrt_version = 1000
cuda_versions = None
gpu_solver = None
version_str = "0.10.2"


class _NoHook(types.SimpleNamespace):
    def __getattr__(self, name):
        if name.startswith("is_"):
            return lambda: False
        if name.startswith("__"):
            raise AttributeError(name)
        if missing.is_lenient:
            return missing.Missing(f"jaxlib.{name}")
        raise missing.MissingNameError(f"INTERNAL jaxlib.{name}")


_jax = _NoHook()
xla_client = _NoHook()
pytree = _NoHook()


def safe_map(f, *args):
    args = list(map(list, args))
    n = len(args[0])
    for arg in args[1:]:
        if len(arg) != n:
            raise ValueError("length mismatch: " + str(list(map(len, args))))
    return list(map(f, *args))


def safe_zip(*args):
    args = list(map(list, args))
    n = len(args[0]) if args else 0
    for arg in args[1:]:
        if len(arg) != n:
            raise ValueError("length mismatch: " + str(list(map(len, args))))
    return list(zip(*args, strict=False))


def foreach(f, *args):
    safe_map(f, *args)


class Mutex:
    def __getattr__(self, name):
        return lambda *a: None


utils = types.SimpleNamespace(
    safe_map=safe_map,
    safe_zip=safe_zip,
    foreach=foreach,
    Mutex=Mutex,
    install_failure_signal_handler=lambda *a: None,
    topological_sort=lambda *a: None,
)
weakref_lru_cache = types.SimpleNamespace(
    weak_value_interner=lambda *a, **k: lambda f: f, WeakrefLRUCache=object
)
