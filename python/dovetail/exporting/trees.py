"""Trees of arguments and results as known to other processes: plain containers and records."""

from __future__ import annotations

from typing import Any

from dovetail.runtime.signature import fields_of, named_tuple
from dovetail.trees.paths import GetAttrKey, flatten_with_path
from dovetail.trees.pytree import flatten


def plain(tree: Any) -> Any:
    """A tree of leaf numbers in the form of a module's signature.

    Dictionaries, lists, tuples and `None` are unchanged. Named tuples, and nodes of a class that
    names its children as attributes, become named tuples; nodes of other classes become tuples;
    random keys become their words.
    """
    if tree is None or isinstance(tree, int):
        return tree
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    if fields_of(tree):
        return _record(type(tree).__name__, fields_of(tree), tree)
    if isinstance(tree, (list, tuple)):
        children = [plain(value) for value in tree]
        return children if isinstance(tree, list) else tuple(children)
    if hasattr(type(tree), "is_key_array"):
        return tree._data
    # One level of a registered class.
    children = flatten(tree, lambda node: node is not tree)[0]
    paths = [path for path, _ in flatten_with_path(tree, lambda node: node is not tree)[0]]
    names = tuple(path[0].name for path in paths if len(path) == 1 and type(path[0]) is GetAttrKey)
    if len(names) == len(children) > 0:
        return _record(type(tree).__name__, names, children)
    return tuple(plain(child) for child in children)


def _record(name: str, fields: tuple[str, ...], children: Any) -> Any:
    values = [plain(child) for child in children]
    try:
        return named_tuple(name, fields)(*values)
    except ValueError:
        # Named tuples cannot have such a name, for example one that begins with "_".
        return tuple(values)
