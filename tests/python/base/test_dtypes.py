"""Element types: the promotion lattice, canonicalization, and questions about types."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.base import dtypes

STRONG = [t for t in dtypes.KINDS if t not in dtypes.SMALL_FLOATS + dtypes.SMALL_INTS]
WEAK: list[Any] = [int, float, complex]


@pytest.fixture
def x64() -> Any:
    with config.enable_x64(True):
        yield


@pytest.mark.usefixtures("x64")
class TestLattice:
    def test_join_is_commutative_and_idempotent(self) -> None:
        for a, b in itertools.product(STRONG + WEAK, repeat=2):
            assert dnp.promote_types(a, b) == dnp.promote_types(b, a)
        for a in STRONG:
            assert dnp.promote_types(a, a) == a

    def test_order_does_not_matter(self) -> None:
        for trio in itertools.combinations(STRONG, 3):
            results = {dnp.result_type(*order) for order in itertools.permutations(trio)}
            assert len(results) == 1, trio

    @pytest.mark.parametrize(
        ("a", "b", "joined"),
        [
            ("int8", "uint8", "int16"),
            ("int32", "uint32", "int64"),
            ("int64", "uint64", "float64"),
            ("int64", "float16", "float16"),
            ("bfloat16", "float16", "float32"),
            ("float64", "complex64", "complex128"),
            ("bool", "uint8", "uint8"),
            ("uint8", int, "uint8"),
            ("int8", float, "float64"),
            ("bfloat16", float, "bfloat16"),
            ("float16", complex, "complex64"),
            ("float8_e4m3fn", float, "float8_e4m3fn"),
            ("float4_e2m1fn", float, "float4_e2m1fn"),
            ("int4", int, "int4"),
            ("uint2", int, "uint2"),
        ],
    )
    def test_joins(self, a: Any, b: Any, joined: str) -> None:
        assert dnp.promote_types(a, b) == np.dtype(joined)

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("float8_e4m3fn", "float16"),
            ("float8_e4m3fn", "float8_e5m2"),
            ("int4", "int8"),
            ("int4", "uint4"),
            ("int2", "int4"),
            ("float6_e2m3fn", "float8_e3m4"),
            ("uint4", float),
        ],
    )
    def test_narrow_types_do_not_promote(self, a: Any, b: Any) -> None:
        with pytest.raises(dtypes.TypePromotionError, match="do not support implicit promotion"):
            dnp.promote_types(a, b)

    def test_weak_results(self) -> None:
        weak_float, strong_int = (dtypes.float32, True), (dtypes.int32, False)
        assert dtypes.promote(weak_float, strong_int) == (dtypes.float64, True)
        assert dtypes.promote(weak_float, (dtypes.float32, False)) == (dtypes.float32, False)
        assert dtypes.promote((dtypes.float16, True), (dtypes.int32, True)) == (
            dtypes.float16,
            True,
        )
        assert dtypes.promote((dtypes.bool_, False), (dtypes.bool_, False)) == (dtypes.bool_, False)


def test_no_array_has_no_element_type() -> None:
    with pytest.raises(ValueError, match="Invalid argument to dtype: None"):
        dtypes.dtype(None)


def test_canonicalization() -> None:
    wide = [dtypes.int64, dtypes.uint64, dtypes.float64, dtypes.complex128]
    assert [dtypes.canonicalize_dtype(t).itemsize for t in wide] == [4, 4, 4, 8]
    with config.enable_x64(True):
        assert [dtypes.canonicalize_dtype(t) for t in wide] == wide
    assert dtypes.canonicalize_dtype("bfloat16") == dtypes.bfloat16
    with pytest.raises(TypeError, match="must be bool, integer, float or complex, got: 'object'"):
        dtypes.canonicalize_dtype(object)


def test_float0_promotes_with_no_other_type() -> None:
    assert dnp.zeros(2, dtypes.float0).dtype == dnp.ones_like(1.0, dtypes.float0).dtype
    for strictness in ("standard", "strict"):
        with (
            dt.config.numpy_dtype_promotion(strictness),
            pytest.raises(TypeError, match="float0s do not support any operations"),
        ):
            _ = dnp.zeros(2, dtypes.float0) + dnp.ones(2)


def test_float0_has_no_operations() -> None:
    nothing = np.zeros(2, dtypes.float0)
    calls: list[Any] = [dnp.sin, dnp.sum, lax.neg, dnp.negative, lambda x: dnp.matmul(x, x)]
    calls += [lambda x: lax.add(x, dnp.ones(2)), lambda x: dnp.add(x, x), lambda x: x + dnp.ones(2)]
    for call in calls:
        with pytest.raises(TypeError, match="float0s do not support any operations by design"):
            call(nothing)


def test_scalars_are_instances_of_element_types() -> None:
    assert isinstance(np.float32(1), dnp.float32)  # type: ignore[arg-type]
    assert not isinstance(np.float64(1), dnp.float32)  # type: ignore[arg-type]


def test_weak_unsigned_integers_are_of_the_default_type() -> None:
    assert dnp.result_type(dt.lax.full((), 1, "uint8"), 1) == np.uint8
    for strictness in ("standard", "strict"):
        with dt.config.numpy_dtype_promotion(strictness):
            assert dtypes.result_type(dnp.asarray(np.uint8(1)).with_weakness(True)) == np.uint32


def test_result_type() -> None:
    assert dnp.result_type(1, 2.0) == np.float32
    assert dnp.result_type(dnp.ones(2, "int8"), 1) == np.int8
    assert dnp.result_type(np.float64(1)) == np.float32
    assert dnp.result_type("int64") == np.int32
    with pytest.raises(ValueError, match="at least one"):
        dnp.result_type()


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (dtypes.bfloat16, np.floating, True),
        (dtypes.bfloat16, np.inexact, True),
        (dtypes.bfloat16, np.number, True),
        (dtypes.bfloat16, np.integer, False),
        (dtypes.bfloat16, dtypes.bfloat16, True),
        (dtypes.bfloat16, dtypes.float32, False),
        (dtypes.int4, np.signedinteger, True),
        (dtypes.uint4, np.signedinteger, False),
        (dtypes.float8_e5m2, np.floating, True),
        ("float32", "floating", None),
        ("float32", np.floating, True),
        (np.floating, np.inexact, True),
        (bool, np.integer, False),
    ],
)
def test_issubdtype(a: Any, b: Any, answer: bool | None) -> None:
    if answer is None:
        with pytest.raises(TypeError):
            dnp.issubdtype(a, b)
    else:
        assert dnp.issubdtype(a, b) is answer


def test_questions() -> None:
    assert dnp.isdtype("uint4", ("bool", "unsigned integer"))
    assert not dnp.isdtype("uint4", "real floating")
    assert dnp.isdtype("float32", np.float32)
    with pytest.raises(ValueError, match="kind must be a dtype or one of"):
        dnp.isdtype("float32", "floaty")
    with pytest.raises(TypeError, match="kind must be a dtype or one of"):
        dnp.isdtype("float32", 3)
    assert dnp.can_cast("bfloat16", "float32")
    assert not dnp.can_cast("float32", "int32")
    assert dnp.finfo("bfloat16").bits == 16
    assert float(dnp.finfo("float8_e4m3fn").max) == 448
    assert dnp.iinfo("int4").max == 7
    assert dnp.finfo(dnp.float32).dtype == dnp.finfo(np.float32).dtype == np.float32
    assert dtypes.itemsize_bits("int4") == 4
    assert dtypes.itemsize_bits("float6_e3m2fn") == 6
    assert dtypes.itemsize_bits("bool") == 8
    assert dtypes.itemsize_bits("complex64") == 64
    assert dtypes.scalar_type_of("float8_e5m2") is float
    assert dtypes.scalar_type_of(dnp.uint2(1)) is int
    assert dtypes.scalar_type_of(True) is bool
    assert dnp.issubdtype(dtypes.extended, np.generic)
    assert not dnp.issubdtype("float32", dtypes.extended)
    assert dtypes.is_weakly_typed(1.0)
    assert not dtypes.is_weakly_typed(np.float32(1))


def test_settings() -> None:
    config.update("jax_enable_x64", True)
    assert config.enable_x64.value
    assert config.read("enable_x64")
    with config.enable_x64(False):
        assert not config.enable_x64.value
    assert config.enable_x64.value
    with pytest.raises(ValueError, match="enable_x64 must be one of True, False, got: 3"):
        config.update("enable_x64", 3)
    with pytest.raises(AttributeError, match="no setting is named 'enable_x65'"):
        config.update("enable_x65", True)
    with pytest.raises(ValueError, match="must be one of 'standard', 'strict', got: 'lax'"):
        config.update("numpy_dtype_promotion", "lax")


@pytest.mark.parametrize(
    ("text", "expected"), [("1", "float64"), ("true", "float64"), ("0", "float32")]
)
def test_environment_variable(text: str, expected: str) -> None:
    code = "import dovetail.numpy as dnp; print(dnp.zeros(1).dtype)"
    environment = os.environ | {"DOVETAIL_ENABLE_X64": text}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == expected


def test_integers_must_fit_a_requested_type() -> None:
    for value, dtype in ((300, "uint8"), (-1, "uint32"), (2**40, "int32")):
        for make in (dnp.array, dnp.asarray):
            with pytest.raises(OverflowError, match=f"a Python int must fit {dtype}, .* {value};"):
                make(value, dtype)
    with pytest.raises(OverflowError, match="must fit int8"):
        dnp.int8(-200)
    assert dnp.full(2, 300, "uint8").tolist() == [44, 44]
    assert dnp.full(2, 2**32 - 1, "uint32").tolist() == [2**32 - 1] * 2


def test_arrays_of_another_byte_order_are_converted() -> None:
    x = np.array([1, 2, 300], ">i4")
    for _ in range(3):
        for y in (dnp.asarray(x), dnp.add(x, 0), dt.jit(lambda x: x + 0)(x)):
            assert y.dtype == np.int32
            assert y.tolist() == [1, 2, 300]
    assert dnp.zeros(2, ">f4").dtype == np.float32


def test_whether_a_result_type_is_weak() -> None:
    weak = dnp.array(1.0)
    assert dtypes.result_type(weak, return_weak_type_flag=True) == (np.float32, True)
    assert dtypes.result_type(weak, 1, return_weak_type_flag=True) == (np.float32, True)
    strong = weak.astype("float32")
    assert dtypes.result_type(weak, strong, return_weak_type_flag=True) == (np.float32, False)


def test_bfloat16_is_a_class_of_scalars() -> None:
    scalar = dt.dtypes.bfloat16(1.5)
    assert isinstance(scalar, dt.dtypes.bfloat16)
    assert not isinstance(1.5, dt.dtypes.bfloat16)
    assert dnp.asarray(scalar).dtype == dt.dtypes.bfloat16 == dnp.bfloat16
