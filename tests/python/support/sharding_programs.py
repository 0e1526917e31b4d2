"""Expressions on meshes and shardings of eight CPU devices, and their results: the same as in
JAX.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

# Names: `j` is the library, `s` its module `sharding`, `np` NumPy, `n` the library's NumPy, `d` its
# devices, `P` PartitionSpec, `NS` NamedSharding, `m` a mesh of 4 × 2 devices with the axes `x` and
# `y`, `e` the same with explicit axes, `am` one without devices, `m8` and `m4` meshes of eight and
# four devices with the axis `x`, `r` that of eight in reverse order.
#
# A result is its `repr`. One that begins with an exclamation mark is an error with that in it.
VALUES: list[tuple[str, str]] = [
    # Partition specs.
    ("P()", "P()"),
    ("P('x')", "P('x',)"),
    ("P('x', None)", "P('x', None)"),
    ("P(['x', 'y'], ('x',), ())", "P(('x', 'y'), 'x', None)"),
    ("P(P.UNCONSTRAINED, 'x')", "P(UNCONSTRAINED, 'x')"),
    ("P('x') == P('x', None)", "False"),
    ("P('x') == ('x',)", "False"),
    ("P(('x',)) == P('x'), hash(P(('x',))) == hash(P('x'))", "(True, True)"),
    (
        "P('x') + P('y'), P('x') + ('y',), ('y',) + P('x')",
        "(P('x', 'y'), P('x', 'y'), P('y', 'x'))",
    ),
    ("P('x', unreduced={'y'})", "P('x', unreduced={'y'})"),
    ("P(unreduced={'y'})", "P(unreduced={'y'})"),
    ("P(None, unreduced={'y'}, reduced={'z'})", "P(None, unreduced={'y'}, reduced={'z'})"),
    ("P('x', unreduced={'y'}) + ('z',)", "! has unreduced in `__add__` of PartitionSpec"),
    ("('z',) + P('x', reduced={'y'})", "! has reduced in `__radd__` of PartitionSpec"),
    ("P('x', ('y', ('z',)))", "!A tuple inside PartitionSpec cannot contain a nested tuple"),
    ("P('x', unreduced={'x'})", "!partitions cannot overlap with unreduced axes passed to"),
    ("P(('y', 'x'), reduced={'x'})", "!partitions cannot overlap with reduced axes passed to"),
    ("P(unreduced={'x'}, reduced={'x'})", "!argument to PartitionSpec cannot overlap"),
    ("P(unreduced=['x'])", "!unreduced argument of PartitionSpec should"),
    ("P(unreduced={None})", "!unreduced cannot contain None"),
    ("P('x', unreduced={'y'})[0]", "!Using pspec[...] is dangerous when PartitionSpec has non-emp"),
    (
        "list(P('x', unreduced={'y'}))",
        "!Using *pspec is dangerous when PartitionSpec has non-empty",
    ),
    ("P('x', 'y')[-1:], list(P('x', 'y')), len(P('x'))", "(('y',), ['x', 'y'], 1)"),
    ("P('x', ('y', 'z')).index(('y', 'z')), P('x', 'x').count(['x'])", "(1, 2)"),
    ("P('x').index('z')", "!tuple.index(x): x not in tuple"),
    (
        "P('x').update(partitions=(None,)), P('x').update(unreduced={'y'})",
        "(P(None,), P('x', unreduced={'y'}))",
    ),
    ("P('x').partitions, P('x').unreduced", "(('x',), frozenset())"),
    ("pickle.loads(pickle.dumps(P('x', None, unreduced={'y'})))", "P('x', None, unreduced={'y'})"),
    ("pickle.loads(pickle.dumps(P.UNCONSTRAINED)) is P.UNCONSTRAINED", "True"),
    ("j.tree_util.tree_leaves({'a': P('x')})", "[P('x',)]"),
    ("isinstance(P('x'), tuple), s.PartitionSpec is P", "(False, True)"),
    ("setattr(P(), 'unreduced', 3)", "!cannot assign to field"),
    ("type('Q', (P,), {})", "!is prohibited"),
    # Meshes.
    ("m", "Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'), axis_types=(Auto, Auto))"),
    ("str(m)", "\"Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))\""),
    ("m.shape", "OrderedDict({'x': 4, 'y': 2})"),
    ("m.shape_tuple, m.axis_sizes, m.size, m.empty", "((('x', 4), ('y', 2)), (4, 2), 8, False)"),
    ("m.axis_names, m.axis_types, m.is_multi_process", "(('x', 'y'), (Auto, Auto), False)"),
    ("m.local_mesh == m, m.local_devices == d, m.is_scalar", "(True, True, False)"),
    ("m.device_ids.tolist()", "[[0, 1], [2, 3], [4, 5], [6, 7]]"),
    ("m.devices[3, 1], m.devices.flags.writeable", "(CpuDevice(id=7), False)"),
    (
        "m.abstract_mesh",
        "AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto), device_kind=cpu, "
        "num_cores=None, platform=cpu)",
    ),
    (
        "m.abstract_mesh.abstract_device",
        "AbstractDevice(device_kind=cpu, num_cores=None, platform=cpu)",
    ),
    ("m == s.Mesh(m.devices, ('x', 'y')), hash(m) == hash(m.update())", "(True, True)"),
    ("m == e, m == m.update(axis_names=('a', 'b')), m8 == r", "(False, False, False)"),
    ("m == am, m == 3", "(False, False)"),
    (
        "m.update(axis_types=(s.AxisType.Explicit, s.AxisType.Manual)).axis_types",
        "(Explicit, Manual)",
    ),
    (
        "m.explicit_axes, m.auto_axes, m.manual_axes, m.are_all_axes_auto",
        "((), ('x', 'y'), (), True)",
    ),
    ("e.are_all_axes_explicit, e.are_all_axes_auto, e.are_all_axes_manual", "(True, False, False)"),
    (
        "s.Mesh(d, 'x'), s.Mesh(d, ('x',), s.AxisType.Explicit).axis_types",
        "(Mesh(axis_sizes=(8,), axis_names=('x',), axis_types=(Auto,)), (Explicit,))",
    ),
    (
        "s.Mesh(d[0], ()), s.Mesh(d[0], ()).size, s.Mesh(d[0], ()).is_scalar",
        "(Mesh(axis_sizes=(), axis_names=(), axis_types=()), 1, True)",
    ),
    ("s.Mesh([], ('x',)).empty", "True"),
    (
        "s.Mesh(d, ('x', 'y'))",
        "!Mesh requires the ndim of its first argument (`devices`) to equal the length of its "
        "second argument (`axis_names`), but got devices.ndim == 1 and len(axis_name",
    ),
    ("s.Mesh(d, (None,))", "!Mesh axis names cannot be None"),
    ("s.Mesh(d, ('x',), ('Auto',))", "!axis_types passed to Mesh must be of type `"),
    (
        "s.Mesh(d, ('x',), (s.AxisType.Auto,) * 2)",
        "!Number of axis names should match the number of",
    ),
    ("s.Mesh([1, 2], ('x',)).axis_sizes == repr(s.Mesh([1, 2], 'x'))", "!"),
    ("setattr(m, 'size', 3)", "!cannot assign to field 'size'"),
    ("list(s.AxisType), str(s.AxisType.Auto)", "([Auto, Explicit, Manual], 'AxisType.Auto')"),
    ("am", "AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto))"),
    (
        "s.AbstractMesh((), ()), s.AbstractMesh((4,), 'x')",
        "(AbstractMesh((), axis_types=()), AbstractMesh('x': 4, axis_types=(Auto,)))",
    ),
    (
        "am.size, am.empty, am.shape, am.abstract_mesh is am",
        "(8, False, OrderedDict({'x': 4, 'y': 2}), True)",
    ),
    ("am == s.AbstractMesh((4, 2), ('x', 'y')), hash(am) == hash(am.update())", "(True, True)"),
    ("am == m.abstract_mesh", "False"),
    ("am.update_axis_types({'x': s.AxisType.Manual}).axis_types", "(Manual, Auto)"),
    ("am.update(axis_names=('a', 'b')).axis_names", "('a', 'b')"),
    ("am.devices", "!AbstractMesh does not implement devices"),
    ("am.local_mesh", "!AbstractMesh does not implement local_mesh"),
    ("s.AbstractMesh((4,), ('x', 'y'))", "!"),
    ("s.AbstractMesh((4,), ('x',), (s.AxisType.Auto,) * 2)", "!Number of axis names should match"),
    ("e", "Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'), axis_types=(Explicit, Explicit))"),
    ("j.make_mesh((2,), 'x').device_ids.tolist()", "[0, 1]"),
    ("j.make_mesh((2, 2), ('x', 'y'), devices=d[4:]).device_ids.tolist()", "[[4, 5], [6, 7]]"),
    ("j.make_mesh((8,), ('x',), (s.AxisType.Auto,)) == m8", "True"),
    ("j.make_mesh((), ()).size", "1"),
    (
        "j.make_mesh((4, 4), ('x', 'y'))",
        "!Number of devices 8 must be >= the product of mesh_shape (4",
    ),
    (
        "j.make_mesh((4, 'a'), ('x', 'y'))",
        "!`axis_shapes` passed to `make_mesh` should be a sequence of ints",
    ),
    ("j.make_mesh((4, 2), ('x',))", "!Mesh requires the ndim of its first argument"),
    ("j.make_mesh((0,), ('x',))", "!"),
    # Contexts.
    (
        "s.get_mesh(), s.get_abstract_mesh()",
        "(Mesh(axis_sizes=(), axis_names=()), AbstractMesh((), axis_types=()))",
    ),
    ("within(j.set_mesh(m), lambda: s.get_mesh() == m)", "True"),
    ("within(j.set_mesh(m), lambda: s.get_abstract_mesh() == m.abstract_mesh)", "True"),
    ("within(j.set_mesh(m), lambda: within(j.set_mesh(None), lambda: s.get_mesh().empty))", "True"),
    (
        "within(s.use_abstract_mesh(am), lambda: (s.get_mesh().empty, s.get_abstract_mesh() == "
        "am))",
        "(True, True)",
    ),
    ("within(m, lambda: (s.get_mesh().empty, s.get_abstract_mesh().empty))", "(True, True)"),
    (
        "j.set_mesh(m).__enter__(), s.get_mesh() == m, j.set_mesh(None) and s.get_mesh().empty",
        "(None, True, True)",
    ),
    ("j.set_mesh(am)", "!Expected mesh of type `"),
    ("s.use_abstract_mesh(m)", "!Expected mesh of type `"),
    (
        "j.set_mesh(m.update(axis_types=(s.AxisType.Manual, s.AxisType.Auto)))",
        "!contains manual axes which is not allowed when using",
    ),
    (
        "within(j.set_mesh(m), lambda: within(s.use_abstract_mesh(s.AbstractMesh((2,), 'a')), "
        "print))",
        "!use_abstract_mesh cannot change the size of the mesh",
    ),
    ("j.jit(lambda x: j.set_mesh(m))(1)", "!`set_mesh` can only be used outside of"),
    ("j.jit(lambda x: s.get_mesh())(1)", "!`get_mesh` can only be used outside of"),
    # Shardings.
    (
        "NS(m, P('x', 'y'))",
        "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), spec=P('x', 'y'), "
        "memory_kind=device)",
    ),
    (
        "NS(am, P('x'))",
        "NamedSharding(mesh=AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), spec=P('x',))",
    ),
    ("NS(m, P('x')).memory_kind, NS(m, P('x'), 'device') == NS(m, P('x'))", "('device', True)"),
    ("NS(m, P('x')) == NS(m, P('x', None))", "False"),
    ("NS(m, P('x')).is_equivalent_to(NS(m, P('x', None)), 2)", "True"),
    ("NS(m, P('x')).is_equivalent_to(NS(m, P('y')), 2)", "False"),
    ("NS(m, P(('x', 'y'))).is_equivalent_to(NS(m8, P('x')), 1)", "True"),
    ("NS(m, P(('y', 'x'))).is_equivalent_to(NS(m8, P('x')), 1)", "False"),
    ("NS(m8, P('x')).is_equivalent_to(NS(r, P('x')), 1)", "False"),
    ("NS(s.Mesh(d[:1], 'x'), P('x')).is_equivalent_to(s.SingleDeviceSharding(d[0]), 2)", "True"),
    ("s.SingleDeviceSharding(d[0]).is_equivalent_to(NS(s.Mesh(d[:1], 'x'), P('x')), 2)", "True"),
    ("NS(am, P('x')).is_equivalent_to(NS(am, P('x', None)), 2)", "True"),
    ("NS(am, P('x')).is_equivalent_to(NS(m, P('x')), 2)", "False"),
    ("NS(m, P('z'))", "!Resource axis: z of P('z',) is not found in mesh: ('x', 'y')"),
    (
        "NS(m, P('x', ('y', 'x')))",
        "!A single NamedSharding spec specification can map every mesh axis to at most one "
        "positional dimension, but P('x', ('y', 'x')) has duplicate entries for `x`",
    ),
    ("NS(m, ('x',))", "!"),
    ("NS(m, P('x'), memory_kind='other')", "!Could not find memory addressable by device cpu"),
    ("NS(am, P('x'), memory_kind='other')", "!Got invalid memory kind"),
    (
        "NS(m, P(unreduced={'x'}))",
        "!Unreduced axes can only refer to mesh axes that is of type `Expl",
    ),
    ("NS(e, P(reduced={'z'}))", "!Reduced axes z is not found in mesh"),
    ("NS(e, P('y', unreduced={'x'})).spec", "P('y', unreduced={'x'})"),
    ("NS(e, P(P.UNCONSTRAINED))", "!cannot contain `P.UNCONSTRAINED` when no mesh axis_types are"),
    ("NS(m, P(P.UNCONSTRAINED, 'x')).shard_shape((8, 8))", "(8, 2)"),
    (
        "NS(m, P('x', 'y')).shard_shape((8, 2, 3)), NS(am, P(('x', 'y'))).shard_shape((16,))",
        "((2, 1, 3), (2,))",
    ),
    (
        "NS(m, P('x', 'y')).check_compatible_aval((8,))",
        "! is only valid for values of rank at least 2, but was applied to a value of rank 1",
    ),
    ("NS(m, P('x')).check_compatible_aval(())", "! For scalars the PartitionSpec should be P()"),
    (
        "list(NS(m4, P('x')).devices_indices_map((8, 2)).items())[2:]",
        "[(CpuDevice(id=2), (slice(4, 6, None), slice(None, None, None))), (CpuDevice(id=3), "
        "(slice(6, 8, None), slice(None, None, None)))]",
    ),
    (
        "[i[0].start for i in NS(m, P(('y', 'x'))).devices_indices_map((8,)).values()]",
        "[0, 4, 1, 5, 2, 6, 3, 7]",
    ),
    (
        "[i[0].start for i in NS(r, P('x')).addressable_devices_indices_map((8,)).values()]",
        "[0, 1, 2, 3, 4, 5, 6, 7]",
    ),
    (
        "[k.id for k in NS(r, P('x')).addressable_devices_indices_map((8,))]",
        "[7, 6, 5, 4, 3, 2, 1, 0]",
    ),
    ("NS(m4, P('x')).devices_indices_map((0,))[d[1]]", "(slice(0, 0, None),)"),
    ("NS(am, P('x')).devices_indices_map((8,))", "! is not implemented for `"),
    ("NS(am, P('x')).device_set", "!device_set is not implemented for `"),
    ("NS(m, P('x')).device_set == {*d} == NS(m, P('x')).addressable_devices", "True"),
    ("NS(m, P('x')).num_devices, NS(am, P('x')).num_devices", "(8, 8)"),
    ("NS(m, P('x')).has_addressable_devices, NS(m, P('x')).is_fully_addressable", "(True, True)"),
    ("[NS(m, p).is_fully_replicated for p in (P(), P(None), P('x'))]", "[True, True, False]"),
    ("NS(s.Mesh(d[:1], 'x'), P('x')).is_fully_replicated", "True"),
    ("NS(m, P('x')).replicated_axes", "frozenset({'y'})"),
    (
        "NS(m, P('x')).update(spec=('y',)).spec, NS(m, P('x')).update(mesh=e).mesh == e",
        "(P('y',), True)",
    ),
    ("NS(m, P('x')).with_memory_kind('device') == NS(m, P('x'))", "True"),
    ("hash(NS(m, P('x'))) == hash(NS(m, P('x')))", "True"),
    (
        "NS(m, P('x')) == s.SingleDeviceSharding(d[0]), isinstance(NS(m, P('x')), s.Sharding)",
        "(False, True)",
    ),
    ("j.tree_util.tree_leaves([NS(m4, P())])[0].spec", "P()"),
    (
        "s.make_single_device_sharding(d[1])",
        "SingleDeviceSharding(device=CpuDevice(id=1), memory_kind=device)",
    ),
]


def names_of(library: Any, sharding: Any, numpy: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    import copy
    import pickle

    devices = library.devices()
    grid = np.array(devices).reshape(4, 2)

    def within(context: Any, function: Any) -> Any:
        with context:
            return function()

    value = np.arange(16, dtype=np.float32).reshape(8, 2)
    mesh, four = sharding.Mesh(grid, ("x", "y")), sharding.Mesh(devices[:4], "x")
    spec, named, put = library.P, library.NamedSharding, library.device_put

    def assemble(blocks: Any, rows: int = 2, offset: int = 0, dtype: Any = None) -> Any:
        """An array whose shards of two rows are on four devices."""
        parts = [put(value[2 * i : 2 * i + rows], devices[offset + i]) for i in blocks]
        make = library.make_array_from_single_device_arrays
        return make((8, 2), named(four, spec("x")), parts, dtype=dtype)

    return {
        "j": library,
        "s": sharding,
        "n": numpy,
        "np": np,
        "d": devices,
        "P": library.P,
        "NS": library.NamedSharding,
        "m": mesh,
        "e": library.make_mesh((4, 2), ("x", "y")),
        "am": sharding.AbstractMesh((4, 2), ("x", "y")),
        "m8": sharding.Mesh(devices, "x"),
        "m4": four,
        "r": sharding.Mesh(devices[::-1], "x"),
        "within": within,
        "assemble": assemble,
        "v": value,
        "x": numpy.asarray(value),
        "a": put(value, named(mesh, spec("x", "y"))),
        "b": put(value, named(mesh, spec("x"))),
        "c": put(value, named(mesh, spec())),
        "one": put(value, named(sharding.Mesh(devices[:1], "x"), spec("x"))),
        "copy": copy,
        "pickle": pickle,
    }


def mismatch(expression: str, expected: str, names: dict[str, Any]) -> str | None:
    """The result of an expression if it is not the expected one; otherwise None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got = repr(eval(expression, names))
        except Exception as error:
            is_expected = expected.startswith("!") and expected[1:] in str(error)
            return None if is_expected else f"{type(error).__name__}: {error}"
    # Before Python 3.12 an ordered dictionary shows its items as pairs.
    got = got.replace("OrderedDict([('x', 4), ('y', 2)])", "OrderedDict({'x': 4, 'y': 2})")
    return None if got == expected else got
