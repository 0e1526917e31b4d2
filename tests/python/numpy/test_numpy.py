"""dovetail.numpy against NumPy, eagerly and traced; derivatives of its composites; its errors;
its examples.
"""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dovetail.numpy as dnp
from dovetail import ShapeDtypeStruct, config, dtypes, grad, lax, make_ir, vmap
from dovetail.arrays.array import Array
from dovetail.test_util import check_grads
from support.numpy_expressions import (
    CREATION,
    DATA,
    INDEXING,
    METHODS,
    POINTWISE,
    PRODUCTS,
    REDUCTIONS,
    SHAPES,
    expressions,
)


@pytest.fixture(autouse=True)
def in_64_bits(request: pytest.FixtureRequest) -> Iterator[None]:
    with config.enable_x64("in_32_bits" not in request.fixturenames):
        yield


@pytest.fixture
def in_32_bits() -> None:
    """For tests of behaviour without 64-bit types."""


def traced(function: Callable[..., Any], *values: Any) -> list[np.ndarray]:
    """The results of the function traced and batched, evaluated without compiling."""

    def listed(*tracers: Any) -> list[Any]:
        result = function(*tracers[1:])
        return list(result) if isinstance(result, (tuple, list)) else [result]

    # The first argument is for functions that have none.
    batch = vmap(listed)(np.zeros(2), *(np.stack([v, v]) for v in values))
    for result in batch:
        np.testing.assert_array_equal(result[0], result[1])
    return [np.asarray(result[0]) for result in batch]


def assert_same(ours: Any, expected: Any, what: str) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(ours) == len(expected), what
        for mine, other in zip(ours, expected, strict=True):
            assert_same(mine, other, what)
        return
    x, y = np.asarray(ours), np.asarray(expected)
    assert x.shape == y.shape, f"{what}: got shape {x.shape}, NumPy has {y.shape}"
    assert x.dtype == y.dtype, f"{what}: got {x.dtype}, NumPy has {y.dtype}"
    np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13, err_msg=what)


WITH_PREFIX = [f"xp.{e}" for t in (POINTWISE, REDUCTIONS, SHAPES, PRODUCTS) for e in expressions(t)]
WITHOUT_PREFIX = [e for t in (INDEXING, METHODS) for e in expressions(t)]


@pytest.mark.parametrize("expression", WITH_PREFIX + WITHOUT_PREFIX)
def test_agrees_with_numpy(expression: str) -> None:
    code = compile(expression, expression, "eval")
    names = [n for n in DATA if n in code.co_names]

    def evaluate(xp: Any, **data: Any) -> Any:
        return eval(code, {"xp": xp, "np": np, **data})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = evaluate(np, **{n: DATA[n] for n in names})
    ours = evaluate(dnp, **{n: dnp.asarray(DATA[n]) for n in names})
    assert_same(ours, expected, expression)
    if isinstance(ours, (Array, tuple, list)):
        results = traced(
            lambda *xs: evaluate(dnp, **dict(zip(names, xs, strict=True))),
            *(DATA[n] for n in names),
        )
        assert_same(results if isinstance(ours, (tuple, list)) else results[0], ours, expression)


@pytest.mark.parametrize("expression", expressions(CREATION))
def test_creation_agrees_with_numpy(expression: str) -> None:
    expected = eval(f"xp.{expression}", {"xp": np, "np": np})
    assert_same(eval(f"xp.{expression}", {"xp": dnp, "np": np}), expected, expression)
    (result, *_) = traced(lambda: _first(eval(f"xp.{expression}", {"xp": dnp, "np": np})))
    assert_same(
        result, expected[0] if isinstance(expected, (tuple, list)) else expected, expression
    )


def _first(x: Any) -> Any:
    return x[0] if isinstance(x, (tuple, list)) else x


# Derivatives --------------------------------------------------------------------------------------

A, B, V = DATA["a"], DATA["b"], DATA["v"]
COMPOSITES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "logaddexp": (dnp.logaddexp, (A, B)),
    "logaddexp2": (dnp.logaddexp2, (A, B)),
    "hypot": (dnp.hypot, (A, B)),
    "sinc": (dnp.sinc, (np.array([0.0, 0.004, 0.3, -1.2]),)),
    "remainder": (dnp.remainder, (A, B)),
    "var": (lambda x: dnp.var(x, 0, ddof=1), (A,)),
    "std": (lambda x: dnp.std(x, 1), (A,)),
    "masked mean": (lambda x: dnp.mean(x, where=DATA["m"]), (A,)),
    "nanmean": (lambda x: dnp.nanmean(dnp.where(DATA["m"], x, math.nan)), (A,)),
    "prod": (lambda x: dnp.prod(x, 1), (A,)),
    "max": (lambda x: dnp.max(x, 1), (A,)),
    "clip": (lambda x: dnp.clip(x, -0.4, 0.4), (A,)),
    "power": (lambda x, y: dnp.power(x, y), (DATA["w"] + 0.5, A)),
    "einsum": (lambda x, y: dnp.einsum("ij,kj,ij->k", x, y, x), (A, B)),
    "trace of einsum": (lambda x: dnp.einsum("ii->i", x[:, :3] @ x[:, :3]), (A,)),
    "broadcast matmul": (lambda x, y: x[None] @ y.T, (A, np.stack([B.T, B.T]).T)),
    "kron": (dnp.kron, (A[:2], V)),
    "diag": (lambda x: dnp.diag(x, 1) + dnp.diag(dnp.diagonal(dnp.outer(x, x)), -1), (V,)),
    "tril": (lambda x: dnp.tril(x) + dnp.triu(x, 1), (A,)),
    "indexing": (lambda x: x[::-1, 1:3] * x[:, ::-2] + x[1, None, 2], (A,)),
    "roll and flip": (lambda x: dnp.roll(x, 3) * dnp.flip(x), (A,)),
    "repeat": (lambda x: dnp.repeat(x, 2, 0) * dnp.tile(x, (2, 1)), (A,)),
    "pad": (lambda x: dnp.pad(x, 2, mode="reflect") ** 2, (A,)),
    "linspace": (lambda x, y: dnp.linspace(x, y, 5), (V, -V)),
    "gradient": (lambda x: dnp.gradient(x, axis=1) ** 2, (A,)),
    "cross": (dnp.cross, (DATA["s"], DATA["s"][::-1])),
    "corrcoef": (dnp.corrcoef, (A,)),
    "round trip": (lambda x: dnp.concatenate(dnp.split(x, 2, 1)[::-1], 1) * x, (A,)),
    "copysign": (lambda x: dnp.copysign(x, B), (A,)),
    "where": (lambda x, y: dnp.where(x > y, x * y, y), (A, B)),
    "frexp": (lambda x: dnp.ldexp(x, 3), (A,)),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_derivatives(name: str) -> None:
    function, args = COMPOSITES[name]
    check_grads(function, args, order=2)


def test_derivatives_are_finite_even_if_values_are_not() -> None:
    for function, x in [
        (lambda x: dnp.logaddexp(x, -math.inf), -math.inf),
        (lambda x: dnp.hypot(x, 0.0), 0.0),
        (dnp.sinc, 0.0),
    ]:
        assert np.isfinite(grad(function)(x))


# Without 64 bits ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_32_bits")
class TestIn32Bits:
    def test_defaults(self) -> None:
        assert dnp.zeros(2).dtype == np.float32
        assert dnp.arange(2).dtype == np.int32
        assert dnp.asarray(np.ones(2)).dtype == np.float32
        assert dnp.array([1, 2.0]).dtype == np.float32
        assert dnp.asarray(np.arange(2, dtype=np.uint64)).dtype == np.uint32
        assert dnp.sum(np.ones(2, np.int8)).dtype == np.int32
        assert dnp.argmax(np.ones(2)).dtype == np.int32

    @pytest.mark.parametrize(
        ("function", "name"),
        [
            (lambda: dnp.zeros(2, "float64"), "zeros"),
            (lambda: dnp.arange(2, dtype=np.int64), "arange"),
            (lambda: dnp.ones(2).astype(np.float64), "astype"),
            (lambda: dnp.asarray([1], "uint64"), "array"),
            (lambda: dnp.sum(np.ones(2), dtype="float64"), "sum"),
        ],
    )
    def test_truncation_warns(self, function: Callable[[], Any], name: str) -> None:
        with pytest.warns(UserWarning, match=f"requested in {name} is not available"):
            assert function().dtype.itemsize == 4

    def test_python_types_do_not_warn(self) -> None:
        assert dnp.zeros(2, float).dtype == np.float32
        assert dnp.ones(2).astype(int).dtype == np.int32

    def test_ints_must_fit(self) -> None:
        with pytest.raises(OverflowError, match="too large to convert to int32"):
            dnp.asarray(2**40)
        with pytest.raises(OverflowError):
            dnp.asarray([2**40])
        assert int(dnp.uint8(1) + 300) == 45

    def test_weak_types(self) -> None:
        assert dnp.asarray(1.0).weak_type
        assert not dnp.asarray([1.0]).weak_type
        assert (dnp.ones(2, "bfloat16") * 2.5).dtype == np.dtype("bfloat16")
        assert (dnp.ones(2, "int8") + 1).dtype == np.int8
        result = dnp.arange(2) * 1.5
        assert result.dtype == np.float32
        assert result.weak_type
        assert not dnp.sum(dnp.asarray(1.0)).weak_type


# Errors -------------------------------------------------------------------------------------------

X: Any = dnp.ones((2, 3))
LIST: Any = [1, 2]
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: dnp.add(X, LIST),
        TypeError,
        r"<class 'list'> and was passed to add at position 1",
    ),
    (
        lambda: dnp.add(X, dnp.ones(2)),
        ValueError,
        r"add: Incompatible shapes for broadcasting: shapes=\[\(2, 3\), \(2,\)\]",
    ),
    (
        lambda: dnp.add(dnp.ones(2), dnp.ones(3)),
        TypeError,
        r"add got incompatible shapes for broadcasting",
    ),
    (lambda: dnp.negative(True), TypeError, r"negative does not accept dtype bool"),
    (
        lambda: dnp.reshape(X, (4, -1)),
        TypeError,
        r"number of elements must stay the same, got: \(4, -1\)",
    ),
    (lambda: dnp.sum(X, 2), ValueError, r"axis 2 is out of bounds for array of dimension 2"),
    (lambda: dnp.sum(X, (0, 0)), ValueError, r"duplicate value in 'axis': \(0, 0\)"),
    (lambda: dnp.sum(X, out=X), NotImplementedError, r"arrays are immutable, so out must be None"),
    (lambda: dnp.max(dnp.zeros(0)), ValueError, r"an empty array needs initial"),
    (lambda: dnp.max(X, where=X > 0), ValueError, r"initial must be given with where"),
    (lambda: dnp.argmax(dnp.zeros(0)), ValueError, r"attempt to get argmax of an empty sequence"),
    (
        lambda: X @ X,
        TypeError,
        r"dot_general requires contracting dimensions to have the same shape, got \(3,\) and \(2,"
        r"\): dimensions \(1,\) of \(2, 3\) and \(0,\) of \(2, 3\), in matmul",
    ),
    (lambda: X @ 2, ValueError, r"matmul: operands must have 1 dimension or more"),
    (
        lambda: dnp.einsum("ij,jk", X, X),
        ValueError,
        r"sizes of label 'j' must be equal or 1, got: 3 and 2",
    ),
    (lambda: dnp.einsum("ijk", X), ValueError, r"'ijk' must have one label for each dimension"),
    (lambda: dnp.einsum("ij->k", X), ValueError, r"labels of the result must occur in a term"),
    (lambda: dnp.concatenate([]), ValueError, r"at least one array is needed"),
    (
        lambda: dnp.concatenate([X, dnp.ones(3)]),
        TypeError,
        r"shapes that differ in dimensions other than the one being concatenated",
    ),
    (lambda: dnp.stack([X, X[0]]), ValueError, r"all arrays must have the same shape"),
    (lambda: dnp.split(X, 2, 1), ValueError, r"sections must be equal, got: 2 of size 3"),
    (lambda: dnp.squeeze(X, 0), ValueError, r"cannot select an axis to squeeze out"),
    (lambda: dnp.transpose(X, (0, 0)), ValueError, r"duplicate value in 'axes': \(0, 0\)"),
    (
        lambda: dnp.broadcast_to(X, (3,)),
        ValueError,
        r"broadcast_to: Cannot broadcast to shape with fewer dimensions: \(2, 3\)",
    ),
    (
        lambda: dnp.zeros((2, -1)),
        TypeError,
        r"Only non-negative .* shape must have no negative size",
    ),
    (
        lambda: dnp.zeros(2.5),
        TypeError,
        r"Shapes must be 1D sequences of concrete values of integer type, got: 2.5",
    ),
    (lambda: dnp.array(None), ValueError, r"None is not a valid value for jnp.array"),
    (lambda: dnp.array("a"), TypeError, r"the data must be numbers, got: str"),
    (lambda: dnp.array([X, X[0]]), ValueError, r"nested lists must be rectangular"),
    (
        lambda: dnp.zeros(2, "S1"),
        TypeError,
        r"an array's element type must be bool, integer, float or complex",
    ),
    (
        lambda: X[0, 0, 0],
        IndexError,
        r"Too many indices: array is 2-dimensional, but 3 were indexed",
    ),
    (lambda: X[1.0], TypeError, r"got indexer with type float: 1.0"),
    (lambda: X["a"], TypeError, r"got: str 'a'"),
    (lambda: X[..., ...], IndexError, r"can contain ... once"),
    (lambda: dnp.where(X, X), ValueError, r"x and y must be given both or not at all"),
    (lambda: dnp.clip(1j, 0, 1), ValueError, r"Complex values have no ordering"),
    (lambda: dnp.power(dnp.arange(3), -1), TypeError, r"an exponent of 0 or more, got: -1"),
    (
        lambda: dnp.pad(X, 1, mode="no"),
        NotImplementedError,
        r"Unimplemented padding mode 'no' for np.pad; it must be one of constant",
    ),
    (lambda: dnp.arange(X), TypeError, r"start, stop and step must be scalars"),
    (
        lambda: dnp.promote_types("int4", "int8"),
        dtypes.TypePromotionError,
        r"integers of 2 and 4 bits do not support implicit promotion",
    ),
    (
        lambda: dnp.left_shift(1.0, 2),
        TypeError,
        r"left_shift does not accept dtype float64",
    ),
]


@pytest.mark.parametrize(("function", "kind", "message"), ERRORS)
def test_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


def test_rank_promotion_setting() -> None:
    with (
        config.numpy_rank_promotion("raise"),
        pytest.raises(
            ValueError, match="Operands could not be broadcast together for add on shapes"
        ),
    ):
        dnp.add(X, dnp.ones(3))
    with (
        config.numpy_rank_promotion("warn"),
        pytest.warns(UserWarning, match="automatic rank promotion for add on shapes"),
    ):
        dnp.add(X, dnp.ones(3))
    with config.numpy_rank_promotion("raise"):
        dnp.add(X, 1)


def test_strict_dtype_promotion_setting() -> None:
    with config.numpy_dtype_promotion("strict"):
        assert (dnp.ones(2, "float32") + 1).dtype == np.float32
        with pytest.raises(
            dtypes.TypePromotionError, match="no available implicit dtype promotion"
        ):
            dnp.add(dnp.ones(2, "float32"), dnp.ones(2, "int32"))
        with pytest.raises(
            dtypes.TypePromotionError, match="no available implicit dtype promotion"
        ):
            dnp.add(dnp.arange(2), 1.5)


# Facts --------------------------------------------------------------------------------------------


def test_numpy_arrays_are_copied() -> None:
    data = np.zeros(3)
    x, y = dnp.asarray(data), dnp.reshape(data, (3, 1))
    data[0] = 1
    assert x[0] == 0
    assert y[0, 0] == 0


def test_indices_are_clamped() -> None:
    x = dnp.arange(3)
    assert int(x[5]) == 2
    assert int(x[-7]) == 0


def test_broadcasting_takes_no_memory() -> None:
    shape = (1 << 14, 1 << 13)
    for array in (dnp.broadcast_to(1.0, shape), dnp.zeros(shape)):
        assert array.shape == shape
        assert array._value().strides == (0, 0)


def test_einsum_takes_a_good_path() -> None:
    def chain(x: Any, y: Any, z: Any) -> Any:
        return dnp.einsum("ij,jk,k->i", x, y, z)

    shapes = ((8, 100), (100, 200), (200,))
    text = make_ir(chain)(*(ShapeDtypeStruct(s, "float32") for s in shapes))
    dots = [line.rpartition(" : ")[2] for line in str(text).splitlines() if "dot_general" in line]
    assert dots == ["tensor<100x200xf32>, tensor<200xf32>", "tensor<8x100xf32>, tensor<100xf32>"]


def test_scalar_types() -> None:
    assert dnp.float32 == np.float32
    assert dnp.float32 == np.dtype("float32")
    assert dnp.zeros(2, dnp.bfloat16).dtype == np.dtype("bfloat16")
    assert repr(dnp.int8(3)) == "Array(3, dtype=int8)"
    assert dnp.issubdtype(dnp.bfloat16, dnp.floating)
    assert dnp.finfo(dnp.float16).bits == 16
    assert dnp.iinfo(dnp.uint8).max == 255
    assert len({dnp.float32, np.float32}) == 1
    assert dnp.dtype(dnp.bfloat16) == np.dtype("bfloat16")


def test_scalar_types_are_classes() -> None:
    class Kind(dnp.int8):
        FIRST = dnp.array(0, dnp.int8)

    assert dnp.zeros(2, Kind).dtype == np.int8
    assert repr(Kind(3)) == "Array(3, dtype=int8)"
    assert dnp.issubdtype(Kind, dnp.integer)
    assert isinstance(None, dnp.float32 | None)
    assert isinstance(np.float32(1), dnp.float32 | None)
    assert isinstance(dnp.float32, type)
    assert pickle.loads(pickle.dumps(dnp.bfloat16)) is dnp.bfloat16
    for dtype in (dnp.int8, dnp.bfloat16, dnp.float32):
        for _ in range(3):
            assert dnp.zeros(2, dtype).dtype == dnp.dtype(dtype)


def test_einsum_sums_dots_that_the_result_lacks() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(dnp.einsum("i...->i", x), x.sum((1, 2)))
    np.testing.assert_array_equal(
        dnp.einsum("a...d,...f->adf", x[:, 0], np.ones(5)), np.stack([x[:, 0]] * 5, -1)
    )


def test_einsum_labels_are_any_letters_and_digits() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(dnp.einsum("1a,\u03b21->a\u03b2", x, x[:, :2]), x.T @ x[:, :2].T)


def test_einsum_contracts_by_another_function() -> None:
    calls = []

    def dot_general(x: Any, y: Any, numbers: Any, **options: Any) -> Any:
        calls.append((numbers, options))
        return 2 * lax.dot_general(x, y, numbers, **options)

    x, y = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(
        dnp.einsum("ij,jk->ik", x, y, _dot_general=dot_general), np.full((2, 4), 6)
    )
    assert calls == [
        ((((1,), (0,)), ((), ())), {"precision": None, "preferred_element_type": None})
    ]
