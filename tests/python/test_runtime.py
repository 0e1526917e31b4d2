"""The runtime, on hand-written modules compiled by IREE."""

from __future__ import annotations

import gc
import json
import random
import subprocess
import sys
import textwrap
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import iree._runtime_libs
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iree.runtime import PyModuleInterface

from dovetail import runtime
from dovetail.compile import compile_module
from dovetail.runtime import ArraySpec, Buffer, Executable, Signature
from dovetail.runtime.buffer import as_host_array
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE
from dovetail.runtime.module_file import check, seal
from dovetail.runtime.signature import decode_tree, encode_tree
from dovetail.runtime.tree import Arguments, unflatten

HOST_DEVICES = ("local-sync", "local-task")

# What the compiled code computes with: no signs.
STORAGE = {
    "bool": "i1",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2": "f8E5M2",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
DTYPES = list(ELEMENT_OF_DTYPE)


def element(dtype: np.dtype) -> str:
    return STORAGE.get(dtype.name, f"i{8 * dtype.itemsize}")


def reflection(signature: Signature | None) -> str:
    if signature is None:
        return ""
    text = json.dumps(signature.to_json())  # a JSON string is a valid MLIR string here
    return f"attributes {{iree.reflection = {{dovetail.signature = {text}}}}}"


def select(
    name: str, shape: tuple[int | None, ...], element: str, signature: Signature | None = None
) -> str:
    """A function that returns its second or third argument, as a computation of its own."""
    tensor = f"tensor<{''.join('?x' if dim is None else f'{dim}x' for dim in shape)}{element}>"
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    identity = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join(['"parallel"'] * len(shape))
    dynamic = [i for i, dim in enumerate(shape) if dim is None]
    sizes = "\n".join(
        f"%c{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a, %c{i} : {tensor}"
        for i in dynamic
    )
    return f"""
    func.func @{name}(%p: tensor<i1>, %a: {tensor}, %b: {tensor}) -> {tensor}
        {reflection(signature)} {{
      %c = tensor.extract %p[] : tensor<i1>
      {sizes}
      %e = tensor.empty({", ".join(f"%n{i}" for i in dynamic)}) : {tensor}
      %r = linalg.generic {{indexing_maps = [{identity}, {identity}, {identity}],
          iterator_types = [{kinds}]}}
          ins(%a, %b : {tensor}, {tensor}) outs(%e : {tensor}) {{
      ^bb0(%x: {element}, %y: {element}, %z: {element}):
        %s = arith.select %c, %x, %y : {element}
        linalg.yield %s : {element}
      }} -> {tensor}
      return %r : {tensor}
    }}"""


def module(*functions: str, **options: Any) -> bytes:
    return compile_module("module @m {" + "\n".join(functions) + "}", **options)


ADD = """
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

LARGE = 1 << 20
ALIASES = f"""
func.func @identity(%a: tensor<{LARGE}xf32>) -> tensor<{LARGE}xf32> {{
  return %a : tensor<{LARGE}xf32>
}}
func.func @reshape(%a: tensor<{LARGE}xf32>) -> tensor<1024x1024xf32> {{
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [1024, 1024]
      : tensor<{LARGE}xf32> into tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}}"""


def aligned(shape: tuple[int, ...], dtype: Any, offset: int = 0) -> np.ndarray:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + size].view(dtype).reshape(shape)


def address(buffer: Buffer) -> int:
    return buffer.numpy().ctypes.data


@pytest.fixture(scope="session")
def add_module() -> bytes:
    return module(ADD)


@pytest.fixture(scope="session")
def dtype_module() -> bytes:
    flag = ArraySpec((), np.dtype(bool))
    functions = []
    for dtype in DTYPES:
        for shape in ((), (None, 3)):
            spec = ArraySpec(shape, dtype)
            signature = Signature((flag, spec, spec), (spec,))
            name = f"{dtype.name}_{len(shape)}"
            functions.append(select(name, shape, element(dtype), signature))
    return module(*functions)


# Dtypes and shapes


@pytest.mark.parametrize("device", HOST_DEVICES)
@pytest.mark.parametrize("shape", [(), (5, 3), (0, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_comes_back_as_it_went(
    dtype_module: bytes, dtype: np.dtype, shape: tuple[int, ...], device: str
) -> None:
    loaded = runtime.load(dtype_module, device)
    data = np.random.default_rng(0).integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8)
    if dtype.kind == "b":
        data &= 1
    x = data.view(dtype).reshape(shape)
    zeros = np.zeros(shape, dtype)
    function = loaded[f"{dtype.name}_{len(shape)}"]
    result = function(True, x, zeros)
    assert (result.shape, result.dtype) == (shape, dtype)
    # As bytes: most NaNs are among the random ones.
    assert result.numpy().tobytes() == x.tobytes()
    again = function(False, zeros, result)
    assert again.numpy().tobytes() == x.tobytes()


def test_without_a_signature_integers_are_signed_by_default_and_unsigned_on_demand() -> None:
    vmfb = module(select("f", (2,), "i32"))
    x = np.array([2**32 - 1, 7], np.uint32)
    (signed,) = Executable(vmfb, "f")([np.True_, x, x])
    assert signed.dtype == np.int32
    (unsigned,) = Executable(vmfb, "f", output_dtypes=[np.uint32])([np.True_, x, x])
    np.testing.assert_array_equal(unsigned.numpy(), x)


def test_unknown_dtypes_are_refused(add_module: bytes) -> None:
    with pytest.raises(TypeError, match=r"dtype must be one of bool, .*, got: object; convert"):
        Executable(add_module, "add")([np.array([None] * 4), np.zeros(4, np.float32)])


# Inputs


class OnlyArray:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.arange(4, dtype=np.float32)


class OnlyDLPack:
    def __init__(self) -> None:
        self._array = np.arange(4, dtype=np.float32)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [
        OnlyArray,
        OnlyDLPack,
        lambda: np.arange(4, dtype=">f4"),
        lambda: np.arange(8, dtype=np.float32)[::2] / 2,
        lambda: np.repeat(np.arange(4, dtype=np.float32), 2)[::2],
        lambda: np.broadcast_to(np.float32(0), 4) + np.arange(4, dtype=np.float32),
        lambda: runtime.put(np.arange(4, dtype=np.float32)),
    ],
)
def test_inputs_of_all_kinds(add_module: bytes, make: Any) -> None:
    one = np.ones(4, np.float32)
    (result,) = Executable(add_module, "add")([make(), one])
    np.testing.assert_array_equal(result.numpy(), [1, 2, 3, 4])


@pytest.mark.parametrize("writeable", [True, False])
def test_large_aligned_arrays_are_read_in_place(writeable: bool) -> None:
    device = runtime.get_device("local-sync")
    x = aligned((LARGE,), np.float32)
    x[:] = np.arange(LARGE)
    x.flags.writeable = writeable
    view = device.share(x)
    assert view is not None
    shared = Buffer(view.ref, x.dtype, device)
    assert address(shared) == x.ctypes.data
    del view
    x = x.copy()  # the buffer keeps the old one
    gc.collect()
    np.testing.assert_array_equal(shared.numpy(), x)
    assert device.share(aligned((LARGE,), np.float32, offset=16)) is None
    assert device.share(aligned((4,), np.float32)) is None


@pytest.mark.parametrize("function", ["identity", "reshape"])
@pytest.mark.parametrize("device", HOST_DEVICES)
def test_results_do_not_share_memory_with_arrays(function: str, device: str) -> None:
    executable = Executable(module(ALIASES), function, device)
    x = aligned((LARGE,), np.float32)
    (result,) = executable([x])
    before = result.numpy().copy()
    x[:] = 1
    np.testing.assert_array_equal(result.numpy(), before)


def test_buffers_are_passed_without_a_copy() -> None:
    vmfb = module(ALIASES)
    x = runtime.put(np.zeros(LARGE, np.float32))
    (result,) = Executable(vmfb, "identity", "local-task")([x])
    assert address(result) == address(x)
    (result,) = Executable(vmfb, "identity", "local-sync")([x])
    assert address(result) == address(x)


# Buffers


def test_buffer_is_an_array() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = runtime.put(x, "local-sync")
    assert (buffer.shape, buffer.dtype, buffer.ndim) == ((2, 3), np.float32, 2)
    assert (buffer.size, buffer.nbytes, len(buffer)) == (6, 24, 2)
    assert buffer.block_until_ready() is buffer
    assert buffer.numpy() is buffer.numpy()
    assert not buffer.numpy().flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        buffer.numpy().flags.writeable = True
    np.testing.assert_array_equal(np.asarray(buffer), x)
    assert np.shares_memory(np.asarray(buffer), buffer.numpy())
    assert np.asarray(buffer, dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(buffer[1], x[1])
    assert str(buffer) == str(x)
    assert repr(buffer) == "Buffer(shape=(2, 3), dtype=float32, device='local-sync')"
    scalar = runtime.put(np.float32(2.5))
    assert (float(scalar), int(scalar), bool(scalar), scalar.item()) == (2.5, 2, True, 2.5)
    with pytest.raises(TypeError, match="rank 1 or more, got: rank 0"):
        len(scalar)


def test_buffer_gives_dlpack() -> None:
    buffer = runtime.put(np.arange(4, dtype=np.float32))
    back = np.from_dlpack(buffer)  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(back, [0, 1, 2, 3])
    assert np.shares_memory(back, buffer.numpy())


def test_put_copies() -> None:
    x = aligned((LARGE,), np.float32)
    buffer = runtime.put(x)
    x[:] = 1
    assert not buffer.numpy().any()


def test_arrays_outlive_everything(add_module: bytes) -> None:
    x = np.arange(4, dtype=np.float32)
    array = runtime.load(add_module).add(x, x).numpy()
    gc.collect()
    filler = [np.full(4, 9, np.float32) for _ in range(100)]
    np.testing.assert_array_equal(array, 2 * x)
    del filler


# Signatures and pytrees

ROW, ROWS = ArraySpec((4,), np.dtype(np.float32)), ArraySpec(("n", 4), np.dtype(np.float32))
FLAG = ArraySpec((), np.dtype(bool))
TREES = Signature(
    (FLAG, ROWS, ROWS),
    (ROWS,),
    in_tree=({"flag": 0, "pair": (1, None)}, [2]),
    out_tree={"result": [0, None], 3: ()},
    arg_names=("params", "rest"),
)


@pytest.fixture(scope="session")
def tree_function() -> runtime.Function:
    return runtime.load(module(select("f", (None, 4), "f32", TREES)), "local-sync").f


def test_calls_take_and_return_pytrees(tree_function: runtime.Function) -> None:
    x, y = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32)
    result = tree_function({"flag": True, "pair": (x, None)}, [y])
    assert list(result) == ["result", 3]
    assert result[3] == ()
    assert result["result"][1] is None
    np.testing.assert_array_equal(result["result"][0].numpy(), x)
    result = tree_function(rest=[y], params={"pair": (x, None), "flag": np.False_})
    np.testing.assert_array_equal(result["result"][0].numpy(), y)
    result = tree_function({"flag": 1 == 1, "pair": ([[1, 2, 3, 4]], None)}, rest=[y[:1]])
    np.testing.assert_array_equal(result["result"][0].numpy(), [[1, 2, 3, 4]])
    assert (
        repr(tree_function) == "<function f(bool[], float32[n,4], float32[n,4]) -> (float32[n,4])>"
    )


X = np.zeros((2, 4), np.float32)
PARAMS = {"flag": np.True_, "pair": (X, None)}


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((), {}, TypeError, r"f takes 2 arguments \(params, rest\), got: 0"),
        ((PARAMS, [X], X), {}, TypeError, r"takes 2 arguments .*, got: 3"),
        ((PARAMS,), {"params": X}, TypeError, "argument 'params' twice"),
        ((PARAMS,), {"y": X}, TypeError, "no argument 'y'; it has: params, rest"),
        ((), {"rest": [X]}, TypeError, "f needs params, got: rest"),
        ((X, [X]), {}, TypeError, "params must be a dict, got: ndarray"),
        (
            ({"flag": X}, [X]),
            {},
            TypeError,
            r"params must be a dict with the keys \['flag', 'pair'",
        ),
        ((PARAMS, (X,)), {}, TypeError, "rest must be a list, got: tuple"),
        ((PARAMS, [X, X]), {}, TypeError, "rest must be a list of 1 elements, got: 2 elements"),
        (
            ({"flag": True, "pair": (X, X)}, [X]),
            {},
            TypeError,
            r"params\['pair'\]\[1\] must be None, got: ndarray",
        ),
        (
            ({"flag": True, "pair": (X.astype(np.float64), None)}, [X]),
            {},
            TypeError,
            r"params\['pair'\]\[0\] must have dtype float32, got: float64; "
            r"pass x.astype\('float32'\)",
        ),
        ((PARAMS, [X[:, :3]]), {}, ValueError, r"rest\[0\] must be .* got: float32\[2,3\]"),
        ((PARAMS, [X[0]]), {}, ValueError, r"rest\[0\] must be .* got: float32\[4\]"),
        (
            (PARAMS, [X[:1]]),
            {},
            ValueError,
            r"rest\[0\] must be float32\[n,4\] where n = 2, got: float32\[1,4\]",
        ),
        ((PARAMS, ["text"]), {}, TypeError, r"rest\[0\] must be an array .* got: str"),
        ((PARAMS, [None]), {}, TypeError, r"rest\[0\] must be an array .* got: None"),
        ((PARAMS, [[[1j, 0, 0, 0]]]), {}, TypeError, "must have dtype float32, got: complex128"),
        (({"flag": 1, "pair": (X, None)}, [X]), {}, TypeError, "must have dtype bool, got: int64"),
    ],
)
def test_wrong_arguments_are_named(
    tree_function: runtime.Function,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        tree_function(*args, **kwargs)


def test_foreign_modules_are_checked_by_their_declaration() -> None:
    loaded = runtime.load(module(ADD, select("f", (None, 2), "i8")), "local-sync")
    assert loaded.functions == ["add", "f"]
    x = np.ones(4, np.float32)
    np.testing.assert_array_equal(loaded.add(x, [1, 2, 3, 4]).numpy(), [2, 3, 4, 5])
    with pytest.raises(TypeError, match="add takes 2 arguments, got: 1"):
        loaded.add(x)
    with pytest.raises(ValueError, match=r"args\[1\] must be float32\[4\], got: float32\[3\]"):
        loaded.add(x, x[:3])
    with pytest.raises(TypeError, match="no argument 'b'; it has: arguments by position only"):
        loaded.add(x, b=x)
    small = np.ones((3, 2), np.uint8)
    assert loaded.f(True, small, small).dtype == np.int8
    with pytest.raises(TypeError, match=r"args\[1\] must have dtype int8, got: int16"):
        loaded.f(True, small.astype(np.int16), small)


def test_numbers_of_results() -> None:
    loaded = runtime.load(
        module(
            "func.func @none(%a: tensor<4xf32>) { return }",
            "func.func @two(%a: tensor<4xf32>, %b: tensor<4xf32>) -> "
            "(tensor<4xf32>, tensor<4xf32>) { return %b, %a : tensor<4xf32>, tensor<4xf32> }",
        )
    )
    x, y = np.zeros(4, np.float32), np.ones(4, np.float32)
    assert loaded.none(x) is None
    first, second = loaded.two(x, y)
    np.testing.assert_array_equal(first.numpy(), y)
    np.testing.assert_array_equal(second.numpy(), x)


def test_scalar_parameters_are_outside_of_what_is_checked() -> None:
    vmfb = module(
        "func.func @f(%a: i32, %b: tensor<complex<f32>>, %c: tensor<1x?xbf16>)"
        " -> tensor<complex<f32>> { return %b : tensor<complex<f32>> }"
    )
    signature = runtime.load(vmfb).f.signature
    assert signature is not None
    complex64, bfloat16 = np.dtype(np.complex64), np.dtype(ml_dtypes.bfloat16)
    assert signature.inputs == (None, ArraySpec((), complex64), ArraySpec((1, None), bfloat16))
    assert signature.outputs == (ArraySpec((), complex64),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"inputs": []}',
        '{"inputs": [{"shape": [-1], "dtype": "float32"}], "outputs": []}',
        '{"inputs": [{"shape": [1], "dtype": "object"}], "outputs": []}',
        '{"inputs": [], "outputs": [], "in_tree": 3, "out_tree": null}',
        '{"inputs": [], "outputs": [], "in_tree": {"set": []}, "out_tree": null}',
        '{"inputs": [], "outputs": [], "in_tree": {"tuple": []}, "out_tree": 0}',
        '{"inputs": [], "outputs": [], "in_tree": {"tuple": []}}',
    ],
)
def test_malformed_signatures_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"'dovetail\.signature' of the function is malformed"):
        Signature.from_json(text)


def test_unknown_specs_survive() -> None:
    signature = Signature((None, ROW), (ROWS, None))
    assert Signature.from_json(signature.to_json()) == signature


def test_only_plain_containers_are_written() -> None:
    with pytest.raises(TypeError, match="dict, list, tuple and None only, got: set"):
        encode_tree({1})
    with pytest.raises(TypeError, match=r"must be a string or an int, got: \(1, 2\)"):
        encode_tree({(1, 2): 0})


trees = st.recursive(
    st.none() | st.just(object()),
    lambda children: (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), children, max_size=3)
    ),
    max_leaves=10,
)


@given(st.lists(trees, max_size=3).map(tuple))
def test_trees_survive(tree: Any) -> None:
    count = 0

    def number(node: Any) -> Any:
        nonlocal count
        if isinstance(node, dict):
            return {key: number(child) for key, child in node.items()}
        if isinstance(node, tuple | list):
            return type(node)(number(child) for child in node)
        if node is None:
            return None
        count += 1
        return count - 1

    numbered = number(tree)
    data = json.loads(json.dumps(encode_tree(numbered)))
    assert decode_tree(data) == numbered
    specs = (FLAG,) * count
    signature = Signature(specs, specs, numbered, numbered)
    assert Signature.from_json(signature.to_json()) == signature
    leaves = [np.bool_(i % 2 == 1) for i in range(count)]
    flat = Arguments("f", signature).flatten(unflatten(numbered, leaves), {})
    assert [bool(leaf) for leaf in flat] == [bool(leaf) for leaf in leaves]


# Modules and devices


def test_functions_by_name(add_module: bytes) -> None:
    loaded = runtime.load(add_module)
    assert loaded["add"] is loaded.add
    assert "add" in dir(loaded)
    assert repr(loaded) == "<module m on local-task: add>"
    with pytest.raises(AttributeError, match="no function 'sub'; it has: add"):
        _ = loaded.sub
    with pytest.raises(KeyError, match="no function 'sub'; it has: add"):
        _ = loaded["sub"]
    with pytest.raises(KeyError, match="function must be one of add, got: 'sub'"):
        Executable(add_module, "sub")


def test_devices_are_made_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        devices = list(pool.map(lambda _: runtime.get_device("local-task"), range(32)))
    assert len(set(map(id, devices))) == 1
    with pytest.raises(ValueError, match=r"device must be one of local-task, .*, got: 'tpu'"):
        runtime.get_device("tpu")
    with pytest.raises(ValueError, match="device 'metal' is not available on this machine"):
        runtime.get_device("metal")


def test_a_module_for_another_device_is_refused() -> None:
    vmfb = module(ADD, target="cuda")
    with pytest.raises(ValueError, match="it was compiled for 'cuda' devices; compile it for that"):
        runtime.load(vmfb, "local-sync")


def test_vulkan() -> None:
    try:
        runtime.get_device("vulkan")
    except ValueError as error:
        pytest.skip(str(error))
    loaded = runtime.load(module(ADD, target="vulkan"))
    assert loaded.device.name == "vulkan"
    x = np.arange(4, dtype=np.float32)
    first = loaded.add(x, x)
    second = loaded.add(first, runtime.put(x, "local-task"))
    np.testing.assert_array_equal(second.numpy(), 3 * x)
    (third,) = Executable(module(ADD), "add")([second, x])
    np.testing.assert_array_equal(third.numpy(), 4 * x)


def test_imports_are_linked() -> None:
    class Host:
        def __init__(self, interface: Any) -> None:
            pass

        def double(self, value: int) -> int:
            return 2 * value

    interface = PyModuleInterface("host", Host)
    interface.export("double", "0i_i", Host.double)
    vmfb = module(
        """
        func.func private @host.double(i32) -> i32
        func.func @f(%a: tensor<i32>) -> tensor<i32> {
          %0 = tensor.extract %a[] : tensor<i32>
          %1 = call @host.double(%0) : (i32) -> i32
          %2 = tensor.from_elements %1 : tensor<i32>
          return %2 : tensor<i32>
        }"""
    )
    loaded = runtime.load(vmfb, imports=[interface.create()])
    assert loaded.f(np.int32(21)).item() == 42


@pytest.mark.parametrize("device", HOST_DEVICES)
def test_threads_call_at_the_same_time(dtype_module: bytes, device: str) -> None:
    function = runtime.load(dtype_module, device)["float32_2"]
    start = threading.Barrier(8)

    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            x, y = (rng.random((rng.integers(1, 50), 3), dtype=np.float32) for _ in range(2))
            y = np.resize(y, x.shape)
            if not np.array_equal(function(seed % 2 == 0, x, y).numpy(), y if seed % 2 else x):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


# Files


def test_saved_files_load_and_the_tools_read_them(add_module: bytes, tmp_path: Path) -> None:
    path = tmp_path / "add.vmfb"
    path.write_bytes(b"an older file")
    runtime.save(path, add_module)
    assert [p.name for p in tmp_path.iterdir()] == ["add.vmfb"]
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(runtime.load(path).add(x, x).numpy(), 2 * x)
    np.testing.assert_array_equal(runtime.load(str(path)).add(x, x).numpy(), 2 * x)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.comment.startswith(b"dovetail sha256 ")
    tool = Path(iree._runtime_libs.__file__).with_name("iree-run-module")
    arguments = ["--device=local-sync", "--function=add", "--input=4xf32=1", "--input=4xf32=2"]
    command = [str(tool), f"--module={path}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "4xf32=3 3 3 3" in done.stdout
    before = path.read_bytes()
    runtime.save(path, before)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="not an IREE module file"):
        runtime.save(path, b"text")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not start as an archive"),
        (b"MZ" + bytes(100), "does not start as an archive"),
        (b"PK\x03\x04" + bytes(100), "its end is missing"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"file' is not an IREE module file: .*{reason}.*compile"):
        runtime.load(path)
    with pytest.raises(ValueError, match=f"the data is not an IREE module file: .*{reason}"):
        runtime.load(data)
    with pytest.raises(FileNotFoundError):
        runtime.load(tmp_path / "absent")


def test_other_archives_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "arrays.npz", x=np.zeros(4))
    with pytest.raises(ValueError, match="IREE module file: its archive does not start with a"):
        runtime.load(tmp_path / "arrays.npz")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(ValueError, match="is not an IREE module file"):
        runtime.load(tmp_path / "empty.zip")


def test_modules_without_an_archive_are_refused() -> None:
    # Nothing in them tells damaged machine code from good.
    vmfb = module(ADD, flags=["--iree-vm-emit-polyglot-zip=false"])
    with pytest.raises(ValueError, match="it does not start as an archive"):
        runtime.load(vmfb)


def test_damage_to_a_sealed_file_never_passes(add_module: bytes) -> None:
    sealed = seal(add_module)
    check(sealed)
    rng = random.Random(0)
    damaged = [sealed[: rng.randrange(len(sealed))] for _ in range(300)]
    damaged += [sealed + bytes(n) for n in (1, 22, 100)]
    for position in {*rng.sample(range(len(sealed)), 600), *range(len(sealed) - 150, len(sealed))}:
        data = bytearray(sealed)
        data[position] ^= 1 << rng.randrange(8)
        damaged.append(bytes(data))
    for data in damaged:
        with pytest.raises(ValueError, match="is not an IREE module file"):
            runtime.load(data)


MUTATE = """
import random, sys
import numpy as np
from dovetail import runtime
data = open(sys.argv[1], "rb").read()
x = np.arange(4, dtype=np.float32)
rng = random.Random(int(sys.argv[2]))
refused = right = 0
for _ in range(400):
    mutant = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        mutant[rng.randrange(len(mutant))] = rng.randrange(256)
    if rng.random() < 0.2:
        del mutant[rng.randrange(len(mutant)) :]
    try:
        result = runtime.load(bytes(mutant), "local-sync").add(x, x).numpy()
    except ValueError:
        refused += 1
    else:
        assert np.array_equal(result, 2 * x), "a wrong answer"
        right += 1
print(refused, right)
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_damage_to_an_unsealed_file_gives_an_error_or_the_right_answer(
    add_module: bytes, tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "add.vmfb"
    path.write_bytes(add_module)
    done = run_python(MUTATE, str(path), str(seed))
    refused, right = map(int, done.split())
    assert refused > 300
    assert right > 0


ISOLATED = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if name.startswith("iree.compiler") or parts[0] in ("optree", "scipy", "nanobind") or (
            parts[0] == "dovetail" and len(parts) > 1 and parts[1] != "runtime"
        ):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import numpy as np
from dovetail import runtime
x = np.arange(4, dtype=np.float32)
print(runtime.load(sys.argv[1]).add(x, x))
"""


def test_the_runtime_needs_nothing_else(add_module: bytes, tmp_path: Path) -> None:
    path = tmp_path / "add.vmfb"
    runtime.save(path, add_module)
    assert run_python(ISOLATED, str(path)).strip() == "[0. 2. 4. 6.]"


def run_python(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_host_arrays_are_not_copied_without_need() -> None:
    x = np.arange(4, dtype=np.float32)
    assert as_host_array(x) is x
    buffer = runtime.put(x)
    assert np.shares_memory(as_host_array(buffer), buffer.numpy())
