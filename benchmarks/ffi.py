"""What a call of a foreign function costs, beside what the function itself takes, and in JAX.

python benchmarks/ffi.py [--headers FOLDER]    FOLDER has XLA's headers, jaxlib's by default

The function does nothing but write one number. In a loop of 1,000 steps each step makes one call:
the cost is the time of the loop divided by 1,000. For single programs it is the difference between
a program that makes one call and one that makes eight, divided by 7. JAX's row appears if JAX is
installed; it calls the same handler.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from by_turns import measure

import dovetail as dt
from dovetail import ffi, lax

HANDLER = r"""
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static ffi::Error StepImpl(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  *y->typed_data() = *x.typed_data() + 1;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Step, StepImpl,
                              ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""
FUNCTION = r"""
#include <dovetail/ffi.h>
int32_t step(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  *(float *)arrays[1] = *(const float *)arrays[0] + 1;
  return 0;
}
"""
STEPS = 1000
X = np.zeros(1, np.float32)


def built(folder: Path, name: str, text: str, *options: str) -> ctypes.CDLL:
    """The library of a source text."""
    is_c = name.endswith(".c")
    source, target = folder / name, folder / f"lib{name}.so"
    source.write_text(text)
    names = ("clang-22", "gcc") if is_c else ("clang++-22", "g++")
    compiler = next(path for path in map(shutil.which, names) if path)
    command = [compiler, "-O2", "-fPIC", "-shared", *options, str(source), "-o", str(target)]
    subprocess.run(command if is_c else [*command, "-std=c++17"], check=True)
    return ctypes.CDLL(str(target))


def programs(jit: Any, loop: Any, call: Any, effects: Any) -> dict[str, Callable[[], Any]]:
    """The programs to time, of one library."""

    def looped(step: Any) -> Any:
        f = jit(lambda x: loop(lambda c, _: (step(c), None), x, length=STEPS)[0])
        return lambda: np.asarray(f(X))

    def repeated(count: int) -> Any:
        def program(x: Any) -> Any:
            for _ in range(count):
                x = call(x)
            return x

        f = jit(program)
        return lambda: np.asarray(f(X))

    made = {"call": looped(call), "one": repeated(1), "eight": repeated(8)}
    if effects is not None:
        made["effects"] = looped(effects)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headers", type=Path)
    parser.add_argument("--repeat", type=int, default=30)
    options = parser.parse_args()
    headers = options.headers
    try:
        import jax  # pyright: ignore[reportMissingImports]
    except ImportError:
        jax = None
    if headers is None and jax is not None:
        headers = Path(jax.ffi.include_dir())
    struct = dt.ShapeDtypeStruct(X.shape, X.dtype)
    calls: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = built(Path(folder), "step.c", FUNCTION, f"-I{ffi.include_dir()}")
        ffi.register_c_function("step", library.step)
        calls["C function"] = programs(
            dt.jit,
            lax.scan,
            ffi.ffi_call("step", struct),
            ffi.ffi_call("step", struct, has_side_effect=True),
        )
        if headers is not None:
            handlers = built(Path(folder), "step.cc", HANDLER, "-isystem", str(headers))
            ffi.register_ffi_target("Step", ffi.pycapsule(handlers.Step))
            calls["XLA handler"] = programs(
                dt.jit,
                lax.scan,
                ffi.ffi_call("Step", struct),
                ffi.ffi_call("Step", struct, has_side_effect=True),
            )
            if jax is not None:
                jax.ffi.register_ffi_target("Step", jax.ffi.pycapsule(handlers.Step))
                theirs = jax.ShapeDtypeStruct(X.shape, X.dtype)
                calls["JAX"] = programs(
                    jax.jit,
                    jax.lax.scan,
                    jax.ffi.ffi_call("Step", theirs),
                    jax.ffi.ffi_call("Step", theirs, has_side_effect=True),
                )
        contenders = {
            f"{name}: {what}": run for name, group in calls.items() for what, run in group.items()
        }
        times = measure(contenders, options.repeat)
        print(f"{'':14}  µs per call: in a loop  in a loop, with effects  in a program")
        for name in calls:
            inside, effects = (1e6 * times[f"{name}: {w}"] / STEPS for w in ("call", "effects"))
            among = 1e6 * (times[f"{name}: eight"] - times[f"{name}: one"]) / 7
            print(f"{name:14}  {inside:22.2f}  {effects:23.2f}  {among:12.2f}")


if __name__ == "__main__":
    main()
