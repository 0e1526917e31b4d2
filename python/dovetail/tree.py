"""Functions of pytrees (nested tuples, lists, dicts, registered classes), under JAX's short
names.
"""

from __future__ import annotations

from dovetail.trees.functions import all as all
from dovetail.trees.functions import broadcast as broadcast
from dovetail.trees.functions import flatten as flatten
from dovetail.trees.functions import flatten_with_path as flatten_with_path
from dovetail.trees.functions import leaves as leaves
from dovetail.trees.functions import leaves_with_path as leaves_with_path
from dovetail.trees.functions import map as map
from dovetail.trees.functions import map_with_path as map_with_path
from dovetail.trees.functions import reduce as reduce
from dovetail.trees.functions import reduce_associative as reduce_associative
from dovetail.trees.functions import static as static
from dovetail.trees.functions import structure as structure
from dovetail.trees.functions import transpose as transpose
from dovetail.trees.functions import unflatten as unflatten
