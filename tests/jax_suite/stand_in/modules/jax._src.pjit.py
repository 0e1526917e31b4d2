"""JAX's older name for `jit`: specs are over the mesh of `with mesh:`, and None is P() over it."""

from dovetail import jit as _jit
from dovetail import tree_util as _tree_util
from dovetail.placement.meshes import entered_mesh as _entered
from dovetail.sharding import NamedSharding as _NamedSharding
from dovetail.sharding import PartitionSpec as _P


class _Unstated:
    pass


def _sharding(stated):
    spec = _P() if stated is None else stated
    return _NamedSharding(_entered.value, spec) if isinstance(spec, _P) else spec


def _shardings(tree):
    if tree is _Unstated:
        return None
    if _entered.value is None:
        return tree
    return _tree_util.tree_map(_sharding, tree, is_leaf=lambda x: x is None or isinstance(x, _P))


def pjit(fun, in_shardings=_Unstated, out_shardings=_Unstated, static_argnums=None, **options):
    return _jit(
        fun,
        in_shardings=_shardings(in_shardings),
        out_shardings=_shardings(out_shardings),
        static_argnums=static_argnums,
        **options,
    )
