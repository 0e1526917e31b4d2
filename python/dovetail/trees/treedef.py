"""The class of structures that users see: JAX's `PyTreeDef`, based on optree's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import optree
from optree import PyTreeSpec

from dovetail.base import errors
from dovetail.trees.differences import first_mismatch, no_prefix, node_data, topmost, written
from dovetail.trees.pytree import ARRAY_NODES, DATA_NAMESPACE, NAMESPACE
from dovetail.trees.treedef_bytes import decoded, encoded

_LEAF = optree.treespec_leaf(namespace=NAMESPACE)
# optree's message about too many or too few leaves.
_COUNT = re.compile(r"(Too (?:few|many) leaves for) PyTreeSpec(?:; expected: (.*))?\.")


class PyTreeDef:
    """The structure of a pytree: its nodes without the leaves. It can be compared, hashed and
    pickled.

    Example:
      >>> from dovetail import tree
      >>> structure = tree.structure({"b": 2, "a": (1, None)})
      >>> structure
      PyTreeDef({'a': (*, None), 'b': *})
      >>> structure.unflatten([10, 20])
      {'b': 20, 'a': (10, None)}
    """

    __slots__ = ("_spec",)

    def __init__(self, spec: PyTreeSpec) -> None:
        self._spec = spec

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return self._spec.num_leaves

    @property
    def num_nodes(self) -> int:
        """The number of nodes and leaves."""
        return self._spec.num_nodes

    def __repr__(self) -> str:
        return f"PyTreeDef({written(self._spec)})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not PyTreeDef:
            return NotImplemented
        try:
            return self._spec == other._spec
        except Exception as error:
            raise unlike_metadata() from error

    def __hash__(self) -> int:
        return hash(self._spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return PyTreeDef, (self._spec,)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree with this structure and those leaves.

        Args:
          leaves: as many values as there are leaves, in order.

        Raises:
          ValueError: there are more or fewer leaves.

        Example:
          >>> from dovetail import tree
          >>> tree.structure((0, [0, 0])).unflatten("abc")
          ('a', ['b', 'c'])
        """
        try:
            return self._spec.unflatten(leaves)
        except ValueError as error:
            if (renamed := _renamed(error)) is None:
                raise
        raise renamed

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of `tree` at the leaves of this structure.

        Args:
          tree: a tree of which this structure is a prefix.

        Raises:
          ValueError: it is not a prefix; the message names the places where they differ.

        Example:
          >>> from dovetail import tree
          >>> tree.structure((0, 0)).flatten_up_to(({"a": 1}, [2]))
          [{'a': 1}, [2]]
        """
        return subtrees(self._spec, tree)

    def children(self) -> list[PyTreeDef]:
        """The structures of the topmost node's children; empty for a leaf.

        Example:
          >>> from dovetail import tree
          >>> tree.structure((0, [0, 0])).children()
          [PyTreeDef(*), PyTreeDef([*, *])]
        """
        return list(map(PyTreeDef, self._spec.children()))

    def compose(self, inner: PyTreeDef) -> PyTreeDef:
        """The structure with another one in the place of each leaf.

        Args:
          inner: the other one.

        Raises:
          TypeError: `inner` is not a structure.

        Example:
          >>> from dovetail import tree
          >>> tree.structure([0, 0]).compose(tree.structure((0,)))
          PyTreeDef([(*,), (*,)])
        """
        return PyTreeDef(self._spec.compose(spec_of(inner)))

    def walk(
        self,
        f_node: Callable[[tuple[Any, ...], Any], Any],
        f_leaf: Callable[[Any], Any] | None,
        leaves: Iterable[Any],
    ) -> Any:
        """Fold the structure bottom-up with a function of each node.

        Args:
          f_node: takes a tuple of the results for the node's children, and the node's auxiliary
            data: the keys of a dictionary, the class of a named tuple, None for a list or a tuple.
          f_leaf: takes a leaf; None keeps leaves as they are.
          leaves: as many values as there are leaves, in order.

        Returns:
          The result for the topmost node.

        Raises:
          ValueError: there are more or fewer leaves.

        Example:
          >>> from dovetail import tree
          >>> structure = tree.structure((0, [0, 0]))
          >>> structure.walk(lambda children, _: sum(children), None, [1, 2, 3])
          6
        """
        try:
            return self._spec.walk(
                leaves, lambda cls, data, parts: f_node(parts, node_data(cls, data)), f_leaf
            )
        except ValueError as error:
            if (renamed := _renamed(error)) is None:
                raise
        raise renamed

    def node_data(self) -> tuple[type, Any] | None:
        """The class of the topmost node and its data in addition to the children.

        Returns:
          A pair, or None for a leaf.

        Example:
          >>> from dovetail import tree
          >>> tree.structure({"b": 1, "a": 2}).node_data()
          (<class 'dict'>, ['a', 'b'])
        """
        found = topmost(self._spec)
        return (found[0], None) if found and found[0] is found[1] else found

    @staticmethod
    def from_node_data_and_children(
        registry: Any, node_data: tuple[type, Any] | None, children: Iterable[PyTreeDef]
    ) -> PyTreeDef:
        """The structure whose `node_data()` and `children()` are the given ones.

        Args:
          registry: `tree_util.default_registry`.
          node_data: the class of the node and its auxiliary data, or None for a leaf.
          children: the structures of its children.

        Raises:
          ValueError: the class is not registered.

        Example:
          >>> from dovetail import tree, tree_util
          >>> child = tree.structure([0, 0])
          >>> tree_util.PyTreeDef.from_node_data_and_children(
          ...     tree_util.default_registry, (dict, ["a", "b"]), [child, child])
          PyTreeDef({'a': [*, *], 'b': [*, *]})
        """
        if node_data is None:
            return PyTreeDef(_LEAF)
        return PyTreeDef(_node(*node_data, list(map(spec_of, children))))

    def from_iterable_tree(self, tree: Any) -> Any:
        """The tree of this structure whose nodes have the elements of iterables as children.

        Args:
          tree: a tree of iterables; one for each node.

        Raises:
          ValueError: an iterable has more or fewer elements than the node has children.

        Example:
          >>> from dovetail import tree
          >>> tree.structure((0, {"a": 0})).from_iterable_tree([1, [2]])
          (1, {'a': 2})
        """
        level = self._spec.one_level()
        if level is None:
            return tree
        pairs = zip(self.children(), tree, strict=True)
        return level.unflatten([child.from_iterable_tree(part) for child, part in pairs])

    def serialize_using_proto(self) -> bytes:
        """The structure as bytes, in JAX's format.

        Raises:
          ValueError: there are nodes other than tuples, lists, None and dictionaries with string
            keys; use pickle for these.

        Example:
          >>> from dovetail import tree
          >>> tree.structure((0,)).serialize_using_proto()
          b'\\n\\x02\\x10\\x01\\n\\x04\\x08\\x01\\x10\\x04'
        """
        return encoded(self)

    @staticmethod
    def deserialize_using_proto(registry: Any, data: bytes) -> PyTreeDef:
        """The structure from the bytes of `serialize_using_proto`, here or in JAX.

        Args:
          registry: `tree_util.default_registry`.
          data: the bytes.

        Raises:
          ValueError: they are something else.

        Example:
          >>> from dovetail import tree, tree_util
          >>> data = tree.structure([0, {"a": 0}]).serialize_using_proto()
          >>> tree_util.PyTreeDef.deserialize_using_proto(tree_util.default_registry, data)
          PyTreeDef([*, {'a': *}])
        """
        return decoded(PyTreeDef, data)


def _renamed(error: ValueError) -> ValueError | None:
    """Translate optree's error about too many or too few leaves; None for errors of a class's own
    functions.
    """
    found = _COUNT.fullmatch(str(error))
    if found is None:
        return None
    expected = f"; expected {found[2].replace('got:', 'got')}" if found[2] else ""
    return errors.value_error(f"{found[1]} PyTreeDef{expected}")


def _node(cls: type, data: Any, children: Sequence[PyTreeSpec]) -> PyTreeSpec:
    """The structure of a node."""
    handler: Any = optree.register_pytree_node.get(cls, namespace=NAMESPACE)  # type: ignore[attr-defined]
    if handler is None:
        raise errors.value_error(
            f"the class of a node must be a container or registered, got: {cls.__name__}; call "
            "dovetail.tree_util.register_pytree_node"
        )
    is_class = handler.kind in (optree.PyTreeKind.NAMEDTUPLE, optree.PyTreeKind.STRUCTSEQUENCE)
    made = handler.unflatten_func(cls if is_class else data, children)
    return optree.treespec_from_collection(made, namespace=NAMESPACE)


def spec_of(treedef: PyTreeDef | PyTreeSpec) -> PyTreeSpec:
    """The optree structure of a user's treedef.

    Raises:
      TypeError: it is something else.
    """
    if type(treedef) is PyTreeDef:
        return treedef._spec
    if isinstance(treedef, PyTreeSpec):
        return treedef
    raise errors.type_error(
        f"a structure must be a PyTreeDef, as of tree.structure, got: {type(treedef).__name__}"
    )


def public(spec: PyTreeSpec) -> PyTreeDef:
    """The structure, as users see it, of a tree that the transforms flattened: equal to that of
    `tree.structure`, with leaves where the transforms have arrays that consist of others.
    """
    if spec.namespace != DATA_NAMESPACE:
        return PyTreeDef(spec)

    def node(cls: type, data: Any, children: Sequence[PyTreeSpec]) -> PyTreeSpec:
        return _LEAF if cls in ARRAY_NODES else _node(cls, data, children)

    try:
        return PyTreeDef(spec.walk([_LEAF] * spec.num_leaves, node))
    except Exception:
        # A class's constructor may reject children that are not arrays.
        return PyTreeDef(spec)


def unlike_metadata() -> ValueError:
    """The error for parts of a structure that cannot be compared."""
    return errors.value_error(
        "Exception raised while checking equality of metadata fields of pytree. Make sure that "
        "metadata fields are hashable and have simple equality semantics. (Note: arrays cannot be "
        "passed as metadata fields!)"
    )


def subtrees(spec: PyTreeSpec, tree: Any) -> list[Any]:
    """The subtrees at the leaves of a prefix structure.

    Args:
      spec: the structure of the prefix.
      tree: the tree.

    Raises:
      ValueError: it is not a prefix; the message names the places where they differ.
    """
    try:
        return spec.flatten_up_to(tree)
    except ValueError as error:
        whole = optree.tree_structure(
            tree, none_is_leaf=spec.none_is_leaf, namespace=spec.namespace or NAMESPACE
        )
        found = [first_mismatch(spec, tree), *no_prefix(spec, whole, "tree")]
        raise ValueError("\n".join(filter(None, found)) or str(error)) from None
