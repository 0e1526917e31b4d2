"""Every public function's docstring has one line, its arguments, and an example that runs."""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Iterator
from typing import Any

MODULES = [
    "dovetail",
    "dovetail.ad_checkpoint",
    "dovetail.checkpoint",
    "dovetail.config",
    "dovetail.custom_batching",
    "dovetail.custom_derivatives",
    "dovetail.debug",
    "dovetail.deprecations",
    "dovetail.distributed",
    "dovetail.dlpack",
    "dovetail.dtypes",
    "dovetail.errors",
    "dovetail.example_libraries.optimizers",
    "dovetail.example_libraries.stax",
    "dovetail.experimental",
    "dovetail.experimental.checkify",
    "dovetail.experimental.jet",
    "dovetail.experimental.mesh_utils",
    "dovetail.experimental.ode",
    "dovetail.experimental.pallas",
    "dovetail.experimental.pallas.tpu",
    "dovetail.experimental.pallas.triton",
    "dovetail.experimental.sparse.linalg",
    "dovetail.export",
    "dovetail.ffi",
    "dovetail.flatten_util",
    "dovetail.image",
    "dovetail.jaxprs",
    "dovetail.lax",
    "dovetail.lax.linalg",
    "dovetail.monitoring",
    "dovetail.nn",
    "dovetail.nn.initializers",
    "dovetail.numpy",
    "dovetail.numpy.fft",
    "dovetail.numpy.linalg",
    "dovetail.numpy.segments",
    "dovetail.optim",
    "dovetail.profiler",
    "dovetail.random",
    "dovetail.ref",
    "dovetail.runtime",
    "dovetail.scipy.cluster.vq",
    "dovetail.scipy.fft",
    "dovetail.scipy.integrate",
    "dovetail.scipy.interpolate",
    "dovetail.scipy.ndimage",
    "dovetail.scipy.optimize",
    "dovetail.scipy.signal",
    "dovetail.scipy.sparse.linalg",
    "dovetail.scipy.spatial.transform",
    "dovetail.scipy.linalg",
    "dovetail.scipy.special",
    "dovetail.scipy.stats",
    "dovetail.sharding",
    "dovetail.stablehlo",
    "dovetail.stages",
    "dovetail.test_util",
    "dovetail.tree",
    "dovetail.tree_util",
    "dovetail.typing",
]


def public(module: str) -> Iterator[tuple[str, Any]]:
    """The functions and classes of a module that belong to Dovetail, under one name each."""
    namespace = importlib.import_module(module)
    for name in getattr(namespace, "__all__", dir(namespace)):
        value = getattr(namespace, name)
        own = str(getattr(value, "__module__", "")).startswith("dovetail")
        called = getattr(value, "__name__", None)
        plain = callable(value) and not isinstance(value, types.ModuleType)
        if name.startswith("_") or not plain or not own or called is None:
            continue
        if called == name or getattr(namespace, called, None) is not value:
            yield name, value


def lacks(value: Any) -> list[str]:
    """The parts missing from the docstring of a function or class."""
    text = inspect.getdoc(value) or ""
    summary = text.split("\n\n")[0]
    missing = []
    if not summary.endswith("."):
        missing.append("summary")
    # A class describes itself; errors need no example.
    if isinstance(value, type) and issubclass(value, Exception):
        return missing
    if ">>>" not in text:
        missing.append("example")
    if not isinstance(value, type) and parameters(value) and "Args:" not in text:
        missing.append("arguments")
    return missing


def parameters(value: Any) -> list[str]:
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []


def test_docstrings() -> None:
    missing = [
        f"{module}.{name} {what}"
        for module in MODULES
        for name, value in public(module)
        for what in lacks(value)
    ]
    assert not missing, f"write these parts of docstrings, as CONTRIBUTING.md says: {missing}"


def test_every_parameter_has_a_type() -> None:
    """Editors show it, without running code; classes are checked by pyright."""
    untyped = []
    for module in MODULES:
        for name, value in public(module):
            if isinstance(value, type) or not parameters(value):
                continue
            signature = inspect.signature(value)
            missing = [p.name for p in signature.parameters.values() if p.annotation is p.empty]
            missing += ["its result"] * (signature.return_annotation is signature.empty)
            untyped += [f"{module}.{name}: {part}" for part in missing]
    assert not untyped


def test_modules_describe_themselves() -> None:
    for module in MODULES:
        namespace = importlib.import_module(module)
        assert isinstance(namespace, types.ModuleType)
        assert (namespace.__doc__ or "").strip(), module
