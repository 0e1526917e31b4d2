"""Functions that JAX exports as StableHLO, from the table of calls, with what it computes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.lax as jlax  # noqa: E402  # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]
from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

from support.jax_table import Call  # noqa: E402
from support.table_arguments import arguments  # noqa: E402


class Exported(NamedTuple):
    """A function exported by JAX.

    Attributes:
      text: the program.
      function: the function, of the arrays of `args`.
      args: its arguments.
      kept: the numbers of those that the program has.
    """

    text: str
    function: Callable[..., Any]
    args: list[Any]
    kept: list[int]


def function_of(
    call: Call, dtype: str, library: Any, xp: Any
) -> tuple[Callable[..., Any], list[str]]:
    """A call of the table as a function of the arrays that its text names, and these names."""
    known = arguments(dtype, xp)
    used = {node.id for node in ast.walk(ast.parse(call.text)) if isinstance(node, ast.Name)}
    names = sorted(used & known.keys() - {"np", "xp"})
    code = compile(f"lib.{call.text}", call.text, "eval")

    def function(*arrays: Any) -> Any:
        return eval(code, {**known, "lib": library, **dict(zip(names, arrays, strict=True))})

    return function, names


def exported(call: Call, dtype: str) -> Exported | None:
    """A call as JAX exports it; None if JAX cannot compile it."""
    library = jnp if hasattr(jnp, call.name) else jlax
    function, names = function_of(call, dtype, library, jnp)
    args = [arguments(dtype, jnp)[name] for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = export.export(jax.jit(function))(*args)
        except Exception:
            return None
    return Exported(made.mlir_module(), function, args, list(made.module_kept_var_idx))


def leaves(tree: Any) -> list[np.ndarray]:
    """The arrays of a result."""
    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(tree)]


def weighted(xp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of the function's real results with different weights, to be differentiated."""

    def scalar(*args: Any) -> Any:
        outs = jax.tree_util.tree_leaves(function(*args))
        total = 0.0
        for out in outs:
            if xp.issubdtype(out.dtype, np.floating):
                weights = np.cos(np.arange(out.size)).reshape(out.shape).astype(out.dtype)
                total = total + xp.sum(out * weights)
        return total

    return scalar


def compiled_by_jax(text: str, args: list[np.ndarray]) -> list[np.ndarray]:
    """The results of a program in StableHLO that JAX's client for CPUs compiles and runs."""
    from jax._src import compiler  # pyright: ignore[reportMissingImports]

    client = jax.devices("cpu")[0].client
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    executable = client.compile_and_load(text, client.devices()[:1], options)
    return [np.asarray(out) for out in executable.execute([jax.device_put(arg) for arg in args])]
