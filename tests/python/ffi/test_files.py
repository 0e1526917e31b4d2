"""Module files that call foreign functions: what they need, and what is said if it is missing."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import ffi, runtime
from dovetail.runtime import iree_internals, plugins
from support.native_libraries import library

FOLDER = Path(__file__).parent
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def f(x: Any) -> Any:
    struct = dt.ShapeDtypeStruct(x.shape, x.dtype)
    y = ffi.ffi_call("scale", struct)(x, by=np.float32(3))
    return ffi.ffi_call("fails", struct)(y)


@pytest.fixture(scope="module")
def files(functions: ctypes.CDLL, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file that calls functions, and their library."""
    path = tmp_path_factory.mktemp("foreign") / "f.vmfb"
    dt.export(f, X, path=path, name="f")
    return path, library(FOLDER / "functions.c")


def in_another_process(
    text: str, *args: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    program = f"import sys, numpy as np\nfrom dovetail import runtime\n{text}"
    return subprocess.run(
        [sys.executable, "-c", program, *args],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


RUN = (
    "path, *libraries = sys.argv[1:]\n"
    "module = runtime.load(path, 'local-sync', libraries=libraries)\n"
    "print(module.f(np.full((2, 3), 2, np.float32)).numpy()[0, 0], flush=True)\n"
    "assert not any(m.startswith(('dovetail.compiler', 'dovetail.tracing')) for m in sys.modules)\n"
    "module.f(np.full((2, 3), -2, np.float32))"
)


def test_a_file_names_what_it_needs(files: tuple[Path, Path]) -> None:
    notes = runtime.load(files[0]).notes
    assert notes is not None
    assert notes.foreign == {
        "fails": ("c", "libfunctions.so", {"execute": "fails"}),
        "scale": ("c", "libfunctions.so", {"execute": "scale"}),
    }
    done = subprocess.run(
        [sys.executable, "-m", "dovetail", "inspect", str(files[0])], capture_output=True, text=True
    )
    assert "calls scale: scale of libfunctions.so\n" in done.stdout


def test_libraries_in_another_process(files: tuple[Path, Path]) -> None:
    path, found = map(str, files)
    done = in_another_process(RUN, path, found)
    assert done.stdout == "6.0\n", done.stderr
    assert "the target `fails` failed: x must not be negative, in '" + path in done.stderr
    listed = ";".join(f"{name}=c:{name}:{found}" for name in ("scale", "fails"))
    text = RUN.replace("libraries=libraries", "")
    assert in_another_process(text, path, DOVETAIL_FFI_TARGETS=listed).stdout == "6.0\n"


def test_handlers_in_another_process(tmp_path: Path) -> None:
    found = str(library(FOLDER / "minimal_handlers.c"))
    ffi.register_ffi_target("Shift", ffi.pycapsule(ctypes.CDLL(found).Shift))
    shift = ffi.ffi_call("Shift", dt.ShapeDtypeStruct((2,), np.float64))
    with dt.enable_x64(True):
        dt.export(lambda x: shift(x, by=0.5), np.zeros(2), path=tmp_path / "f.vmfb", name="f")
    text = (
        "module = runtime.load(sys.argv[1], libraries=sys.argv[2:])\n"
        "print(module.notes.foreign['Shift'].kind, module.f(np.ones(2)).numpy())"
    )
    done = in_another_process(text, str(tmp_path / "f.vmfb"), found)
    assert done.stdout == "xla [1.5 1.5]\n", done.stderr


@pytest.mark.parametrize("case", ["none", "wrong", "missing"])
def test_what_is_missing(files: tuple[Path, Path], case: str) -> None:
    path, _found = map(str, files)
    libraries = {"none": [], "wrong": [plugins.path(plugins.COLLECTIVES)], "missing": ["no.so"]}
    done = in_another_process(RUN, path, *libraries[case])
    name = f"ValueError: {path!r} needs "
    expected = {
        "none": f"{name}the target `fails`, the symbol fails of libfunctions.so, got: no libraries",
        "wrong": f"{name}the target `fails`, the symbol fails of libfunctions.so, got: /",
        "missing": f"{name}a library that can be loaded, got: no.so",
    }
    assert expected[case] in done.stderr


def test_the_command(files: tuple[Path, Path]) -> None:
    path, found = map(str, files)
    command = [sys.executable, "-m", "dovetail", "run", path, "x=[[1,2,3],[4,5,6]]"]
    done = subprocess.run([*command, f"--library={found}"], capture_output=True, text=True)
    assert "18" in done.stdout, done.stderr
    assert "needs the target" in subprocess.run(command, capture_output=True, text=True).stderr


def test_iree_run_module(files: tuple[Path, Path]) -> None:
    path, found = map(str, files)
    command = [
        *(
            str(iree_internals.program("iree-run-module")),
            f"--module={path}",
            "--device=local-sync",
        ),
        f"--executable_plugin={plugins.path(plugins.FOREIGN)}",
        *("--function=f", "--input=2x3xf32=1 2 3 4 5 6"),
    ]
    listed = ";".join(f"{name}=c:{name}:{found}" for name in ("scale", "fails"))
    environment = {**os.environ, "DOVETAIL_FFI_TARGETS": listed}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "[3 6 9][12 15 18]" in done.stdout, done.stderr
    # Without Python, too, it is said which call failed, and why.
    negative = [*command[:-1], "--input=2x3xf32=-1"]
    done = subprocess.run(negative, capture_output=True, text=True, env=environment)
    assert "dovetail.ffi: the target `fails` failed: x must not be negative\n" in done.stderr
    environment["DOVETAIL_FFI_TARGETS"] = listed.partition(";")[0]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "dovetail.ffi: the target `fails` failed: no function is registered" in done.stderr
    assert done.returncode != 0


def test_wrong_arguments_of_a_file(files: tuple[Path, Path]) -> None:
    module = runtime.load(files[0])
    with pytest.raises(TypeError, match=r"float32\[2,3\]"):
        module.f(np.zeros((3, 3), np.float32))
    with pytest.raises(
        RuntimeError, match=r"`fails` failed: x must not be negative, in '.*f\.vmfb'"
    ):
        module.f(X - 10)


@pytest.mark.parametrize("how", ["fault", "abort"])
@pytest.mark.parametrize("mode", ["eager", "now"])
def test_a_crash_names_the_target(functions: ctypes.CDLL, how: str, mode: str) -> None:
    program = (
        "import ctypes, faulthandler, sys, numpy as np, dovetail as dt\n"
        "from dovetail import ffi\n"
        "ffi.register_c_function('crashes', ctypes.CDLL(sys.argv[1]).crashes)\n"
        "faulthandler.enable()\n"
        "f = lambda: ffi.ffi_call('crashes', dt.ShapeDtypeStruct((), 'int32'))(how=sys.argv[2])\n"
        "dt.jit(f)() if sys.argv[3] == 'now' else f()"
    )
    path = str(library(FOLDER / "functions.c"))
    done = subprocess.run(
        [sys.executable, "-c", program, path, how, mode], capture_output=True, text=True
    )
    signal = {"fault": "SIGSEGV", "abort": "SIGABRT"}[how]
    assert f"dovetail.ffi: the target `crashes` crashed with {signal}\n" in done.stderr
    assert "Fatal Python error: " in done.stderr
    assert 'File "<string>", line 6 in <module>' in done.stderr
    assert done.returncode < 0
