"""The file format of a saved tree: leaves as tensors of the safetensors format, and metadata
about them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.runtime.module_file import replacing
from dovetail.runtime.parameters import resembles

VERSION = 1
_NOTES, _DIGEST = "dovetail.checkpoint", "dovetail.sha256"
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
_DIRECT = {dtype for name, dtype in _TENSOR_TYPES.items() if name != "C64"}
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
      values: its elements, for a key its data.
    """

    path: tuple[tuple[str, Any], ...]
    kind: str
    dtype: str = ""
    weak: bool = False
    impl: str = ""
    crc32: int = 0
    values: np.ndarray = field(default_factory=lambda: np.zeros(0))


def known_dtype(name: str) -> np.dtype | None:
    """The element type of a name, if it is one that can be saved."""
    return next((dtype for dtype in dtypes.KINDS if dtype.name == name), None)


def _encoded(values: np.ndarray) -> np.ndarray:
    """Elements as a type that the format supports."""
    values = np.asarray(values, values.dtype.newbyteorder("="), order="C")
    if values.dtype in _PARTS:
        return values.reshape(*values.shape, 1).view(_PARTS[values.dtype])
    return values if values.dtype in _DIRECT else values.view(np.uint8)


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
    """Write named leaves to a file; an existing file is replaced atomically or left unchanged."""
    tensors = {name: _encoded(leaf.values) for name, leaf in leaves.items() if leaf.dtype}
    notes: dict[str, Any] = {"version": VERSION, "leaves": {}}
    for name, leaf in leaves.items():
        note = {key: value for key, value in vars(leaf).items() if key in _NOTED and value}
        if name in tensors:
            note["crc32"] = zlib.crc32(tensors[name].reshape(-1).view(np.uint8).data)
        notes["leaves"][name] = {"path": leaf.path, **note}
    text = json.dumps(notes)
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    metadata = {_NOTES: text, _DIGEST: _digest_of(text, shapes)}
    with replacing(path) as temporary:
        try:
            safetensors.serialize_file(_tensors(tensors), temporary, metadata=metadata)
        except safetensors.SafetensorError as error:
            raise OSError(f"checkpoint.save: {path} cannot be written: {error}") from None


def _digest_of(notes: str, shapes: Mapping[str, Any]) -> str:
    """The digest of all metadata in a file; the metadata hold checksums of the data."""
    lines = [notes, *(f"{name} {list(shape)}" for name, shape in sorted(shapes.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read(path: Path) -> dict[str, Leaf]:
    """The leaves of a file, by name.

    Raises:
      ValueError: it is not such a file, is damaged, or is of a later version.
    """
    data = path.read_bytes()
    try:
        tensors = dict(safetensors.deserialize(data))
        # The library returns only tensors; it has checked the header, whose size comes first.
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    except Exception as error:
        raise _damaged(path, f"it is no whole safetensors file ({error})") from None
    metadata = header.get("__metadata__", {})
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


def _values(path: Path, name: str, leaf: Leaf, tensor: Any) -> np.ndarray:
    dtype = known_dtype(leaf.dtype)
    if tensor is None or dtype is None:
        reason = "is not in it" if tensor is None else f"has the unknown element type {leaf.dtype}"
        raise _damaged(path, f"the leaf {name} {reason}")
    if zlib.crc32(tensor["data"]) != leaf.crc32:
        raise _damaged(path, f"the bytes of {name} are not those that were saved")
    try:
        return _decoded(_array(tensor), dtype)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, f"the leaf {name} does not fit its notes ({error})") from None


def _foreign(path: Path, name: str, tensor: Any) -> Leaf:
    """A tensor in a file written by another program."""
    if tensor["dtype"] not in _TENSOR_TYPES:
        raise value_error(
            f"checkpoint.load: element types must be {', '.join(_TENSOR_TYPES)}, got: "
            f"{tensor['dtype']} of {name} in {path}"
        )
    values = _array(tensor)
    return Leaf((("key", name),), "array", values.dtype.name, values=values)


def _array(tensor: Any) -> np.ndarray:
    values = np.frombuffer(tensor["data"], _TENSOR_TYPES[tensor["dtype"]])
    return values.reshape(tensor["shape"])


def _damaged(path: Path, reason: str) -> ValueError:
    return value_error(
        f"checkpoint.load: the file must be what `save` wrote, got: {path}: {reason}; take another "
        "copy of it"
    )
