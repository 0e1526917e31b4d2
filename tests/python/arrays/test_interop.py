"""Exchange with NumPy, PyTorch and other libraries through DLPack, the buffer protocol or the
array API.
"""

from __future__ import annotations

import array
import struct
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, dlpack, errors, runtime
from dovetail.arrays.array import Array
from dovetail.placement.devices import Device
from dovetail.placement.shardings import Shard, SingleDeviceSharding

HOST = Device("cpu", 0)
MATRIX: Any = dnp.asarray([[1.0, 2, 3], [4, 5, 6]])
NOT_AN_ARRAY: Any = [1]
KNOWN_TO_NUMPY = (
    *("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32"),
    *("float16", "float32", "complex64"),
)
UNKNOWN_TO_NUMPY = (
    *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
)


def address(x: Any) -> int:
    return np.asarray(x).ctypes.data


class OnlyCapsule:
    """An array with only DLPack's methods, as in libraries before 1.0."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __dlpack__(self, stream: None = None) -> Any:
        return self.x.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


class Insists(OnlyCapsule):
    """The same, but rejecting copies."""

    def __dlpack__(self, stream: None = None) -> Any:
        return self.x.__dlpack__(copy=False)


# NumPy --------------------------------------------------------------------------------------------


def test_numpy_sees_the_memory_but_cannot_write_to_it() -> None:
    for view in (np.asarray(MATRIX), np.from_dlpack(MATRIX), np.array(MATRIX, copy=False)):
        assert view.ctypes.data == MATRIX.unsafe_buffer_pointer()
        assert not view.flags.writeable
        np.testing.assert_array_equal(view, [[1, 2, 3], [4, 5, 6]])
    copied = np.array(MATRIX)
    assert copied.flags.writeable
    assert copied.ctypes.data != address(MATRIX)
    assert np.asarray(MATRIX, np.float64).dtype == np.float64


def test_conversion_without_a_copy_is_rejected_if_it_needs_one() -> None:
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(MATRIX, np.float64, copy=False)
    # Buffers have no such elements, so that NumPy asks the array.
    narrow = MATRIX.astype(dnp.bfloat16)
    with pytest.raises(ValueError, match="bfloat16 becomes one of float64 by a copy only"):
        np.array(narrow, np.float64, copy=False)


def test_buffer_protocol() -> None:
    known: Any = np.asarray(MATRIX)
    view = memoryview(known)
    assert view.readonly
    assert view.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_arrays_have_buffers() -> None:
    matrix: Any = MATRIX
    view: Any = memoryview(matrix)
    assert view.readonly
    assert view.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert bytes(matrix) == MATRIX.tobytes()
    np.testing.assert_array_equal(dnp.frombuffer(matrix, np.float32), [1, 2, 3, 4, 5, 6])
    deleted: Any = dnp.zeros(3)
    deleted.delete()
    with pytest.raises(
        RuntimeError, match="Array has been deleted: it must not be used after delete"
    ):
        memoryview(deleted)
    with pytest.raises(TypeError, match="read-write"):
        struct.pack_into("f", MATRIX, 0, 7.0)


def test_arrays_of_numpy_s_memory() -> None:
    x = np.arange(6, dtype=np.float32)
    assert address(dnp.asarray(x)) != address(x)
    assert address(dnp.asarray(x, copy=False)) == address(x)
    assert dnp.asarray(MATRIX, copy=False) is MATRIX
    for data in (x, MATRIX):
        with pytest.raises(ValueError, match="array: the data must be an array of the element"):
            dnp.asarray(data, "int32", copy=False)
    # Lists have no such memory, and arrays without `enable_x64` no 64 bits.
    assert dnp.asarray([1, 2], copy=False).tolist() == [1, 2]
    assert dnp.asarray(1.0, "int32", copy=False).dtype == np.int32
    wide = array.array("d", [1, 2])
    assert dnp.asarray(wide, copy=False).dtype == np.float32
    with config.enable_x64(True):
        assert address(dnp.asarray(wide, copy=False)) == wide.buffer_info()[0]


# DLPack -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN_TO_NUMPY)
def test_dlpack_with_numpy(name: str) -> None:
    x = np.array([[0, 1, 2], [3, 4, 5]]).astype(name)
    ours: Any = dnp.from_dlpack(x)
    assert type(ours) is Array
    assert ours.dtype == x.dtype
    assert address(ours) == address(x)
    back = np.from_dlpack(ours)
    assert back.dtype == x.dtype
    assert address(back) == address(x)
    np.testing.assert_array_equal(back, x)


def test_nothing_is_said_at_the_end_of_memory_that_is_shared() -> None:
    program = """
import numpy as np, dovetail as dt
shared = np.from_dlpack(dt.jit(lambda x: x + 1, compile="now")(1.0))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("make", [lambda x: x.T, lambda x: x[:, ::2], lambda x: x[::-1]])
def test_dlpack_of_strided_memory(make: Callable[[np.ndarray], np.ndarray]) -> None:
    x = make(np.arange(12, dtype=np.float32).reshape(3, 4))
    ours = dnp.from_dlpack(x)
    assert address(ours) == address(x)
    np.testing.assert_array_equal(dt.jit(lambda v: v + 1)(ours), x + 1)
    np.testing.assert_array_equal(np.from_dlpack(OnlyCapsule(ours)), x)
    shared = np.from_dlpack(Insists(ours))
    assert address(shared) == address(x)
    np.testing.assert_array_equal(shared, x)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
def test_dlpack_of_odd_shapes(shape: tuple[int, ...]) -> None:
    ours = dnp.from_dlpack(np.ones(shape, np.float32))
    assert ours.shape == shape
    assert np.from_dlpack(ours).shape == shape
    assert np.from_dlpack(OnlyCapsule(ours)).shape == shape
    assert np.from_dlpack(Insists(ours)).shape == shape
    assert np.from_dlpack(Insists(dnp.ones(shape))).tolist() == np.ones(shape).tolist()


@pytest.mark.parametrize("name", UNKNOWN_TO_NUMPY)
def test_dlpack_of_types_that_numpy_lacks(name: str) -> None:
    x: Any = dnp.asarray([0.5, 1, -2]).astype(name)
    for given in (x, OnlyCapsule(x)):
        # Hidden, so that it is not treated as our own array.
        y: Any = dnp.from_dlpack(OnlyCapsule(given))
        assert y.dtype == x.dtype
        assert y.tolist() == [0.5, 1, -2]


def test_runtime_buffers_are_exchanged_too() -> None:
    x: Any = dnp.asarray([0.5, 1, -2]).astype("bfloat16")
    buffer: Any = runtime.put(OnlyCapsule(x))
    assert buffer.dtype == x.dtype
    back: Any = dnp.from_dlpack(buffer, copy=False)
    assert back.unsafe_buffer_pointer() == buffer.numpy().ctypes.data
    assert back.tolist() == [0.5, 1, -2]
    assert not np.from_dlpack(runtime.put(np.ones(2))).flags.writeable


def test_consumers_before_1_0_get_a_copy_unless_they_forbid_it() -> None:
    old = np.from_dlpack(OnlyCapsule(MATRIX))
    assert address(old) != address(MATRIX)
    np.testing.assert_array_equal(old, MATRIX)

    shared = np.from_dlpack(Insists(MATRIX))
    assert address(shared) == address(MATRIX)
    copied = np.from_dlpack(MATRIX, copy=True)
    assert address(copied) != address(MATRIX)


def test_capsules() -> None:
    assert '"dltensor"' in repr(MATRIX.__dlpack__())
    assert '"dltensor_versioned"' in repr(MATRIX.__dlpack__(max_version=(1, 0)))
    assert '"dltensor_versioned"' in repr(
        MATRIX.__dlpack__(stream=None, max_version=(2, 1), dl_device=(1, 0), copy=True)
    )
    assert MATRIX.__dlpack_device__() == (1, 0)


def test_memory_outlives_the_array() -> None:
    kept = np.from_dlpack(dnp.arange(1000) + 1)
    imported = dnp.from_dlpack(np.arange(1000, dtype=np.int32))
    for _ in range(100):
        np.from_dlpack(dnp.zeros(1000))
    np.testing.assert_array_equal(kept, np.arange(1000) + 1)
    np.testing.assert_array_equal(imported, np.arange(1000))


def test_results_of_programs_are_given_without_a_copy() -> None:
    result = dt.jit(lambda x: x + 1).lower(MATRIX).compile()(MATRIX)
    assert np.from_dlpack(result).ctypes.data == result.unsafe_buffer_pointer()
    assert result.device == HOST


def test_wide_elements_are_converted_without_x64() -> None:
    wide = np.array([1.0, 2.0])
    assert dnp.from_dlpack(wide).dtype == np.float32
    with pytest.raises(BufferError, match="float64 becomes float32 while enable_x64 is off"):
        dnp.from_dlpack(wide, copy=False)
    with config.enable_x64(True):
        assert address(dnp.from_dlpack(wide, copy=False)) == address(wide)


def test_supported_types() -> None:
    assert all(map(dlpack.is_supported_dtype, (*KNOWN_TO_NUMPY, *UNKNOWN_TO_NUMPY)))
    assert not dlpack.is_supported_dtype("int4")


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda: MATRIX.__dlpack__(stream=1), BufferError, "stream must be None"),
        (lambda: MATRIX.__dlpack__(dl_device=(2, 0)), BufferError, "dl_device must be the CPU"),
        (
            lambda: dnp.ones(2, "int4").__dlpack__(),
            BufferError,
            "no element type for int4; convert",
        ),
        (lambda: dnp.from_dlpack([1]), TypeError, "must have __dlpack__ .* got: list"),
        (lambda: dnp.from_dlpack(np.ones(2), device="tpu"), ValueError, r"cpu:0, .* got: 'tpu'"),
        (
            lambda: dt.eval_shape(np.from_dlpack, MATRIX),
            errors.TracerArrayConversionError,
            "__array__.* was called on traced array",
        ),
    ],
)
def test_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


# PyTorch and JAX ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*KNOWN_TO_NUMPY, *UNKNOWN_TO_NUMPY])
def test_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    x: Any = dnp.asarray([[0, 1, 2], [3, 4, 5]]).astype(name)
    tensor = torch.from_dlpack(x)
    assert str(tensor.dtype) == f"torch.{name}"
    assert tensor.data_ptr() == x.unsafe_buffer_pointer()
    assert tensor.tolist() == x.tolist()
    back: Any = dnp.from_dlpack(tensor)
    assert back.dtype == x.dtype
    assert back.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert dnp.asarray(tensor).dtype == x.dtype


@pytest.mark.parametrize("name", ["float32", "bool", "bfloat16", "float8_e4m3fn", "complex64"])
def test_jax(name: str) -> None:
    jax_numpy = pytest.importorskip("jax.numpy")
    x: Any = dnp.asarray([[0, 1, 2], [3, 4, 5]]).astype(name)
    theirs = jax_numpy.from_dlpack(x)
    assert theirs.dtype == x.dtype
    assert theirs.tolist() == x.tolist()
    back: Any = dnp.from_dlpack(theirs)
    assert back.dtype == x.dtype
    assert back.unsafe_buffer_pointer() == theirs.unsafe_buffer_pointer()
    assert dnp.asarray(theirs).tolist() == x.tolist()


def test_torch_tensors_are_arguments_of_modules() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([0.5, 1, -2], dtype=torch.bfloat16)
    assert runtime.put(dnp.from_dlpack(tensor)).dtype == dnp.bfloat16
    result: Any = runtime.put(OnlyCapsule(tensor))
    assert torch.equal(torch.from_dlpack(result), tensor)


def test_torch_there_and_back_through_a_program() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(1 << 16, dtype=torch.float32)
    x: Any = dnp.from_dlpack(tensor)
    assert x.unsafe_buffer_pointer() == tensor.data_ptr()
    result = dt.jit(lambda v: 2 * v).lower(x).compile()(x)
    assert torch.equal(torch.from_dlpack(result), 2 * tensor)
    assert dnp.from_dlpack(tensor[::2].reshape(-1, 2).T).shape == (2, 1 << 14)
    with pytest.raises(BufferError, match="detach"):
        dnp.from_dlpack(torch.ones(2, requires_grad=True))


@pytest.mark.parametrize("name", [*KNOWN_TO_NUMPY, "bfloat16"])
def test_tensorflow(name: str) -> None:
    tensorflow = pytest.importorskip("tensorflow")
    exchange = tensorflow.experimental.dlpack
    x: Any = dnp.asarray([[0, 1, 2], [3, 4, 5]]).astype(name)
    # TensorFlow asks for no version, so that it gets a copy of what must not be written to unless
    # it gets the capsule.
    copied = exchange.from_dlpack(x.__dlpack__())
    tensor = exchange.from_dlpack(x.__dlpack__(copy=False))
    assert tensor.dtype.name == copied.dtype.name == name
    assert tensor.numpy().tolist() == copied.numpy().tolist() == x.tolist()
    back: Any = dnp.from_dlpack(tensor, copy=False)
    assert back.dtype == x.dtype
    assert back.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert dnp.from_dlpack(copied).unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    assert dnp.asarray(tensor).dtype == x.dtype
    assert tensorflow.convert_to_tensor(x).dtype.name == name


def test_tensorflow_there_and_back_through_a_program() -> None:
    tensorflow = pytest.importorskip("tensorflow")
    exchange = tensorflow.experimental.dlpack
    tensor = tensorflow.range(1 << 16, dtype="float32")
    x: Any = dnp.from_dlpack(tensor, copy=False)
    assert dnp.from_dlpack(tensor).unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    result = dt.jit(lambda v: 2 * v).lower(x).compile()(x)
    doubled = exchange.from_dlpack(result.__dlpack__(copy=False))
    assert bool(tensorflow.reduce_all(doubled == 2 * tensor))
    # It has no strides: a transposed array is copied.
    turned = exchange.from_dlpack(dnp.arange(6).reshape(2, 3).T.__dlpack__())
    assert turned.numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    with dt.enable_x64():
        wide = dnp.from_dlpack(tensorflow.constant([1.0, 2.0], "float64"), copy=False)
        assert wide.dtype == np.float64
    with pytest.raises(BufferError, match=r"no element type for tf\.string; encode"):
        dnp.from_dlpack(tensorflow.constant(["a"]))
    with pytest.raises(TypeError, match=r"an element type must be one of .* got: tf\.float32"):
        dt.jit(dnp.sin)(tensor)
    assert dnp.array([tensor[:2], tensor[:2]]).tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("name", [each for each in KNOWN_TO_NUMPY if each != "complex64"])
def test_columns(library: str, name: str) -> None:
    tables = pytest.importorskip(library)
    values = np.arange(5).astype(name)
    if library == "pyarrow":
        column: Any = tables.array(values)
        # Its bools are bits.
        shared = None if name == "bool" else dnp.from_dlpack(column, copy=False)
    elif library == "pandas":
        column = tables.Series(values)
        shared = dnp.from_dlpack(column.to_numpy(), copy=False)
        assert shared.unsafe_buffer_pointer() == address(column.to_numpy())
    else:
        column = tables.Series(values)
        shared = None if name == "bool" else dnp.from_dlpack(column.to_numpy(), copy=False)
    if shared is not None:
        assert shared.dtype == name
        assert shared.tolist() == values.tolist()
        again: Any = dnp.from_dlpack(column if library == "pyarrow" else column.to_numpy())
        assert again.unsafe_buffer_pointer() == shared.unsafe_buffer_pointer()
    numbers = column.to_numpy(zero_copy_only=False) if library == "pyarrow" else column.to_numpy()
    assert dnp.asarray(numbers).tolist() == values.tolist()


# The array API ------------------------------------------------------------------------------------


def test_namespace() -> None:
    assert MATRIX.__array_namespace__() is dnp
    assert MATRIX.__array_namespace__(api_version="2024.12") is dnp
    assert dnp.__array_api_version__ == "2024.12"
    with pytest.raises(ValueError, match=r"api_version must be one of .*2024\.12, got: '2099.12'"):
        MATRIX.__array_namespace__(api_version="2099.12")


def test_namespace_info() -> None:
    info = dnp.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert set(info.capabilities()) == {
        *("boolean indexing", "data-dependent shapes", "max dimensions"),
    }
    assert info.default_dtypes()["integral"] == np.int32
    assert "float64" not in info.dtypes()
    assert list(info.dtypes(kind=("bool", "complex floating"))) == ["bool", "complex64"]
    with config.enable_x64(True):
        assert info.default_dtypes()["indexing"] == np.int64
        assert list(info.dtypes(kind="real floating", device=HOST)) == ["float32", "float64"]
        assert len(info.dtypes()) == 13
    with pytest.raises(ValueError, match="kind must be"):
        info.dtypes(kind="number")


def test_devices() -> None:
    assert MATRIX.device == HOST
    assert str(MATRIX.device) == "cpu:0"
    assert MATRIX.devices() == {HOST}
    committed = MATRIX.to_device(MATRIX.device)
    assert committed.committed
    assert committed.buffer is MATRIX.buffer
    assert committed.to_device("cpu") is committed
    assert committed.to_device(MATRIX.sharding) is committed
    assert MATRIX.sharding == SingleDeviceSharding(HOST)
    assert MATRIX.sharding.device_set == {HOST}
    assert MATRIX.sharding.is_fully_addressable
    assert MATRIX.sharding.is_fully_replicated
    assert MATRIX.is_fully_addressable
    assert MATRIX.is_fully_replicated
    assert not MATRIX.committed
    assert MATRIX.addressable_data(0) is MATRIX
    whole = slice(None)
    assert MATRIX.addressable_shards == [Shard(HOST, (whole, whole), 0, MATRIX)]
    with pytest.raises(ValueError, match=r"device must be one of cpu:0, .* got: 'tpu'"):
        MATRIX.to_device("tpu")
    with pytest.raises(ValueError, match="stream must be None on cpu:0, got: 1"):
        MATRIX.to_device(HOST, stream=1)


def test_new_arrays_on_a_device() -> None:
    calls = [
        lambda d: dnp.array([1], device=d),
        lambda d: dnp.asarray(1, device=d),
        lambda d: dnp.zeros(2, device=d),
        lambda d: dnp.ones(2, device=d),
        lambda d: dnp.empty(2, device=d),
        lambda d: dnp.full(2, 1, device=d),
        lambda d: dnp.zeros_like(MATRIX, device=d),
        lambda d: dnp.ones_like(MATRIX, device=d),
        lambda d: dnp.empty_like(MATRIX, device=d),
        lambda d: dnp.full_like(MATRIX, 1, device=d),
        lambda d: dnp.eye(2, device=d),
        lambda d: dnp.arange(2, device=d),
        lambda d: dnp.linspace(0, 1, 2, device=d),
        lambda d: dnp.astype(MATRIX, "int32", device=d),
        lambda d: MATRIX.astype("int32", device=d),
    ]
    for call in calls:
        assert call(HOST).device == HOST
        assert call(HOST).committed
        with pytest.raises(ValueError, match=r"device must be one of cpu:0, .* got: 'elsewhere'"):
            call("elsewhere")


def test_programs_for_any_array_library_can_be_traced() -> None:
    def normalized(x: Any) -> Any:
        xp = x.__array_namespace__()
        scale = xp.ones(x.shape[-1], dtype=x.dtype, device=x.device)
        return (x - xp.mean(x)) / xp.std(x) * scale.to_device(x.device)

    expected = (np.asarray(MATRIX) - 3.5) / np.std(np.asarray(MATRIX))
    np.testing.assert_allclose(normalized(MATRIX), expected, rtol=1e-6)
    np.testing.assert_allclose(dt.jit(normalized)(MATRIX), expected, rtol=1e-6)


def test_requirements_of_the_standard_on_functions() -> None:
    with config.enable_x64(True):
        assert dnp.unique_values(dnp.asarray([2, 1, 2])).tolist() == [1, 2]
        assert dnp.unique_counts(dnp.asarray(False)).counts.tolist() == [1]
        small: Any = dnp.asarray([100, 100, 100], "uint8")
        for function in (dnp.cumulative_sum, dnp.cumulative_prod):
            assert function(small).dtype == np.uint64
            assert function(small, dtype="uint8").dtype == np.uint8
        assert int(dnp.clip(dnp.asarray(2**64 - 1, "uint64"), max=2**63)) == 2**63
    assert dnp.cumulative_sum(dnp.asarray([True, True])).dtype == np.int32
    np.testing.assert_array_equal(dnp.eye(2, 3, k=-(10**20)), np.zeros((2, 3)))
    np.testing.assert_array_equal(dnp.tril(MATRIX, 10**20), MATRIX)
    np.testing.assert_array_equal(dnp.triu(MATRIX, 10**20), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda: dnp.expand_dims(MATRIX, 3), IndexError, "3 is out of bounds"),
        (lambda: dnp.sum(MATRIX, axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda: dnp.nonzero(dnp.asarray(1)), ValueError, "at least 1 dimension, got: rank 0"),
        (lambda: dnp.choose(dnp.asarray([0, 2]), [1, 2]), ValueError, "less than 2"),
        (lambda: dnp.clip(MATRIX, 1j), ValueError, "Complex values have no ordering"),
        (lambda: dnp.clip(NOT_AN_ARRAY, 0), TypeError, "passed to clip at position 0"),
    ],
)
def test_errors_of_functions(
    function: Callable[[], Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        function()


def test_scalar_types_compare_with_anything() -> None:
    assert dnp.float32 == np.float32
    assert dnp.float32 == np.dtype("float32")
    assert dnp.float32 == "float32"
    for other in (None, 1, {"names": 1}, [("a", int)], "nonsense", np.float64, object):
        assert dnp.float32 != other
    assert dnp.bool_.__name__ == "bool"
    assert np.dtype(dnp.bfloat16) == dnp.bfloat16
