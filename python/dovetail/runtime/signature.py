"""Signatures of functions: the JSON in a module file, and IREE's own declaration.

An exporter writes the JSON as entry `dovetail.signature` of the function's `iree.reflection`:

    {"inputs":  [{"shape": ["n", 784], "dtype": "float32"}, …],
     "outputs": [{"shape": ["n", 10], "dtype": "float32"}, …],
     "arg_names": ["params", "images"],
     "in_tree":  {"tuple": [{"dict": [["b", 0], ["w", 1]]}, 2]},
     "out_tree": {"list": [0, null]}}

A dimension is a number, null for any, a name, which stands for any size but the same wherever the
name occurs, or a text such as "2*n + 1" computed from names. Facts about names may follow as
"sizes" (`sizes.py`). Null in place of an input or output leaves it unchecked. A tree is a leaf's
index, null for `None`, or one of `{"tuple": […]}`, `{"list": […]}`, `{"dict": [[key, tree], …]}`
and `{"named": [class, [[field, tree], …]]}`; `in_tree` is the tuple of the arguments. Names and
trees are optional.
"""

from __future__ import annotations

import functools
import json
import re
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .dtypes import DTYPE_OF_MLIR, DTYPE_OF_NAME
from .reflection import decoded
from .sizes import Sizes, formula

REFLECTION_KEY = "dovetail.signature"
# The numbers of a function's results that may share memory with anything else.
SHARING_KEY = "dovetail.sharing"
# The numbers of the arguments whose memory results may use.
HANDED_BACK_KEY = "dovetail.handed_back"

# In Python a tree is itself, with indices for leaves: `({"b": 0, "w": 1}, 2)`.
Tree = Any
Dim = int | str | None

_CONTAINERS = {tuple: "tuple", list: "list"}


@functools.cache
def named_tuple(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """The class of a named tuple, the same one for the same names.

    Raises:
      ValueError: a name is not valid in Python.
    """
    return namedtuple(name, fields)  # pyright: ignore[reportUntypedNamedTuple]


def fields_of(tree: Any) -> tuple[str, ...]:
    """The names of a named tuple's elements; none for anything else."""
    return getattr(tree, "_fields", ()) if isinstance(tree, tuple) else ()


@dataclass(frozen=True)
class ArraySpec:
    """The type of one array.

    Attributes:
      shape: per dimension an int, None (any), a name, or a text computed from names.
      dtype: the element type.

    Example:
      >>> from dovetail import runtime
      >>> str(runtime.ArraySpec(("n", None, 4), np.dtype(np.float32)))
      'float32[n,?,4]'
    """

    shape: tuple[Dim, ...]
    dtype: np.dtype

    def __str__(self) -> str:
        dims = ",".join("?" if dim is None else str(dim) for dim in self.shape)
        return f"{self.dtype.name}[{dims}]"


@dataclass(frozen=True)
class Signature:
    """Arguments and results of a function.

    Attributes:
      inputs: a spec per leaf of the arguments, None if nothing is known about it.
      outputs: the same for the results.
      in_tree: the tuple of arguments; None if the function takes its arrays one by one.
      out_tree: the tree of the result; without `in_tree` it has no meaning.
      arg_names: a name per argument, or none at all.
      signless: integers are distinguished only by width, as in IREE's declaration.
      sizes: what is known about the names in shapes.

    Example:
      >>> from dovetail import runtime
      >>> vector = runtime.ArraySpec(("n",), np.dtype(np.float32))
      >>> print(runtime.Signature((vector, vector), (vector,)))
      (float32[n], float32[n]) -> (float32[n])
    """

    inputs: tuple[ArraySpec | None, ...]
    outputs: tuple[ArraySpec | None, ...]
    in_tree: tuple[Tree, ...] | None = None
    out_tree: Tree = None
    arg_names: tuple[str, ...] = ()
    signless: bool = False
    sizes: Sizes = field(default_factory=Sizes)

    def __str__(self) -> str:
        return f"({_describe(self.inputs)}) -> ({_describe(self.outputs)})"

    def to_json(self) -> str:
        """Returns the text that `from_json` reads."""
        fields: dict[str, Any] = {
            key: [spec and spec_to_json(spec) for spec in specs]
            for key, specs in (("inputs", self.inputs), ("outputs", self.outputs))
        }
        if self.arg_names:
            fields["arg_names"] = self.arg_names
        if self.in_tree is not None:
            fields["in_tree"] = encode_tree(self.in_tree)
            fields["out_tree"] = encode_tree(self.out_tree)
        if self.sizes != Sizes():
            fields["sizes"] = self.sizes.to_json()
        return json.dumps(fields, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Signature:
        """Reads a signature.

        Raises:
          ValueError: the text is not a signature.
        """
        return decoded(REFLECTION_KEY, text, _signature_of)

    @staticmethod
    def from_reflection(reflection: dict[str, str]) -> Signature | None:
        """Reads the signature from a function's reflection attributes; None if there is none."""
        text = reflection.get(REFLECTION_KEY)
        if text is not None:
            return Signature.from_json(text)
        declaration = reflection.get("iree.abi.declaration")
        return None if declaration is None else from_declaration(declaration)


def _signature_of(fields: Any) -> Signature:
    inputs, outputs = (
        tuple(spec and spec_from_json(spec) for spec in fields[key])
        for key in ("inputs", "outputs")
    )
    names = tuple(map(str, fields.get("arg_names", ())))
    sizes = Sizes.from_json(fields["sizes"]) if "sizes" in fields else Sizes()
    for name in sizes.names:
        if name.dimension not in range(len(inputs[name.leaf].shape)):
            raise ValueError(f"{name.name!r} must be of a dimension of an input")
    if "in_tree" not in fields:
        return Signature(inputs, outputs, arg_names=names, sizes=sizes)
    in_tree = decode_tree(fields["in_tree"])
    out_tree = decode_tree(fields["out_tree"])
    _check_leaves(in_tree, len(inputs))
    _check_leaves(out_tree, len(outputs))
    if type(in_tree) is not tuple or len(names) not in (0, len(in_tree)):
        raise ValueError("in_tree must be a tuple, with arg_names as many as its elements")
    return Signature(inputs, outputs, in_tree, out_tree, names, sizes=sizes)


def encode_tree(tree: Tree) -> Any:
    """Returns the tree as JSON data.

    Raises:
      TypeError: a container is not a tuple, list or dict, or a key is neither a string nor an int.
    """
    if tree is None or type(tree) is int:
        return tree
    if type(tree) in _CONTAINERS:
        return {_CONTAINERS[type(tree)]: [encode_tree(child) for child in tree]}
    if type(tree) is dict:
        for key in tree:
            if type(key) not in (str, int):
                raise TypeError(
                    f"a key in a module's signature must be a string or an int, got: {key!r}; "
                    "rename it before the export"
                )
        return {"dict": [[key, encode_tree(child)] for key, child in tree.items()]}
    if fields_of(tree):
        named = zip(fields_of(tree), tree, strict=True)
        return {"named": [type(tree).__name__, [[key, encode_tree(child)] for key, child in named]]}
    raise TypeError(
        f"a module's signature has dict, list, tuple and None only, got: {type(tree).__name__}; "
        "wrap the function so that it takes and returns those"
    )


def decode_tree(data: Any) -> Tree:
    """The inverse of `encode_tree`."""
    if data is None or type(data) is int:
        return data
    ((kind, children),) = data.items()
    if kind == "dict":
        return {key: decode_tree(child) for key, child in children}
    if kind == "named":
        name, named = children
        cls = named_tuple(str(name), tuple(str(key) for key, _ in named))
        return cls(*(decode_tree(child) for _, child in named))
    return {"tuple": tuple, "list": list}[kind](decode_tree(child) for child in children)


def leaves(tree: Tree) -> list[int]:
    """Returns the leaf indices of a tree, in the order in which they occur."""
    if tree is None:
        return []
    if type(tree) is int:
        return [tree]
    children = tree.values() if type(tree) is dict else tree
    return [leaf for child in children for leaf in leaves(child)]


def _check_leaves(tree: Tree, count: int) -> None:
    if sorted(leaves(tree)) != list(range(count)):
        raise ValueError(f"its leaves must be 0 to {count - 1}, got: {leaves(tree)}")


def spec_to_json(spec: ArraySpec) -> dict[str, Any]:
    """The type of an array as JSON data."""
    return {"shape": spec.shape, "dtype": spec.dtype.name}


def spec_from_json(fields: dict[str, Any]) -> ArraySpec:
    """The inverse of `spec_to_json`."""
    return ArraySpec(tuple(map(_dim, fields["shape"])), DTYPE_OF_NAME[fields["dtype"]])


def _dim(value: Any) -> Dim:
    if type(value) is str and not value.isidentifier():
        formula(value)
    if value is None or type(value) is str or (type(value) is int and value >= 0):
        return value
    raise ValueError(f"a dimension must be a number, a text or null, got: {value!r}")


_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)(\w+(?:<\w+>)?)>")


def from_declaration(declaration: str) -> Signature | None:
    """Reads IREE's `sync func @f(%a: tensor<?x4xf32>) -> (%r: tensor<4xf32>)`.

    Parameters of other types are counted, but nothing else is known about them.
    """
    match = re.fullmatch(r"\w+ func @[^(]*\((.*?)\) -> \((.*)\)(?: attributes .*)?", declaration)
    if match is None:
        return None
    inputs, outputs = (tuple(map(_spec_from_declaration, _split(part))) for part in match.groups())
    return Signature(inputs, outputs, signless=True)


def _split(text: str) -> list[str]:
    """Splits at the commas that are outside of all brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "<({[":
            depth += 1
        elif char in ">)}]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]] if text.strip() else []


def _spec_from_declaration(parameter: str) -> ArraySpec | None:
    match = _TENSOR.search(parameter)
    if match is None or match[2] not in DTYPE_OF_MLIR:
        return None
    dims = [None if dim == "?" else int(dim) for dim in match[1].split("x")[:-1]]
    return ArraySpec(tuple(dims), DTYPE_OF_MLIR[match[2]])


def _describe(specs: Sequence[ArraySpec | None]) -> str:
    return ", ".join("?" if spec is None else str(spec) for spec in specs)
