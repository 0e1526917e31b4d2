"""Arrays of other libraries by their names: files and state dicts, into trees and back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from dovetail.arrays.array import ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.creation import asarray
from dovetail.programs.transfers import device_put
from dovetail.saving.files import DIRECT, read, replacing, tensors_of
from dovetail.saving.trees import sharding_of
from dovetail.trees.paths import flatten_with_path, keystr

# Regular expressions for paths in trees, and what becomes of them, or of the arrays there.
Names = Mapping[str, str] | Callable[[str], str]
Convert = Mapping[str, Callable[[np.ndarray], np.ndarray]]


@dataclass(frozen=True)
class Matching:
    """Which leaves of a tree got which arrays.

    Attributes:
      matched: the names of arrays, by the path of the leaf.
      converted: the element types in the source of those that got another one, by path.
      missing: the leaves without an array: the name that was looked for, by path.
      misfits: the leaves whose array has another shape or kind of element: the reason, by path.
      unused: the names of arrays that no leaf asked for.

    Example:
      >>> import numpy as np
      >>> from dovetail import checkpoint
      >>> state = {"a": np.ones(2, np.float32), "c": np.ones(1)}
      >>> _, matching = checkpoint.load_named(state, {"a": dnp.ones(2), "b": 0.0}, strict=False)
      >>> print(matching)
      1 of 2 leaves matched
        missing: b (no b)
        unused: c
    """

    matched: dict[str, str] = field(default_factory=dict)
    converted: dict[str, np.dtype] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    misfits: dict[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every leaf has got an array, and every array is used."""
        return not (self.missing or self.misfits or self.unused)

    def __str__(self) -> str:
        lines = [f"{len(self.matched)} of {len(self.matched) + self._lacking()} leaves matched"]
        lines += [f"  missing: {path} (no {name})" for path, name in self.missing.items()]
        lines += [f"  misfit: {path} {reason}" for path, reason in self.misfits.items()]
        lines += [f"  unused: {name}" for name in self.unused]
        lines += [f"  converted: {path} from {dtype}" for path, dtype in self.converted.items()]
        return "\n".join(lines)

    def _lacking(self) -> int:
        return len(self.missing) + len(self.misfits)


def load_named(
    source: str | os.PathLike[str] | Mapping[str, Any],
    like: Any,
    *,
    names: Names = {},  # noqa: B006
    convert: Convert = {},  # noqa: B006
    strict: bool = True,
) -> tuple[Any, Matching]:
    """A tree with the arrays that a file, or a dictionary, has under names.

    A leaf's path is its keys, indices and attributes joined by dots, such as `layers.0.weight`. By
    default, this is the name; `names` says which name it is instead.

    Args:
      source: a file in the safetensors format; its index (`….safetensors.index.json`), which lists
        several of them, or the folder of one of these; an `.npz` file; or a dictionary of arrays,
        such as PyTorch's `state_dict()`.
      like: the tree, whose leaves (arrays, numbers or `ShapeDtypeStruct`s) state the types and
        shardings of the results.
      names: maps a path to a name: a function, or a dictionary of regular expressions and their
        replacements, which are applied one after the other.
      convert: functions of NumPy arrays by regular expressions for whole paths, applied to what is
        found there: `np.transpose` for the matrices of PyTorch's `Linear`.
      strict: whether leaves without an array, and arrays without a leaf, are an error; otherwise
        such leaves stay as they are.

    Returns:
      (tree, matching). Floats are converted to floats of the width of their leaf, and integers
      to integers.

    Raises:
      ValueError: something does not match, or a file is damaged.
      FileNotFoundError: there is no such file.

    Example:
      >>> import numpy as np
      >>> from dovetail import checkpoint
      >>> state = {"net.0.weight": np.ones((3, 2)), "net.0.bias": np.zeros(3)}
      >>> like = [{"w": dnp.zeros((2, 3)), "b": dnp.zeros(3)}]
      >>> tree, matching = checkpoint.load_named(
      ...     state,
      ...     like,
      ...     names={r"^": "net.", "w$": "weight", "b$": "bias"},
      ...     convert={r".*\\.w": np.transpose},
      ... )
      >>> tree[0]["w"].shape, matching.matched
      ((2, 3), {'0.b': 'net.0.bias', '0.w': 'net.0.weight'})
    """
    arrays = dict(source) if isinstance(source, Mapping) else _read(Path(source))
    wanted, spec = flatten_with_path(like)
    found, unused, results = Matching(), dict.fromkeys(arrays), []
    for place, leaf in wanted:
        path = keystr(place, simple=True, separator=".")
        name = _renamed(path, names)
        if name not in arrays:
            found.missing[path] = name
            results.append(leaf)
            continue
        unused.pop(name, None)
        value = _converted(arrays[name], path, convert)
        reason = _misfit(value, leaf)
        if reason:
            found.misfits[path] = reason
            results.append(leaf)
            continue
        found.matched[path] = name
        dtype = _dtype(leaf)
        if value.dtype != dtype:
            found.converted[path] = value.dtype
        results.append(_placed(value.astype(dtype, copy=False), leaf))
    matching = Matching(
        found.matched, found.converted, found.missing, found.misfits, tuple(sorted(unused))
    )
    if strict and not matching.is_complete:
        raise value_error(
            "checkpoint.load_named: each leaf of `like` must have an array, and each array a leaf, "
            f"got: {matching}\ngive names, or strict=False"
        )
    return spec.unflatten(results), matching


def save_named(
    path: str | os.PathLike[str],
    tree: Any,
    *,
    names: Names = {},  # noqa: B006
    convert: Convert = {},  # noqa: B006
) -> dict[str, str]:
    """Write the arrays of a tree to a file under names, for other libraries.

    The file is in the safetensors format, without anything that is Dovetail's: of tuples and
    classes, only the names tell. `save` keeps structures.

    Args:
      path: the file's name.
      tree: a tree of arrays.
      names: maps a leaf's path, such as `layers.0.w`, to a name, as for `load_named`.
      convert: functions of NumPy arrays by regular expressions for whole paths.

    Returns:
      The names, by path.

    Raises:
      TypeError: a leaf is no array, or has an element type that the format lacks.
      ValueError: two leaves have the same name.

    Example:
      >>> import tempfile
      >>> from dovetail import checkpoint
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     file = folder + "/model.safetensors"
      ...     names = checkpoint.save_named(file, [{"w": dnp.ones(2)}], names={"w$": "weight"})
      ...     checkpoint.load(file)
      {'0.weight': Array([1., 1.], dtype=float32)}
    """
    arrays: dict[str, np.ndarray] = {}
    given: dict[str, str] = {}
    for place, leaf in flatten_with_path(tree)[0]:
        where = keystr(place, simple=True, separator=".")
        if not isinstance(leaf, (ArrayMethods, np.ndarray, np.generic)):
            raise type_error(
                f"checkpoint.save_named: leaves must be arrays, got: {type(leaf).__name__} at "
                f"{where}; use save for other trees"
            )
        name = _renamed(where, names)
        if name in arrays:
            others = [path for path, other in given.items() if other == name]
            raise value_error(
                f"checkpoint.save_named: each leaf must have a name of its own, got: {name} for "
                f"{others[0]} and {where}; change names"
            )
        given[where] = name
        arrays[name] = array = _converted(leaf, where, convert)
        if array.dtype not in DIRECT:
            raise type_error(
                "checkpoint.save_named: element types must be those of the format, got: "
                f"{array.dtype.name} at {where}; convert it, or use save"
            )
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    with replacing(Path(path)) as temporary:
        safetensors.serialize_file(tensors_of(arrays), temporary)
    return given


def _renamed(path: str, names: Names) -> str:
    if not isinstance(names, Mapping):
        return names(path)
    for pattern, replacement in names.items():
        path = re.sub(pattern, replacement, path)
    return path


def _converted(value: Any, path: str, convert: Convert) -> np.ndarray:
    # Tensors of other libraries come by DLPack, which knows types that NumPy lacks.
    array = np.asarray(value if isinstance(value, np.ndarray) else asarray(value))
    for pattern, function in convert.items():
        if re.fullmatch(pattern, path):
            array = np.asarray(function(array))
    return array


def _dtype(leaf: Any) -> np.dtype:
    return dtypes.canonicalize_dtype(dtypes.dtype_and_weakness(leaf)[0])


def _misfit(value: np.ndarray, leaf: Any) -> str:
    """Why a leaf cannot have an array; empty if it can."""
    shape, dtype = np.shape(leaf), _dtype(leaf)
    kinds = [
        "iu" if dtypes.kind(each) in "iu" else dtypes.kind(each) for each in (dtype, value.dtype)
    ]
    if value.shape == tuple(shape) and kinds[0] == kinds[1]:
        return ""
    described = [f"{dtype.name}{list(shape)}", f"{value.dtype.name}{list(value.shape)}"]
    return f"is {described[0]}, and its array {described[1]}"


def _placed(value: np.ndarray, leaf: Any) -> Any:
    """An array where, and as, a leaf is."""
    if isinstance(leaf, (bool, int, float, complex)) and not isinstance(leaf, np.generic):
        return type(leaf)(value[()])
    if isinstance(leaf, (np.ndarray, np.generic)):
        return value
    sharding = sharding_of(leaf)
    array = asarray(value)
    return array if sharding is None else device_put(array, sharding)


def _read(path: Path) -> dict[str, Any]:
    """The arrays of a file, or of those that an index lists."""
    if path.is_dir():
        indices = sorted(path.glob("*.safetensors.index.json")) or sorted(
            path.glob("*.safetensors")
        )
        if len(indices) != 1:
            raise value_error(
                "checkpoint.load_named: a folder must have one safetensors file, or one index of "
                f"several, got: {[each.name for each in indices]} in {path}; name the file"
            )
        path = indices[0]
    if path.name.endswith(".index.json"):
        files = sorted(set(json.loads(path.read_text())["weight_map"].values()))
        return {name: x for file in files for name, x in _read(path.parent / file).items()}
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}
    return dict(_leaves(path))


def _leaves(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    for name, leaf in read(path).items():
        # Those that `save` wrote have the names that it shows.
        if leaf.dtype:
            yield name, np.asarray(leaf.values)
