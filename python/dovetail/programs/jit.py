"""`jit`: makes jitted functions, with fixed or symbolic shapes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import deprecations
from dovetail.base.trace_stack import current
from dovetail.placement.mesh_contexts import context_mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import common_place, place_of
from dovetail.programs.dynamic import DynamicJitted
from dovetail.programs.jitted import Jitted
from dovetail.programs.options import options_for, refuse_compiler_options
from dovetail.symbolic import SymbolicScope
from dovetail.tracing import evaluation
from dovetail.tracing.functions import call
from dovetail.tracing.trace import Operand


def jit(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: bool = False,
    compiler_options: Mapping[str, Any] | None = None,
    compile: str | None = None,
    dynamic_shapes: Any = None,
    dynamic_constraints: str | Sequence[str] = (),
) -> Any:
    """Compile a function.

    It is traced and compiled at the first call with each combination of array types and static
    arguments; other calls run the compiled program. Use it as a function, or as a decorator with or
    without arguments, also on methods.

    Args:
      fun: takes and returns pytrees of arrays.
      in_shardings: how positional arguments are sharded: a sharding, or a tuple with a prefix of
        the tree of each that is not static; None for what is left to the arguments. An array that
        is committed must already be sharded so.
      out_shardings: how results are sharded, likewise; None for what the compiler chooses. Sizes
        must be multiples of the number of parts.
      static_argnums, static_argnames: arguments that are not arrays; a program is made for each
        value. If only one of the two is given, the other follows from the function's parameters.
      donate_argnums, donate_argnames: arguments that a call consumes, so that results can reuse
        their memory; using such an array after the call is an error. If only one of the two is
        given, the other follows.
      device, backend: where the program runs and its results are committed: a device, or the name
        of a platform. Both are deprecated, as in JAX: commit arguments with `device_put` instead.
      keep_unused, inline: accepted for compatibility with JAX; arguments are always kept, calls
        within a trace always inlined.
      compiler_options: None, or a dictionary without entries, as for `Lowered.compile`.
      compile: "now", "auto" or "never": when programs are compiled, if not according to the setting
        of that name.
      dynamic_shapes: shapes as strings such as `"b, 784"`, one for each positional argument, or
        trees of them; None for an argument with a static shape. One program then serves all sizes
        of the names: docs/dynamic_shapes.md.
      dynamic_constraints: constraints on these names, such as `"b <= 4096"` or `"b % 8 == 0"`;
        sizes are at least 1 by default. Calls check them.

    Returns:
      The compiled function, with `lower(*args)` to inspect its program.

    Raises:
      TypeError: an argument that is not static is not an array.
      ValueError: a static argument is not hashable, or does not exist; an argument is committed to
        another sharding than that of `in_shardings`, or keywords are given together with these;
        there are `compiler_options`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> @dt.jit
      ... def norm(x):
      ...     return dnp.sqrt(dnp.sum(x * x))
      >>> float(norm(dnp.array([3.0, 4.0])))
      5.0
    """
    refuse_compiler_options("jit", compiler_options)
    options: dict[str, Any] = {
        "in_shardings": in_shardings,
        "out_shardings": out_shardings,
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "donate_argnums": donate_argnums,
        "donate_argnames": donate_argnames,
        "device": device,
        "backend": backend,
        "compile": compile,
        "keep_unused": keep_unused,
        "inline": inline,
    }
    if fun is None:
        dynamic = {"dynamic_shapes": dynamic_shapes, "dynamic_constraints": dynamic_constraints}
        return functools.partial(jit, **options, **dynamic)
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got: {fun!r}; jit takes a function")
    if inspect.isgeneratorfunction(fun):
        raise TypeError(
            f"Expected a function, got a generator function: {fun!r}; return a tuple or a list, "
            "for jit"
        )
    if device is not None or backend is not None:
        deprecations.JIT_DEVICE.warn()
    if dynamic_shapes is None:
        return Jitted(fun, options_for(fun, **options))
    scope = SymbolicScope(dynamic_constraints)
    return DynamicJitted(fun, options_for(fun, **options), dynamic_shapes, scope)


def _run_as_program(
    callee: evaluation.Callee, operands: Sequence[Operand], results: Sequence[ShapedArray]
) -> list[Operand]:
    """The results of a function that was traced outside of programs, on the devices that its
    operands are on, or else on those of the mesh of the context.
    """
    mesh = None if common_place(operands, callee.function.name) else context_mesh()

    def program(*arrays: Any) -> list[Operand]:
        in_progress = current()
        if in_progress is not None and mesh is not None and mesh.size > 1:
            in_progress.root.commit_to(place_of(NamedSharding(mesh, P())))
        return call(callee, arrays, results)

    return jit(program, compile="now")(*operands)


evaluation.run_as_program = _run_as_program
