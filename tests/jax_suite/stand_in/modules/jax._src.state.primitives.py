"""Functions on references, under their internal names."""

from dovetail.ref import addupdate as _addupdate
from dovetail.ref import get as ref_get  # noqa: F401
from dovetail.ref import set as ref_set  # noqa: F401
from dovetail.ref import swap as ref_swap  # noqa: F401


def ref_addupdate(ref, idx, x):
    _addupdate(ref, idx, x)
