"""The file format of a saved tree: leaves as tensors of the safetensors format, and metadata
about them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from dovetail.arrays.process_moves import Bounds, overlap, within
from dovetail.arrays.shards import Shards
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.runtime.module_file import replacing
from dovetail.runtime.parameters import resembles
from dovetail.saving.together import connected, gathered, own_parts, write_together

# Only files with arrays that several processes wrote need the second version.
VERSION, FIRST_VERSION = 2, 1
_NOTES, _DIGEST = "dovetail.checkpoint", "dovetail.sha256"
# The safetensors format's own name of metadata.
_METADATA = "__metadata__"
# Keys of metadata about leaves, besides paths and checksums.
_NOTED = ("kind", "dtype", "weak", "impl")

# The format's names of element types. Complex numbers are stored as pairs of reals, unknown types
# as bytes.
_TENSOR_TYPES = {
    "BOOL": dtypes.bool_,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "U16": dtypes.uint16,
    "I32": dtypes.int32,
    "U32": dtypes.uint32,
    "I64": dtypes.int64,
    "U64": dtypes.uint64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
    "F8_E4M3": dtypes.float8_e4m3fn,
    "F8_E5M2": dtypes.float8_e5m2,
    "F8_E8M0": dtypes.float8_e8m0fnu,
    "F8_E4M3FNUZ": dtypes.float8_e4m3fnuz,
    "F8_E5M2FNUZ": dtypes.float8_e5m2fnuz,
}
DIRECT = {dtype for name, dtype in _TENSOR_TYPES.items() if name != "C64"}
_PARTS = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}


@dataclass
class Leaf:
    """A leaf in the file's format.

    Attributes:
      path: its steps from the root, each a kind ("key", "index", "attribute", "child") and a value.
      kind: "array", "numpy", "scalar" (of NumPy), "key" (of random numbers), the name of a Python
        type, or of an empty node.
      dtype: the name of its element type.
      weak: whether the type is weak.
      impl: of a key, its generator.
      crc32: of its bytes.
      parts: of an array that several processes wrote, the bounds of each part, and the CRC-32 of
        its bytes.
      values: its elements, for a key its data: a NumPy array, or an object of its shape and dtype
        that has them in parts.
    """

    path: tuple[tuple[str, Any], ...]
    kind: str
    dtype: str = ""
    weak: bool = False
    impl: str = ""
    crc32: int = 0
    parts: list[Any] = field(default_factory=list)
    values: Any = field(default_factory=lambda: np.zeros(0))


def known_dtype(name: str) -> np.dtype | None:
    """The element type of a name, if it is one that can be saved."""
    return next((dtype for dtype in dtypes.KINDS if dtype.name == name), None)


def _encoded(values: np.ndarray) -> np.ndarray:
    """Elements as a type that the format supports."""
    values = np.asarray(values, values.dtype.newbyteorder("="), order="C")
    if values.dtype in _PARTS:
        return values.reshape(*values.shape, 1).view(_PARTS[values.dtype])
    return values if values.dtype in DIRECT else values.view(np.uint8)


def _decoded(tensor: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if tensor.dtype == dtype:
        return tensor
    values = tensor.view(dtype)
    return values.reshape(values.shape[:-1]) if dtype in _PARTS else values


def tensors_of(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Named arrays in the form that the format's library accepts; the arrays must stay alive
    until it is done.
    """
    return _tensors({name: _encoded(values) for name, values in arrays.items()})


def _tensors(named: dict[str, np.ndarray]) -> dict[str, Any]:
    return {
        name: safetensors.TensorSpec(
            dtype=x.dtype.name, shape=x.shape, data_ptr=x.ctypes.data, data_len=x.nbytes
        )
        for name, x in named.items()
    }


def write(path: Path, leaves: dict[str, Leaf]) -> None:
    """Write named leaves to a file; an existing file is replaced atomically or left unchanged.

    If processes have parts of them, all must call this.
    """
    if any(type(leaf.values) is Shards for leaf in leaves.values()):
        return _write_together(path, leaves)
    tensors = {name: _encoded(leaf.values) for name, leaf in leaves.items() if leaf.dtype}
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    metadata = _metadata(leaves, tensors, shapes, {})
    with replacing(path) as temporary:
        try:
            safetensors.serialize_file(_tensors(tensors), temporary, metadata=metadata)
        except safetensors.SafetensorError as error:
            raise OSError(f"checkpoint.save: {path} cannot be written: {error}") from None


def _metadata(
    leaves: Mapping[str, Leaf],
    tensors: Mapping[str, np.ndarray],
    shapes: Mapping[str, Sequence[int]],
    parts: Mapping[str, list[Any]],
) -> dict[str, str]:
    """A file's metadata.

    Args:
      leaves: the leaves.
      tensors: those that are whole.
      shapes: the shapes of all in the file.
      parts: the parts of the others, and the checksums of their bytes.
    """
    notes: dict[str, Any] = {"version": VERSION if parts else FIRST_VERSION, "leaves": {}}
    for name, leaf in leaves.items():
        note = {key: value for key, value in vars(leaf).items() if key in _NOTED and value}
        if name in parts:
            note["parts"] = parts[name]
        elif name in tensors:
            note["crc32"] = _crc(tensors[name])
        notes["leaves"][name] = {"path": leaf.path, **note}
    text = json.dumps(notes)
    return {_NOTES: text, _DIGEST: _digest_of(text, shapes)}


def _crc(values: np.ndarray) -> int:
    return zlib.crc32(values.reshape(-1).view(np.uint8).data)


def _write_together(path: Path, leaves: Mapping[str, Leaf]) -> None:
    """Write leaves of which other processes have parts."""
    group = connected()
    described = [
        [name, *(getattr(leaf, key) for key in ("path", *_NOTED)), np.shape(leaf.values)]
        for name, leaf in leaves.items()
    ]
    digest = hashlib.sha256(json.dumps([str(path), described]).encode()).hexdigest()
    found = gathered(group, "checkpoint.save: comparing trees", digest)
    others = [process for process, other in enumerate(found) if other != digest]
    if others:
        raise value_error(
            "checkpoint.save: all processes must save trees of the same structure and types to one "
            f"file, got: others in process {', '.join(map(str, others))} than in process "
            f"{group.index}, for {path}"
        )
    own = {
        name: [*own_parts(leaf.values, group.index)]
        for name, leaf in leaves.items()
        if type(leaf.values) is Shards
    }
    sums = {name: [[p.bounds, _crc(p.values)] for p in parts] for name, parts in own.items()}
    told = gathered(group, "checkpoint.save: gathering checksums", sums)
    parts = {name: sorted(itertools.chain(*(sums[name] for sums in told))) for name in own}
    # Process 0 writes what is whole, which others may have with other values.
    tensors = {
        name: _encoded(leaf.values)
        for name, leaf in leaves.items()
        if leaf.dtype and name not in own
    }
    header = _header(leaves, tensors, parts) if group.index == 0 else {}
    header = gathered(group, "checkpoint.save: distributing the header", header)[0]
    start = json.dumps(header).encode()
    start += b" " * (-len(start) % 8)
    start = len(start).to_bytes(8, "little") + start
    offsets = {
        name: len(start) + tensor["data_offsets"][0]
        for name, tensor in header.items()
        if name != _METADATA
    }
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != _METADATA]
    write_together(
        path,
        group,
        start,
        [(offsets[name], values) for name, values in tensors.items()],
        [(offsets[name], leaves[name].values.shape, p) for name, ps in own.items() for p in ps],
        len(start) + max(ends, default=0),
    )


def _header(
    leaves: Mapping[str, Leaf],
    tensors: Mapping[str, np.ndarray],
    parts: Mapping[str, list[Any]],
) -> dict[str, Any]:
    """The header of a file in the safetensors format, which tells where each tensor is."""
    types = {name: (values.dtype, values.shape) for name, values in tensors.items()}
    for name in parts:
        values = leaves[name].values
        types[name] = _encoded_type(values.dtype, values.shape)
    shapes = {name: shape for name, (_, shape) in types.items()}
    header: dict[str, Any] = {_METADATA: _metadata(leaves, tensors, shapes, parts)}
    names = {dtype: name for name, dtype in _TENSOR_TYPES.items()}
    end = 0
    # Those with the largest elements first, so that all are aligned.
    for name, (dtype, shape) in sorted(types.items(), key=lambda item: -item[1][0].itemsize):
        begin, end = end, end + dtype.itemsize * math.prod(shape)
        header[name] = {"dtype": names[dtype], "shape": shape, "data_offsets": [begin, end]}
    return header


def _encoded_type(dtype: np.dtype, shape: tuple[int, ...]) -> tuple[np.dtype, tuple[int, ...]]:
    """What `_encoded` makes of arrays."""
    if dtype in _PARTS:
        return _PARTS[dtype], (*shape, 2)
    if dtype in DIRECT:
        return dtype, shape
    return dtypes.uint8, (*shape[:-1], shape[-1] * dtype.itemsize) if shape else shape


def _digest_of(notes: str, shapes: Mapping[str, Sequence[int]]) -> str:
    """The digest of all metadata in a file; the metadata hold checksums of the data."""
    lines = [notes, *(f"{name} {list(shape)}" for name, shape in sorted(shapes.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read(path: Path) -> dict[str, Leaf]:
    """The leaves of a file, by name.

    Raises:
      ValueError: it is not such a file, is damaged, or is of a later version.
    """
    with open(path, "rb") as file:
        try:
            # The library checks the header, whose size comes first, and the size of the file.
            safetensors.safe_open(path, framework="numpy")
            start = 8 + int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(start - 8))
            mapped = np.memmap(file, np.uint8, "r")
        except Exception as error:
            raise _damaged(path, f"it is no whole safetensors file ({error})") from None
    metadata = header.pop(_METADATA, {})
    tensors = {
        name: tensor | {"data": mapped[slice(*(start + i for i in tensor["data_offsets"]))]}
        for name, tensor in header.items()
    }
    text = metadata.get(_NOTES)
    shapes = {name: tensor["shape"] for name, tensor in tensors.items()}
    if text is None and any(resembles(key, _NOTES) or key == _DIGEST for key in metadata):
        raise _damaged(path, "its notes have another name")
    if text is not None and metadata.get(_DIGEST) != _digest_of(text, shapes):
        raise _damaged(path, "its notes are not those that were saved")
    if text is None:
        return {name: _foreign(path, name, tensor) for name, tensor in tensors.items()}
    try:
        notes = json.loads(text)
        version, described = notes["version"], notes["leaves"]
        leaves = {
            name: Leaf(**note | {"path": tuple((kind, value) for kind, value in note["path"])})
            for name, note in described.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path, f"its notes cannot be read ({error!r})") from None
    if version > VERSION:
        raise value_error(
            f"checkpoint.load: the file's version must be at most {VERSION}, got: {version} of "
            f"{path}; install a later Dovetail"
        )
    for name, leaf in leaves.items():
        if leaf.dtype:
            leaf.values = _values(path, name, leaf, tensors.get(name))
    return leaves


def _values(path: Path, name: str, leaf: Leaf, tensor: Any) -> Any:
    dtype = known_dtype(leaf.dtype)
    if tensor is None or dtype is None:
        reason = "is not in it" if tensor is None else f"has the unknown element type {leaf.dtype}"
        raise _damaged(path, f"the leaf {name} {reason}")
    if not leaf.parts:
        # Not used from the file itself, which another process may change.
        tensor = tensor | {"data": tensor["data"].tobytes()}
        if zlib.crc32(tensor["data"]) != leaf.crc32:
            raise _damaged(path, f"the bytes of {name} are not those that were saved")
    try:
        values = _decoded(_array(tensor), dtype)
        return Stored(path, name, values, leaf.parts) if leaf.parts else values
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, f"the leaf {name} does not fit its notes ({error})") from None


def _foreign(path: Path, name: str, tensor: Any) -> Leaf:
    """A tensor in a file written by another program."""
    if tensor["dtype"] not in _TENSOR_TYPES:
        raise value_error(
            f"checkpoint.load: element types must be {', '.join(_TENSOR_TYPES)}, got: "
            f"{tensor['dtype']} of {name} in {path}"
        )
    values = _array(tensor | {"data": tensor["data"].tobytes()})
    return Leaf((("key", name),), "array", values.dtype.name, values=values)


def _array(tensor: Any) -> np.ndarray:
    values = np.frombuffer(tensor["data"], _TENSOR_TYPES[tensor["dtype"]])
    return values.reshape(tensor["shape"])


class Stored:
    """The elements of an array that several processes wrote, read from the file where they are
    needed.

    Args:
      path: the file.
      name: the array's name in it.
      mapped: the elements in the file.
      parts: the bounds of the parts, and the CRC-32 of the bytes of each.
    """

    def __init__(self, path: Path, name: str, mapped: np.ndarray, parts: Sequence[Any]) -> None:
        self.shape, self.dtype, self.ndim = mapped.shape, mapped.dtype, mapped.ndim
        self._path = path
        self._name = name
        self._mapped = mapped
        self._parts = [(tuple((int(a), int(b)) for a, b in bounds), crc) for bounds, crc in parts]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        whole = tuple((0, size) for size in self.shape)
        return np.asarray(self.elements(whole), dtype)

    def elements(self, wanted: Bounds) -> np.ndarray:
        """A part of the array.

        Raises:
          ValueError: the file is damaged there.
        """
        result = np.empty([stop - start for start, stop in wanted], self.dtype)
        missing = result.size
        for bounds, crc in self._parts:
            both = overlap(wanted, bounds)
            if both is None:
                continue
            part = np.array(self._mapped[tuple(slice(*pair) for pair in bounds)], order="C")
            if _crc(part) != crc:
                raise _damaged(
                    self._path, f"the bytes of {self._name} are not those that were saved"
                )
            result[within(both, wanted)] = part[within(both, bounds)]
            missing -= math.prod(stop - start for start, stop in both)
        if missing:
            raise _damaged(self._path, f"parts of {self._name} are missing")
        return result


def _damaged(path: Path, reason: str) -> ValueError:
    return value_error(
        f"checkpoint.load: the file must be what `save` wrote, got: {path}: {reason}; take another "
        "copy of it"
    )
