"""The array itself: immutability, conversion to Python and NumPy, foreign operands, text."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable, Hashable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, dtypes
from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.placement.devices import Device


def f32(values: Any) -> np.ndarray:
    return np.array(values, np.float32)


X: Any = dnp.asarray(f32([1.0, 2.0, 3.0]))
MATRIX: Any = dnp.asarray(f32([[1.0, 2.0], [3.0, 4.0]]))


class FakeBuffer:
    """A stand-in for a runtime buffer: shape and element type at once, elements on request."""

    def __init__(self, value: np.ndarray) -> None:
        self.value = value
        self.shape = value.shape
        self.dtype = value.dtype
        self.device = SimpleNamespace(name="somewhere", on_host=False)
        self.reads = 0
        self.waits = 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self.reads += 1
        return self.value

    def block_until_ready(self) -> None:
        self.waits += 1


def test_facts() -> None:
    assert MATRIX.shape == (2, 2)
    assert MATRIX.ndim == 2
    assert MATRIX.size == 4
    assert MATRIX.nbytes == 16
    assert MATRIX.itemsize == 4
    assert len(MATRIX) == 2
    assert MATRIX.aval == ShapedArray((2, 2), np.dtype("float32"))
    assert str(MATRIX.aval) == "float32[2,2]"
    assert repr(dnp.asarray(1).aval) == "ShapedArray(int32[], weak_type=True)"
    assert X.devices() == {X.device}
    assert X.block_until_ready() is X


def test_immutability() -> None:
    with pytest.raises(TypeError, match=r"arrays are immutable, .*x\.at\[index\]\.set\(y\)"):
        X[0] = 1
    with pytest.raises(TypeError, match=r"arrays are immutable, got: a deletion of elements"):
        del X[0]
    with pytest.raises(TypeError, match="unhashable type: 'Array'"):
        hash(X)
    assert not isinstance(X, Hashable)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(X)[0] = 1
    y = X
    y += 1
    assert X.tolist() == [1.0, 2.0, 3.0]
    assert y.tolist() == [2.0, 3.0, 4.0]


def test_conversion_to_python() -> None:
    assert float(dnp.asarray(1.5)) == 1.5
    assert int(dnp.asarray(1.5)) == 1
    assert complex(dnp.asarray(1 + 2j)) == 1 + 2j
    assert bool(dnp.asarray([3]))
    assert operator.index(dnp.asarray(3)) == 3
    assert list(range(5))[dnp.asarray(3)] == 3
    assert dnp.asarray(2.5).item() == 2.5
    assert X.item(1) == 2.0
    assert MATRIX.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert X.tobytes() == f32([1, 2, 3]).tobytes()
    assert [float(x) for x in X] == [1.0, 2.0, 3.0]
    assert 2.0 in X
    assert f"{dnp.asarray(1.25):.1f}" == "1.2"
    assert round(dnp.asarray(2.5)).dtype == np.int32
    assert float(round(dnp.asarray(2.26), 1)) == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (
            lambda: dnp.ndarray((1, 1)),
            TypeError,
            r"NumPy array or a buffer, got: \(1, 1\); .*asarray",
        ),
        (lambda: bool(X), ValueError, r"exactly one element, got: shape \(3,\)"),
        (lambda: bool(dnp.zeros(0)), ValueError, r"exactly one element, got: shape \(0,\)"),
        (
            lambda: float(X),
            TypeError,
            r"Only scalar arrays can be converted to Python scalars, got: shape \(3,\)",
        ),
        (lambda: f"{X:.1f}", TypeError, r"formatted by '\.1f', got: shape \(3,\)"),
        (lambda: int(dnp.asarray(1j)), TypeError, "not 'complex'"),
        (lambda: int(X), TypeError, r"Only scalar arrays can be converted .* for int"),
        (lambda: operator.index(dnp.asarray(1.0)), TypeError, r"Only integer scalar arrays"),
        (lambda: len(dnp.asarray(1)), TypeError, r"len\(\) of an array of rank 0"),
        (lambda: iter(dnp.asarray(1)), TypeError, r"iteration over an array of rank 0"),
        (lambda: X - [1, 2, 3], TypeError, r"unsupported operand type"),
        (lambda: [1, 2, 3] - X, TypeError, r"unsupported operand type"),
        (lambda: X + None, TypeError, r"unsupported operand type"),
        (lambda: X < "a", TypeError, r"not supported between"),
        (
            lambda: X == [1, 2, 3],
            TypeError,
            r"an array compares with arrays and scalars, got: list",
        ),
    ],
)
def test_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


def test_comparison_with_other_things_is_python_s() -> None:
    assert (X == None) is False  # noqa: E711
    assert (X != "a") is True


@pytest.mark.parametrize("left", [f32([1, 2, 3]), np.float32(2), 2, 2.0, True])
def test_foreign_left_operands(left: Any) -> None:
    for op in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
        result = op(left, X)
        assert type(result) is Array
        np.testing.assert_allclose(result, op(left, f32([1, 2, 3])), rtol=1e-6)
    assert type(left < X) is Array
    assert type(left == X) is Array


def test_numpy_functions_take_arrays() -> None:
    assert np.sum(X) == 6
    np.testing.assert_array_equal(np.sqrt(X), np.sqrt(f32([1, 2, 3])))
    assert np.asarray(X, np.float64).dtype == np.float64
    assert np.array(X).flags.writeable


def test_copies() -> None:
    for copied in (copy.copy(X), copy.deepcopy([X])[0]):
        assert copied is not X
        np.testing.assert_array_equal(copied, X)
    weak = dnp.asarray(1.5)
    loaded = pickle.loads(pickle.dumps(weak))
    assert loaded.weak_type
    assert float(loaded) == 1.5
    large = dnp.zeros((1000, 1000))
    assert pickle.loads(pickle.dumps(large[:2, :2])).shape == (2, 2)


def test_dlpack() -> None:
    np.testing.assert_array_equal(np.from_dlpack(X), [1, 2, 3])
    np.testing.assert_array_equal(dnp.from_dlpack(f32([1, 2])), [1, 2])


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (X, "Array([1., 2., 3.], dtype=float32)"),
        (MATRIX, "Array([[1., 2.],\n       [3., 4.]], dtype=float32)"),
        (dnp.asarray(1.5), "Array(1.5, dtype=float32, weak_type=True)"),
        (dnp.zeros((2, 0)), "Array([], shape=(2, 0), dtype=float32)"),
        (dnp.asarray([True, False]), "Array([ True, False], dtype=bool)"),
        (dnp.ones(2, "bfloat16"), "Array([1, 1], dtype=bfloat16)"),
        (dnp.asarray([1 + 2j]), "Array([1.+2.j], dtype=complex64)"),
        (dnp.asarray(1.5, "bfloat16"), "Array(1.5, dtype=bfloat16)"),
        (dnp.arange(1001), "Array([   0,    1,    2, ...,  998,  999, 1000], dtype=int32)"),
        (
            dnp.arange(16) * 100000,
            "Array([      0,  100000,  200000,  300000,  400000,  500000,  600000,\n"
            "        700000,  800000,  900000, 1000000, 1100000, 1200000, 1300000,\n"
            "       1400000, 1500000], dtype=int32)",
        ),
        # The element type does not fit on the last line.
        (
            dnp.asarray([1.5] * 13),
            "Array([1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5],\n"
            "      dtype=float32)",
        ),
    ],
)
def test_repr(array: Any, text: str) -> None:
    assert repr(array) == text


@pytest.mark.parametrize(
    "value",
    [
        np.arange(30.0, dtype=np.float32),
        np.ones((40, 40), np.int8),
        np.zeros((2, 0), bool),
        np.array([1e-10, 1e10, np.nan, -np.inf], np.float32),
        np.linspace(0, 1, 7).astype(np.dtype("bfloat16")),
        np.arange(8).reshape(2, 2, 2).astype(np.uint16),
        np.array([[1 + 2j], [-1e9j]], np.complex64),
        np.arange(3).astype(dtypes.int4),
    ],
)
def test_text_is_jax_s(value: np.ndarray) -> None:
    jax_numpy = pytest.importorskip("jax.numpy")
    ours, theirs = dnp.asarray(value), jax_numpy.asarray(value)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)


def test_str_is_numpy_s() -> None:
    assert str(X) == "[1. 2. 3.]"
    assert f"{X}" == "[1. 2. 3.]"


def test_buffers_are_read_once_and_kept() -> None:
    buffer = FakeBuffer(f32([1, 2]))
    array = Array(buffer)
    assert array.shape == (2,)
    assert array.dtype == np.float32
    assert array.device == Device("somewhere", 0)
    assert buffer.reads == 0
    assert float((array + array).sum()) == 6
    assert array.tolist() == [1, 2]
    assert buffer.reads == 1
    assert array.buffer is buffer
    array.block_until_ready()
    assert buffer.waits == 1


def test_deleted_arrays() -> None:
    x: Any = dnp.arange(3.0)
    view = np.asarray(x)
    assert x.is_ready()
    assert not x.is_deleted()
    x.delete()
    assert x.is_deleted()
    assert not x.is_ready()
    assert x.shape == (3,)
    assert x.dtype == np.float32
    assert repr(x) == "Array(deleted, float32[3])"
    np.testing.assert_array_equal(view, [0, 1, 2])
    for use in (lambda: x + 1, lambda: x.device, x.block_until_ready, lambda: dt.jit(abs)(x)):
        with pytest.raises(RuntimeError, match=r"not be used after delete\(\), .* float32\[3\]"):
            use()


def test_iteration() -> None:
    weak = dnp.asarray(1.5) * dnp.asarray([1, 2])
    assert [(float(x), x.weak_type) for x in weak] == [(1.5, weak.weak_type), (3.0, weak.weak_type)]
    assert [type(x) for x in MATRIX] == [Array, Array]
    assert [x.tolist() for x in reversed(MATRIX)] == [[3.0, 4.0], [1.0, 2.0]]
    first, second = dt.jit(lambda m: tuple(m))(MATRIX)
    assert (first.tolist(), second.tolist()) == ([1.0, 2.0], [3.0, 4.0])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sort", {}),
        ("sort", {"axis": 0, "descending": True}),
        ("argsort", {"axis": None}),
        ("argpartition", {"kth": 1}),
        ("cumsum", {"axis": 1}),
        ("cumprod", {}),
        ("take", {"indices": np.array([1, 0]), "axis": 1}),
        ("nonzero", {"size": 3}),
        ("compress", {"condition": np.array([True, False]), "axis": 0, "size": 1}),
        ("choose", {"choices": [np.ones((2, 2)), np.zeros((2, 2))], "mode": "wrap"}),
        ("trace", {"dtype": "int32"}),
        ("round", {"decimals": 1}),
    ],
)
def test_methods_are_the_functions(name: str, arguments: dict[str, Any]) -> None:
    x: Any = dnp.asarray([[3, 0], [1, 2]])
    function = getattr(dnp, name)
    if name == "compress":
        rest = {k: v for k, v in arguments.items() if k != "condition"}
        expected = function(arguments["condition"], x, **rest)
    else:
        expected = function(x, **arguments)
    assert_equal(getattr(x, name)(**arguments), expected)
    assert_equal(traced(lambda v: getattr(v, name)(**arguments), x), expected)


def traced(function: Callable[[Any], Any], x: Any) -> Any:
    """The result of the function on a tracer, evaluated without compiling."""
    result = dt.vmap(function)(x[None])
    return tuple(r[0] for r in result) if isinstance(result, tuple) else result[0]


def assert_equal(got: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(got, expected, strict=True):
            assert_equal(one, other)
        return
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


def test_searchsorted_method() -> None:
    assert X.searchsorted(f32([0, 2, 9]), side="right").tolist() == [0, 2, 3]


def test_flat_suggests_an_alternative() -> None:
    assert not hasattr(X, "flat")
    with pytest.raises(AttributeError, match=r"x\.ravel\(\)"):
        _ = X.flat


def test_sizes_and_addresses() -> None:
    assert X.on_device_size_in_bytes() == X.nbytes == 12
    assert X.unsafe_buffer_pointer() == np.asarray(X).ctypes.data
    X.copy_to_host_async()
    assert X.clone() is not X
    assert X.clone().tolist() == X.tolist()
    assert X.copy().tolist() == X.tolist()


# View ---------------------------------------------------------------------------------------------

VIEWED = ("bool", "int8", "uint8", "int16", "int32", "uint32", "float16", "float32", "complex64")


@pytest.mark.parametrize("source", VIEWED)
@pytest.mark.parametrize("target", [*VIEWED, "int64", "float64", "complex128"])
def test_view_is_numpy_s(source: str, target: str) -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 256, (3, 32), np.uint8)
    # A byte of a bool is 0 or 1.
    value = (bits & 1).view(bool) if source == "bool" else bits.view(source)
    with config.enable_x64(True):
        x: Any = dnp.asarray(value)
        expected = value.view(np.uint8) != 0 if target == "bool" else value.view(target)
        assert_equal(x.view(target), expected)
        assert_equal(traced(lambda v: v.view(target), x), expected)


@pytest.mark.parametrize("target", ["int8", "complex64"])
def test_view_compiles(target: str) -> None:
    value = np.arange(8, dtype=np.float32)
    assert_equal(dt.jit(lambda v: v.view(target)).lower(value).compile()(value), value.view(target))


def test_view_of_small_types() -> None:
    floats: Any = dnp.asarray([0.5, 1, 2, 3]).astype("float4_e2m1fn")
    assert floats.view("uint4").tolist() == [1, 2, 4, 5]
    assert floats.view("uint8").tolist() == [0x21, 0x54]
    assert floats.view("uint8").view("float4_e2m1fn").tolist() == floats.tolist()
    integers: Any = dnp.asarray([-1, 1, 2, -2]).astype("int4")
    for view in (integers.view("uint4"), dt.jit(lambda v: v.view("uint4"))(integers)):
        assert view.tolist() == [15, 1, 2, 14]
    assert integers.view("int2").tolist() == [-1, -1, 1, 0, -2, 0, -2, -1]
    assert dnp.asarray(np.array([0x4321], np.int16)).view("uint4").tolist() == [1, 2, 3, 4]


def test_view_keeps_rank_0_and_empty_arrays() -> None:
    assert dnp.asarray(np.float32(1)).view("int32").item() == 0x3F800000
    assert dnp.asarray(np.complex64(1 + 2j)).view("complex64").item() == 1 + 2j
    assert dnp.zeros((0, 4), "int16").view("int32").shape == (0, 2)
    assert dnp.zeros((2, 0), "int32").view("int8").shape == (2, 0)
    assert not dnp.asarray(1.5).view("float32").weak_type
    assert X.view() is X


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda: X.view("complex64"), ValueError, r"whole number of elements of complex64"),
        (lambda: dnp.asarray(1).view("int8"), ValueError, "rank 0 .* same width only"),
        (lambda: X.view("float6_e2m3fn"), TypeError, "one type must divide the other's"),
        (lambda: X.view(None, int), NotImplementedError, "type must be None"),
    ],
)
def test_view_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int32", "float32", "complex64"])
def test_byteswap(name: str) -> None:
    value = np.array([[0, 1, 2], [3, 4, 77]]).astype(name)
    x: Any = dnp.asarray(value)
    assert_equal(x.byteswap(), value.byteswap())
    assert_equal(traced(lambda v: v.byteswap(), x), value.byteswap())


def test_tracers_are_arrays_too() -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((isinstance(x, dt.Array), isinstance(x, ArrayMethods), type(x) is Array))
        return x.sum()

    dt.grad(f)(X)
    assert seen == [(True, True, False)]
    assert isinstance(X, dt.Array)
    assert not isinstance(np.zeros(2), dt.Array)


def test_ndarray_is_the_class_of_all_arrays() -> None:
    assert dnp.ndarray is dt.Array
    assert isinstance(dt.random.key(0), dnp.ndarray)
    assert dt.jit(lambda x: isinstance(x, dnp.ndarray) + x)(0) == 1
    assert not isinstance(np.ones(2), dnp.ndarray)


def test_descriptions_are_made_of_what_describes() -> None:
    described = ShapedArray([2, 3], "float32", weak_type=True)
    assert described.strip_weak_type() == dt.typeof(dnp.zeros((2, 3)))
    assert described.update(shape=(4,), dtype=np.dtype("int8")).str_short(True) == "i8[4]"
    assert described.to_tangent_aval() == described
    assert ShapedArray((2,), int).to_tangent_aval().dtype == dt.float0
    assert ShapedArray((2,), "bfloat16").str_short(True) == "bf16[2]"
    assert ShapedArray((), "uint8").str_short() == "uint8[]"
