"""The array itself: immutability, conversion to Python and NumPy, foreign operands, text."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.array import Array, ArrayMethods, ShapedArray
from dovetail.placement import Device


def f32(values: Any) -> np.ndarray:
    return np.array(values, np.float32)


X: Any = dnp.asarray(f32([1.0, 2.0, 3.0]))
MATRIX: Any = dnp.asarray(f32([[1.0, 2.0], [3.0, 4.0]]))


class FakeBuffer:
    """What the runtime gives: shape and element type at once, elements on request."""

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
    with pytest.raises(TypeError, match=r"unhashable type: 'Array', .*x\.item"):
        hash(X)
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
        (lambda: bool(X), ValueError, r"exactly one element, got shape \(3,\)"),
        (lambda: bool(dnp.zeros(0)), ValueError, r"exactly one element, got shape \(0,\)"),
        (
            lambda: float(X),
            TypeError,
            r"only an array of rank 0 converts to float, got shape \(3,\)",
        ),
        (lambda: int(X), TypeError, r"only an array of rank 0 converts to int"),
        (lambda: operator.index(dnp.asarray(1.0)), TypeError, r"only an integer array is an index"),
        (lambda: len(dnp.asarray(1)), TypeError, r"len\(\) of an array of rank 0"),
        (lambda: iter(dnp.asarray(1)), TypeError, r"iteration over an array of rank 0"),
        (lambda: X - [1, 2, 3], TypeError, r"unsupported operand type"),
        (lambda: [1, 2, 3] - X, TypeError, r"unsupported operand type"),
        (lambda: X + None, TypeError, r"unsupported operand type"),
        (lambda: X < "a", TypeError, r"not supported between"),
        (lambda: X == [1, 2, 3], TypeError, r"an array compares with arrays and scalars, got list"),
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
    assert copy.copy(X) is X
    assert copy.deepcopy([X])[0] is X
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
    ],
)
def test_repr(array: Any, text: str) -> None:
    assert repr(array) == text


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


def test_tracers_are_arrays_too() -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((isinstance(x, dt.Array), isinstance(x, ArrayMethods), type(x) is Array))
        return x.sum()

    dt.grad(f)(X)
    assert seen == [(True, True, False)]
    assert isinstance(X, dt.Array)
    assert not isinstance(np.zeros(2), dt.Array)
