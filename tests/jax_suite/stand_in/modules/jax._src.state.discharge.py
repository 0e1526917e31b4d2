"""`run_state` by references of its own: a function on references as one of values."""

import dovetail as _dt
from dovetail import tree_util as _tree_util


def run_state(f):
    def wrapped(tree):
        refs = _tree_util.tree_map(_dt.new_ref, tree)
        f(refs)
        return _tree_util.tree_map(_dt.freeze, refs)

    # Its references are no effects of a program around it.
    return _dt.jit(wrapped)


run_state_reference = run_state
