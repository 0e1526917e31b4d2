"""The command `dovetail`: inspects module files, and runs their functions."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .module import Function, load, notes_of, read_module
from .signature import Signature, Tree, fields_of

# Descriptions of executable formats.
_CODE = {
    "embedded_elf_x86_64": "x86-64",
    "embedded_elf_arm_64": "aarch64",
    "embedded_elf_riscv_64": "riscv64",
    "cuda_nvptx_fb": "CUDA",
    "rocm_hsaco_fb": "ROCm",
    "vulkan_spirv_fb": "Vulkan",
    "metal_msl_fb": "Metal",
}


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status.

    Args:
      arguments: the command line's, without the command's name.
    """
    parser = _parser()
    # Arguments of the function may come before and after options, which argparse does not support.
    options, rest = parser.parse_known_args(arguments)
    if any(text.startswith("-") for text in rest) or (rest and options.command is not _run):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        options.arguments += rest
    try:
        options.command(options)
    except BrokenPipeError:
        # The reader of the output has closed the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError, TypeError, KeyError) as error:
        text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
        print(f"dovetail: error: {text}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "dovetail",
        description="Looks at module files and runs them.",
        epilog="More commands need the whole package: `dovetail check script.py` runs a program "
        "once and reports what costs most, `dovetail view script.py` shows what it compiles to, "
        "and `dovetail env` prints what a bug report needs.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    inspect = commands.add_parser("inspect", help="say what a module file has")
    inspect.add_argument("module", help="the module file, .vmfb")
    inspect.set_defaults(command=_inspect)
    run = commands.add_parser(
        "run",
        help="call a function of a module file",
        epilog="An argument is x=@x.npy (a NumPy file), x=[1,2] or x=1.5 (JSON). One with a tree "
        "is given leaf by leaf, params.w=@w.npy, or at once, params=@params.npz with those names.",
    )
    run.add_argument("module", help="the module file, .vmfb")
    run.add_argument("arguments", nargs="*", metavar="name=value", help="the function's arguments")
    run.add_argument("--function", help="its name; not needed where the module has one")
    run.add_argument(
        "--device", default="auto", help="where to run it: cpu, local-sync, cuda, vulkan …"
    )
    run.add_argument("--parameters", action="append", default=[], metavar="[scope=]file")
    run.add_argument("--library", action="append", default=[], help="one whose functions it calls")
    run.add_argument("--output", type=Path, help="a file for the results, .npy or .npz")
    run.set_defaults(command=_run)
    return parser


def _inspect(options: argparse.Namespace) -> None:
    module, members = read_module(options.module)
    notes = notes_of(module)
    print(f"{options.module}: {Path(options.module).stat().st_size} bytes")
    codes = [code for mark, code in _CODE.items() if any(f"_{mark}" in name for name in members)]
    print(f"code for: {', '.join(codes) or 'no device in particular'}")
    if notes is not None:
        print(f"written by: dovetail {notes.version}")
        print(f"targets: {', '.join(notes.targets)}")
        for architecture, features in notes.processor.items():
            print(
                f"processor: {architecture} with {', '.join(features) or 'nothing in particular'}"
            )
        for scope, parameters in notes.parameters.items():
            print(f"parameters {scope!r}: {parameters.file or '(a file must be given)'}")
            for key, spec in parameters.arrays.items():
                print(f"  {key}: {spec}")
        for name, symbols in notes.foreign.items():
            where = symbols.library or "a library"
            print(f"calls {name}: {', '.join(symbols.symbols.values()) or name} of {where}")
    for name in module.function_names:
        function = module.lookup_function(name)
        if function is None or name.startswith("__") or "$" in name:
            continue
        signature = Signature.from_reflection(function.reflection)
        print(f"function {name}:")
        if signature is None:
            print("  of unknown arguments and results")
            continue
        for (leaf, path), kind in [
            *((leaf, "argument") for leaf in _argument_leaves(signature)),
            *((leaf, "result") for leaf in _result_leaves(signature)),
        ]:
            specs = signature.inputs if kind == "argument" else signature.outputs
            print(f"  {kind} {path}: {specs[leaf] or 'anything'}")
        if signature.sizes.constraints:
            print(f"  where {', '.join(signature.sizes.constraints)}")


def _argument_leaves(signature: Signature) -> list[tuple[int, str]]:
    """The leaves of a function's arguments in order, with their names on the command line."""
    if signature.in_tree is None:
        return [(i, str(i)) for i in range(len(signature.inputs))]
    names = signature.arg_names or list(map(str, range(len(signature.in_tree))))
    pairs = zip(signature.in_tree, names, strict=True)
    return sorted(leaf for tree, name in pairs for leaf in _leaves(tree, name))


def _result_leaves(signature: Signature) -> list[tuple[int, str]]:
    """The leaves of a function's results in order, with their names on the command line."""
    if signature.in_tree is not None:
        return sorted(_leaves(signature.out_tree, "result"))
    if len(signature.outputs) == 1:
        return [(0, "result")]
    return [(i, f"result.{i}") for i in range(len(signature.outputs))]


def _leaves(tree: Tree, name: str) -> Iterator[tuple[int, str]]:
    if tree is None:
        return
    if type(tree) is int:
        yield tree, name
        return
    if type(tree) is dict:
        children = tree.items()
    else:
        children = zip(fields_of(tree) or range(len(tree)), tree, strict=True)
    for key, child in children:
        yield from _leaves(child, f"{name}.{key}")


def _run(options: argparse.Namespace) -> None:
    parameters = _parameters(options.parameters)
    module = load(options.module, options.device, parameters=parameters, libraries=options.library)
    names = module.functions
    if options.function is None and len(names) != 1:
        raise ValueError(f"--function must be given, one of: {', '.join(names) or 'none'}")
    function = module[options.function or names[0]]
    signature = function.signature
    if signature is None:
        raise ValueError(
            f"function {function.name!r} says nothing of its arguments; use iree-run-module"
        )
    values = _values(function, signature, options.arguments)
    in_tree = range(len(values)) if signature.in_tree is None else signature.in_tree
    result = function(*(_filled(tree, values) for tree in in_tree))
    leaves = _result_leaves(signature)
    arrays = {name: _at(result, name).numpy() for _, name in leaves}
    if options.output is not None:
        _write(options.output, arrays)
    for name, array in arrays.items():
        shape = ",".join(map(str, array.shape))
        print(f"{name}: {array.dtype.name}[{shape}]")
        if options.output is None:
            print(np.array2string(array, separator=", ", threshold=100))


def _parameters(texts: Sequence[str]) -> Any:
    """The files of parameters: one, or by scope."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    wrong = next((text for text in texts if "=" not in text), None)
    if wrong is not None:
        raise ValueError(f"--parameters must be scope=file where there are several, got: {wrong!r}")
    return dict(text.split("=", 1) for text in texts)


def _values(function: Function, signature: Signature, texts: Sequence[str]) -> list[Any]:
    """The values of the leaves of a function's arguments."""
    leaves = {name: leaf for leaf, name in _argument_leaves(signature)}
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"an argument must be name=value, got: {text!r}")
        loaded = _value(name, value)
        found = {name: loaded} if not isinstance(loaded, dict) else loaded
        for key, array in found.items():
            if key not in leaves:
                raise ValueError(
                    f"function {function.name!r} has no argument {key!r}; it has: "
                    f"{', '.join(leaves) or 'none'}"
                )
            if key in given:
                raise ValueError(f"argument {key!r} must be given once, got: two values")
            given[key] = array
    missing = [name for name in leaves if name not in given]
    if missing:
        raise ValueError(f"function {function.name!r} needs {', '.join(missing)}, got: none")
    values: list[Any] = [None] * len(leaves)
    for name, leaf in leaves.items():
        values[leaf] = given[name]
    return values


def _value(name: str, text: str) -> Any:
    """The array in a file; for an `.npz` file, arrays by their full names."""
    if text.startswith("@"):
        loaded = np.load(text[1:], allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {f"{name}.{key}": loaded[key] for key in loaded.files}
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, (bool, int, float, list)):
        raise ValueError(
            f"the value of {name!r} must be @file.npy, @file.npz, a number or nested lists of "
            f"numbers, got: {text!r}"
        )
    return value


def _filled(tree: Tree, values: Sequence[Any]) -> Any:
    """A tree filled with values; Python's lists count as leaves."""
    if tree is None or type(tree) is int:
        return None if tree is None else values[tree]
    if type(tree) is dict:
        return {key: _filled(child, values) for key, child in tree.items()}
    children = [_filled(child, values) for child in tree]
    return type(tree)(*children) if fields_of(tree) else type(tree)(children)


def _at(result: Any, name: str) -> Any:
    """The leaf of a result that has this name."""
    for step in name.split(".")[1:]:
        if isinstance(result, dict):
            result = result[step] if step in result else result[int(step)]
        elif fields_of(result):
            result = getattr(result, step)
        else:
            result = result[int(step)]
    return result


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    if path.suffix == ".npz":
        names = {name.removeprefix("result.") or name: array for name, array in arrays.items()}
        np.savez(path, allow_pickle=False, **names)  # type: ignore[arg-type]
    elif path.suffix == ".npy" and len(arrays) == 1:
        np.save(path, *arrays.values(), allow_pickle=False)
    else:
        raise ValueError(
            f"--output must end with .npz, or .npy for one result, got: {str(path)!r} for "
            f"{len(arrays)} results"
        )
