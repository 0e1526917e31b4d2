"""Shared parts of comparisons with JAX: outcomes in both libraries, and their agreement."""

from __future__ import annotations

import builtins
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

from dovetail.base import dtypes  # noqa: E402

CACHE = Path(__file__).parents[3] / "build" / "jax-cache"
# Most of the time of a comparison is JAX's compiler.
jax.config.update("jax_compilation_cache_dir", str(CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

# A run that may take longer looks at this many times more examples.
FACTOR = int(os.environ.get("DOVETAIL_EXAMPLES", "1"))


def outcome(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result or exception of a function; warnings are not compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **options)
        except Exception as error:
            return error


def errors_of(error: BaseException) -> list[type]:
    """The built-in errors that an error is an instance of, the most specific first; errors of
    tracing by name.
    """
    return [
        t
        for t in type(error).__mro__
        if getattr(builtins, t.__name__, None) is t and t not in (Exception, BaseException, object)
    ]


def check(ours: Any, theirs: Any, what: str, ulps: float = 16, weak: bool = True) -> None:
    """The outcomes agree: error, structure, shape, element type, weak type, values.

    Args:
      ours, theirs: outcomes of the same call in Dovetail and in JAX.
      what: the call, for messages.
      ulps: the tolerance, in multiples of the element type's epsilon.
      weak: whether weak types are compared.
    """
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"{what}: JAX raises {theirs!r:.300}, got: {ours!r}"
        wanted = errors_of(theirs)[:1]
        assert not wanted or isinstance(ours, wanted[0]), (
            f"{what}: JAX raises {theirs!r:.300}, got: {ours!r}"
        )
        return
    assert not isinstance(ours, Exception), f"{what}: JAX gives {theirs!r}, got: {ours!r:.400}"
    if isinstance(theirs, (tuple, list)):
        assert isinstance(ours, (tuple, list)), f"{what}: JAX gives {theirs!r}, got: {ours!r}"
        assert len(ours) == len(theirs), f"{what}: JAX gives {theirs!r}, got: {ours!r}"
        for mine, other in zip(ours, theirs, strict=True):
            check(mine, other, what, ulps, weak)
        return
    if not isinstance(theirs, jax.Array) and not isinstance(theirs, np.ndarray):
        assert type(ours) is type(theirs) or not isinstance(theirs, (bool, int, str)), (
            f"{what}: JAX gives {theirs!r}, got: {ours!r}"
        )
        assert ours == theirs, f"{what}: JAX gives {theirs!r}, got: {ours!r}"
        return
    both = f"{what}: JAX gives {theirs!r}, got: {ours!r}"
    assert ours.shape == theirs.shape, both
    assert ours.dtype == theirs.dtype, both
    weakness = getattr(theirs, "weak_type", None)
    if weak and weakness is not None and ours.dtype != bool:
        assert ours.weak_type == weakness, f"{both}: weak types {weakness} and {ours.weak_type}"
    same_values(np.asarray(ours), np.asarray(theirs), both, ulps)


def same_values(x: np.ndarray, y: np.ndarray, what: str, ulps: float) -> None:
    """Equal, or for numbers that are not integers within `ulps`."""
    kind = dtypes.kind(x.dtype) if x.dtype in dtypes.KINDS else x.dtype.kind
    if kind not in "fc":
        np.testing.assert_array_equal(x, y, err_msg=what)
        return
    bound = ulps * float(dtypes.finfo(x.dtype).eps)
    wide = np.complex128 if kind == "c" else np.float64
    np.testing.assert_allclose(x.astype(wide), y.astype(wide), rtol=bound, atol=bound, err_msg=what)


def evaluated(expression: str, names: Sequence[str]) -> Callable[..., Any]:
    """A function of a library `xp` and of named arrays, written as an expression."""
    return eval(f"lambda xp, {', '.join(names)}: {expression}", {"np": np})
