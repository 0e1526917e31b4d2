"""Compiling MLIR text, its errors, and the cache."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.compiler.cache import Cache, directory_from_environment
from dovetail.compiler.module_files import CompileError, Target, cache_key, compile_module
from dovetail.runtime import Executable

ADD = """
module @m {
  func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"""


def with_op(op: str, dtype: str = "f32") -> str:
    return f"""
    func.func @f(%a: tensor<4x{dtype}>) -> tensor<4x{dtype}> {{
      %0 = {op} %a : tensor<4x{dtype}>
      return %0 : tensor<4x{dtype}>
    }}"""


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def entries(cache: Cache) -> list[Path]:
    assert cache.directory is not None
    return list(cache.directory.iterdir())


# Compiling


def test_compiled_code_runs(cache: Cache) -> None:
    x = np.arange(4, dtype=np.float32)
    (result,) = Executable(compile_module(ADD, cache=cache), "f")([x, x])
    np.testing.assert_array_equal(result.numpy(), 2 * x)


def test_f64_stays_f64() -> None:
    x = 1 + np.arange(4) * 2.0**-40
    (result,) = Executable(compile_module(with_op("math.absf", "f64")), "f")([-x])
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result.numpy(), x)


@pytest.mark.parametrize(
    "target", ["cpu-generic", "cuda", "cuda:sm_89", "rocm", "rocm:gfx1100", "vulkan", "metal"]
)
def test_every_target_compiles(target: str) -> None:
    marker = {"cuda": b"nvptx", "rocm": b"hsaco", "vulkan": b"spirv", "metal": b"msl"}
    name = target.split(":")[0]
    assert marker.get(name, b"embedded-elf") in compile_module(ADD, target=target)


def test_threads_compile_at_the_same_time() -> None:
    texts = [ADD.replace("4x", f"{n}x") for n in range(5, 9)]
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(lambda t: compile_module(t, cache=Cache(None)), texts))
    for n, vmfb in enumerate(modules, start=5):
        x = np.ones(n, np.float32)
        np.testing.assert_array_equal(Executable(vmfb, "f")([x, x])[0].numpy(), 2 * x)


def test_targets_are_checked() -> None:
    assert Target.parse("cuda:sm_89") == Target("cuda", "sm_89")
    assert Target().device == "local-task"
    assert "--iree-cuda-target=sm_89" in Target("cuda", "sm_89").flags
    with pytest.raises(ValueError, match=r"target must be one of cpu, .*, got: 'tpu'"):
        compile_module(ADD, target="tpu")
    with pytest.raises(ValueError, match="target 'metal' has no models, got: 'm1'"):
        Target.parse("metal:m1")


# Errors


def test_errors_carry_the_message_of_iree(capfd: pytest.CaptureFixture[str]) -> None:
    text = ADD.replace("return %0 : tensor<4xf32>", "return %0 : tensor<5xf32>")
    with pytest.raises(CompileError) as caught:
        compile_module(text)
    error = caught.value
    assert error.path.read_text() == text
    error.path.unlink()
    message = str(error)
    assert "error: dovetail.mlir:5:12: use of value '%0' expects different type" in message
    assert f"kept in {error.path}; reproduce with\n  iree-compile " in message
    assert len(error.diagnostics) >= 1
    captured = capfd.readouterr()
    assert captured.err == ""
    assert captured.out == ""


def test_the_first_error_comes_first_and_without_the_dumps() -> None:
    with pytest.raises(CompileError) as caught:
        compile_module(with_op("math.erf", "f64"))
    caught.value.path.unlink()
    summary = str(caught.value).splitlines()
    assert "failed to legalize operation 'math.erf'" in summary[1]
    assert "kept in" in summary[2]
    assert any("cpu_features" in d for d in caught.value.diagnostics)


def test_missing_symbols_are_pointed_out() -> None:
    with pytest.raises(CompileError, match=r"linker says:\n(.|\n)*undefined symbol: sin") as caught:
        compile_module(with_op("math.sin", "f64"))
    caught.value.path.unlink()


def test_unknown_flags_are_rejected() -> None:
    with pytest.raises(ValueError, match="option not found: bogus"):
        compile_module(ADD, flags=["--bogus"])


def test_failures_are_not_cached(cache: Cache) -> None:
    with pytest.raises(CompileError) as caught:
        compile_module("text", cache=cache)
    caught.value.path.unlink()
    assert entries(cache) == []


# The cache

CACHED = """
import sys
from dovetail.compiler.module_files import compile_module
vmfb = compile_module(sys.argv[1])
print("dovetail.compiler.processes" in sys.modules, len(vmfb))
"""


def test_the_second_process_does_not_start_the_compiler(tmp_path: Path) -> None:
    environment = {**os.environ, "DOVETAIL_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", CACHED, ADD]
    outputs = [
        subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert [loaded for loaded, _ in outputs] == ["True", "False"]
    assert outputs[0][1] == outputs[1][1]
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_everything_that_matters_is_in_the_key() -> None:
    keys = {
        cache_key("text", (), "host"),
        cache_key("text2", (), "host"),
        cache_key("text", ("--flag",), "host"),
        cache_key("text", ("--fl", "ag"), "host"),
        cache_key("text", (), "other host"),
        cache_key("ttext", (), "hos"),
    }
    assert len(keys) == 6


def test_entries_are_used(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_module(ADD, cache=cache)
    assert len(entries(cache)) == 1
    monkeypatch.setattr("dovetail.compiler.module_files._compile", None)
    assert compile_module(ADD, cache=cache) == first


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "swap"])
def test_damaged_entries_are_rebuilt(cache: Cache, damage: str) -> None:
    first = compile_module(ADD, cache=cache)
    (path,) = entries(cache)
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "truncate":
        del content[-1]
    elif damage == "empty":
        content.clear()
    else:
        other = path.with_name("other")
        cache.put(other.name, b"the module of another program")
        content = bytearray(other.read_bytes())
        other.unlink()
    path.write_bytes(content)
    assert cache.get(path.name) is None
    assert not path.exists()
    assert compile_module(ADD, cache=cache) == first
    assert cache.get(path.name) == first


def test_a_directory_that_cannot_be_written_costs_only_the_speed_up(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    assert cache.get("key") is None
    with pytest.warns(RuntimeWarning, match="are not kept: .*; set DOVETAIL_CACHE_DIR, or"):
        cache.put("key", b"content")
    cache.put("key", b"content")  # reported once
    assert cache.get("key") is None


def test_no_file_is_left_after_a_failed_write(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = cache.directory
    assert directory is not None

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(RuntimeWarning, match="no space left"):
        cache.put("key", b"content")
    assert list(directory.iterdir()) == []


def test_many_writers_of_one_entry(cache: Cache) -> None:
    content = bytes(100_000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: cache.put("key", content), range(64)))
    assert cache.get("key") == content
    assert [path.name for path in entries(cache)] == ["key"]


def test_the_environment_names_the_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOVETAIL_CACHE_DIR", str(tmp_path))
    assert directory_from_environment() == tmp_path
    monkeypatch.setenv("DOVETAIL_CACHE_DIR", "")
    assert directory_from_environment() is None
    monkeypatch.delenv("DOVETAIL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory_from_environment() == tmp_path / "dovetail"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert directory_from_environment() == tmp_path / "home" / ".cache" / "dovetail"


def test_a_fusion_that_iree_cannot_generate_code_for_is_given_up() -> None:
    import dovetail as dt
    import dovetail.numpy as dnp

    def loss(w: Any, v: Any, x: Any) -> Any:
        return dnp.sum((dnp.tanh(x @ w) @ v) ** 2)

    shapes = ((2, 64), (64, 1), (256, 2))
    args = [np.random.default_rng(0).normal(size=shape).astype(np.float32) for shape in shapes]
    gradients = dt.grad(loss, argnums=(0, 1))
    for got, expected in zip(dt.jit(gradients)(*args), gradients(*args), strict=True):
        np.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-2)


@pytest.mark.parametrize(
    "function",
    [
        lambda y: dnp.sum(dnp.tanh(dnp.full((3,), 0.5))) + y,
        lambda y: dnp.sum(dnp.exp(dnp.tanh(dnp.full((3, 4), 0.5))) * dnp.full((3, 4), 2.0)) + y,
        lambda y: dnp.sum(dnp.prod(dnp.zeros((0, 3)), 0)) + y,
        lambda y: dnp.sum(dnp.prod(dnp.zeros((0, 3), "complex64"), 0)).real + y,
        lambda y: dnp.sum(dnp.pad(dnp.zeros(0), (1, 2), constant_values=2)) + y,
        lambda y: dnp.sum(dnp.full((3,), y) * 2) + y,
    ],
)
def test_sums_of_equal_elements(function: Any) -> None:
    """The code generator loses the size of a filled array that is summed."""
    compiled = dt.jit(function).lower(0.5).compile()
    np.testing.assert_allclose(compiled(0.5), function(dnp.float32(0.5)), rtol=1e-6)


def once_more(x: Any) -> Any:
    """An update of one window, and its parts."""
    y = x.at[np.array([0])].multiply(2.0)
    return dnp.concatenate([y, -y, y])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: dnp.tanh(x)[:1].reshape(1, 1).at[np.array([0])].add(x[:1]),
        lambda x: dnp.tanh(x)[:1].reshape(()).reshape(1, 1, 1).at[np.array([0])].add(x[1:2]),
        dt.grad(lambda x: dnp.sum(once_more(x[:1]) * dnp.tanh(once_more(x[:1])) * x[:3])),
        lambda x: (x * 2)[1:2].reshape(1, 1).at[np.array([0])].multiply(x[0]),
    ],
)
def test_one_element_of_a_slice_gets_more_dimensions(function: Any) -> None:
    """IREE crashes when it moves the new dimensions to the slice."""
    x = dnp.asarray([0.5, -0.25, 1.0, 2.0])
    with config.merge_small_ops(False):
        compiled = dt.jit(function).lower(x).compile()
    np.testing.assert_allclose(compiled(x), function(x), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:1].at[np.array([0])].multiply(2.0),
        lambda x: x[1:].at[np.array([0, 0])].add(x[:2]) * 3,
        lambda x: x[1].at[np.array([2])].max(7.0),
        lambda x: dnp.concatenate([x[:1].at[np.array([0])].multiply(2.0)] * 2),
        dt.grad(lambda x: dnp.sum(x[:, 1:3].at[np.array([0, 2])].multiply(x[:2, :2]) ** 2)),
    ],
)
@pytest.mark.parametrize("columns", [4, 40_000])
def test_updates_of_slices(function: Any, columns: int) -> None:
    """IREE copies the slice in the dispatch that updates it, and may not write there."""
    x = dnp.arange(3 * columns, dtype="float32").reshape(3, columns)
    compiled = dt.jit(function).lower(x).compile()
    np.testing.assert_allclose(compiled(x), function(x), rtol=1e-6)


def test_loss_and_gradient_of_a_classifier() -> None:
    """IREE's fusions of ops with several users produced wrong sums here."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 512)).astype(np.float32)
    params = (rng.normal(size=(512, 10)) / 22).astype(np.float32), np.zeros(10, np.float32)
    labels = np.arange(64) % 10

    def loss(params: Any) -> Any:
        scores = dt.nn.log_softmax(x @ params[0] + params[1])
        return -(scores * dt.nn.one_hot(labels, 10)).sum() / len(x)

    both = dt.value_and_grad(loss)
    for got, expected in zip(
        dt.tree.leaves(dt.jit(both)(params)), dt.tree.leaves(both(params)), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
