from dovetail import tree_util as _tree_util
from dovetail.as_jax.jax._src.tree_util import prefix_errors  # noqa: F401

dispatch_registry = _tree_util.default_registry


def broadcast_flattened_prefix_with_treedef(prefix_leaves, prefix_treedef, full_treedef):
    whole = full_treedef.unflatten([0] * full_treedef.num_leaves)
    return [
        leaf
        for leaf, subtree in zip(prefix_leaves, prefix_treedef.flatten_up_to(whole), strict=True)
        for _ in _tree_util.tree_leaves(subtree)
    ]


def treedef_is_strict_leaf(treedef):
    return treedef.num_nodes == 1 and treedef.num_leaves == 1
