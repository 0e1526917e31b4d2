"""Structures as bytes: JAX's protocol buffer `PyTreeDefProto`.

    message PyTreeDefProto { repeated Node nodes = 1; repeated string keys = 2; }
    message Node { uint32 arity = 1; Kind kind = 2; Keys keys = 3; }
    message Keys { repeated uint32 numbers = 1 [packed = true]; }

Nodes come after their children. The kinds are: 1 a leaf, 2 list, 3 None, 4 tuple, 5 dict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dovetail.base.errors import value_error

if TYPE_CHECKING:
    from dovetail.trees.treedef import PyTreeDef

_KINDS = {None: 1, list: 2, type(None): 3, tuple: 4, dict: 5}
_CLASSES = {kind: cls for cls, kind in _KINDS.items()}
_VARINT, _BYTES = 0, 2


def encoded(treedef: PyTreeDef) -> bytes:
    """The bytes of a structure.

    Raises:
      ValueError: it has nodes of other kinds, or keys that are not strings.
    """
    keys: dict[str, int] = {}
    nodes: list[bytes] = []

    def add(structure: PyTreeDef) -> None:
        children = structure.children()
        for child in children:
            add(child)
        cls, data = structure.node_data() or (None, None)
        if cls is not None and cls not in _KINDS:
            raise value_error(
                "User-defined nodes are not supported when serializing pytrees as protocol "
                f"buffers, got: {cls.__name__}; use pickle"
            )
        fields = _number(1, len(children)) + _number(2, _KINDS[cls])
        if cls is dict and data is not None:
            if not all(type(key) is str for key in data):
                raise value_error(
                    "Only string keys are supported in proto pytree serialization, got: "
                    f"{data}; use pickle"
                )
            numbers = b"".join(_varint(keys.setdefault(key, len(keys))) for key in data)
            fields += _field(3, _field(1, numbers) if data else b"")
        nodes.append(_field(1, fields))

    add(treedef)
    return b"".join(nodes) + b"".join(_field(2, key.encode()) for key in keys)


def _varint(value: int) -> bytes:
    """An int in groups of 7 bits, the lowest first."""
    groups = bytearray()
    while value >= 0x80:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*groups, value))


def _number(field: int, value: int) -> bytes:
    # Zero is the default and is omitted.
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def decoded(cls: type[PyTreeDef], data: bytes) -> PyTreeDef:
    """The structure from its bytes.

    Args:
      cls: the class of structures.
      data: the bytes.

    Raises:
      ValueError: they are something else.
    """
    try:
        return _decoded(cls, bytes(data))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise value_error(
            "Could not deserialize PyTreeDefProto: the bytes must be those of "
            f"serialize_using_proto, got: {len(data)} others"
        ) from error


def _decoded(structures: type[PyTreeDef], data: bytes) -> PyTreeDef:
    fields = list(_fields(data))
    keys = [value.decode() for field, value in fields if field == 2]
    stack: list[PyTreeDef] = []
    for node in (dict(_fields(value)) for field, value in fields if field == 1):
        count, cls = node.get(1, 0), _CLASSES[node[2]]
        if count > len(stack):
            raise ValueError("a node has more children than there are")
        children = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        numbers = dict(_fields(node.get(3, b""))).get(1, b"")
        of_dict = [keys[i] for i in _varints(numbers)] if cls is dict else None
        made = structures.from_node_data_and_children(None, cls and (cls, of_dict), children)
        if len(made.children()) != count:
            raise ValueError("a node has other children than it says")
        stack.append(made)
    (structure,) = stack
    return structure


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The numbers and values of a message's fields."""
    at = 0
    while at < len(data):
        tag, at = _read(data, at)
        value, at = _read(data, at)
        if tag & 7 == _BYTES:
            if at + value > len(data):
                raise ValueError("a field ends after the message")
            value, at = data[at : at + value], at + value
        elif tag & 7 != _VARINT:
            raise ValueError("a field is of another kind")
        yield tag >> 3, value


def _varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _read(data, at)
        yield value


def _read(data: bytes, at: int) -> tuple[int, int]:
    """The int at an offset, and the offset after it."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1
