"""The public names of Dovetail, by namespace and by the module that defines them."""

from __future__ import annotations

import importlib
import inspect
import types
from dataclasses import dataclass
from typing import Any

# In the order of the reference. `dovetail.ops` is described by the dialect's reference instead.
NAMESPACES = (
    "dovetail",
    "dovetail.numpy",
    "dovetail.numpy.fft",
    "dovetail.numpy.linalg",
    "dovetail.numpy.segments",
    "dovetail.lax",
    "dovetail.lax.linalg",
    "dovetail.random",
    "dovetail.nn",
    "dovetail.nn.initializers",
    "dovetail.optim",
    "dovetail.scipy.cluster.vq",
    "dovetail.scipy.fft",
    "dovetail.scipy.integrate",
    "dovetail.scipy.interpolate",
    "dovetail.scipy.linalg",
    "dovetail.scipy.ndimage",
    "dovetail.scipy.optimize",
    "dovetail.scipy.signal",
    "dovetail.scipy.sparse.linalg",
    "dovetail.scipy.spatial.transform",
    "dovetail.scipy.special",
    "dovetail.scipy.stats",
    "dovetail.image",
    "dovetail.tree",
    "dovetail.tree_util",
    "dovetail.flatten_util",
    "dovetail.custom_derivatives",
    "dovetail.custom_batching",
    "dovetail.ad_checkpoint",
    "dovetail.sharding",
    "dovetail.distributed",
    "dovetail.experimental",
    "dovetail.experimental.buffer_callback",
    "dovetail.experimental.mesh_utils",
    "dovetail.experimental.multihost_utils",
    "dovetail.experimental.checkify",
    "dovetail.experimental.jet",
    "dovetail.experimental.key_reuse",
    "dovetail.experimental.ode",
    "dovetail.experimental.pallas",
    "dovetail.experimental.pallas.tpu",
    "dovetail.experimental.pallas.triton",
    "dovetail.experimental.random",
    "dovetail.experimental.rnn",
    "dovetail.experimental.serialize_executable",
    "dovetail.experimental.sparse",
    "dovetail.experimental.colocated_python",
    "dovetail.experimental.compute_on",
    "dovetail.experimental.control_deps",
    "dovetail.experimental.custom_partitioning",
    "dovetail.experimental.fused",
    "dovetail.experimental.layout",
    "dovetail.experimental.scheduling_groups",
    "dovetail.experimental.shard_alike",
    "dovetail.experimental.topologies",
    "dovetail.experimental.xla_metadata",
    "dovetail.experimental.sparse.linalg",
    "dovetail.ad",
    "dovetail.ref",
    "dovetail.ffi",
    "dovetail.jaxprs",
    "dovetail.stages",
    "dovetail.export",
    "dovetail.stablehlo",
    "dovetail.runtime",
    "dovetail.checkpoint",
    "dovetail.config",
    "dovetail.debug",
    "dovetail.profiler",
    "dovetail.monitoring",
    "dovetail.errors",
    "dovetail.deprecations",
    "dovetail.dtypes",
    "dovetail.dlpack",
    "dovetail.memory",
    "dovetail.api_util",
    "dovetail.typing",
    "dovetail.test_util",
    "dovetail.example_libraries.optimizers",
    "dovetail.example_libraries.stax",
)
# A namespace with more names than this has a page for each of its groups, if there are several.
ONE_PAGE = 25
# Modules with code of their own; what they import is not theirs.
_OWN = (
    "dovetail.scipy.stats.",
    "dovetail.scipy.integrate",
    "dovetail.test_util",
    "dovetail.experimental.buffer_callback",
    "dovetail.experimental.jet",
    "dovetail.experimental.key_reuse",
    "dovetail.experimental.multihost",
    "dovetail.experimental.ode",
    "dovetail.experimental.random",
    "dovetail.experimental.rnn",
    "dovetail.experimental.serialize_executable",
    "dovetail.experimental.colocated_python",
    "dovetail.experimental.compute_on",
    "dovetail.experimental.control_deps",
    "dovetail.experimental.custom_partitioning",
    "dovetail.experimental.fused",
    "dovetail.experimental.layout",
    "dovetail.experimental.scheduling_groups",
    "dovetail.experimental.shard_alike",
    "dovetail.experimental.topologies",
    "dovetail.experimental.xla_metadata",
    "dovetail.experimental.sparse.linalg",
)
_NOT_PUBLIC = ("typing", "types", "collections.abc", "__future__")


@dataclass(frozen=True)
class Name:
    """A public name.

    Attributes:
      name: the name in its namespace.
      value: what it means.
      group: the stem of the module, or the folder, that defines it; "" for data.
      alias: the name that the documentation prefers for the same value, or "".
    """

    name: str
    value: Any
    group: str
    alias: str


def namespaces() -> list[str]:
    """All namespaces, with the distributions of `dovetail.scipy.stats`, which are modules."""
    stats = importlib.import_module("dovetail.scipy.stats")
    distributions = [
        value.__name__
        for value in vars(stats).values()
        if isinstance(value, types.ModuleType)
        and hasattr(value, "logpdf") | hasattr(value, "logpmf")
    ]
    found = list(NAMESPACES)
    after = found.index("dovetail.scipy.stats") + 1
    return found[:after] + sorted({*distributions}) + found[after:]


def public_names(namespace: str) -> list[Name]:
    """The public names of a namespace but its modules, sorted."""
    module = importlib.import_module(namespace)
    found = []
    for name in sorted(
        getattr(module, "__all__", dir(module)), key=lambda name: (name.lower(), name)
    ):
        value = getattr(module, name)
        own = not namespace.startswith(_OWN) or _module(value) == namespace
        if own and not name.startswith("_") and not _is_foreign(name, value):
            found.append(
                Name(name, value, _group(namespace, value), _preferred(module, name, value))
            )
    return found


def _is_foreign(name: str, value: Any) -> bool:
    """Whether a name is there because its module uses it."""
    if isinstance(value, types.ModuleType) or name in ("ModuleType", "annotations"):
        return True
    defined = getattr(value, "__module__", None)
    return defined in _NOT_PUBLIC and getattr(value, "__name__", name) == name


def is_data(value: Any) -> bool:
    """Whether a value is neither a function nor a class of Dovetail."""
    own = str(getattr(value, "__module__", "")).startswith("dovetail")
    return not (own and callable(value) and getattr(value, "__name__", None))


def _preferred(module: types.ModuleType, name: str, value: Any) -> str:
    own = getattr(value, "__name__", name)
    if is_data(value) or not isinstance(own, str) or own == name:
        return ""
    return own if getattr(module, own, None) is value else ""


def _group(namespace: str, value: Any) -> str:
    if is_data(value):
        return ""
    defined = _module(value)
    if defined == namespace or not defined.startswith(namespace + "."):
        return defined.removeprefix("dovetail.").split(".")[0]
    return defined.removeprefix(namespace + ".").split(".")[0]


def _module(value: Any) -> str:
    """The module that defines a function or class."""
    return str(getattr(inspect.unwrap(value) if callable(value) else value, "__module__", ""))


def summary(value: Any) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
