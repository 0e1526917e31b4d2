"""Exported programs: called, transformed, serialized and read again; JAX's interface."""

from __future__ import annotations

import dataclasses
import functools
import random
import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import export, tree_util
from dovetail import random as dr
from dovetail.experimental import io_callback
from dovetail.export import Exported

X = np.array([0.5, -1.0, 2.0], np.float32)
VECTOR = dt.ShapeDtypeStruct((3,), "float32")
TABLE = np.arange(300, dtype=np.float32).reshape(3, 100)


def again(exported: Exported, vjp_order: int = 0) -> Exported:
    blob = exported.serialize(vjp_order=vjp_order)
    assert isinstance(blob, bytearray)
    return export.deserialize(bytes(blob))


def close(x: Any, y: Any) -> None:
    got, structure = dt.tree.flatten(x)
    wanted, other = dt.tree.flatten(y)
    assert structure == other
    for a, b in zip(got, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


def f(x: Any, y: Any = 1.0, *, scale: Any) -> Any:
    z = dnp.sin(x) * y * scale
    return {"sum": dnp.sum(z @ TABLE), "z": (z, [x.astype(int)])}


@pytest.fixture(scope="module", params=[False, True], ids=["exported", "read again"])
def exported(request: pytest.FixtureRequest) -> Exported:
    made = export.export(dt.jit(f))(VECTOR, VECTOR, scale=dt.ShapeDtypeStruct((), "float32"))
    return again(made) if request.param else made


def test_exported_functions_are_called(exported: Exported) -> None:
    scale = np.float32(2)
    close(exported.call(X, X + 1, scale=scale), f(dnp.array(X), X + 1, scale=scale))
    close(dt.jit(exported.call)(X, X + 1, scale=scale), f(dnp.array(X), X + 1, scale=scale))
    assert exported.fun_name == "f"
    assert str(exported) == "Exported(fun_name=f, ...)"
    assert [str(aval) for aval in exported.in_avals] == ["float32[3]", "float32[3]", "float32[]"]
    assert [str(aval) for aval in exported.out_avals] == ["float32[]", "float32[3]", "int32[3]"]
    tree = exported.out_tree.unflatten([1, 2, 3])
    assert tree == {"sum": 1, "z": (2, [3])}
    assert exported.in_tree.unflatten([1, 2, 3]) == ((1, 2), {"scale": 3})
    assert exported.platforms == ("cpu",)
    assert "dovetail.sin" in exported.mlir_module()
    assert exported.nr_devices == 1


def test_exported_functions_are_transformed(exported: Exported) -> None:
    def loss(g: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda x: g(x, x + 1, scale=np.float32(2))["sum"]

    def original(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    for transform in (dt.grad, dt.hessian, dt.jacfwd, lambda g: dt.jit(dt.grad(g))):
        close(transform(loss(exported.call))(X), transform(loss(original))(X))
    batch = np.stack([X, X + 1])
    close(dt.vmap(loss(exported.call))(batch), dt.vmap(loss(original))(batch))
    close(dt.vmap(dt.grad(loss(exported.call)))(batch), dt.vmap(dt.grad(loss(original)))(batch))


def test_wrong_arguments_are_explained(exported: Exported) -> None:
    scale = np.float32(2)
    with pytest.raises(ValueError, match=r"must have the structure"):
        exported.call(X, scale=scale)
    with pytest.raises(ValueError, match=r"must be float32\[3\], for which .* got: float32\[2\]"):
        exported.call(X, X[:2], scale=scale)
    with pytest.raises(ValueError, match=r"must be float32\[3\], for which .* got: int32\[3\]"):
        exported.call(X, np.arange(3), scale=scale)


def test_vjp_is_exported_too() -> None:
    def g(x: Any, n: Any) -> Any:
        return x * x * n, n + 1

    made = export.export(dt.jit(g))(VECTOR, np.int32(3))
    assert made.has_vjp()
    backward = again(made.vjp(), vjp_order=1)
    n = np.int32(3)
    no_cotangent = np.zeros((), dt.float0)
    cotangent, nothing = backward.call(X, n, X + 1, no_cotangent)
    np.testing.assert_allclose(cotangent, 2 * X * 3 * (X + 1), rtol=1e-6)
    assert nothing.dtype == dt.float0
    assert len(backward.in_avals) == 3


def test_rules_of_derivatives_are_kept() -> None:
    @dt.custom_vjp
    def clipped(x: Any) -> Any:
        return x * x

    clipped.defvjp(lambda x: (x * x, x), lambda x, t: (dnp.clip(2 * x, -1, 1) * t,))

    @dt.custom_jvp
    def doubled(x: Any) -> Any:
        return 2 * x

    doubled.defjvp(lambda primals, tangents: (2 * primals[0], 100 * tangents[0]))

    @dt.custom_batching.custom_vmap
    def sneaky(x: Any) -> Any:
        return x + 1

    sneaky.def_vmap(lambda size, batched, x: (x + 1000, batched[0]))

    def g(x: Any) -> Any:
        return dnp.sum(doubled(clipped(sneaky(x) - 1)))

    made = export.export(dt.jit(g))(VECTOR)
    for one in (made, again(made)):
        np.testing.assert_allclose(one.call(X), np.sum(2 * X * X), rtol=1e-6)
        np.testing.assert_allclose(dt.grad(one.call)(X), 100 * np.clip(2 * X, -1, 1))
    batch = np.stack([X, X])
    expected = np.full(2, np.sum(2 * X * X))
    np.testing.assert_allclose(dt.vmap(again(made).call)(batch), expected, rtol=1e-6)


def test_rules_are_kept_for_two_derivatives() -> None:
    @dt.custom_jvp
    def wave(x: Any) -> Any:
        return dnp.sin(x)

    # The rule's own function has a rule, too.
    wave.defjvp(lambda primals, tangents: (wave(*primals), 10 * wave(*primals) * tangents[0]))
    made = export.export(dt.jit(wave))(np.float32(1))
    for one in (made, again(made), again(made, vjp_order=5)):
        derivative = one.call
        for expected in (np.sin(1), 10 * np.sin(1), 100 * np.sin(1), 100 * np.cos(1)):
            np.testing.assert_allclose(derivative(1.0), expected, rtol=1e-5)
            derivative = dt.grad(derivative)


@pytest.mark.parametrize("kind", ["pure", "io", "debug", "in a loop", "in a rule"])
def test_python_functions_are_not_serialized(kind: str) -> None:
    one = dt.ShapeDtypeStruct((), "float32")

    def call(x: Any) -> Any:
        if kind == "debug":
            dt.debug.callback(lambda x: None, x)
            return x
        if kind == "io":
            return io_callback(lambda x: np.float32(x), one, x)
        return dt.pure_callback(lambda x: np.float32(x), one, x)

    @dt.custom_jvp
    def with_rule(x: Any) -> Any:
        return x

    with_rule.defjvp(lambda primals, tangents: (primals[0], tangents[0] * call(primals[0])))

    def f(x: Any) -> Any:
        if kind == "in a loop":
            return dt.lax.fori_loop(0, 3, lambda _, x: call(x), x)
        return with_rule(x) if kind == "in a rule" else call(x)

    made = export.export(dt.jit(f))(np.float32(2))
    assert float(made.call(np.float32(2))) == 2.0
    place = f"called at {__file__}:{call.__code__.co_firstlineno}"[:-2]
    with pytest.raises(ValueError, match=rf"must not call functions of this .*{re.escape(place)}"):
        made.serialize()


class Point(NamedTuple):
    x: Any
    y: Any


@tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    w: Any
    unit: str = dataclasses.field(metadata={"static": True})


def test_trees_of_all_kinds() -> None:
    def g(p: Any, layers: Any, keys: Any) -> Any:
        words = dr.key_data(keys)
        return OrderedDict(b=Point(p.y, None), a=Layer(layers[0].w, layers[0].unit)), words

    key = dr.key(3)
    arguments = Point(X, 2 * X), [Layer(X, "m")], key
    made = export.export(dt.jit(g))(*arguments)
    with pytest.raises(ValueError, match=r"got: Point; call dovetail.export.register_namedtuple"):
        made.serialize()
    export.register_namedtuple_serialization(Point, serialized_name="tests.Point")
    with pytest.raises(ValueError, match=r"got: Layer; call dovetail.export.register_pytree_node"):
        made.serialize()
    export.register_pytree_node_serialization(
        Layer,
        serialized_name="tests.Layer",
        serialize_auxdata=lambda aux: aux[0].encode(),
        deserialize_auxdata=lambda data: (data.decode(),),
    )
    for one in (made, again(made)):
        ordered, words = one.call(*arguments)
        assert list(ordered) == ["b", "a"]
        assert isinstance(ordered, OrderedDict)
        close(ordered["b"], Point(dnp.array(2 * X), None))
        assert ordered["a"].unit == "m"
        np.testing.assert_array_equal(words, dr.key_data(key))
    with pytest.raises(ValueError, match=r"registered once, got: Point, which is 'tests.Point'"):
        export.register_namedtuple_serialization(Point, serialized_name="other")
    with pytest.raises(ValueError, match=r"registered once, got: 'tests.Point', which is Point"):
        export.register_namedtuple_serialization(
            NamedTuple("Q", [("x", int)]), serialized_name="tests.Point"
        )
    with pytest.raises(ValueError, match=r"must be one of named tuples, got: Layer"):
        export.register_namedtuple_serialization(Layer, serialized_name="x")


def test_static_arguments_are_left_out() -> None:
    jitted = dt.jit(lambda n, x: x * n, static_argnums=0)
    made = export.export(jitted)(3, VECTOR)
    for one in (made, again(made)):
        np.testing.assert_allclose(one.call(X), 3 * X)


def test_platforms_are_checked() -> None:
    made = export.export(dt.jit(dnp.sin), platforms=["cuda", "vulkan"])(VECTOR)
    with pytest.raises(ValueError, match=r"exported for, cuda, vulkan, got: cpu"):
        again(made).call(X)
    check = export.DisabledSafetyCheck.platform()
    made = export.export(dt.jit(dnp.sin), platforms=["cuda"], disabled_checks=[check])(VECTOR)
    np.testing.assert_allclose(again(made).call(X), np.sin(X), rtol=1e-6)
    with pytest.raises(ValueError, match=r"platforms must be of cpu, .* got: 'tpu'"):
        export.export(dt.jit(dnp.sin), platforms=["tpu"])
    with pytest.raises(ValueError, match=r"must be callable, got: 3"):
        export.export(3)  # type: ignore[arg-type]


def test_damaged_bytes_are_rejected() -> None:
    blob = export.export(dt.jit(lambda x: x @ TABLE))(VECTOR).serialize()
    rng = random.Random(0)
    for _ in range(1000):
        mutant = bytearray(blob)
        mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            del mutant[rng.randrange(len(mutant)) :]
        with pytest.raises(ValueError, match=r"digest|other bytes|version"):
            export.deserialize(mutant)
    newer = bytearray(blob)
    newer[len(b"dovetail exported\n")] = 9
    with pytest.raises(ValueError, match=r"must have a version from 1 to 1, got: 9"):
        export.deserialize(newer)


class _Doubled:
    def __call__(self, x: Any) -> Any:
        return 2 * x

    def method(self, x: Any) -> Any:
        return x + 1


@pytest.mark.parametrize(
    "function",
    [
        *(dnp.sin, dnp.linalg.norm, dt.nn.relu, lambda x: x * x, _Doubled(), _Doubled().method),
        *(functools.partial(dnp.power, 2.0), dt.grad(lambda x: (x**2).sum()), dt.vmap(dnp.cos)),
    ],
)
def test_any_callable(function: Any) -> None:
    x = np.linspace(0, 1, 3, dtype=np.float32)
    made = again(export.export(function)(dt.ShapeDtypeStruct((3,), "float32")))
    np.testing.assert_allclose(made.call(x), function(x), rtol=1e-6)


def test_it_runs_where_jit_is_disabled() -> None:
    one, other = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    exported = dt.export.export(dt.jit(lambda x: dnp.sin(x) + 1))(one)
    with dt.disable_jit():
        np.testing.assert_allclose(exported.call(other), np.sin(other) + 1, rtol=1e-6)
