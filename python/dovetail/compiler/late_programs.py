"""Programs that are compiled when another program first calls them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.base import background
from dovetail.compiler import progress
from dovetail.compiler.errors import CompileError
from dovetail.reference import Evaluator
from dovetail.runtime import Executable, HostFunctions, get_device

Array = np.ndarray[Any, Any]

# It runs in the middle of another program, on the thread that runs that.
_DEVICE = "local-sync"
_NAME = "an iteration of a loop"


class LateProgram:
    """A program for the CPU as a function of arrays.

    It is evaluated if it cannot be compiled, with a warning, as programs are that users call.

    Args:
      text: the text of a module after the phase `check`, whose `main` it is.
      dtypes: the dtypes of its results.
    """

    def __init__(self, text: str, dtypes: Sequence[np.dtype]) -> None:
        self._text = text
        self._dtypes = list(dtypes)
        self._run: Callable[[list[Array]], list[Array]] | None = None
        self._lock = threading.Lock()

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """The results; the arrays are only borrowed."""
        with self._lock:
            run = self._run = self._run or self._made()
        return tuple(run([array.copy() for array in arrays]))

    def _made(self) -> Callable[[list[Array]], list[Array]]:
        from dovetail.compiler.forms import Lowering, compilation  # lazy

        module = _core.Module.parse(self._text)
        try:
            compiled = compilation(Lowering(module, "check", host_functions=True, name=_NAME))
        except CompileError as error:
            background.warn(f"{_NAME} could not be compiled and is evaluated op by op: {error}")
            return Evaluator(module.program("main"))
        finally:
            progress.leave(_NAME)
        functions = compiled.host_functions
        host = HostFunctions(functions, get_device(_DEVICE)) if functions else None
        executable = Executable(
            compiled.vmfb, "main", _DEVICE, output_dtypes=self._dtypes, host_functions=host
        )
        return lambda arrays: [result.numpy() for result in executable(arrays)]
