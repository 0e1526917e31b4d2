"""Repeated calls of jitted functions, which C++ makes, return the same as the longer path."""

from __future__ import annotations

import functools
import gc
import operator
import pickle
import sys
import threading
import tracemalloc
import warnings
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, random
from dovetail.programs.jitted import Jitted
from dovetail.runtime.devices import SHARE_BYTES
from support.call_path_tools import longer_calls

# Compiled at the first call, so that the second one is made by C++.
jit = functools.partial(dt.jit, compile="now")


class Pair(NamedTuple):
    """A named tuple, like the states of optimizers."""

    first: Any
    second: Any


class Swapped(Pair):
    """One that is flattened in another order than its own."""


def unswapped(_: None, parts: Any) -> Swapped:
    second, first = parts
    return Swapped(first, second)


with warnings.catch_warnings(action="ignore"):
    dt.tree_util.register_pytree_node(Swapped, lambda pair: ((pair[1], pair[0]), None), unswapped)


class Box:
    """A registered class, with a name that is part of the structure."""

    def __init__(self, content: Any, name: str = "box") -> None:
        self.content, self.name = content, name


dt.tree_util.register_pytree_node(
    Box, lambda box: ((box.content,), box.name), lambda name, parts: Box(parts[0], name)
)


def check_same(result: Any, expected: Any) -> None:
    """The same structure, types, weakness and, for all but the last bits, elements."""
    results, spec = dt.tree_util.tree_flatten(result)
    others, other_spec = dt.tree_util.tree_flatten(expected)
    assert spec == other_spec
    for part, other in zip(results, others, strict=True):
        assert type(part) is type(other)
        if is_key(other):
            np.testing.assert_array_equal(random.key_data(part), random.key_data(other))
        else:
            assert (part.dtype, part.weak_type) == (other.dtype, other.weak_type)
            assert part.shape == other.shape
            np.testing.assert_allclose(
                np.asarray(part, np.complex128), np.asarray(other, np.complex128), rtol=1e-6
            )


def step(tree: Any) -> Any:
    """Another tree of the same structure, which shows where each leaf went."""
    leaves, spec = dt.tree_util.tree_flatten(tree)
    changed = [random.split(x) if is_key(x) else x + i for i, x in enumerate(leaves)]
    return dt.tree_util.tree_unflatten(spec, changed)


def is_key(leaf: Any) -> bool:
    return hasattr(type(leaf), "is_key_array")


def array(seed: int, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def counted_dict(items: dict[str, Any]) -> defaultdict[str, Any]:
    return defaultdict(int, items)


# (positional arguments, keywords) for a number that changes the values, not the types.
Arguments = Callable[[int], tuple[tuple[Any, ...], dict[str, Any]]]

STRUCTURES: dict[str, Arguments] = {
    "arrays": lambda k: ((dnp.array(array(k, 3)), dnp.array(array(k + 9, 3))), {}),
    "nothing": lambda k: ((), {}),
    "containers": lambda k: (((1.0 * k, [dnp.float32(k), (2.0,)]), []), {}),
    "dict": lambda k: (({"b": 1.0 + k, "a": {"é": 2.0, "aa": (3.0 + k, None)}}, None), {}),
    "other keys": lambda k: (({2: 1.0 + k, 1: 2.0}, {(1, 2): 3.0 + k, (0, 9): 4.0}), {}),
    "dicts": lambda k: (
        (OrderedDict(b=1.0 + k, a=2.0), counted_dict({"z": 3.0 + k, "y": 4.0}), deque([k, 2.0])),
        {},
    ),
    "named tuples": lambda k: ((Pair(1.0 * k, {"w": Pair(2.0, array(k, 2))}),), {}),
    "registered": lambda k: ((Box([1.0 * k, Box(2.0, "inner")]), (Box(None),)), {}),
    "keywords": lambda k: ((1.0 * k,), {"z": 2.0 + k, "a": {"x": 3.0 + k}}),
    "random keys": lambda k: ((random.key(k), {"key": random.key(k + 1)}), {}),
    "scalars": lambda k: ((1.5 + k, k, k > 1, 1j * k), {}),
    "scalars of numpy": lambda k: ((np.float32(k), np.int8(k), np.float64(k), np.bool_(k)), {}),
    "numpy": lambda k: (
        (
            array(k, 2, 3),
            array(k, 4, dtype=np.float64),
            np.arange(k, k + 3),
            np.array(1.0 * k),
            array(k, 2, dtype=ml_dtypes.bfloat16),
        ),
        {},
    ),
    "numpy in other orders": lambda k: (
        (
            array(k, 2, 3).T,
            array(k, 8)[::2],
            np.broadcast_to(array(k, 1), (3,)),
            np.asfortranarray(array(k, 3, 2, dtype=np.complex64)),
        ),
        {},
    ),
    "of pickles": lambda k: ((pickle.loads(pickle.dumps(array(k, 3))),), {}),
    "no elements": lambda k: ((dnp.zeros((0, 3)), np.zeros((2, 0), np.int32)), {}),
    "large": lambda k: (
        (
            array(k, SHARE_BYTES // 4),
            array(k, SHARE_BYTES // 4 + 1)[1:],
            dnp.array(array(k, SHARE_BYTES)),
            array(k, 2, SHARE_BYTES).T,
        ),
        {},
    ),
    "elements": lambda k: (
        tuple(
            dnp.array(array(k, 3) * 3).astype(name)
            for name in ("bool", "int8", "uint16", "float16", "complex64", "float8_e4m3fn")
        ),
        {},
    ),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures(name: str) -> None:
    jitted = jit(lambda *args, **kwargs: step((args, kwargs)))
    made = longer_calls(jitted)
    for k in (0, 1, 2, 5):
        args, kwargs = STRUCTURES[name](k)
        check_same(jitted(*args, **kwargs), step(dt.tree_util.tree_map(as_array, (args, kwargs))))
        assert len(made) == 1
    if name != "random keys":
        # Results are arguments.
        args, kwargs = jitted(*args, **kwargs)
        check_same(jitted(*args, **kwargs), step((args, kwargs)))


def as_array(leaf: Any) -> Any:
    return leaf if is_key(leaf) else dnp.asarray(leaf)


def test_structures_of_results() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        return {"b": [y, (x, None)], "a": Pair({}, Box((y,))), "c": Pair(y, 2.0), 3: ()}

    jitted = jit(lambda x: list(f(x).values()))
    plain = jit(lambda x: {k: v for k, v in f(x).items() if isinstance(k, str)})
    for x in (1.0, 2.0, 3.0):
        for result in (jitted(x), list(plain(x).values())):
            by_class = {type(part): part for part in result}
            assert [float(leaf) for leaf in dt.tree_util.tree_leaves(by_class[list])] == [x + 1, x]
        assert float(plain(x)["a"].second.content[0]) == x + 1
        assert [float(v) for v in plain(x)["c"]] == [x + 1, 2]
        assert type(plain(x)["b"][1]) is tuple
        assert plain(x)["b"][1][1] is None


def test_the_order_of_a_dict_does_not_matter() -> None:
    jitted = jit(lambda t, **kw: (t["a"] - 2 * t["b"], kw["x"] - 2 * kw["y"]))
    for _ in range(3):
        assert [float(v) for v in jitted({"a": 1.0, "b": 2.0}, x=3.0, y=5.0)] == [-3, -7]
        assert [float(v) for v in jitted({"b": 2.0, "a": 1.0}, y=5.0, x=3.0)] == [-3, -7]
    assert len(jitted._executions) == 1


def test_named_tuples_that_are_registered() -> None:
    jitted = jit(lambda pair: pair.first - 2 * pair.second)
    one = dnp.float32(1)
    for _ in range(3):
        assert float(jitted(Swapped(one, one))) == -1
        assert float(jitted(Swapped(1.0, 2.0))) == -3
        assert float(jitted(Pair(1.0, 2.0))) == -3


def test_other_structures_and_types_are_other_programs() -> None:
    jitted = jit(lambda tree: len(dt.tree_util.tree_leaves(tree)))
    trees = [
        *((1.0, 2.0), [1.0, 2.0], {"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0}, (1.0, None, 2.0)),
        *((1, 2.0), (np.float32(1), 2.0), (True, 2.0), ((1.0,), 2.0), (1.0, (2.0,)), {"ab": 1.0}),
        *(Pair(1.0, 2.0), Box(1.0), Box(1.0, "other"), ({"a": 1.0}, 2.0), {"a": {"b": 1.0}}),
    ]
    for count in range(3):
        for tree in trees:
            assert int(jitted(tree)) == len(dt.tree_util.tree_leaves(tree))
        assert len(jitted._executions) == len(trees), count
        assert jitted._cached_count() == len(trees)


def test_weak_types() -> None:
    jitted = jit(lambda x: (x, x + dnp.int32(1)))
    for _ in range(3):
        assert [leaf.weak_type for leaf in jitted(1)] == [True, False]
        assert [leaf.weak_type for leaf in jitted(dnp.int32(1))] == [False, False]
        weak = dnp.asarray(1.0)
        assert weak.weak_type
        assert [leaf.dtype for leaf in jitted(weak)] == ["float32", "float32"]
        assert [leaf.weak_type for leaf in jitted(weak)] == [True, True]


# Static arguments ---------------------------------------------------------------------------------


def test_static_arguments() -> None:
    jitted = jit(lambda x, n, *, how="": (x + 1, f"{n!r}{how}")[0], static_argnames=("n", "how"))
    kinds = jit(lambda x, kind: x + {int: 1, bool: 2, float: 3}[type(kind)], static_argnums=1)
    for _ in range(3):
        assert float(jitted(1.0, 3)) == float(jitted(1.0, n=3, how="x")) == 2
        assert [float(kinds(1.0, kind)) for kind in (1, True, 1.0)] == [2, 3, 4]
    assert len(kinds._executions) == 3
    made = longer_calls(kinds)
    for kind in (1, True, 1.0):
        kinds(2.0, kind)
    assert not made


def test_static_arguments_are_equal_by_value() -> None:
    jitted = jit(lambda x, shape: dnp.broadcast_to(x, shape), static_argnums=1)
    made = longer_calls(jitted)
    for _ in range(4):
        for shape in ([2, 3], [3, 2]):
            assert jitted(1.0, tuple(shape)).shape == tuple(shape)
    assert len(made) == 2


def test_static_arguments_by_negative_numbers() -> None:
    jitted = jit(lambda *args: args[0] * args[-1], static_argnums=-1)
    for _ in range(3):
        assert float(jitted(2.0, 3)) == 6
        assert float(jitted(2.0, 1.0, 4)) == 8
    with pytest.raises(ValueError, match="Non-hashable static arguments"):
        jitted(2.0, [3])


def test_static_arguments_that_cannot_be_compared() -> None:
    class Mute:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not now")

    inner = jit(lambda mode, x: 2 * x, static_argnums=0)
    mode = Mute()
    for _ in range(3):
        assert float(inner(mode, 1.0)) == 2
    message = r"should be comparable using __eq__.*Mute.*static argument 0 of .*RuntimeError: not"
    for call in (inner, jit(lambda x: inner(Mute(), x) + inner(mode, x))):
        with pytest.raises(ValueError, match=message):
            call(*([Mute()] if call is inner else []), 1.0)


class Odd:
    """A static argument whose `==` runs code."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        self.act()
        return isinstance(other, Odd)


def test_comparison_of_static_arguments_runs_code() -> None:
    jitted = jit(lambda x, odd: x + 1, static_argnums=1)
    for act in (jitted.clear_cache, gc.collect, lambda: jitted(1.0, 5)):
        for k in range(4):
            assert float(jitted(float(k), Odd(act))) == k + 1

    def fail() -> None:
        raise ZeroDivisionError("compared")

    jitted.clear_cache()
    jitted(1.0, Odd(fail))
    with pytest.raises(ValueError, match="ZeroDivisionError: compared"):
        jitted(1.0, Odd(fail))


# Settings -----------------------------------------------------------------------------------------


def test_settings() -> None:
    jitted = jit(lambda x: x / 0.5)
    for _ in range(3):
        assert jitted(1.0).dtype == np.float32
        with config.enable_x64(True):
            assert jitted(1.0).dtype == np.float64
            assert jitted(np.ones(2)).dtype == np.float64
        assert jitted(np.ones(2)).dtype == np.float32
    config.update("enable_x64", True)
    assert jitted(1.0).dtype == np.float64
    config.update("enable_x64", False)
    assert jitted(1.0).dtype == np.float32


def test_checks_and_calls_without_jit() -> None:
    counts: list[int] = []

    def f(x: Any) -> Any:
        counts.append(1)
        return dnp.log(x)

    jitted = jit(f)
    for _ in range(3):
        assert np.isnan(jitted(-1.0))
    with config.debug_nans(True), pytest.raises(FloatingPointError):
        jitted(-1.0)
    assert np.isnan(jitted(-1.0))
    before = len(counts)
    with config.disable_jit(True):
        jitted(2.0)
    assert len(counts) == before + 1
    config.update("debug_nans", True)
    with pytest.raises(FloatingPointError):
        jitted(-1.0)
    config.update("debug_nans", False)
    assert np.isnan(jitted(-1.0))


def test_settings_of_other_threads() -> None:
    jitted = jit(lambda x: x + 1)
    assert [jitted(1.0).dtype for _ in range(2)] == [np.float32] * 2
    found: list[Any] = []

    def run() -> None:
        with config.enable_x64(True):
            found.extend(jitted(1.0).dtype for _ in range(3))
        found.append(jitted(1.0).dtype)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [np.float64] * 3 + [np.float32]


# Kinds of functions, and of callers ---------------------------------------------------------------


def test_closures() -> None:
    scale, table = dnp.float32(3.0), np.arange(100, dtype=np.float32)
    large = np.ones(SHARE_BYTES, np.float32)
    jitted = jit(lambda x: (x * scale + table, x + large[:2], dnp.sum(x * large)))
    for k in range(3):
        parts = jitted(float(k))
        np.testing.assert_array_equal(parts[0], 3 * k + np.arange(100))
        np.testing.assert_array_equal(parts[1], [k + 1, k + 1])
        assert float(parts[2]) == k * SHARE_BYTES
        # Captured values are those of the first call.
        table[:], large[:] = 9, 9


class Model:
    """A class with jitted methods."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    @functools.partial(jit, static_argnums=0)
    def scaled(self, x: Any) -> Any:
        """The method's documentation."""
        return x * self.scale

    @staticmethod
    @jit
    def doubled(x: Any) -> Any:
        return 2 * x

    @classmethod
    @functools.partial(jit, static_argnums=0)
    def named(cls, x: Any) -> Any:
        return x + len(cls.__name__)


def test_methods() -> None:
    models = [Model(2.0), Model(3.0)]
    for _ in range(3):
        assert [float(model.scaled(5.0)) for model in models] == [10, 15]
        assert float(models[0].doubled(4.0)) == float(Model.doubled(4.0)) == 8
        assert float(Model.named(1.0)) == 6
        assert [float(model.scaled(x=1.0)) for model in models] == [2, 3]
    assert Model.scaled.__name__ == "scaled"
    assert Model.scaled.__doc__ == "The method's documentation."
    assert weakref.ref(Model.scaled)() is Model.scaled
    assert isinstance(Model.scaled, Jitted)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(Model.scaled)


def test_within_traces() -> None:
    inner = jit(lambda x, y: dnp.sum(x * y))
    x = dnp.arange(3.0)
    for _ in range(3):
        assert float(inner(x, x)) == 5
        np.testing.assert_array_equal(dt.grad(inner)(x, x), x)
        np.testing.assert_array_equal(dt.vmap(inner)(x, x), x * x)
        assert float(jit(lambda z: inner(z, x) + inner(x, x))(x)) == 10
    text = dt.make_ir(lambda z: z + inner(x, x))(1.0)
    assert "dovetail.call" in text


def test_threads() -> None:
    jitted = [jit(lambda x, k=k: (x + k, {"square": x * x})) for k in range(3)]
    shared = jit(lambda tree, n: dnp.sum(tree["x"]) * n, static_argnums=1)
    wrong: list[Any] = []
    ready = threading.Barrier(8)

    def run(seed: int) -> None:
        ready.wait()
        for i in range(60):
            k, value = i % 3, float(seed + i)
            plus, parts = jitted[k](value)
            total = shared({"x": np.full(2 + k, value, np.float32)}, i % 2)
            found = float(plus), float(parts["square"]), float(total)
            if found != (value + k, value * value, (2 + k) * value * (i % 2)):
                wrong.append((seed, i, found))
            if i == 30:
                shared.clear_cache()

    threads = [threading.Thread(target=run, args=(100 * seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Errors -------------------------------------------------------------------------------------------


def test_arguments_that_are_none() -> None:
    jitted = jit(lambda x: x + 1)
    for _ in range(2):
        jitted(1)
    with pytest.raises(OverflowError, match="`x` of `<lambda>` must fit"):
        jitted(2**40)
    for value in ("text", np.array(["text"]), object()):
        with pytest.raises(TypeError, match="is not a valid JAX type"):
            jitted(value)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        jitted()
    x = dnp.ones(3)
    for _ in range(2):
        jitted(x)
    x.delete()
    with pytest.raises(RuntimeError, match="delete"):
        jitted(x)
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        jitted(loop)
    assert int(jitted(1)) == 2


def test_exceptions_of_host_functions() -> None:
    class Refused(Exception):
        pass

    def check(x: np.ndarray) -> np.ndarray:
        if x > 2:
            raise Refused(f"got {x}")
        return x * 2

    shape = dt.ShapeDtypeStruct((), "float32")
    jitted = jit(lambda x: dt.pure_callback(check, shape, x))
    for _ in range(3):
        assert float(jitted(1.0)) == 2
        with pytest.raises(Refused, match="got 3"):
            jitted(3.0)


def test_arrays_with_a_protocol_take_the_longer_way() -> None:
    class Wrapped:
        dtype = np.dtype("float32")

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            return np.array([1.0, 2.0], dtype)

    jitted = jit(operator.neg)
    made = longer_calls(jitted)
    for _ in range(3):
        np.testing.assert_array_equal(jitted(Wrapped()), [-1, -2])
    assert len(made) == 3


# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, SHARE_BYTES])
def test_results_that_are_arguments(size: int) -> None:
    jitted = jit(lambda x, y: (x, {"y": y, "again": x}))
    for k in range(3):
        given = np.full(size, k, np.float32)
        x, rest = jitted(given, dnp.ones(2))
        given[:] = 9
        assert float(x[0]) == float(rest["again"][-1]) == k
        # Overwriting one result does not affect the other.
        again, _ = jitted(x, rest["y"])
        np.testing.assert_array_equal(again, np.full(size, k))


def test_lists_that_change_between_calls() -> None:
    jitted = jit(lambda xs: sum(xs))
    values = [1.0, 2.0]
    for k in range(3, 6):
        assert float(jitted(values)) == sum(values)
        values.append(float(k))
    values[:] = values[:2]
    assert float(jitted(values)) == 3
    assert len(jitted._executions) == 3


def test_clear_cache() -> None:
    counts: list[int] = []
    jitted = jit(lambda x: (counts.append(1), x + 1)[1])
    for _ in range(3):
        jitted(1.0)
    assert (len(counts), jitted._cached_count()) == (1, 1)
    jitted.clear_cache()
    assert jitted._cached_count() == 0
    assert float(jitted(1.0)) == 2
    assert len(counts) == 2


class Owner:
    """Something that a cycle of references keeps alive."""


def test_the_garbage_collector_sees_cached_objects() -> None:
    def make() -> list[weakref.ref[Any]]:
        owner, captured = Owner(), dnp.arange(32.0)

        def f(x: Any, static: Any) -> Any:
            return x + captured

        jitted = jit(f, static_argnums=1)
        for _ in range(3):
            jitted(1.0, owner)
        assert jitted._cached_count() == 1
        # The function is cached under what it is called with.
        owner.jitted = jitted  # type: ignore[attr-defined]
        return [weakref.ref(owner), weakref.ref(jitted), weakref.ref(captured)]

    made = make()
    gc.collect()
    assert [reference() for reference in made] == [None, None, None]


def test_calls_keep_nothing_alive() -> None:
    jitted = jit(lambda tree: {"sum": tree["x"] + tree["y"]})
    tree = {"x": dnp.ones(4), "y": dnp.ones(4)}
    jitted(tree)
    result = jitted(tree)
    references = [weakref.ref(leaf) for leaf in [*tree.values(), *result.values()]]
    del tree, result
    gc.collect()
    assert not any(reference() for reference in references)


@pytest.fixture
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def test_many_calls_leak_nothing(traced_memory: None) -> None:
    jitted = jit(lambda t, n, *, s: ({"a": t["x"] + n, "b": [t["x"]]}, Pair(n, s)))
    x, host = dnp.ones(3), np.ones(3, np.float32)
    arguments: list[Any] = [({"x": x}, host), ({"x": host}, 2.0), ({"x": 1}, x), ({"x": x}, x[:1])]

    def call(count: int) -> None:
        for _ in range(count):
            for args in arguments:
                jitted(*args, s=host)

    call(100)
    gc.collect()
    counts = [sys.getrefcount(leaf) for leaf in (x, host, None, True)]
    objects, (before, _) = len(gc.get_objects()), tracemalloc.get_traced_memory()
    call(2500)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    # A reference or a byte lost with each call would add up to thousands.
    grown = [sys.getrefcount(leaf) for leaf in (x, host, None, True)]
    assert max(abs(a - b) for a, b in zip(grown, counts, strict=True)) < 500
    assert abs(len(gc.get_objects()) - objects) < 500
    assert after - before < 100_000


def test_functions_with_many_leaves() -> None:
    jitted = jit(lambda leaves: [leaf + i for i, leaf in enumerate(leaves)])
    made = longer_calls(jitted)
    for k in range(3):
        leaves = [dnp.float32(k)] * 300
        assert [float(leaf) for leaf in jitted(leaves)] == [k + i for i in range(300)]
    assert len(made) == 1


def test_loops_of_calls() -> None:
    """A result is the next argument, as in training; the fast path and the slow path agree."""

    def update(state: Any, x: Any) -> Any:
        return {"w": state["w"] - 0.1 * x, "step": state["step"] + 1}

    jitted = jit(update)
    state: Any = {"w": dnp.zeros(3), "step": 0}
    expected = state
    x = dnp.arange(3.0)
    for _ in range(20):
        state, expected = jitted(state, x), update(expected, x)
    np.testing.assert_allclose(state["w"], expected["w"], rtol=1e-6)
    assert int(state["step"]) == 20
    total = jit(lambda n: lax.fori_loop(0, n, lambda i, t: t + i, 0))
    assert [int(total(n)) for n in (3, 4, 5)] == [3, 6, 10]
