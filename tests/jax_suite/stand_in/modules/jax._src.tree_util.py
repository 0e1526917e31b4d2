from dovetail import tree_util as _tree_util
from dovetail.trees.differences import no_prefix as _no_prefix
from dovetail.trees.treedef import spec_of as _spec_of

dispatch_registry = _tree_util.default_registry


def prefix_errors(prefix_tree, full_tree, is_leaf=None):
    specs = (
        _spec_of(_tree_util.tree_structure(prefix_tree, is_leaf)),
        _spec_of(_tree_util.tree_structure(full_tree)),
    )

    def error(i):
        return lambda name: ValueError(_no_prefix(*specs, name)[i])

    return [error(i) for i in range(len(_no_prefix(*specs, "")))]


def broadcast_flattened_prefix_with_treedef(prefix_leaves, prefix_treedef, full_treedef):
    whole = full_treedef.unflatten([0] * full_treedef.num_leaves)
    return [
        leaf
        for leaf, subtree in zip(prefix_leaves, prefix_treedef.flatten_up_to(whole), strict=True)
        for _ in _tree_util.tree_leaves(subtree)
    ]
