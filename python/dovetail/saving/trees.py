"""Saving trees of arrays to files, and loading them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import random
from dovetail.arrays.array import ArrayMethods
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.arrays.process_moves import bounds_of
from dovetail.arrays.shards import Shards
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.promotion import with_dtype
from dovetail.placement.shardings import Index, Sharding
from dovetail.programs.assembly import make_array_from_callback
from dovetail.saving.files import Leaf, Stored, known_dtype, read, write
from dovetail.trees.paths import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyPath,
    SequenceKey,
    flatten_with_path,
    keystr,
)

_Path = tuple[tuple[str, Any], ...]

# Python's numbers, and the types that hold them in a file.
_NUMBERS = {
    bool: dtypes.bool_,
    int: dtypes.int64,
    float: dtypes.float64,
    complex: dtypes.complex128,
}
_EMPTY: dict[str, Any] = {"None": None, "dict": {}, "list": [], "tuple": ()}


def save(path: str | os.PathLike[str], tree: Any) -> None:
    """Write a tree of arrays to a file.

    The file is in the safetensors format, which other programs can read. It is either complete or
    absent: it is written under a temporary name, and replaces an older one at the end.

    If arrays are on devices of several processes, all of these must call this at the same time,
    with the same path, in a folder that all see. Each writes the parts of such arrays that it has,
    and the first one everything else.

    Args:
      path: the file's name.
      tree: a tree of arrays, NumPy arrays, numbers and random keys.

    Raises:
      TypeError: a leaf is something else.
      ValueError: processes have other trees.
      OSError: a process cannot write.
      CollectiveError: a process has ended.

    Example:
      >>> import tempfile
      >>> from dovetail import checkpoint
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     checkpoint.save(folder + "/weights", {"layer": [np.ones(2), np.zeros(2)]})
      ...     checkpoint.load(folder + "/weights")
      {'layer': [array([1., 1.]), array([0., 0.])]}
    """
    paths, _ = flatten_with_path(tree, is_leaf=_is_empty)
    names = [keystr(place, simple=True, separator="/") or "tree" for place, _ in paths]
    if len(set(names)) < len(names):
        # For example of the keys 1 and "1".
        names = [keystr(place) for place, _ in paths]
    leaves = {name: _leaf(place, value) for name, (place, value) in zip(names, paths, strict=True)}
    write(Path(path), leaves)


def load(path: str | os.PathLike[str], like: Any = None) -> Any:
    """The tree in a file written by `save`, or the tensors of another safetensors file.

    Args:
      path: the file's name.
      like: a tree of the same structure, whose leaves (arrays, numbers or `ShapeDtypeStruct`s)
        state the types of the results, and how they are sharded, which need not be how they were
        when they were saved; by default leaves are as they were saved, in dictionaries
        and lists: named tuples and objects become dictionaries of their attributes, and tuples
        become lists.

    Returns:
      The tree.

    Raises:
      ValueError: leaves are missing or left over, or have another shape or element type; or the
        file is damaged.
      FileNotFoundError: there is no such file.

    Example:
      >>> import tempfile
      >>> from dovetail import checkpoint
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     checkpoint.save(folder + "/state", (dnp.arange(3), 7))
      ...     checkpoint.load(folder + "/state", like=(dnp.zeros(3, int), 0))
      (Array([0, 1, 2], dtype=int32), 7)
    """
    leaves = read(Path(path))
    if like is None:
        return _nested([(leaf.path, _restored(name, leaf)) for name, leaf in leaves.items()])
    saved = {leaf.path: (name, leaf) for name, leaf in leaves.items() if leaf.kind not in _EMPTY}
    wanted, spec = flatten_with_path(like)
    problems, results = [], []
    for place, value in wanted:
        found = saved.pop(_steps(place), None)
        if found is None:
            problems.append(f"{_shown(place)} is missing in the file")
            continue
        problem = _misfit(place, value, found[1])
        if problem:
            problems.append(f"{_shown(place)} {problem}")
        else:
            results.append(_restored(found[0], found[1], value))
    problems += [f"{name} is in the file only" for name, _ in saved.values()]
    if problems:
        raise value_error(
            f"checkpoint.load: the leaves of `like` must be those of the file {path}, got: "
            f"{'; '.join(problems)}"
        )
    return spec.unflatten(results)


# Paths --------------------------------------------------------------------------------------------


def _is_empty(node: Any) -> bool:
    return node is None or (type(node) in (dict, list, tuple) and not node)


def _steps(place: KeyPath) -> _Path:
    """A path in the file's format."""
    return tuple(map(_step, place))


def _step(key: Any) -> tuple[str, Any]:
    if isinstance(key, SequenceKey):
        return "index", key.idx
    if isinstance(key, FlattenedIndexKey):
        return "child", key.key
    if isinstance(key, GetAttrKey):
        return "attribute", key.name
    if isinstance(key, DictKey):
        plain = type(key.key) in (str, int, float, bool)
        return ("key", key.key) if plain else ("text", repr(key.key))
    return "text", str(key)


def _shown(place: KeyPath) -> str:
    return keystr(place, simple=True, separator="/") or "the tree"


def _nested(items: list[tuple[_Path, Any]]) -> Any:
    """The tree of values at paths."""
    if not items:
        return None
    if not items[0][0]:
        return items[0][1]
    groups: dict[Any, list[tuple[_Path, Any]]] = {}
    for path, value in items:
        groups.setdefault(path[0][1], []).append((path[1:], value))
    children = {key: _nested(group) for key, group in groups.items()}
    if items[0][0][0][0] in ("index", "child"):
        return [children[i] for i in sorted(children)]
    return children


# Leaves -------------------------------------------------------------------------------------------


def _is_key(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return dtype is not None and dtypes.issubdtype(dtype, dtypes.prng_key)


def _leaf(place: KeyPath, value: Any) -> Leaf:
    steps = _steps(place)
    if _is_empty(value):
        return Leaf(steps, "None" if value is None else type(value).__name__)
    if type(value) in _NUMBERS:
        try:
            number = np.asarray(value, _NUMBERS[type(value)])
        except OverflowError:
            raise value_error(
                f"checkpoint.save: a Python int must fit int64, got: {value} at {_shown(place)}"
            ) from None
        return Leaf(steps, type(value).__name__, number.dtype.name, values=number)
    if _is_key(value):
        data = np.asarray(random.key_data(value))
        return Leaf(steps, "key", data.dtype.name, impl=random.key_impl(value), values=data)
    if isinstance(value, ArrayMethods):
        array = np.asarray(value) if value.is_fully_addressable else _parts(value)
        return Leaf(steps, "array", array.dtype.name, value.weak_type, values=array)
    if isinstance(value, (np.ndarray, np.generic)) and known_dtype(value.dtype.name) is not None:
        kind = "numpy" if isinstance(value, np.ndarray) else "scalar"
        return Leaf(steps, kind, value.dtype.name, values=np.asarray(value))
    described = type(value).__name__
    if isinstance(value, np.ndarray):
        described += f" of {value.dtype}"
    raise type_error(
        f"checkpoint.save: leaves must be arrays, numbers or random keys, got: {described} at "
        f"{_shown(place)}; keep it elsewhere, or in the tree's structure"
    )


def _parts(array: Any) -> Shards:
    """The parts of an array that this process has, also if that is all of it."""
    data, sharding = array._data, array.sharding
    if type(data) is Shards:
        return data
    count = len(sharding._addressable_device_assignment)
    return Shards(sharding, array.shape, array.dtype, [data] * count)


def _misfit(place: KeyPath, value: Any, leaf: Leaf) -> str:
    """The mismatch between a leaf of the file and the expected one; empty if they match."""
    if type(value) in _NUMBERS:
        kinds = [dtypes.KINDS[dtype] for dtype in (_NUMBERS[type(value)], leaf.values.dtype)]
        fits = (
            leaf.kind != "key" and not leaf.values.ndim and kinds[0] == kinds[1].replace("u", "i")
        )
        return "" if fits else f"is a Python {type(value).__name__} here, in the file {_type(leaf)}"
    if _is_key(value):
        generator = value.dtype.generator
        shape = (*value.shape, *generator.key_shape)
        if (leaf.kind, leaf.impl, leaf.values.shape) == ("key", generator.name, shape):
            return ""
        sizes = ",".join(map(str, value.shape))
        return f"is {value.dtype}[{sizes}] here, in the file {_type(leaf)}"
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        raise type_error(
            "checkpoint.load: leaves of `like` must be arrays, numbers, random keys or "
            f"ShapeDtypeStructs, got: {type(value).__name__} at {_shown(place)}"
        )
    if leaf.kind != "key" and (leaf.values.shape, leaf.values.dtype) == (tuple(shape), dtype):
        return ""
    sizes = ",".join(map(str, shape))
    return f"is {np.dtype(dtype).name}[{sizes}] here, in the file {_type(leaf)}"


def _type(leaf: Leaf) -> str:
    if leaf.kind == "key":
        return f"random keys ({leaf.impl}) of data {list(leaf.values.shape)}"
    return f"{leaf.values.dtype.name}[{','.join(map(str, leaf.values.shape))}]"


def _restored(name: str, leaf: Leaf, like: Any = None) -> Any:
    """The value of a leaf: as it was saved, or like the requested leaf."""
    if leaf.kind in _EMPTY:
        return _EMPTY[leaf.kind] if leaf.kind in ("None", "tuple") else type(_EMPTY[leaf.kind])()
    if leaf.kind == "key":
        return random.wrap_key_data(_array(name, leaf, False, None), impl=leaf.impl)
    numbers = [t for t in _NUMBERS if type(like) is t or (like is None and t.__name__ == leaf.kind)]
    if numbers:
        return numbers[0](np.asarray(leaf.values)[()])
    kind = leaf.kind if like is None else None
    if kind == "scalar" or isinstance(like, np.generic):
        return np.asarray(leaf.values)[()]
    if kind == "numpy" or isinstance(like, np.ndarray):
        return np.array(leaf.values)
    return _array(name, leaf, getattr(like, "weak_type", leaf.weak), sharding_of(like))


def sharding_of(like: Any) -> Sharding | None:
    """How a result is to be sharded; None if it is to be on no devices in particular."""
    if isinstance(like, ShapeDtypeStruct):
        return like.sharding
    place = getattr(like, "_place", None)
    if place is None or not place.is_committed or place.sharding.num_devices == 1:
        return None
    return place.sharding


def _array(name: str, leaf: Leaf, weak: bool, sharding: Sharding | None) -> Any:
    if dtypes.canonicalize_dtype(leaf.values.dtype) != leaf.values.dtype:
        raise value_error(
            f"checkpoint.load: arrays of 64-bit elements need enable_x64, got: {_type(leaf)} at "
            f"{name}; turn it on with dovetail.config.update('enable_x64', True)"
        )
    if sharding is None:
        return with_dtype(np.asarray(leaf.values), leaf.values.dtype, weak)
    values, shape = leaf.values, leaf.values.shape

    def part(index: Index) -> np.ndarray:
        if isinstance(values, Stored):
            return values.elements(bounds_of(index, shape))
        return values[index]

    array = make_array_from_callback(shape, sharding, part, values.dtype)
    return array.with_weakness(weak)
