"""Objects that represent an array through `__jax_array__` are accepted wherever arrays are."""

import functools
import operator
from typing import Any, cast

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


class _Wrapped:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __jax_array__(self) -> dt.Array:
        return dnp.asarray(self.value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise ValueError("the other protocol comes second")


# A type that the functions' annotations do not include.
Wrapped: Any = _Wrapped
X = np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], np.float32)
CALLS = {
    "sin": (dnp.sin, [X]),
    "add": (dnp.add, [X, X]),
    "sum": (functools.partial(dnp.sum, axis=0), [X]),
    "keyword": (lambda x: dnp.argsort(a=x), [X]),
    "where": (dnp.where, [X > 2, X, -X]),
    "take": (functools.partial(dnp.take, axis=1), [X, np.array([2, 0])]),
    "delete": (functools.partial(dnp.delete, axis=1), [X, np.array([2, 0])]),
    "insert": (functools.partial(dnp.insert, axis=1), [X, np.array([2, 0]), X[:, :2]]),
    "einsum": (functools.partial(dnp.einsum, "ij,kj->ik"), [X, X]),
    "einsum of lists": (lambda x, y: dnp.einsum(x, (0, 1), y, (1,)), [X, X[0]]),
    "concatenate": (lambda *xs: dnp.concatenate(xs), [X, X]),
    "array of several": (lambda x, y: dnp.array([x, [y, y, y]]), [X[0], X[1, 1]]),
    "triu_indices_from": (dnp.triu_indices_from, [X]),
    "norm": (dnp.linalg.norm, [X]),
    "fft": (dnp.fft.fft, [X]),
    "lax.mul": (lax.mul, [X, X]),
    "logsumexp": (dt.nn.logsumexp, [X]),
    "array + object": (lambda x: dnp.asarray(X) + x, [X]),
    "object - array": (lambda x: dnp.asarray(X).__rsub__(x), [X]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("times", [1, 3])  # from the second time on, eager calls are cached
def test_an_object_stands_for_its_array(name: str, times: int) -> None:
    function, args = CALLS[name]
    expected = function(*args)
    for _ in range(times):
        got = function(*map(Wrapped, args))
        dt.tree.map(np.testing.assert_array_equal, got, expected)


def test_traced_arrays_are_stood_for() -> None:
    f = dt.jit(lambda x: dnp.sum(Wrapped(x)))
    assert f(X) == X.sum()
    np.testing.assert_array_equal(dt.grad(lambda x: lax.mul(Wrapped(x), x).sum())(X), 2 * X)


def test_sizes_and_ranks() -> None:
    assert dnp.shape(Wrapped(X)) == (2, 3)
    assert dnp.ndim(Wrapped(X)) == 2
    assert dnp.size(Wrapped(X)) == 6
    assert dnp.isscalar(Wrapped(1.0))
    assert not dnp.isscalar(Wrapped(X))


def test_a_description_is_enough_for_an_array_like_it() -> None:
    class Described(Wrapped):
        shape, dtype = (2, 3), np.dtype("float32")

        def __jax_array__(self) -> dt.Array:
            raise ValueError("called")

    for function in (dnp.zeros_like, dnp.ones_like, dnp.empty_like):
        assert function(Described(X)).shape == (2, 3)
    with pytest.raises(ValueError, match="called"):
        dnp.sin(Described(X))


def test_its_errors_and_an_absent_protocol_are_seen() -> None:
    class Absent:
        __jax_array__ = None

    absent: Any = Absent()
    for call in (lambda: dnp.sin(absent), lambda: dnp.add(absent, 1)):
        with pytest.raises(TypeError):
            call()
    assert Wrapped(X) != 3
    assert (dnp.ones(1) == Wrapped(1.0)).all()


class Proxy:
    """Has every method, none of which does anything, but a product of its own."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args: NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return "product", other


def test_objects_that_are_no_arrays_after_all_have_their_own_operators() -> None:
    x = dnp.ones(2)
    for _ in range(3):
        assert (x * Proxy())[0] == "product"
        assert dt.jit(lambda x: (x * Proxy())[1] + 1)(x).shape == (2,)
        with pytest.raises(TypeError, match="Proxy"):
            dnp.add(x, cast(Any, Proxy()))


def test_an_object_is_converted_once() -> None:
    class Counted:
        calls = 0

        def __jax_array__(self) -> Any:
            self.calls += 1
            return dnp.arange(2.0)

    x = dnp.ones(2)
    for operate in (operator.add, operator.matmul, operator.lt, operator.eq):
        for swaps in (False, True):
            counted: Any = Counted()
            operands = (counted, x) if swaps else (x, counted)
            got = operate(*operands)
            np.testing.assert_array_equal(
                got,
                operate(*(np.asarray(dnp.arange(2.0) if o is counted else x) for o in operands)),
            )
            assert counted.calls == 1
