"""`run_state` by references of its own: a function on references as one of values."""

import dovetail as _dt
from dovetail import tree_util as _tree_util


def run_state(f):
    def wrapped(tree):
        refs = _tree_util.tree_map(_dt.new_ref, tree)
        f(refs)
        return _tree_util.tree_map(_dt.freeze, refs)

    return wrapped


run_state_reference = run_state
