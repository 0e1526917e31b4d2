"""An exported function as bytes: a header, a digest, metadata as JSON, the program's text,
arrays.
"""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import optree

from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.base.mlir_types import dtype_name, dtype_named
from dovetail.random.generators import GENERATORS
from dovetail.random.keys import KeyArray
from dovetail.symbolic.parse import size
from dovetail.symbolic.scope import SymbolicScope
from dovetail.trees.float0 import is_float0, set_float0_aside
from dovetail.trees.pytree import DATA_NAMESPACE, flatten

# The format; `deserialize` reads the versions from the first to the last.
MAGIC = b"dovetail exported\n"
FIRST_VERSION = LAST_VERSION = 1
_HEADER = struct.Struct(f"<{len(MAGIC)}sI32s")


class Payload(NamedTuple):
    """The parts of a serialized function.

    Attributes:
      notes: JSON data.
      text: the module's text.
      arrays: arrays that the function closes over.
    """

    notes: dict[str, Any]
    text: str
    arrays: list[np.ndarray]


def pack(payload: Payload) -> bytearray:
    """The bytes of a payload."""
    text = zlib.compress(payload.text.encode())
    notes = {
        **payload.notes,
        "text": len(text),
        "arrays": [[dtype_name(array.dtype), array.shape] for array in payload.arrays],
    }
    encoded = json.dumps(notes).encode()
    parts = [struct.pack("<Q", len(encoded)), encoded, text]
    parts += [array.tobytes() for array in payload.arrays]
    content = b"".join(parts)
    return bytearray(_HEADER.pack(MAGIC, LAST_VERSION, hashlib.sha256(content).digest()) + content)


def unpack(blob: bytes | bytearray | memoryview) -> Payload:
    """The inverse of `pack`.

    Raises:
      ValueError: the bytes are something else, are damaged, or of an unknown version.
    """
    view = memoryview(blob).cast("B")
    if len(view) < _HEADER.size or bytes(view[: len(MAGIC)]) != MAGIC:
        raise value_error("deserialize needs what Exported.serialize returned, got: other bytes")
    _, version, digest = _HEADER.unpack(view[: _HEADER.size])
    content = view[_HEADER.size :]
    if hashlib.sha256(content).digest() != digest:
        raise value_error(
            "a serialized function must have the digest that it states, got: another one: it is "
            "damaged or cut off; fetch a fresh copy"
        )
    if not FIRST_VERSION <= version <= LAST_VERSION:
        raise value_error(
            f"a serialized function must have a version from {FIRST_VERSION} to {LAST_VERSION}, "
            f"got: {version}; serialize it again with this version of Dovetail"
        )
    (size,) = struct.unpack("<Q", content[:8])
    notes = json.loads(bytes(content[8 : 8 + size]))
    rest = content[8 + size :]
    text = zlib.decompress(rest[: notes["text"]]).decode()
    rest = rest[notes["text"] :]
    arrays = []
    for element, shape in notes["arrays"]:
        dtype = dtype_named(element)
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(rest, dtype, count).reshape(shape).copy())
        rest = rest[count * dtype.itemsize :]
    return Payload(notes, text, arrays)


def encode_avals(avals: Sequence[ShapedArray]) -> list[Any]:
    """Types as JSON data; symbolic sizes are texts."""
    return [
        [
            [s if isinstance(s, int) else str(s) for s in a.shape],
            dtype_name(a.dtype),
            a.weak_type,
        ]
        for a in avals
    ]


def decode_avals(data: Sequence[Any], scope: SymbolicScope | None = None) -> list[ShapedArray]:
    """Types from JSON data; `scope` is that of symbolic sizes."""

    def size_of(entry: Any) -> Any:
        if isinstance(entry, int):
            return entry
        assert scope is not None
        return size(entry, scope)

    return [
        ShapedArray(tuple(map(size_of, shape)), dtype_named(dtype), bool(weak))
        for shape, dtype, weak in data
    ]


# Trees ------------------------------------------------------------------------------------------


class _Node(NamedTuple):
    """The serialization of a class of nodes."""

    name: str
    cls: type
    serialize: Callable[[Any], bytes]
    deserialize: Callable[[bytes], Any]
    from_children: Callable[[Any, Sequence[Any]], Any]


_by_class: dict[type, _Node] = {}
_by_name: dict[str, _Node] = {}


def register_pytree_node_serialization(
    nodetype: type,
    *,
    serialized_name: str,
    serialize_auxdata: Callable[[Any], bytes],
    deserialize_auxdata: Callable[[bytes], Any],
    from_children: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> type:
    """Allow serializing exported functions whose arguments or results have nodes of a class.

    Args:
      nodetype: a class that is registered with `dovetail.tree_util`.
      serialized_name: the name of the class in serialized functions.
      serialize_auxdata: returns bytes for the auxiliary data of a node.
      deserialize_auxdata: the inverse.
      from_children: makes a node from the auxiliary data and children; by default the function that
        the class was registered with.

    Returns:
      The class.

    Raises:
      ValueError: the class or the name is registered already, or the class is not a node.

    Example:
      >>> from dovetail import export, tree_util
      >>> class Scaled:
      ...     def __init__(self, x, unit):
      ...         self.x, self.unit = x, unit
      >>> tree_util.register_pytree_node(
      ...     Scaled, lambda s: ((s.x,), s.unit), lambda unit, children: Scaled(*children, unit))
      >>> _ = export.register_pytree_node_serialization(
      ...     Scaled, serialized_name="Scaled",
      ...     serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode)
    """
    if nodetype in _by_class:
        raise ValueError(
            f"a class must be registered once, got: {nodetype.__name__}, which is "
            f"{_by_class[nodetype].name!r}"
        )
    if serialized_name in _by_name:
        raise ValueError(
            f"a name must be registered once, got: {serialized_name!r}, which is "
            f"{_by_name[serialized_name].cls.__name__}"
        )
    if from_children is None:
        handler = optree.register_pytree_node.get(nodetype, namespace=DATA_NAMESPACE)  # type: ignore[attr-defined]
        if handler is None:
            raise ValueError(
                f"a class must be registered with tree_util first, got: {nodetype.__name__}; or "
                "pass from_children"
            )
        from_children = handler.unflatten_func
    node = _Node(serialized_name, nodetype, serialize_auxdata, deserialize_auxdata, from_children)
    _by_class[nodetype] = _by_name[serialized_name] = node
    return nodetype


def register_namedtuple_serialization(nodetype: type, *, serialized_name: str) -> type:
    """Allow serializing exported functions whose arguments or results have such named tuples.

    Args:
      nodetype: the class; it must have the same fields where it is deserialized.
      serialized_name: the name of the class in serialized functions.

    Returns:
      The class.

    Raises:
      ValueError: the class is not a named tuple, or it or the name is registered already.

    Example:
      >>> from typing import NamedTuple
      >>> from dovetail import export
      >>> class Point(NamedTuple):
      ...     x: float
      ...     y: float
      >>> _ = export.register_namedtuple_serialization(Point, serialized_name="Point")
    """
    fields: Any = getattr(nodetype, "_fields", None)
    if not (issubclass(nodetype, tuple) and isinstance(fields, tuple)):
        raise ValueError(
            f"the class must be one of named tuples, got: {nodetype.__name__}; use "
            "register_pytree_node_serialization"
        )
    return register_pytree_node_serialization(
        nodetype,
        serialized_name=serialized_name,
        serialize_auxdata=lambda _: json.dumps(fields).encode(),
        deserialize_auxdata=json.loads,
        from_children=lambda names, children: nodetype(**dict(zip(names, children, strict=True))),
    )


def _encode_keys(keys: Any) -> bytes:
    if not all(isinstance(key, str) for key in keys):
        raise value_error(f"keys of an OrderedDict must be strings, got: {list(keys)!r}")
    return json.dumps(list(keys)).encode()


register_pytree_node_serialization(
    collections.OrderedDict,
    serialized_name="collections.OrderedDict",
    serialize_auxdata=_encode_keys,
    deserialize_auxdata=json.loads,
    from_children=lambda keys, children: collections.OrderedDict(zip(keys, children, strict=True)),
)


def encode_tree(tree: Any) -> Any:
    """A tree of leaf numbers as JSON data."""
    kind = type(tree)
    if tree is None or kind is int:
        return tree
    if kind in (tuple, list):
        return {kind.__name__: [encode_tree(child) for child in tree]}
    if kind is dict:
        for key in tree:
            if type(key) not in (str, int):
                raise value_error(f"keys of a serialized tree must be str or int, got: {key!r}")
        return {"dict": [[key, encode_tree(child)] for key, child in tree.items()]}
    if is_float0(tree):
        return {"float0": tree.shape}
    if hasattr(kind, "is_key_array"):
        return {"key": [tree._generator.name, encode_tree(tree._data)]}
    node = _by_class.get(kind)
    if node is None:
        way = "namedtuple" if hasattr(kind, "_fields") else "pytree_node"
        raise value_error(
            f"nodes of a serialized tree must be of classes registered for it, got: "
            f"{kind.__name__}; call dovetail.export.register_{way}_serialization"
        )
    children, aux, *_ = optree.tree_flatten_one_level(tree, namespace=DATA_NAMESPACE)
    if kind is collections.OrderedDict:
        aux = tree.keys()
    data = base64.b64encode(node.serialize(aux)).decode()
    return {"node": [node.name, data, [encode_tree(child) for child in children]]}


def decode_tree(data: Any) -> Any:
    """The inverse of `encode_tree`."""
    if data is None or type(data) is int:
        return data
    ((kind, value),) = data.items()
    if kind == "dict":
        return {key: decode_tree(child) for key, child in value}
    if kind == "float0":
        return np.zeros(value, dtypes.float0)
    if kind == "key":
        return KeyArray(GENERATORS[value[0]], decode_tree(value[1]))
    if kind == "node":
        name, aux, children = value
        node = _by_name.get(name)
        if node is None:
            raise value_error(
                f"the classes of a serialized tree's nodes must be registered, got: {name!r}; call "
                "dovetail.export.register_pytree_node_serialization as where it was serialized"
            )
        made = [decode_tree(child) for child in children]
        return node.from_children(node.deserialize(base64.b64decode(aux)), made)
    return {"tuple": tuple, "list": list}[kind](decode_tree(child) for child in value)


def spec_of(data: Any) -> Any:
    """The structure described by JSON data."""
    return set_float0_aside(*flatten(decode_tree(data)))[1]
