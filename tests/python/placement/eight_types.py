"""Shardings in types: over meshes with explicit axes, as in JAX; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ShardingTypeError
from dovetail.sharding import (
    AxisType,
    NamedSharding,
    auto_axes,
    explicit_axes,
    reshard,
    use_abstract_mesh,
)
from dovetail.sharding import PartitionSpec as P

EXPLICIT, AUTO = AxisType.Explicit, AxisType.Auto
MESH = dt.make_mesh((4, 2), ("a", "b"))
AUTO_MESH = dt.make_mesh((4, 2), ("a", "b"), axis_types=(AUTO, AUTO))
MIXED = dt.make_mesh((4, 2), ("a", "b"), axis_types=(EXPLICIT, AUTO))
VALUES = np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32)


def put(x: Any, *spec: Any, mesh: Any = MESH) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


X, Z, C, R = put(VALUES, "a"), put(VALUES, "a", "b"), put(VALUES, None, "b"), put(VALUES)
U = put(VALUES, ("a", "b"))
V, W = put(VALUES[0, :8], "b"), put(VALUES[:4].T, None, "b")
INDICES = put(np.array([0, 3, 1, 2]))


def total(x: Any) -> Any:
    return dnp.sum(dnp.sin(x) ** 2)


# A function, its arguments, and the type of its result, as JAX prints it.
TYPES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "scalar": (lambda x: x + 1, (X,), "float32[8@a,16]"),
    "joined": (lambda x, c: x + c, (X, C), "float32[8@a,16@b]"),
    "with unsharded": (lambda x, r: x * r, (X, R), "float32[8@a,16]"),
    "product": (lambda x, w: x @ w, (X, W), "float32[8@a,4@b]"),
    "one contracted": (lambda z, w: z @ w, (Z, W), "float32[8@a,4@b]"),
    "einsum": (lambda x, c: dnp.einsum("ij,kj->ik", x, c), (X, C), "float32[8@a,8]"),
    "sum": (lambda x: dnp.sum(x, 0), (X,), "float32[16]"),
    "mean": (lambda z: dnp.mean(z, axis=0), (Z,), "float32[16@b]"),
    "argmax": (lambda z: dnp.argmax(z, axis=1), (Z,), "int32[8@a]"),
    "softmax": (dt.nn.softmax, (Z,), "float32[8@a,16@b]"),
    "transpose": (dnp.transpose, (X,), "float32[16,8@a]"),
    "split": (lambda z: z.reshape(4, 2, 16), (Z,), "float32[4@a,2,16@b]"),
    "split of both": (lambda u: u.reshape(4, 2, 16), (U,), "float32[4@a,2@b,16]"),
    "split of the second": (lambda z: z.reshape(8, 4, 4), (Z,), "float32[8@a,4@b,4]"),
    "merge": (dnp.ravel, (Z,), "float32[128@(a,b)]"),
    "merge of the first": (dnp.ravel, (X,), "float32[128@a]"),
    "new dimension": (lambda z: z[:, None], (Z,), "float32[8@a,1,16@b]"),
    "broadcast": (lambda v: dnp.broadcast_to(v, (3, 8)), (V,), "float32[3,8@b]"),
    "slice of another": (lambda x: x[:, :2], (X,), "float32[8@a,2]"),
    "gather": (lambda c, i: c[i], (C, INDICES), "float32[4,16@b]"),
    "dynamic slice": (
        lambda x, i: lax.dynamic_slice_in_dim(x, i, 4),
        (X, dnp.array(1)),
        "float32[4@a,16]",
    ),
    "dynamic update": (
        lambda x: lax.dynamic_update_slice(x, x[:, :2], (0, 3)),
        (X,),
        "float32[8@a,16]",
    ),
    "concatenate": (lambda x: dnp.concatenate([x, x]), (X,), "float32[16@a,16]"),
    "stack": (lambda z: dnp.stack([z, z]), (Z,), "float32[2,8@a,16@b]"),
    "where": (lambda z: dnp.where(z > 0, z, 0.0), (Z,), "float32[8@a,16@b]"),
    "cumsum": (lambda x: dnp.cumsum(x, axis=1), (X,), "float32[8@a,16]"),
    "sort": (lambda x: dnp.sort(x, axis=1), (X,), "float32[8@a,16]"),
    "pad": (lambda x: dnp.pad(x, ((0, 0), (1, 1))), (X,), "float32[8@a,18]"),
    "fft": (dnp.fft.fft, (Z,), "complex64[8@a,16@b]"),
    "fft2": (dnp.fft.fft2, (Z,), "complex64[8@a,16@b]"),
    "irfft": (lambda z: dnp.fft.irfft(z, n=16), (X,), "float32[8@a,16]"),
    "flip": (lambda x: dnp.flip(x, 0), (X,), "float32[8@a,16]"),
    "zeros_like": (dnp.zeros_like, (Z,), "float32[8@a,16@b]"),
    "scatter": (lambda x: x.at[:, 0].set(1.0), (X,), "float32[8@a,16]"),
    "grad": (dt.grad(total), (Z,), "float32[8@a,16@b]"),
    "jvp": (lambda z: dt.jvp(dnp.sin, (z,), (z,))[1], (Z,), "float32[8@a,16@b]"),
    "vjp": (lambda z: dt.vjp(dnp.sin, z)[1](z)[0], (Z,), "float32[8@a,16@b]"),
    "linearize": (lambda z: dt.linearize(dnp.sin, z)[1](z), (Z,), "float32[8@a,16@b]"),
    "checkpoint": (dt.checkpoint(lambda z: z * 2), (Z,), "float32[8@a,16@b]"),
    "vmap": (dt.vmap(lambda r: r * 2), (Z,), "float32[8@a,16@b]"),
    "vmap of a sum": (dt.vmap(dnp.sum, in_axes=1), (Z,), "float32[16@b]"),
    "jit": (dt.jit(dnp.transpose), (X,), "float32[16,8@a]"),
    "scan": (lambda c: lax.scan(lambda s, r: (s + r, r), c[0], c)[1], (C,), "float32[8,16@b]"),
    "loop": (lambda z: lax.fori_loop(0, 3, lambda i, z: z + 1, z), (Z,), "float32[8@a,16@b]"),
    "cond": (lambda z: lax.cond(True, dnp.sin, dnp.cos, z), (Z,), "float32[8@a,16@b]"),
    "reshard": (lambda x: reshard(x, NamedSharding(MESH, P(None, "b"))), (X,), "float32[8,16@b]"),
}


@pytest.mark.parametrize("name", TYPES)
@dt.config.compile("never")
def test_types_of_results(name: str) -> None:
    function, arrays, expected = TYPES[name]
    traced = []

    def noted(*arrays: Any) -> Any:
        result = function(*arrays)
        traced.append(str(dt.typeof(result)))
        return result

    values = function(*map(dnp.asarray, map(np.asarray, arrays)))
    for result in (function(*arrays), dt.jit(noted)(*arrays)):
        assert str(dt.typeof(result)) == expected
        assert result.sharding.spec == dt.typeof(result).sharding.spec
        np.testing.assert_allclose(result, values, 1e-5, 1e-6)
    assert traced == [expected]


AMBIGUOUS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "add": (
        lambda x, y: x + y,
        (X, put(VALUES, "b")),
        r"add got incompatible shardings for broadcasting: \('a', None\), \('b', None\)\.",
    ),
    "both contracted": (
        lambda c: c @ c.T,
        (C,),
        r"Contracting dimensions are sharded and it is ambiguous how the output should be "
        r"sharded\. Please specify the output sharding via the `out_sharding` parameter\. "
        r"Got lhs_contracting_spec=\('b',\) and rhs_contracting_spec=\('b',\)",
    ),
    "contracted unlike": (
        lambda x, c: x.T @ c,
        (X, put(VALUES, "b")),
        r"dot_general requires contracting dimensions to have consistent sharding, got: "
        r"\('a',\) and \('b',\)\.",
    ),
    "twice": (
        lambda x: x @ x.T,
        (X,),
        r"dot_general operation with inputs: f32\[8@a,16\], f32\[16,8@a\] produces an illegally "
        r"sharded result: f32\[8@a,8@a\]",
    ),
    "reshape": (
        lambda c: c.reshape(128),
        (C,),
        r"This reshape is not supported\. Please specify the sharding of the output via the "
        r"`out_sharding` argument",
    ),
    "uneven slice": (
        lambda x: x[:2],
        (X,),
        r"slicing on sharded dims where out dim \(2\) is not divisible by mesh axes \(4\) with "
        r"spec \(a\) is not implemented\.",
    ),
    "uneven pad": (lambda x: dnp.pad(x, 1), (X,), r"padding on sharded dims where out dim \(10\)"),
    "uneven spectrum": (dnp.fft.rfft, (Z,), r"fft on sharded dims where out dim \(9\)"),
    "cumsum": (
        lambda x: dnp.cumsum(x, axis=0),
        (X,),
        r"Input 0 to cumsum must be unsharded on non-batch dimensions, but got P",
    ),
    "sort": (lambda x: dnp.sort(x, axis=0), (X,), "must be unsharded over the sorting dimension"),
    "gather": (lambda x, i: x[i], (X, INDICES), r"Use `\.at\[\.\.\.\]\.get\(out_sharding=\)`"),
    "scatter": (
        lambda x, i: x.at[i].add(1.0),
        (X, INDICES),
        r"Use `\.at\[\.\.\.\]\.set/add/mul/\.\.\.\(out_sharding=\)`",
    ),
    "decomposition": (
        dnp.linalg.inv,
        (put(np.eye(4, dtype=np.float32), "a"),),
        r"Input 0 to lu must be unsharded on non-batch dimensions, but got P\('a', None\)\.",
    ),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
@dt.config.compile("never")
def test_ambiguous_shardings_are_errors(name: str) -> None:
    function, arrays, message = AMBIGUOUS[name]
    for called in (function, dt.jit(function)):
        with pytest.raises(ShardingTypeError, match=message) as error:
            called(*arrays)
        assert "eight_types.py" in str(error.value)


def test_types() -> None:
    aval = dt.typeof(Z)
    assert repr(aval) == "ShapedArray(float32[8@a,16@b])"
    assert aval.sharding == NamedSharding(MESH.abstract_mesh, P("a", "b"))
    assert dt.typeof(put(VALUES, "a", "b", mesh=MIXED)).sharding.spec == P("a", None)
    assert dt.typeof(put(VALUES, "a", mesh=AUTO_MESH)).sharding.spec == P(None, None)
    assert dt.typeof(VALUES).sharding.mesh.empty
    assert dt.typeof(Z) == dt.typeof(Z + 1) != dt.typeof(X)
    described = dt.ShapeDtypeStruct((8, 16), np.float32, sharding=X.sharding)
    result = dt.eval_shape(dnp.transpose, described)
    assert result.sharding == NamedSharding(MESH.abstract_mesh, P(None, "a"))


@dt.config.compile("never")
def test_results_over_mixed_axes_are_as_their_types_state() -> None:
    z = put(VALUES, "a", "b", mesh=MIXED)
    assert str(dt.typeof(z + 1)) == "float32[8@a,16]"
    result = dt.jit(dnp.transpose)(z)
    assert str(dt.typeof(result)) == "float32[16,8@a]"
    assert result.sharding == NamedSharding(MIXED, P("b", "a"))
    constrained = dt.jit(
        lambda z: lax.with_sharding_constraint(z, NamedSharding(MIXED, P(None, "b")))
    )(put(VALUES, "a", mesh=MIXED))
    assert constrained.sharding.spec == P("a", "b")


@dt.config.compile("never")
def test_out_sharding() -> None:
    rows = NamedSharding(MESH, P("a"))
    with dt.set_mesh(MESH):
        for wanted in (rows, P("a")):
            for result in (
                dnp.dot(C, C.T, out_sharding=wanted),
                dt.jit(lambda c, wanted=wanted: dnp.matmul(c, c.T, out_sharding=wanted))(C),
                dnp.einsum("ij,kj->ik", C, C, out_sharding=wanted),
                lax.dot(C, C.T, out_sharding=wanted),
            ):
                assert str(dt.typeof(result)) == "float32[8@a,8]"
                np.testing.assert_allclose(result, VALUES @ VALUES.T, 1e-4, 1e-5)
        key = dt.random.key(0)
        for result in (
            dnp.ones((8, 2), out_sharding=P("a")),
            X.reshape(8, 4, 4)[:, :2, 0],
            dt.random.normal(key, (8, 2), out_sharding=P("a")),
            dt.jit(lambda k: dt.random.uniform(k, (8, 2), out_sharding=P("a")))(key),
            lax.broadcasted_iota(np.float32, (8, 2), 0, out_sharding=P("a")),
            C.reshape(64, 2, out_sharding=P("a"))[:8],
        ):
            assert str(dt.typeof(result)) == "float32[8@a,2]"
    assert str(dt.typeof(X.at[INDICES].get(out_sharding=rows))) == "float32[4@a,16]"
    assert str(dt.typeof(X.at[INDICES].add(1.0, out_sharding=rows))) == "float32[8@a,16]"
    # The sharding of a row, which is whole, for one element of it.
    columns = put(np.arange(8)[::-1].copy(), "a")
    of_rows = dt.vmap(lambda x, i: x.at[i].get(out_sharding=dt.typeof(x).sharding))
    for found in (of_rows(X, columns), dt.jit(of_rows)(X, columns)):
        assert str(dt.typeof(found)) == "float32[8@a]"
        np.testing.assert_array_equal(found, VALUES[np.arange(8), np.arange(8)[::-1]])
    with pytest.raises(ValueError, match="cannot contain axis names that are of type Auto or Man"):
        dnp.dot(VALUES, VALUES.T, out_sharding=NamedSharding(AUTO_MESH, P("a")))
    with pytest.raises(ValueError, match="Using PartitionSpec when you are not under a mesh"):
        dnp.dot(C, C.T, out_sharding=P("a"))


@dt.config.compile("never")
def test_auto_axes() -> None:
    wanted, seen = NamedSharding(MESH, P("a")), []

    def gram(x: Any) -> Any:
        seen.append(str(dt.typeof(x)))
        return x @ x.T

    for called in (
        auto_axes(gram, out_sharding=wanted),
        dt.jit(auto_axes(gram, out_sharding=wanted)),
        dt.jit(lambda x: auto_axes(gram)(x, out_sharding=wanted)),
    ):
        result = called(Z)
        assert str(dt.typeof(result)) == "float32[8@a,8]"
        np.testing.assert_allclose(result, VALUES @ VALUES.T, 1e-4, 1e-5)
    assert seen == ["float32[8,16]"] * 3
    with dt.set_mesh(MESH):
        some = auto_axes(gram, axes="b", out_sharding=P("a", None))
        with pytest.raises(ShardingTypeError, match="produces an illegally sharded result"):
            dt.jit(some)(Z)
        assert seen[3:] == ["float32[8@a,16]"]
        with pytest.raises(TypeError, match="Missing required keyword argument: 'out_sharding'"):
            auto_axes(gram)(Z)


@dt.config.compile("never")
def test_explicit_axes() -> None:
    seen = []

    def noted(x: Any) -> Any:
        seen.extend([str(dt.typeof(x)), str(dt.typeof(x.T))])
        return x

    with dt.set_mesh(AUTO_MESH):
        result = dt.jit(lambda x: explicit_axes(noted, in_sharding=P("a"))(x))(VALUES)
        assert str(dt.typeof(result)) == "float32[8,16]"
        assert result.sharding.spec == P("a")
    assert seen == ["float32[8@a,16]", "float32[16,8@a]"]
    with pytest.raises(ValueError, match="Context mesh cannot be empty"):
        explicit_axes(noted, in_sharding=P("a"))(VALUES)


def test_constraints_are_assertions_over_explicit_axes() -> None:
    with dt.set_mesh(MESH):
        assert dt.jit(lambda z: lax.with_sharding_constraint(z, P("a", "b")))(Z).shape == Z.shape
        with pytest.raises(AssertionError, match="acts as an assert when all axes of mesh are"):
            dt.jit(lambda z: lax.with_sharding_constraint(z, P("b")))(Z)
    with pytest.raises(ValueError, match="can only refer to Auto axes of the mesh"):
        lax.with_sharding_constraint(Z, NamedSharding(MESH, P("a")))


def test_loops_and_branches_need_equal_shardings() -> None:
    with dt.set_mesh(MESH):
        with pytest.raises(TypeError, match="so the shardings do not match"):
            dt.jit(lambda z: lax.fori_loop(0, 3, lambda i, z: reshard(z, P("b")), z))(Z)
        with pytest.raises(TypeError, match="so the shardings do not match"):
            dt.jit(lambda z: lax.cond(True, lambda z: reshard(z, P("b")), lambda z: z, z))(Z)
    with pytest.raises(ValueError, match="0th dimension of all xs should be replicated"):
        lax.scan(lambda c, r: (c, r), 0.0, X)


def test_mapped_dimensions_are_sharded_alike() -> None:
    with pytest.raises(ValueError, match="Got inconsistent axis specs: a vs None"):
        dt.vmap(dnp.add)(X, R)
    with pytest.raises(ValueError, match="cannot be sharded along the mesh axis you are vmapping"):
        dt.vmap(dnp.add, in_axes=(0, None))(X, put(VALUES[0], "a"))


@dt.config.compile("never")
def test_types_in_shard_map() -> None:
    seen: list[Any] = []

    def noted(x: Any) -> Any:
        summed = lax.psum(x, "a")
        inner = dt.jit(lambda x: (seen.append(str(dt.typeof(x + 1))), x)[1])(x)
        seen.extend(map(str, (dt.typeof(x), dt.typeof(summed), dt.typeof(dnp.ones(3)))))
        seen.append(dt.typeof(x).mat.varying)
        seen.append(dt.sharding.get_abstract_mesh().axis_types)
        return inner

    def types(spec: P, x: Any, **options: Any) -> list[Any]:
        seen.clear()
        f = dt.shard_map(noted, mesh=MESH, in_specs=spec, out_specs=spec, **options)
        return [str(dt.typeof(dt.jit(f)(x))), *seen]

    manual = AxisType.Manual
    both = "float32[2,8]{V:(a,b)}"
    assert types(P("a", "b"), Z) == [
        "float32[8@a,16@b]",
        *(both, both, "float32[2,8]{V:b}", "float32[3]", {"a", "b"}, (manual, manual)),
    ]
    some = "float32[2,16@b]{V:a}"
    assert types(P("a"), Z, axis_names={"a"}) == [
        "float32[8@a,16@b]",
        *(some, some, "float32[2,16@b]", "float32[3]", {"a"}, (manual, EXPLICIT)),
    ]
    assert types(P("a", "b"), Z, check_vma=False)[1] == "float32[2,8]"


def test_broadcast_like_follows_the_sharding_in_a_type() -> None:
    with dt.set_mesh(MESH):
        like = dt.device_put(np.ones((8, 4), np.float32), P("a", None))
        row = np.arange(4, dtype=np.float32)
        for call in (lax.broadcast_like, dt.jit(lax.broadcast_like)):
            result: Any = call(row, like)
            assert result.sharding.spec == P("a", None)
            np.testing.assert_array_equal(result, np.tile(row, (8, 1)))
        with pytest.raises(ValueError, match="Incompatible shardings for broadcasting, got: "):
            lax.broadcast_like(dt.device_put(row, P("a")), like)


def test_each_value_has_the_mesh_of_its_context() -> None:
    """A type says over which mesh it is, wherever it is asked for, also that of a result."""
    inner = MESH.abstract_mesh.update_axis_types({"a": AxisType.Auto})
    seen = []

    def entered(x: Any) -> Any:
        with use_abstract_mesh(inner):
            y = reshard(x, P(None, "b")) * 2
        seen.extend([dt.typeof(x).sharding, dt.typeof(y).sharding])
        return x + 1, y

    before, after = dt.jit(entered)(Z)
    assert [sharding.mesh for sharding in seen] == [MESH.abstract_mesh, inner]
    assert [sharding.spec for sharding in seen] == [P("a", "b"), P(None, "b")]
    assert before.sharding == NamedSharding(MESH, P("a", "b"))
    assert after.sharding.mesh.axis_types == inner.axis_types
    np.testing.assert_allclose(after, 2 * VALUES)

    def unmoved(x: Any) -> Any:
        with use_abstract_mesh(inner):
            return x @ x.T

    message = r"For primitive transpose, context mesh .*Auto.* should match the aval mesh "
    with pytest.raises(ValueError, match=message):
        dt.jit(unmoved)(Z)


def test_results_over_another_mesh_of_the_same_devices() -> None:
    """Of a program over two meshes, each result is sharded as its type says."""
    mesh = dt.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    other = dt.sharding.AbstractMesh((8,), ("a",), (AxisType.Explicit,))
    values = np.arange(32, dtype=np.float32).reshape(8, 4)

    @dt.jit
    def f(x: Any) -> Any:
        with dt.sharding.use_abstract_mesh(other):
            return dt.reshard(x, dt.P("a", None)) * 2

    with dt.set_mesh(mesh):
        x = dt.device_put(values, dt.P("x", "y"))
        y = f(x)
        nested = dt.jit(lambda x: f(x))(x)
    for result in (y, nested):
        assert str(dt.typeof(result)) == "float32[8@a,4]"
        assert [shard.data.shape for shard in result.addressable_shards] == [(1, 4)] * 8
        assert result.sharding._device_assignment == mesh.flat_devices
        np.testing.assert_array_equal(result, 2 * values)
