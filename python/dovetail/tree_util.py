"""Pytrees under JAX's long names: functions, paths of keys, registration."""

from __future__ import annotations

from dovetail.trees.util import DictKey as DictKey
from dovetail.trees.util import FlattenedIndexKey as FlattenedIndexKey
from dovetail.trees.util import GetAttrKey as GetAttrKey
from dovetail.trees.util import KeyEntry as KeyEntry
from dovetail.trees.util import KeyPath as KeyPath
from dovetail.trees.util import Partial as Partial
from dovetail.trees.util import PyTreeDef as PyTreeDef
from dovetail.trees.util import PyTreeRegistry as PyTreeRegistry
from dovetail.trees.util import SequenceKey as SequenceKey
from dovetail.trees.util import all_leaves as all_leaves
from dovetail.trees.util import default_registry as default_registry
from dovetail.trees.util import flatten_one_level as flatten_one_level
from dovetail.trees.util import flatten_one_level_with_keys as flatten_one_level_with_keys
from dovetail.trees.util import is_tree_node as is_tree_node
from dovetail.trees.util import keystr as keystr
from dovetail.trees.util import register_dataclass as register_dataclass
from dovetail.trees.util import register_pytree_node as register_pytree_node
from dovetail.trees.util import register_pytree_node_class as register_pytree_node_class
from dovetail.trees.util import register_pytree_with_keys as register_pytree_with_keys
from dovetail.trees.util import register_pytree_with_keys_class as register_pytree_with_keys_class
from dovetail.trees.util import register_static as register_static
from dovetail.trees.util import tree_all as tree_all
from dovetail.trees.util import tree_broadcast as tree_broadcast
from dovetail.trees.util import tree_flatten as tree_flatten
from dovetail.trees.util import tree_flatten_with_path as tree_flatten_with_path
from dovetail.trees.util import tree_leaves as tree_leaves
from dovetail.trees.util import tree_leaves_with_path as tree_leaves_with_path
from dovetail.trees.util import tree_map as tree_map
from dovetail.trees.util import tree_map_with_path as tree_map_with_path
from dovetail.trees.util import tree_reduce as tree_reduce
from dovetail.trees.util import tree_reduce_associative as tree_reduce_associative
from dovetail.trees.util import tree_structure as tree_structure
from dovetail.trees.util import tree_transpose as tree_transpose
from dovetail.trees.util import tree_unflatten as tree_unflatten
from dovetail.trees.util import treedef_children as treedef_children
from dovetail.trees.util import treedef_is_leaf as treedef_is_leaf
from dovetail.trees.util import treedef_tuple as treedef_tuple
