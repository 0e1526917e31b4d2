from dovetail import tree_util as _tree_util
from dovetail.structures import no_prefix as _no_prefix
from dovetail.tree_paths import subtrees as _subtrees


def prefix_errors(prefix_tree, full_tree, is_leaf=None):
    specs = (
        _tree_util.tree_structure(prefix_tree, is_leaf),
        _tree_util.tree_structure(full_tree),
    )

    def error(i):
        return lambda name: ValueError(_no_prefix(*specs, name)[i])

    return [error(i) for i in range(len(_no_prefix(*specs, "")))]


def broadcast_flattened_prefix_with_treedef(prefix_leaves, prefix_treedef, full_treedef):
    whole = full_treedef.unflatten([0] * full_treedef.num_leaves)
    return [
        leaf
        for leaf, subtree in zip(prefix_leaves, _subtrees(prefix_treedef, whole), strict=True)
        for _ in _tree_util.tree_leaves(subtree)
    ]
