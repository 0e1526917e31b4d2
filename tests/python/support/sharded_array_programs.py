"""Expressions on arrays sharded over eight CPU devices, and their results: the same as in JAX."""

from __future__ import annotations

# Names are those of `sharding_programs`, and arrays of eight rows and two columns: `v` is one of
# NumPy, `x` one that is committed to no device, `a` is cut along both dimensions, `b` along the
# first one, `c` is on every device as a whole, `one` is on a mesh of one device. `assemble` makes
# one of four arrays on a device each.
ARRAYS: list[tuple[str, str]] = [
    # Attributes.
    (
        "a",
        "Array([[ 0.,  1.],\n       [ 2.,  3.],\n       [ 4.,  5.],\n       [ 6.,  7.],\n       [ "
        "8.,  9.],\n       [10., 11.],\n       [12., 13.],\n       [14., 15.]], dtype=float32)",
    ),
    (
        "a.sharding == NS(m, P('x', 'y')), a.committed, a.device == a.sharding, a.devices() == "
        "{*d}",
        "(True, True, True, True)",
    ),
    (
        "(a.is_fully_addressable, a.is_fully_replicated, c.is_fully_replicated, "
        "one.is_fully_replicated)",
        "(True, False, True, True)",
    ),
    (
        "one.sharding == NS(s.Mesh(d[:1], 'x'), P('x')), one.device, one.devices()",
        "(True, CpuDevice(id=0), {CpuDevice(id=0)})",
    ),
    (
        "a.addressable_shards[1].index, a.addressable_shards[1].data",
        "((slice(0, 2, None), slice(1, 2, None)), Array([[1.],\n       [3.]], dtype=float32))",
    ),
    (
        "[k.index for k in b.addressable_shards[1:3]]",
        "[(slice(0, 2, None), slice(None, None, None)), (slice(2, 4, None), slice(None, None, "
        "None))]",
    ),
    (
        "[k.replica_id for k in b.addressable_shards], [k.replica_id for k in c.global_shards]",
        "([0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5, 6, 7])",
    ),
    (
        "[k.device.id for k in j.device_put(v, NS(r, P('x'))).addressable_shards]",
        "[7, 6, 5, 4, 3, 2, 1, 0]",
    ),
    (
        "a.addressable_shards[3].data.sharding, a.addressable_shards[3].data.committed",
        "(SingleDeviceSharding(device=CpuDevice(id=3), memory_kind=device), True)",
    ),
    ("a.addressable_data(5)", "Array([[ 9.],\n       [11.]], dtype=float32)"),
    (
        "c.addressable_data(5).sharding, b.addressable_data(5).sharding",
        "(SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device), "
        "SingleDeviceSharding(device=CpuDevice(id=5), memory_kind=device))",
    ),
    ("a.addressable_data(8)", "! index out of range"),
    (
        "a.on_device_size_in_bytes(), b.on_device_size_in_bytes(), "
        "c.on_device_size_in_bytes(), a.nbytes",
        "(64, 128, 512, 64)",
    ),
    ("a.unsafe_buffer_pointer()", "!ointer() is supported only for unsharded arrays"),
    (
        "a.__dlpack__()",
        "!to_dlpack can only pack a dlpack tensor from an array on a singular device, but an "
        "array with a Sharding over 8 devices",
    ),
    ("a.__dlpack_device__()", "!__dlpack__ only supported for unsharded arrays"),
    (
        "np.from_dlpack(a)",
        "!to_dlpack can only pack a dlpack tensor from an array on a singular device, but an "
        "array with a Sharding over 8 devices",
    ),
    (
        "np.asarray(a)[5].tolist(), np.asarray(a).flags.writeable, a.tolist() == v.tolist()",
        "([10.0, 11.0], False, True)",
    ),
    (
        'str(a) == str(v), f"{a}" == f"{v}", len(a), a.is_ready(), a.block_until_ready() is a',
        "(True, True, 8, True, True)",
    ),
    (
        "bool(j.device_put(True, NS(m, P()))), int(j.device_put(3, NS(m, P()))), "
        "a.copy_to_host_async()",
        "(True, 3, None)",
    ),
    (
        "copy.copy(a).sharding == copy.deepcopy(a).sharding == a.copy().sharding == a.sharding",
        "True",
    ),
    ("n.array(b).sharding == n.asarray(b).sharding == n.copy(b).sharding == b.sharding", "True"),
    ("n.zeros_like(a).sharding == n.ones_like(a).sharding == a.sharding", "True"),
    (
        "pickle.loads(pickle.dumps(a)).committed, pickle.loads(pickle.dumps(a)).sharding",
        "(False, SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device))",
    ),
    ("list(a)[1].committed, list(c)[1].sharding == NS(m, P())", "(False, True)"),
    # Transfers.
    ("j.device_put(v, NS(m, P('x'))).sharding.spec", "P('x',)"),
    (
        "j.device_put(a, d[3]).sharding, j.device_put(a, d[3]).tolist() == v.tolist()",
        "(SingleDeviceSharding(device=CpuDevice(id=3), memory_kind=device), True)",
    ),
    (
        "j.device_put(a).sharding == a.sharding, j.device_put(a, a.sharding) is a, "
        "j.device_put(a) is a",
        "(True, True, True)",
    ),
    (
        "j.device_put(b, NS(m, P('x', None))) is b, j.device_put(b, NS(m, P('x', "
        "None))).sharding.spec",
        "(False, P('x', None))",
    ),
    (
        "j.device_put(a, NS(r, P('x'))).addressable_data(0).tolist(), j.device_put(a, NS(m4, "
        "P('x'))).tolist() == v.tolist()",
        "([[0.0, 1.0]], True)",
    ),
    ("j.device_put(x, P('x'))", "!.set_mesh` if a PartitionSpec is passed to device_put"),
    ("within(j.set_mesh(m), lambda: j.device_put(v, P('y')).sharding == NS(m, P('y')))", "True"),
    (
        "within(m, lambda: j.device_put(v, P('y')))",
        "!.set_mesh` if a PartitionSpec is passed to device_put",
    ),
    (
        "j.device_put(v, NS(m, P('x', 'y', None)))",
        "!Sharding NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
        "spec=P('x', 'y', None), memory_kind=device)",
    ),
    (
        "j.device_put(3.0, NS(m, P('x')))",
        "!Sharding NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
        "spec=P('x',), memory_kind=device) is only",
    ),
    (
        "j.device_put(3.0, NS(m, P())).sharding.spec, j.device_put(3.0, NS(m, P())).weak_type",
        "(P(), True)",
    ),
    ("j.device_put(v, am)", "!: AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto))"),
    ("j.device_put(v, NS(am, P('x')))", "! is not implemented for `"),
    (
        "j.device_put({'a': v, 'b': (v, v)}, {'a': NS(m, P('x')), 'b': NS(m8, "
        "P())})['b'][1].sharding.spec",
        "P()",
    ),
    (
        "[k.sharding.spec for k in j.device_put((v, 2 * v), (NS(m, P('x')), NS(m, P('y'))))]",
        "[P('x',), P('y',)]",
    ),
    (
        "j.device_put({'a': v, 'b': v}, {'a': NS(m, P('x'))})",
        "!pytree structure error: different numbers of pytree children at key path",
    ),
    (
        "j.device_put(v, NS(m, P('x')), src=d[0]).sharding.spec, j.device_put(v, NS(m, "
        "P('x')), src=NS(m, P())).sharding.spec",
        "(P('x',), P('x',))",
    ),
    ("j.device_put(b, NS(m, P('y')), donate=True).sharding.spec", "P('y',)"),
    (
        "j.device_put(b, NS(m, P('x')), donate=True, may_alias=True)",
        "!may_alias and donate cannot be True at the same time.",
    ),
    ("j.device_put(b, b.sharding, may_alias=False) is b", "False"),
    (
        "a.to_device(NS(m4, P('x'))).sharding.spec, a.to_device(d[2]).sharding",
        "(P('x',), SingleDeviceSharding(device=CpuDevice(id=2), memory_kind=device))",
    ),
    ("n.zeros((8,), device=NS(m, P('x'))).sharding.spec", "P('x',)"),
    (
        "n.array(v, device=NS(m, P('x'))).sharding.spec, n.arange(8, device=NS(m, "
        "P('x'))).sharding.spec",
        "(P('x',), P('x',))",
    ),
    ("j.device_put(j.random.key(0), NS(m, P())).sharding.spec", "P()"),
    ("j.device_put(j.random.split(j.random.key(0), 8), NS(m, P('x'))).sharding.spec", "P('x',)"),
    (
        "j.device_put(j.random.split(j.random.key(0), 8), NS(m, P('x', 'y')))",
        "!Sharding NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
        "spec=P('x', 'y'), memory_kind=device) is",
    ),
    ("j.lax.full((8, 2), 1.0, sharding=NS(m, P('x'))).sharding.spec", "P('x',)"),
    ("j.lax.full_like(a, 1.0, sharding=NS(m8, P('x'))).sharding == NS(m8, P('x'))", "True"),
    ("j.lax.full_like(a, 1.0).sharding == a.sharding", "True"),
    ("j.lax.full_like(a, 1.0, shape=(3,)).shape", "(3,)"),
    ("j.device_put_sharded", "!.device_put_sharded is deprecated; use "),
    ("j.device_put_replicated", "!.device_put_replicated is deprecated; use "),
    ("j.lax.with_sharding_constraint(x, NS(m, P('x'))).sharding.spec", "P('x',)"),
    (
        "within(j.set_mesh(m), lambda: j.lax.with_sharding_constraint(a, P('y')).sharding.spec)",
        "P('y',)",
    ),
    (
        "j.lax.with_sharding_constraint(a, NS(m4, P('x')))",
        "!Received incompatible devices for jitted computation",
    ),
    (
        "j.lax.with_sharding_constraint(a, NS(m, P('x', 'y', None)))",
        "!Sharding NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
        "spec=P('x', 'y', None), memory_kind=device)",
    ),
    # Assembly.
    ("j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: v[i]).sharding.spec", "P('x',)"),
    (
        "j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: v[i]).tolist() == v.tolist()",
        "True",
    ),
    (
        "j.make_array_from_callback((8, 2), NS(m, P()), lambda i: "
        "v[i]).addressable_data(3).tolist() == v.tolist()",
        "True",
    ),
    (
        "j.make_array_from_callback((), NS(m, P()), lambda i: 3), "
        "j.make_array_from_callback((), NS(m, P()), lambda i: True)",
        "(Array(3, dtype=int32), Array(True, dtype=bool))",
    ),
    (
        "j.make_array_from_callback((8, 2), s.SingleDeviceSharding(d[2]), lambda i: v[i]).sharding",
        "SingleDeviceSharding(device=CpuDevice(id=2), memory_kind=device)",
    ),
    (
        "j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: v[:1])",
        "!Expected shard shape (2, 2) doesn't match the single device array shape (1, 2). "
        "Shape of Array is float32[8,2] with",
    ),
    (
        "j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: v[i], dtype='int32')",
        "!make_array_from_callback`, it must match the dtype of the addressable shards",
    ),
    (
        "j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: v[i], dtype='float32').dtype",
        "dtype('float32')",
    ),
    (
        "j.make_array_from_callback((8, 2), 'x', lambda i: v[i])",
        "!sharding should be an instance of `",
    ),
    ("j.make_array_from_callback((8,), NS(m, P('x', 'y')), lambda i: v[i])", "!"),
    (
        "j.jit(lambda y: j.make_array_from_callback((8, 2), NS(m, P('x')), lambda i: y))(v)",
        "!make_array_from_callback cannot be called within a traced context",
    ),
    (
        "assemble(range(4)).tolist() == v.tolist(), assemble(range(4)).sharding.spec, "
        "assemble(range(4)).committed",
        "(True, P('x',), True)",
    ),
    ("assemble([3, 1, 0, 2]).tolist() == v.tolist()", "True"),
    (
        "assemble(range(3))",
        "!Expected 4 per-device arrays (this is how many devices are addressable by the "
        "sharding), but got 3",
    ),
    (
        "assemble([0, 1, 2, 2])",
        "!When making an array from single-device arrays, the input arrays must be from "
        "distinct devices, but got device IDs [0,",
    ),
    (
        "assemble(range(4), offset=4)",
        "!Addressable devices and per-device arrays devices do not match",
    ),
    (
        "assemble(range(4), rows=3)",
        "!Expected shard shape (2, 2) doesn't match the single device array shape (3, 2). "
        "Shape of Array is float32[8,2] with",
    ),
    (
        "assemble(range(4), dtype='int32')",
        "!make_array_from_single_device_arrays`, it must match the dtype of the addressable shards",
    ),
    (
        "j.make_array_from_single_device_arrays((8, 2), NS(m4, P('x')), [a])",
        "!When making an array from single-device arrays the input arrays must have one shard "
        "each. An argument array had 8",
    ),
    (
        "j.make_array_from_single_device_arrays((8, 2), NS(m4, P('x')), a)",
        "!make_array_from_single_device_arrays `arrays` argument must be a list or tuple, but "
        "got <class '",
    ),
    (
        "j.make_array_from_single_device_arrays((8, 2), NS(m4, P('x')), [v] * 4)",
        "!Unsupported type for elements in `arrays`",
    ),
    (
        "j.make_array_from_single_device_arrays((2,), s.SingleDeviceSharding(d[1]), "
        "[n.zeros(2, device=d[1])])",
        "Array([0., 0.], dtype=float32)",
    ),
    ("j.make_array_from_process_local_data(NS(m, P('x')), v).sharding.spec", "P('x',)"),
    (
        "j.make_array_from_process_local_data(NS(m, P('x')), {'a': v, 'b': x}, (8, "
        "2))['b'].sharding.spec",
        "P('x',)",
    ),
    (
        "j.make_array_from_process_local_data({'a': NS(m, P('x')), 'b': NS(m, P())}, {'a': v, "
        "'b': x}, {'a': (8, 2), 'b': None})['b'].sharding.spec",
        "P()",
    ),
    (
        "j.make_array_from_process_local_data(NS(m, P('x')), v, (16, 2))",
        "!When calling `make_array_from_process_local_data` on a single process, global_shape "
        "should be None or equal to",
    ),
    (
        "within(j.set_mesh(m), lambda: j.make_array_from_process_local_data(P('x'), "
        "v).sharding.spec)",
        "P('x',)",
    ),
    # Ops on arrays over the same devices; their results are over these.
    (
        "(a + 1).tolist() == (v + 1).tolist(), (a + 1).devices() == {*d}, (a + 1).committed",
        "(True, True, True)",
    ),
    ("(a + b + c + x).tolist() == (4 * v).tolist(), (x + a).devices() == {*d}", "(True, True)"),
    ("(one + j.device_put(v, d[0])).devices()", "{CpuDevice(id=0)}"),
    ("j.jit(lambda p, q: p @ q.T)(a, b).tolist() == (v @ v.T).tolist()", "True"),
    ("j.grad(lambda p: (p * p).sum())(a).tolist() == (2 * v).tolist()", "True"),
    ("a + j.device_put(v, d[0])", "!Received incompatible devices for jitted computation"),
    (
        "a + j.device_put(v, NS(m4, P('x')))",
        "!Received incompatible devices for jitted computation",
    ),
    (
        "j.device_put(v, NS(m8, P('x'))) + j.device_put(v, NS(r, P('x')))",
        "!Received incompatible devices for jitted computation",
    ),
    ("(j.device_put(v, NS(m8, P('x'))) + b).devices() == {*d}", "True"),
    (
        "j.jit(lambda p, q: p + q)(a, j.device_put(v, d[1]))",
        "!Received incompatible devices for jitted computation",
    ),
]
