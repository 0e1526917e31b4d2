"""`dovetail.export(f, …)`: functions as module files, with an optional file of parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import __version__
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import type_error, value_error
from dovetail.compiler.targets import Target, parse_targets
from dovetail.exporting.module import (
    Function,
    Parameter,
    captured_parameters,
    compile_group,
    grouped,
    values_of,
    wanted_parameters,
)
from dovetail.programs.jit import jit
from dovetail.programs.jitted import Jitted
from dovetail.programs.program import Program
from dovetail.programs.stages import Lowered
from dovetail.runtime import Notes
from dovetail.runtime.foreign import symbols_of
from dovetail.runtime.module_file import replacing
from dovetail.runtime.module_file import save as save_module
from dovetail.runtime.parameters import DIGEST_KEY, DIGEST_SIZE, seal
from dovetail.saving.files import tensors_of
from dovetail.tracing.arguments import as_operand
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.paths import flatten_with_path, keystr
from dovetail.trees.pytree import flatten, unflatten

PathLike = str | os.PathLike[str]


def export(
    fun: Callable[..., Any] | Lowered | Mapping[str, Any],
    *specs: Any,
    path: PathLike,
    targets: str | Target | Sequence[str | Target] = "cpu",
    name: str = "main",
    parameters: PathLike | None = None,
    parameter_argnames: str | Sequence[str] = (),
) -> dict[str, Path]:
    """Write functions to a file that runs without Python, on other devices and machines.

    `dovetail.runtime.load` loads it, as do `iree-run-module` and IREE's C API. If the code for all
    targets comes from one program, they share one file, which can be loaded for any of their
    devices. Otherwise, for example if two targets are processors of one architecture, or if long
    sums are formed in float64 on a CPU but not on a GPU, each target has its own file:
    `model.cuda-sm_89.vmfb` instead of `model.vmfb`. A `{target}` in `path` requests this.

    Args:
      fun: the function, jitted or not; or the result of `jit(f).lower(…)`; or a dictionary of these
        by the names that functions will have, with functions as tuples with their `specs`.
      specs: its arguments, trees of arrays or `ShapeDtypeStruct`s.
      path: the file's name; a file of that name is replaced.
      targets: one or more targets to compile for: `cpu` (this machine's model), `cpu-generic` (any
        of this architecture), `cpu:x86-64-v3`, `cpu:aarch64`, `cpu:riscv64`, `cuda`, `cuda:sm_89`,
        `rocm:gfx1100`, `vulkan`, `metal` …
      name: the function's name in the file.
      parameters: a file for parameters, `.irpa` or `.safetensors`; without it they are part of the
        module. Parameters are the arrays with more than a few elements that functions close over,
        and the arguments of `parameter_argnames`.
      parameter_argnames: arguments that are parameters instead. If they are only described, no file
        is written: the one that `parameters` names must exist when the module is loaded.

    Returns:
      The files of modules that were written, by target.

    Raises:
      TypeError: an argument has a wrong type.
      ValueError: there is no such target or argument, or the function calls back into Python, or
        uses references from outside.
      OSError: a file cannot be written.
      CompileError: IREE cannot compile the function for a target.

    Example:
      >>> import os, tempfile
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> def predict(params, x):
      ...     return dnp.tanh(x @ params["w"])
      >>> params = {"w": np.ones((3, 2), np.float32)}
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     path = os.path.join(folder, "predict.vmfb")
      ...     _ = dt.export(
      ...         predict, params, dt.ShapeDtypeStruct((4, 3), "float32"), path=path,
      ...         parameter_argnames="params", parameters=os.path.join(folder, "weights.irpa"),
      ...     )
      ...     dt.runtime.load(path).main(x=np.zeros((4, 3), np.float32)).shape
      (4, 2)
    """
    chosen = parse_targets(targets)
    argnames = (parameter_argnames,) if isinstance(parameter_argnames, str) else parameter_argnames
    given = _given(fun, specs, name)
    known: dict[int, str] = {}
    functions = [_function(key, item, argnames, known) for key, item in given.items()]
    _check_argnames(argnames, functions)
    values = values_of(functions)
    written = _known_values(values, None if parameters is None else Path(parameters))
    apart = "{target}" in os.fspath(path)
    outside = bool(values) and parameters is not None
    # Everything is compiled before anything is written.
    files: dict[Path, bytes] = {}
    results: dict[str, Path] = {}
    groups = grouped(functions, chosen, outside, apart)
    for group in groups:
        file = _file(path, group.targets[0] if len(groups) > 1 or apart else None)
        beside = os.path.relpath(parameters, file.parent) if parameters is not None else ""
        wanted = wanted_parameters(functions, beside) if outside else {}
        processor = dict(target.processor for target in group.targets if target.is_cpu)
        texts = tuple(map(str, group.targets))
        called = {name: symbols_of(name) for name in group.module.foreign_targets()}
        notes = Notes(__version__, texts, processor, wanted, called)
        files[file] = compile_group(functions, group, notes)
        results.update(dict.fromkeys(texts, file))
    if parameters is not None and written:
        write_parameters(Path(parameters), written)
    for file, vmfb in files.items():
        save_module(file, vmfb)
    return results


def _given(fun: Any, specs: tuple[Any, ...], name: str) -> dict[str, Any]:
    """The functions by name, each a lowered program or a function with its arguments."""
    if not isinstance(fun, Mapping):
        items = {name: fun if isinstance(fun, Lowered) else (fun, *specs)}
    elif not fun:
        raise value_error("export needs one function at least, got: none")
    else:
        items = {key: (item,) if callable(item) else item for key, item in fun.items()}
    if specs and (isinstance(fun, (Mapping, Lowered))):
        raise type_error(
            f"arguments must be given together with a function, got: {len(specs)} beside "
            f"{type(fun).__name__}; write them as a tuple (f, …)"
        )
    for key, item in items.items():
        if not (isinstance(key, str) and key.isidentifier() and not key.startswith("__")):
            raise value_error(f"a function's name must be an identifier, got: {key!r}")
        is_call = isinstance(item, tuple) and item and callable(item[0])
        if not (is_call or isinstance(item, Lowered)):
            raise type_error(
                f"export takes a function, what `jit(f).lower(…)` returns, or a tuple (f, …), got: "
                f"{type(item).__name__} for {key!r}"
            )
    return items


def _function(name: str, item: Any, argnames: Sequence[str], known: dict[int, str]) -> Function:
    if isinstance(item, Lowered):
        program, values = item.program, None
    else:
        fun, *specs = item
        program = (fun if isinstance(fun, Jitted) else jit(fun)).lower(*specs).program
        values = _values(program, specs)
    if program.refs is not None:
        raise value_error(
            f"export: a file has no references, which `{name}` takes or closes over; pass what "
            "they hold as an argument, and return what is written, got: references from outside"
        )
    parameters = [
        Parameter(position, key, None if values is None else values[position])
        for position, key in _leaves_of(program, argnames)
    ]
    parameters += captured_parameters(program, known)
    return Function(name, program, frozenset(argnames), tuple(parameters))


def _values(program: Program, specs: Sequence[Any]) -> list[np.ndarray | None]:
    """The known values of argument leaves."""
    static = {n for n, _ in program.signature.statics}
    args = tuple(None if i in static else spec for i, spec in enumerate(specs))
    leaves, _ = set_float0_aside(*flatten((args, {})))
    return [
        None if isinstance(leaf, ShapeDtypeStruct) else as_operand(leaf, "an argument")._value()
        for leaf in leaves
    ]


def _leaves_of(program: Program, argnames: Sequence[str]) -> list[tuple[int, str]]:
    """The numbers and the keys of the leaves of some arguments."""
    args, kwargs = unflatten(program.signature.spec, range(len(program.signature.avals)))
    named = {**dict(zip(program.parameters, args, strict=True)), **kwargs}
    found = []
    for name in argnames:
        for place, leaf in flatten_with_path(named.get(name))[0]:
            key = ".".join([name, *(keystr((step,), simple=True) for step in place)])
            found.append((leaf._data if hasattr(type(leaf), "is_key_array") else leaf, key))
    return found


def _check_argnames(argnames: Sequence[str], functions: Sequence[Function]) -> None:
    for name in argnames:
        names = [n for function in functions for n in _argument_names(function.program)]
        if name not in names:
            raise value_error(
                f"parameter_argnames must name arguments of `{_names_of(functions)}`, "
                f"{', '.join(dict.fromkeys(names))}, got: {name!r}"
            )


def _argument_names(program: Program) -> list[str]:
    _, kwargs = unflatten(program.signature.spec, range(len(program.signature.avals)))
    return [*program.parameters, *kwargs]


def _names_of(functions: Sequence[Function]) -> str:
    """The names of a module's functions, for messages."""
    return "`, `".join(function.program.name for function in functions)


def _known_values(
    values: Mapping[str, np.ndarray | None], file: Path | None
) -> dict[str, np.ndarray]:
    """The parameters to write; none if all are only described."""
    known = {key: value for key, value in values.items() if value is not None}
    unknown = [key for key in values if key not in known]
    if unknown and (file is None or known):
        raise value_error(
            f"parameters {'inside of a module' if file is None else 'of one file'} must all be "
            f"arrays, got: only the type of {unknown[0]!r}; pass its value"
            + (", or name a file that will have it, parameters='weights.safetensors'" * (not file))
        )
    if file is not None and file.suffix not in (".irpa", ".safetensors"):
        raise value_error(
            f"a file of parameters must end with .irpa or .safetensors, got: {str(file)!r}"
        )
    return known


def _file(path: PathLike, target: Target | None) -> Path:
    """The file of one target, or of all."""
    text = os.fspath(path)
    if target is None:
        return Path(text)
    suffix = str(target).replace(":", "-").replace("/", "-")
    if "{target}" in text:
        return Path(text.replace("{target}", suffix))
    whole = Path(text)
    return whole.with_name(f"{whole.stem}.{suffix}{whole.suffix}")


def write_parameters(path: Path, values: Mapping[str, np.ndarray]) -> None:
    """Write arrays to a file of parameters, by their keys; an existing file is replaced
    atomically.
    """
    from iree.runtime import ParameterIndex
    from safetensors import serialize_file

    parts = {key: np.ascontiguousarray(x).reshape(-1).view(np.uint8) for key, x in values.items()}
    digest = {DIGEST_KEY: np.zeros(DIGEST_SIZE, np.uint8)}
    with replacing(path) as temporary:
        try:
            if path.suffix == ".safetensors":
                serialize_file(tensors_of({**values, **digest}), temporary)
            else:
                index: Any = ParameterIndex()
                for key, part in {**parts, **digest}.items():
                    index.add_buffer(key, part)
                index.create_archive_file(str(temporary))
            seal(temporary, path.suffix.removeprefix("."))
        except OSError:
            raise
        except Exception as error:  # each of the two formats reports a full disk differently
            reason = str(error).replace(temporary.name, path.name)
            raise OSError(f"the file cannot be written: {reason}: '{path}'") from error
