"""`dovetail.export`: files for several targets and functions, with separate files of parameters."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import ffi, runtime
from dovetail.runtime import iree_internals, plugins
from dovetail.runtime.notes import NOTES_KEY, Notes, architecture, processor_features
from support.native_libraries import library
from support.runtime_modules import module

TOOL = iree_internals.program("iree-run-module")
X = np.array([[1, -2, 3], [0.5, 0, -1]], np.float32)
TABLE = np.linspace(-1, 1, 60, dtype=np.float32).reshape(3, 20)
PARAMS = {"layers": [{"w": np.ones((3, 2), np.float32) / 4, "b": np.array([1, 2], np.float32)}]}


def predict(params: Any, x: Any) -> Any:
    y = x
    for layer in params["layers"]:
        y = dnp.tanh(y @ layer["w"] + layer["b"])
    return {"y": y, "total": dnp.sum(x @ TABLE)}


def expected(params: Any = PARAMS, x: np.ndarray = X) -> dict[str, np.ndarray]:
    (layer,) = params["layers"]
    return {"y": np.tanh(x @ layer["w"] + layer["b"]), "total": np.asarray(np.sum(x @ TABLE))}


def check(result: Any, params: Any = PARAMS) -> None:
    assert result.keys() == {"y", "total"}
    for key, value in expected(params).items():
        np.testing.assert_allclose(np.asarray(result[key]), value, rtol=1e-5, atol=1e-5)


def run_tool(path: Path, device: str, *arguments: str, ok: bool = True) -> str:
    command = [str(TOOL), f"--module={path}", f"--device={device}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == 0) == ok, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_cli(*arguments: Any, ok: bool = True) -> str:
    command = [sys.executable, "-m", "dovetail", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == (0 if ok else 1), done.stdout + done.stderr
    return done.stdout if ok else done.stderr


def save_arrays(folder: Path, **arrays: Any) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two functions for two kinds of devices."""
    path = tmp_path_factory.mktemp("export") / "both.vmfb"

    def predict_more(params: Any, x: Any, scale: Any) -> Any:
        return {key: value * scale for key, value in predict(params, x).items()}

    functions = {
        "predict": (predict, PARAMS, dt.ShapeDtypeStruct((2, 3), "float32")),
        "more": dt.jit(predict_more, static_argnames="scale").lower(PARAMS, x=X, scale=2),
    }
    files = dt.export(functions, path=path, targets=["cpu", "vulkan"])
    assert files == {"cpu": path, "vulkan": path}
    return path


@pytest.mark.parametrize("device", ["local-sync", "vulkan"])
def test_one_file_runs_on_several_devices(
    both: Path, device: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if device == "vulkan":
        request.getfixturevalue("vulkan")
    loaded = runtime.load(both, device)
    assert loaded.functions == ["predict", "more"]
    check(loaded.predict(PARAMS, X))
    doubled = loaded.more(PARAMS, x=X)
    check({key: np.asarray(value) / 2 for key, value in doubled.items()})
    layer = PARAMS["layers"][0]
    save_arrays(tmp_path, b=layer["b"], w=layer["w"], x=X)
    inputs = [f"--input=@{tmp_path / name}.npy" for name in ("b", "w", "x")]
    outputs = [f"--output=@{tmp_path / name}.npy" for name in ("total", "y")]
    run_tool(both, device, "--function=predict", *inputs, *outputs)
    check({name: np.load(tmp_path / f"{name}.npy") for name in ("total", "y")})


def test_a_file_describes_itself(both: Path) -> None:
    notes = runtime.load(both).notes
    assert notes is not None
    assert notes.version == dt.__version__
    assert notes.targets == ("cpu", "vulkan")
    text = run_cli("inspect", both)
    for part in (
        "targets: cpu, vulkan",
        "function predict:\n  argument params.layers.0.b: float32[2]\n",
        "  argument x: float32[2,3]\n  result result.total: float32[]\n",
        "Vulkan",
    ):
        assert part in text


def test_files_run_from_the_command_line(both: Path, tmp_path: Path) -> None:
    layer = PARAMS["layers"][0]
    np.savez(tmp_path / "p.npz", **{"layers.0.w": layer["w"], "layers.0.b": layer["b"]})
    np.save(tmp_path / "x.npy", X)
    arguments = ["run", both, "--function=predict", "--device=local-sync"]
    given = [f"params=@{tmp_path / 'p.npz'}", f"x=@{tmp_path / 'x.npy'}"]
    run_cli(*arguments, *given, f"--output={tmp_path / 'out.npz'}")
    with np.load(tmp_path / "out.npz") as saved:
        check(dict(saved))
    leaves = [f"params.layers.0.w={layer['w'].tolist()}", "params.layers.0.b=[1, 2]"]
    text = run_cli(*arguments, *leaves, f"x={X.tolist()}")
    assert "result.y: float32[2,2]" in text
    for wrong, message in [
        (given[:1], "needs x"),
        ([*given, "z=1"], "has no argument 'z'; it has: params.layers.0.b"),
        ([*given[:1], "x=[1,2]"], "x must be float32[2,3], got: float32[2]"),
        ([*given[:1], "x=one"], "must be @file.npy"),
        ([*given[:1], "x=@absent.npy"], "absent.npy"),
    ]:
        error = run_cli(*arguments, *wrong, ok=False)
        assert error.startswith("dovetail: error: ")
        assert message in error
    assert "--function must be given" in run_cli("run", both, ok=False)
    assert "no function 'f'" in run_cli("run", both, "--function=f", ok=False)


def test_programs_that_differ_by_target_have_a_file_each(tmp_path: Path, vulkan: None) -> None:
    def f(x: Any) -> Any:
        return x + dnp.arange(3)

    x = np.array([1, 2, 3], np.float32)
    files = dt.export(f, x, path=tmp_path / "f.vmfb", targets=["cpu-generic", "vulkan"])
    assert files == {
        "cpu-generic": tmp_path / "f.cpu-generic.vmfb",
        "vulkan": tmp_path / "f.vulkan.vmfb",
    }
    for path in files.values():
        np.testing.assert_array_equal(runtime.load(path).main(x), [1, 3, 5])
    with pytest.raises(
        ValueError, match="cannot run on device 'local-sync': it was compiled for v"
    ):
        runtime.load(files["vulkan"], "local-sync")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(p.name for p in files.values())


def test_code_for_other_machines(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        return x + x

    x = np.array([1, 2], np.float32)
    targets = ["cpu:x86-64-v3", "cpu:aarch64", "cpu:riscv64", "cuda:sm_89", "rocm", "metal"]
    files = dt.export(f, x, path=tmp_path / "f.vmfb", targets=targets)
    assert set(files.values()) == {tmp_path / "f.vmfb"}
    data = (tmp_path / "f.vmfb").read_bytes()
    for code in (b"elf_x86_64", b"elf_arm_64", b"elf_riscv_64", b"nvptx", b"hsaco", b"msl"):
        assert code in data
    # A loader does not distinguish levels of one architecture.
    targets = ["cpu:x86-64-v2", "cpu:x86-64-v3"]
    files = dt.export(f, x, path=tmp_path / "g.vmfb", targets=targets)
    assert sorted(p.name for p in files.values()) == [
        "g.cpu-x86-64-v2.vmfb",
        "g.cpu-x86-64-v3.vmfb",
    ]
    named = dt.export(f, x, path=tmp_path / "h-{target}.vmfb", targets="cpu:aarch64:neoverse-v1")
    assert [p.name for p in named.values()] == ["h-cpu-aarch64-neoverse-v1.vmfb"]
    other = "cpu:x86-64-v3" if architecture() == "aarch64" else "cpu:aarch64"
    dt.export(f, x, path=tmp_path / "other.vmfb", targets=other)
    with pytest.raises(ValueError, match=f"on device 'local-.*: it was compiled for {other}; comp"):
        runtime.load(tmp_path / "other.vmfb")


@pytest.mark.skipif(not processor_features(), reason="the system does not list features")
def test_files_for_better_processors_are_rejected() -> None:
    notes = Notes(dt.__version__, ("cpu",), {architecture(): ("a_feature_of_none",)})
    text = notes.to_json().replace('"', r"\22")
    vmfb = module(f"""
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32>
        attributes {{iree.reflection = {{{NOTES_KEY} = "{text}"}}}} {{
      %0 = arith.addf %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }}""")
    with pytest.raises(ValueError, match="needs a processor with a_feature_of_none"):
        runtime.load(vmfb, "local-sync")


# Parameters


@pytest.mark.parametrize("suffix", ["irpa", "safetensors"])
def test_parameters_are_in_a_file(tmp_path: Path, suffix: str) -> None:
    weights, path = tmp_path / f"weights.{suffix}", tmp_path / "predict.vmfb"
    dt.export(predict, PARAMS, X, path=path, parameters=weights, parameter_argnames="params")
    loaded = runtime.load(path, "local-sync")
    check(loaded.main(X))
    assert loaded.notes is not None
    (parameters,) = loaded.notes.parameters.values()
    assert parameters.file == weights.name
    assert list(parameters.arrays) == ["params.layers.0.b", "params.layers.0.w", "captured.0"]
    np.save(tmp_path / "x.npy", X)
    arguments = [f"--parameters=model={weights}", f"--input=@{tmp_path / 'x.npy'}"]
    assert "2x2xf32=" in run_tool(path, "local-sync", "--function=main", *arguments)
    assert "captured.0: float32[3,20]" in run_cli("inspect", path)
    given = ["run", path, f"x={X.tolist()}", "--device=local-sync"]
    assert "result.y" in run_cli(*given, f"--parameters=model={weights}")

    moved = tmp_path / "elsewhere" / f"other.{suffix}"
    moved.parent.mkdir()
    weights.rename(moved)
    with pytest.raises(
        FileNotFoundError, match=f"parameters 'model', got: no file '.*{weights.name}'"
    ):
        runtime.load(path)
    check(runtime.load(path, parameters=moved).main(X))
    check(runtime.load(path, parameters={"model": moved}).main(X))
    with pytest.raises(
        FileNotFoundError, match="the data needs a file with its parameters 'model'"
    ):
        runtime.load(path.read_bytes())
    for size in (0, 10, 100):
        cut = tmp_path / f"cut.{suffix}"
        cut.write_bytes(moved.read_bytes()[:size])
        with pytest.raises(ValueError, match="cut"):
            runtime.load(path, parameters=cut)
    with pytest.raises(ValueError, match=r"must end with one of \.irpa"):
        runtime.load(path, parameters=tmp_path / "x.npy")


def test_parameters_may_come_later(tmp_path: Path) -> None:
    path, weights = tmp_path / "f.vmfb", tmp_path / "w.safetensors"

    def f(w: Any, n: Any, x: Any) -> Any:
        return {"y": w["a"] * x, "n": n + 1}

    specs = {"a": dt.ShapeDtypeStruct((2,), "float32")}, dt.ShapeDtypeStruct((), "int32")
    names = ["w", "n"]
    x = np.array([1, 2], np.float32)
    dt.export(f, *specs, x, path=path, parameters=weights, parameter_argnames=names)
    assert not weights.exists()
    for scale in (2, 3):
        values = {"a": np.full(2, scale, np.float32)}, np.int32(scale)
        other = tmp_path / "other.vmfb"
        dt.export(f, *values, x, path=other, parameters=weights, parameter_argnames=names)
        result = runtime.load(path, "local-sync").main(x)
        np.testing.assert_array_equal(result["y"], scale * x)
        assert int(result["n"]) == scale + 1
    wrong = {"a": np.ones(3, np.float32)}, np.int32(0)
    x3 = np.ones(3, np.float32)
    dt.export(f, *wrong, x3, path=other, parameters=weights, parameter_argnames=names)
    with pytest.raises(ValueError, match=r"'w\.a' must be float32\[2\] of 8 bytes, got: 12"):
        runtime.load(path)
    dt.export(f, *wrong, x3, path=other, parameters=weights, parameter_argnames="n")
    with pytest.raises(ValueError, match=r"'w\.a' is missing"):
        runtime.load(path)
    with pytest.raises(
        ValueError, match=r"only the type of 'w\.a'; pass its value, or name a file"
    ):
        dt.export(f, *specs, x, path=path, parameter_argnames=names)


# Wrong requests


def test_wrong_requests_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "f.vmfb"
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ((dnp.sin, X), {"targets": "tpu"}, ValueError, "target must be one of cpu, .* got: 'tpu'"),
        ((dnp.sin, X), {"targets": []}, ValueError, "targets must name one target at least"),
        ((dnp.sin, X), {"targets": "cpu:arm:x"}, ValueError, "also cpu:architecture:model"),
        ((dnp.sin, X), {"name": "a b"}, ValueError, "must be an identifier, got: 'a b'"),
        ((dnp.sin, X), {"parameter_argnames": "w"}, ValueError, "must name arguments .* got: 'w'"),
        (({},), {}, ValueError, "one function at least"),
        (({"f": 3},), {}, TypeError, "export takes a function, .* got: int for 'f'"),
        (({"f": (dnp.sin, X)}, X), {}, TypeError, "must be given together with a function"),
        (
            (lambda x: x * TABLE, X[0, 0]),
            {"parameters": "w.npz"},
            ValueError,
            "must end with .irpa",
        ),
    ]
    for arguments, options, kind, message in cases:
        with pytest.raises(kind, match=message):
            dt.export(*arguments, path=path, **options)
    assert not list(tmp_path.iterdir())


def test_unknown_processors_are_explained(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="x86-64-v9"):
        dt.export(dnp.sin, X, path=tmp_path / "f.vmfb", targets="cpu:x86-64-v9")


@pytest.fixture(scope="module")
def c_program(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C example, built as its `CMakeLists.txt` describes."""
    cmake, build = shutil.which("cmake"), tmp_path_factory.mktemp("deploy_c")
    if cmake is None:
        pytest.skip("there is no cmake")
    configure = [cmake, "-S", str(repository / "examples" / "deploy_c"), "-B", str(build)]
    done = subprocess.run(configure, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if "IREE's C runtime was not found, so nothing is built" in done.stdout:
        pytest.skip("there is no C runtime of IREE; IREERuntime_DIR says where one is")
    done = subprocess.run([cmake, "--build", str(build)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return build / "deploy"


@pytest.fixture(
    scope="module",
    params=["", "mlp.irpa", "mlp.safetensors"],
    ids=["inside", "irpa", "safetensors"],
)
def network(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, list[str], str, str]:
    """Calls of the C example: module, option for its parameters, argument, expected result."""
    path = tmp_path_factory.mktemp("network") / "mlp.vmfb"
    weights = path.parent / request.param if request.param else None
    script = str(repository / "examples" / "deploy_c" / "export_mlp.py")
    options = [f"--parameters={weights}"] if weights else []
    command = [sys.executable, script, str(path), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    argument, result = done.stdout.split()
    return path, [f"--parameters=model={weights}"] if weights else [], argument, result


def test_calls_of_the_c_example(network: tuple[Path, list[str], str, str]) -> None:
    path, options, argument, expected = network
    x, y = (
        np.array(values.split(","), np.float32).reshape(tuple(map(int, shape.split("x"))))
        for shape, values in (text.split("=") for text in (argument, expected))
    )
    np.testing.assert_array_equal(runtime.load(path, "local-sync").predict(x), y)
    given = argument.replace("=", "xf32=")
    said = run_tool(path, "local-sync", *options, "--function=predict", f"--input={given}")
    rows = "".join(f"[{' '.join(f'{value:g}' for value in row)}]" for row in y)
    assert f"2x2xf32={rows}" in said


def test_the_c_example(c_program: Path, network: tuple[Path, list[str], str, str]) -> None:
    path, options, argument, expected = network
    for device in ("local-sync", "local-task"):
        command = [str(c_program), *options, str(path), device, "predict", argument]
        ran = subprocess.run(command, capture_output=True, text=True)
        assert (ran.returncode, ran.stdout.strip()) == (0, expected), ran.stderr


def test_the_c_example_loads_libraries(
    c_program: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = library(repository / "tests" / "python" / "ffi" / "functions.c")
    ffi.register_c_function("scale", ctypes.CDLL(str(found)).scale)
    x = np.arange(3, dtype=np.float32)
    call = ffi.ffi_call("scale", dt.ShapeDtypeStruct(x.shape, x.dtype))
    path = tmp_path / "f.vmfb"
    dt.export(lambda x: call(x, by=np.float32(3)), x, path=path, name="f")
    command = [
        *(str(c_program), f"--library={plugins.path(plugins.FOREIGN)}"),
        *(str(path), "local-sync", "f", "3=0,1,2"),
    ]
    monkeypatch.setenv("DOVETAIL_FFI_TARGETS", f"scale=c:scale:{found}")
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, "3=0,3,6"), ran.stderr
    # What is missing is an error that names the target.
    monkeypatch.delenv("DOVETAIL_FFI_TARGETS")
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "scale" in ran.stderr


def test_the_c_example_explains_errors(
    c_program: Path, network: tuple[Path, list[str], str, str]
) -> None:
    path, options, argument, _ = network
    for arguments, message in [
        ([*options, str(path), "local-sync", "nothing", argument], "no function `nothing`"),
        ([*options, str(path), "local-sync", "predict", "2x2=1,2,3,4"], "expected shape `2x3`"),
        ([*options, str(path), "local-sync", "predict", "2x3=1,2"], "must have 6 values"),
        ([*options, str(path), "local-sync", "predict"], "expected 1 arguments but passed 0"),
        (["--parameters=model=absent.irpa", str(path), "local-sync", "predict"], "absent.irpa"),
        ([str(path.with_name("absent.vmfb")), "local-sync", "predict", argument], "absent.vmfb"),
    ]:
        ran = subprocess.run([str(c_program), *arguments], capture_output=True, text=True)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert message in ran.stderr
