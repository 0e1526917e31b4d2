"""The libraries that the suite compares, each with one way to make arrays, programs and results."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from programs.registry import Program

Call = Callable[[], Any]


def leaves(tree: Any) -> list[Any]:
    """Returns the arrays of nested tuples, lists and dicts."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Returns the tree of a function's results for the arrays of nested tuples, lists and dicts."""
    if isinstance(tree, dict):
        return {key: mapped(function, part) for key, part in tree.items()}
    if isinstance(tree, tuple | list):
        return type(tree)(mapped(function, part) for part in tree)
    return function(tree)


def use(platform: str) -> None:
    """Chooses the platform on which Dovetail, JAX and PyTorch run; before they are imported.

    On others than the CPU, JAX multiplies float32 in full, as Dovetail and PyTorch do, not in
    19 bits, and takes memory as it needs it.
    """
    global PLATFORM
    PLATFORM = platform
    if platform == "cpu":
        return
    os.environ["DOVETAIL_PLATFORMS"] = f"{platform},cpu"
    os.environ["JAX_PLATFORMS"] = f"{platform},cpu"
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "float32")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


# Set by `use`.
PLATFORM = "cpu"


class Library:
    """A library whose functions are called one by one.

    Args:
      name: as in the tables.
      module: its top-level module.
    """

    compiles = False

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.module_name = module

    @property
    def module(self) -> Any:
        """The top-level module, which is imported now."""
        return importlib.import_module(self.module_name)

    @property
    def is_installed(self) -> bool:
        """Whether the library can be imported."""
        return importlib.util.find_spec(self.module_name) is not None

    @property
    def version(self) -> str:
        """The library's version."""
        return getattr(self.module, "__version__", "")

    def runs_on(self, platform: str) -> bool:
        """Whether the library has arrays on a platform."""
        return True

    def has(self, program: Program) -> bool:
        """Whether the program is written for the library."""
        raise NotImplementedError

    def context(self, program: Program) -> contextlib.AbstractContextManager[Any]:
        """Returns the settings that a program needs."""
        return contextlib.nullcontext()

    def put(self, array: np.ndarray) -> Any:
        """Returns an array of the library."""
        return array

    def arguments(self, program: Program, arrays: Any) -> Any:
        """Returns the library's arguments of a program."""
        return mapped(self.put, arrays)

    def call(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns a call that waits until its result is there, and returns it."""
        raise NotImplementedError

    def compiled(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns such a call whose program is compiled, and has not run with these arguments."""
        return self.call(program, size, arguments)

    def to_numpy(self, array: Any) -> np.ndarray:
        """Returns an array of the library's as one of NumPy's."""
        return np.asarray(array)

    def forget(self) -> None:
        """Drops the programs of this process."""


class NumPy(Library):
    """NumPy and SciPy."""

    def runs_on(self, platform: str) -> bool:
        """Whether the library has arrays on a platform."""
        return platform == "cpu"

    def has(self, program: Program) -> bool:
        """Whether the program is written for the library."""
        return program.numpy is not None

    def call(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns a call that waits until its result is there, and returns it."""
        function = program.numpy
        assert function
        given = program.given(function, size)
        return lambda: function(*arguments, **given)


class PyTorch(Library):
    """PyTorch, without its compiler."""

    def has(self, program: Program) -> bool:
        """Whether the program is written for the library."""
        return program.torch is not None

    def context(self, program: Program) -> contextlib.AbstractContextManager[Any]:
        """Returns the settings that a program needs: where it makes arrays."""
        return self.module.device(PLATFORM)

    def put(self, array: np.ndarray) -> Any:
        """Returns an array of the library."""
        torch = self.module
        array = np.array(array, order="C")
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).to(PLATFORM)
        return torch.from_numpy(array).to(PLATFORM)

    def call(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns a call that waits until its result is there, and returns it."""
        function, torch = program.torch, self.module
        assert function
        given = program.given(function, size)
        if PLATFORM == "cpu":
            return lambda: function(torch, *arguments, **given)

        def call() -> Any:
            result = function(torch, *arguments, **given)
            torch.cuda.synchronize()
            return result

        return call

    def to_numpy(self, array: Any) -> np.ndarray:
        """Returns an array of the library's as one of NumPy's."""
        if not hasattr(array, "detach"):
            return np.asarray(array)
        array = array.detach()
        array = array.cpu()
        return (array.float() if array.dtype == self.module.bfloat16 else array).numpy()


class Compiled(Library):
    """A library with JAX's API: Dovetail or JAX."""

    compiles = True
    # Of `jit`.
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str, module: str) -> None:
        super().__init__(name, module)
        os.environ.setdefault("DOVETAIL_COMPILE", "now")
        os.environ.setdefault("JAX_PLATFORMS", "cpu")

    @property
    def module(self) -> Any:
        """The top-level module, with those that programs find as its attributes."""
        module = importlib.import_module(self.module_name)
        for part in ("numpy", "lax", "nn", "random", "scipy", "scipy.special", "scipy.linalg"):
            importlib.import_module(f"{self.module_name}.{part}")
        return module

    def has(self, program: Program) -> bool:
        """Whether the program is written for the library."""
        return True

    def context(self, program: Program) -> contextlib.AbstractContextManager[Any]:
        """Returns the settings that a program needs."""
        return self.module.enable_x64(True) if program.x64 else contextlib.nullcontext()

    def arguments(self, program: Program, arrays: Any) -> Any:
        """Returns the library's arguments of a program."""
        if program.made == "numpy":
            return arrays
        put = self.eager if program.made == "eager" else self.put
        return self.module.block_until_ready(mapped(put, arrays))

    def eager(self, array: np.ndarray) -> Any:
        """Returns an array that a function outside of a compiled program made."""
        return self.module.numpy.asarray(array) + 0

    def put(self, array: np.ndarray) -> Any:
        """Returns an array that a compiled program made, where it keeps them."""
        numpy = self.module.numpy
        is_bool = array.dtype == np.bool_
        return self.module.jit(lambda x: x & True if is_bool else numpy.positive(x))(array)

    def call(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns a call that waits until its result is there, and returns it."""
        module, function = self.module, self.function(program, size)
        if not program.jit:
            return lambda: module.block_until_ready(function(*arguments))
        jitted = module.jit(function, **self.options)
        # All results of a program are ready when one is.
        result, path = module.block_until_ready(jitted(*arguments)), []
        while isinstance(result, tuple | list | dict):
            path.append(next(iter(result)) if isinstance(result, dict) else 0)
            result = result[path[-1]]

        def call() -> Any:
            result = part = jitted(*arguments)
            for key in path:
                part = part[key]
            part.block_until_ready()
            return result

        return call

    def function(self, program: Program, size: str) -> Callable[..., Any]:
        """Returns the function of arrays."""
        module, given = self.module, program.given(program.function, size)

        @functools.wraps(program.function)
        def function(*arrays: Any) -> Any:
            return program.function(module, *arrays, **given)

        # Its arguments are the arrays alone.
        del function.__wrapped__
        return function

    def compiled(self, program: Program, size: str, arguments: Any) -> Call:
        """Returns such a call whose program is compiled, and has not run with these arguments."""
        if not program.jit:
            return self.call(program, size, arguments)
        module = self.module
        compiled = module.jit(self.function(program, size)).lower(*arguments).compile()
        return lambda: module.block_until_ready(compiled(*arguments))

    def forget(self) -> None:
        """Drops the programs of this process."""
        self.module.clear_caches()


class Evaluated(Compiled):
    """Dovetail with programs that are evaluated op by op, as first calls are."""

    options: ClassVar = {"compile": "never"}


LIBRARIES: dict[str, Library] = {
    "dovetail": Compiled("Dovetail", "dovetail"),
    "jax": Compiled("JAX", "jax"),
    "torch": PyTorch("PyTorch", "torch"),
    "numpy": NumPy("NumPy", "numpy"),
    "evaluated": Evaluated("Dovetail, evaluated", "dovetail"),
}
# Those that are compared unless others are asked for.
COMPARED = tuple(name for name in LIBRARIES if name != "evaluated")


def first_call(
    library: Library, program: Program, size: str, arguments: Any
) -> tuple[Call, float, Any]:
    """Returns the call, the seconds until its first result, and this result."""
    start = time.perf_counter()
    call = library.call(program, size, arguments)
    result = call()
    return call, time.perf_counter() - start, result
