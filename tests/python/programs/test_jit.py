"""jit: numbers, its cache, static arguments, methods, nesting, lowering and display."""

from __future__ import annotations

import functools
import gc
import inspect
import subprocess
import sys
import threading
import weakref
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.tracing.trace import Tracer


class Counted:
    """A function that counts how often Python runs it."""

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.calls = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.function(*args, **kwargs)


def test_equals_eager_evaluation() -> None:
    def f(params: Any, x: Any) -> Any:
        h = dnp.tanh(x @ params["w"] + params["b"])
        return {"out": h.sum(axis=0), "norm": dnp.sqrt(dnp.sum(h * h))}, h > 0

    random = np.random.default_rng(0)
    params = {
        "w": random.normal(size=(4, 3)).astype(np.float32),
        "b": random.normal(size=3).astype(np.float32),
    }
    x = random.normal(size=(5, 4)).astype(np.float32)
    compiled, eager = dt.jit(f)(params, x), f(params, x)
    assert compiled[0].keys() == eager[0].keys()
    for key in eager[0]:
        np.testing.assert_allclose(compiled[0][key], eager[0][key], rtol=1e-5)
    np.testing.assert_array_equal(compiled[1], eager[1])
    assert compiled[1].dtype == bool


def test_cache() -> None:
    counted = Counted(lambda x: x * 2)
    f = dt.jit(counted)
    assert float(f(1.0)) == 2
    assert float(f(4.0)) == 8
    assert float(f(f(2.0))) == 8
    assert counted.calls == 1
    # Another weakness, element type, shape, structure or setting makes another program.
    f(np.float32(1.0))
    assert counted.calls == 2
    f(1)
    assert counted.calls == 3
    with config.enable_x64(True):
        assert f(1).dtype == np.int64
    assert counted.calls == 4
    f(np.float32(3.0))
    assert counted.calls == 4


def test_structure_is_part_of_the_signature() -> None:
    counted = Counted(lambda t: sum(dt.tree.leaves(t)))
    f = dt.jit(counted)
    trees = [(1.0, 2.0), [1.0, 2.0], {"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0}, (1.0, None, 2.0)]
    for _ in range(2):
        for tree in trees:
            f.lower(tree)
    assert counted.calls == 2 * len(trees)
    keys = [f._parse((tree,), {}).key for tree in trees]
    assert len(set(keys)) == len(trees)
    assert f._parse(({"b": 1.0, "a": 2.0},), {}).key == keys[2]


def test_nested_jit_is_traced_once_and_called_often() -> None:
    counted = Counted(lambda x: dnp.sin(x))
    inner = dt.jit(counted)

    def outer(x: Any) -> Any:
        for _ in range(5):
            x = inner(x)
        return x + inner(dnp.sum(x))

    text = dt.make_ir(outer)(dnp.ones(3))
    assert counted.calls == 2
    assert text.count("dovetail.call") == 6
    assert text.count("dovetail.sin") == 2
    counted.calls = 0
    dt.grad(lambda x: dnp.sum(outer(x)))(dnp.ones(3))
    assert counted.calls == 2


def test_nested_jit_that_closes_over_tracers_is_not_shared() -> None:
    def outer(x: Any) -> Any:
        total, y = 0.0, x
        for i in range(3):
            y = x * i
            scaled = dt.jit(lambda z: z * y)  # noqa: B023
            total = total + scaled(x)
        same = dt.jit(lambda z: z * y)
        return total + same(x) + same(x)

    # x^2 (0 + 1 + 2) + 2 * 2 x^2
    assert float(outer(3.0)) == 63
    assert float(dt.grad(outer)(3.0)) == 42


def test_closures() -> None:
    scale, table = dnp.float32(3.0), np.arange(100, dtype=np.float32)
    f = dt.jit(lambda x: x * scale + table)
    np.testing.assert_array_equal(f(2.0), 6 + np.arange(100))
    # The program keeps what it saw.
    table[:] = 0
    np.testing.assert_array_equal(f(2.0), 6 + np.arange(100))
    g = dt.grad(lambda x: dt.jit(lambda y: x * y * scale)(2.0) * x)
    assert float(g(5.0)) == 60


@pytest.mark.parametrize(
    "options",
    [
        {"static_argnums": 1},
        {"static_argnums": (1,)},
        {"static_argnums": -1},
        {"static_argnames": "n"},
        {"static_argnames": ("n",)},
    ],
)
def test_static_arguments(options: dict[str, Any]) -> None:
    counted = Counted(lambda x, n: sum([x] * n) if n else x)
    f = dt.jit(counted, **options)
    lowered = f.lower(1.0, 3)
    assert lowered.as_text().count("dovetail.add") == 3
    assert f.lower(1.0, n=2).as_text().count("dovetail.add") == 2


def test_static_values_make_programs() -> None:
    seen: list[Any] = []
    f = dt.jit(lambda x, flag: seen.append(flag) or x, static_argnames="flag")
    for flag in (1, True, 1.0, "a", ("a", 2), 1, True, "a"):
        f(1.0, flag)
    # 1, True and 1.0 are equal but differ.
    assert seen == [1, True, 1.0, "a", ("a", 2)]
    assert [type(flag) for flag in seen] == [int, bool, float, str, tuple]


def test_static_arguments_with_defaults_and_keywords() -> None:
    @functools.partial(dt.jit, static_argnames=("axis",))
    def total(x: Any, *, axis: int | None = None) -> Any:
        assert axis is None or type(axis) is int
        return dnp.sum(x, axis=axis)

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert float(total(x)) == 15
    np.testing.assert_array_equal(total(x, axis=0), x.sum(0))


def test_decorators_and_methods() -> None:
    @dt.jit
    def plain(x: Any) -> Any:
        """Twice x."""
        return 2 * x

    @dt.jit(static_argnums=1)
    def with_arguments(x: Any, n: int) -> Any:
        return x * n

    class Model:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        @dt.jit(static_argnums=0)
        def method(self, x: Any) -> Any:
            return self.scale * x

        @staticmethod
        @dt.jit
        def static(x: Any) -> Any:
            return x + 1

    assert plain.__name__ == "plain"
    assert plain.__doc__ == "Twice x."
    assert list(inspect.signature(plain).parameters) == ["x"]
    assert float(plain(x=2.0)) == 4
    assert float(with_arguments(2.0, 3)) == 6
    assert float(Model(3.0).method(2.0)) == 6
    assert float(Model(4.0).method(2.0)) == 8
    assert float(Model.static(1.0)) == 2
    bound = dt.jit(Model(5.0).method)
    assert float(bound(2.0)) == 10


class Point(NamedTuple):
    x: Any
    y: Any


def test_trees_of_arguments_and_results() -> None:
    f = dt.jit(lambda p, *rest, **named: (Point(p.y, p.x), list(rest), named, None, {"k": ()}))
    point, rest, named, nothing, empty = f(Point(1.0, 2), 3.0, (4.0,), z=5.0, a={"b": 6.0})
    assert isinstance(point, Point)
    assert (int(point.x), float(point.y)) == (2, 1)
    assert float(rest[0]) == 3
    assert isinstance(rest[1], tuple)
    assert (float(named["z"]), float(named["a"]["b"])) == (5, 6)
    assert nothing is None
    assert empty == {"k": ()}


def test_weak_types_go_through() -> None:
    f = dt.jit(lambda x: x * 2)
    assert f(1.0).weak_type
    assert not f(np.float32(1.0)).weak_type
    assert (f(1.0) + dnp.zeros((), dnp.float16)).dtype == np.float16


def test_donation_is_accepted() -> None:
    f = dt.jit(lambda x, y: x + y, donate_argnums=(0,), donate_argnames=("y",))
    assert float(f(1.0, 2.0)) == 3


def test_lowered_and_compiled() -> None:
    lowered = dt.jit(lambda x, n, *, y: x * n + y, static_argnums=1).lower(
        dt.ShapeDtypeStruct((3,), "float32"), 2, y=1.0
    )
    for phase in (
        "trace",
        "expand",
        "simplify",
        "shard",
        "check",
        "decompose",
        "lower",
        "merge",
        "carry",
    ):
        assert "func.func" in lowered.as_text(phase)
        assert lowered.mlir_module(phase).operation.name == "builtin.module"
    assert "linalg.generic" in lowered.as_text("lower")
    assert "dovetail.mul" in lowered.as_text()
    assert lowered.out_info == dt.ShapeDtypeStruct((3,), "float32")
    (x, _), named = lowered.args_info
    assert (x.shape, x.dtype, x.donated) == ((3,), np.float32, False)
    assert not named["y"].donated
    assert lowered.in_avals[1]["y"].weak_type
    compiled = lowered.compile()
    np.testing.assert_array_equal(compiled(np.ones(3, np.float32), y=1.0), [3, 3, 3])
    assert "linalg.generic" in compiled.as_text()


def test_lowering_within_a_trace() -> None:
    shown = []
    dt.grad(lambda x: shown.append(dt.jit(lambda y: y + 1).lower(2.0).as_text()) or x)(1.0)
    assert "dovetail.add" in shown[0]


def test_make_ir_and_eval_shape() -> None:
    text, shape = dt.make_ir(lambda x, n: x * n, static_argnums=1, return_shape=True)(1.0, 3)
    assert str(text) == repr(text)
    assert "dovetail.mul" in text
    assert shape == dt.ShapeDtypeStruct((), "float32", weak_type=True)

    class Described:
        shape, dtype = (2, 3), np.dtype("float32")

    result = dt.eval_shape(lambda x, y: {"out": x @ y}, Described(), y=np.ones((3, 4), np.float32))
    assert result == {"out": dt.ShapeDtypeStruct((2, 4), "float32")}
    huge = dt.ShapeDtypeStruct((1 << 20, 1 << 20), "float32")
    assert dt.eval_shape(lambda x: x @ x, huge) == huge
    assert dt.eval_shape(lambda: {"of": huge}) == {"of": huge}
    inner = dt.jit(lambda x, n: x.sum(0) * n)
    assert dt.eval_shape(lambda: inner(huge, 2)) == dt.ShapeDtypeStruct((1 << 20,), "float32")
    with pytest.raises(TypeError, match="is not a valid JAX type"):
        dt.jit(lambda: huge)()
    with pytest.raises(TypeError, match="is not a valid JAX type"):
        dt.jit(lambda: inner(huge, 2))()


def test_shape_dtype_struct() -> None:
    struct = dt.ShapeDtypeStruct((2, 3), dnp.float32)
    assert (struct.ndim, struct.size, len(struct)) == (2, 6, 2)
    assert struct.update(shape=(4,)).shape == (4,)
    assert {struct: 1}[dt.ShapeDtypeStruct([2, 3], "float32")] == 1
    assert struct != dt.ShapeDtypeStruct((2, 3), "int32")
    with pytest.raises(ValueError, match="dtype"):
        dt.ShapeDtypeStruct((2,), None)
    wide = dt.ShapeDtypeStruct((2,), np.float64)
    assert wide.dtype == np.float64
    assert wide != wide.update(dtype=np.float32)
    assert dt.jit(dnp.sin).lower(wide).out_info.dtype == np.float32
    assert dt.eval_shape(lambda x: x, wide).dtype == np.float32
    with dt.enable_x64():
        assert dt.eval_shape(lambda x: x, wide) == wide


def test_functions_that_compute_nothing_new() -> None:
    f = dt.jit(lambda x: (x, x, 1.0, dnp.zeros(2)))
    x = np.arange(3, dtype=np.float32)
    first, second, one, zeros = f(x)
    x[:] = 9
    np.testing.assert_array_equal(first, [0, 1, 2])
    np.testing.assert_array_equal(second, [0, 1, 2])
    assert float(one) == 1
    np.testing.assert_array_equal(zeros, [0, 0])
    assert dt.jit(lambda: ())() == ()


def test_threads_share_one_program() -> None:
    counted = Counted(lambda x: x - 7)
    f = dt.jit(counted)
    results: list[float] = []

    def work() -> None:
        results.append(float(f(10.0)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3.0] * 4
    assert counted.calls == 1


def test_block_until_ready() -> None:
    tree = {"x": dt.jit(lambda x: x)(1.0), "n": 3, "none": None}
    assert dt.block_until_ready(tree) is tree


def test_import_is_light() -> None:
    program = "import dovetail, sys; print(*sorted(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "dovetail" in loaded
    assert not loaded & {"numpy", "scipy", "optree", "ml_dtypes", "iree", "typing"}
    assert set(dt.__all__) <= set(dir(dt))


def test_large_arrays_are_copied_to_the_device_once() -> None:
    size = 1 << 14
    raw = np.zeros(size + 1, np.float32)[1:]  # not aligned for the code generator
    x = dnp.array(raw)
    double = dt.jit(lambda x: x + x)
    np.testing.assert_array_equal(double(x), np.zeros(size))
    kept = x.buffer
    double(x)
    assert x.buffer is kept
    np.testing.assert_array_equal(x + 1, np.ones(size))
    # The user's own array is read again at every call.
    raw[:] = 1
    np.testing.assert_array_equal(double(raw), np.full(size, 2))
    raw[:] = 2
    np.testing.assert_array_equal(double(raw), np.full(size, 4))
    np.testing.assert_array_equal(double(x), np.zeros(size))


def test_one_function_is_traced_once() -> None:
    count = 0

    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        return 2 * x

    for _ in range(3):
        assert float(dt.jit(f)(1.0)) == 2
    assert count == 1
    dt.jit(f, static_argnums=0)(1.0)
    assert count == 2
    dt.jit(f).clear_cache()
    dt.jit(f)(1.0)
    assert count == 3


def test_programs_stay_with_their_function() -> None:
    def f(x: Any) -> Any:
        return 2 * x

    dt.jit(f)(1.0)
    # `wraps` copies the attributes of a function.
    g = functools.wraps(f)(lambda x: 3 * x)
    assert float(dt.jit(g)(1.0)) == 3
    assert float(dt.jit(f)(1.0)) == 2
    alive = weakref.ref(f)
    del f, g
    gc.collect()
    assert alive() is None


def test_numbers_and_names_that_differ() -> None:
    def f(x: Any, y: Any) -> Any:
        return [isinstance(v, Tracer) for v in (x, y)]

    seen: list[list[bool]] = []

    def note(x: Any, y: Any) -> int:
        seen.append(f(x, y))
        return 1

    dt.jit(note, static_argnums=1, static_argnames=())(2, "foo")
    dt.jit(note, static_argnums=1, static_argnames=())(1, y=2)
    dt.jit(note, static_argnums=(), static_argnames="y")(2, 3)
    dt.jit(note, static_argnums=(), static_argnames="y")(1, y="foo")
    dt.jit(note, static_argnums=(1,), static_argnames="x")(1, y=3)
    dt.jit(note, static_argnums=(1,), static_argnames="x")(x="foo", y=3)
    assert seen == [
        *([True, False], [True, True], [True, True]),
        *([True, False], [True, True], [False, True]),
    ]


def test_jit_rejects() -> None:
    def h(a: Any, /, b: Any, **kwargs: Any) -> Any:
        return a

    def generator(x: Any) -> Any:
        yield x

    jit: Any = dt.jit
    for kind in ("static", "donate"):
        with pytest.raises(ValueError, match="that can be keywords, b, got: 'a'"):
            jit(h, **{f"{kind}_argnames": ("a", "b")})
        with pytest.raises(ValueError, match="got: 'args'"):
            jit(lambda x, *args, **kwargs: x, **{f"{kind}_argnames": ("x", "args")})
        jit(lambda x, *args, **kwargs: x, **{f"{kind}_argnames": ("x", "other")})
        with pytest.raises(ValueError, match=f"Pass {kind}_argnums instead"):
            jit(functools.partial(max, 1), **{f"{kind}_argnames": "b"})
    with pytest.raises(TypeError, match="got a generator function"):
        dt.jit(generator)
    with pytest.raises(ValueError, match="numpy masked arrays are not supported"):
        dt.jit(lambda x: x)(np.ma.array([1, 2], mask=[True, False]))


def test_ir_of_functions_with_named_axes() -> None:
    ir = dt.make_ir(lambda x: x - dt.lax.psum(x, "i"), axis_env=[("i", 4)])(2)
    assert 'all_reduce_sum %arg0 over ["i"]' in ir
    described = SimpleNamespace(shape=(2,), dtype=np.dtype("float32"))
    assert "tensor<2xf32>" in dt.make_ir(dnp.sin)(described)
    assert dt.jit(dnp.sin).lower(described).out_info.shape == (2,)


def test_signature() -> None:
    @dt.jit
    def f(x: float, y: int = 2) -> Any:
        return x + y

    for follow_wrapped in (True, False):
        assert list(inspect.signature(f, follow_wrapped=follow_wrapped).parameters) == ["x", "y"]


def test_compiler_options() -> None:
    lowered = dt.jit(dnp.sin).lower(0.0)
    assert lowered.compile(compiler_options=None)(0.0) == lowered.compile({})(0.0) == 0
    with pytest.raises(ValueError, match=r"must have no entries.*xla_cpu_enable_fast_math"):
        lowered.compile({"xla_cpu_enable_fast_math": True})
    assert dt.jit(compiler_options={})(dnp.sin)(0.0) == dt.jit(dnp.sin, compiler_options=None)(0.0)
    with pytest.raises(ValueError, match=r"jit: compiler_options must have no entries.*xla_flag"):
        dt.jit(dnp.sin, compiler_options={"xla_flag": 1})
