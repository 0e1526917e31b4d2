"""IREE's compiler, in this process or, run as a program, for another process that talks to it by
pipes.

This file imports nothing of the package, so that the program starts quickly.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, NamedTuple

# Error texts for a compiler that crashed, and for one that was killed, perhaps for lack of memory.
DIED = "error: the compiler died: "
KILLED = DIED + "SIGKILL"


# The parts of IREE that code for CPUs does not need. Each of its hundred rewriters starts by
# looking at all ops of all dialects, theirs among them.
_OTHER_PARTS = (
    *(f"hal_target_{name}" for name in ("cuda", "metal_spirv", "rocm", "vmvx", "vulkan_spirv")),
    *(f"input_{name}" for name in ("stablehlo", "torch")),
)

# The functions of the C library and of floating-point arithmetic that IREE links into each
# executable and compiles again with it, used or not; what reads and writes memory, and rounding
# and products that older processors have no instructions for, are not listed. Ours call none: the
# scalar functions of a program are in its text.
_UNUSED_FUNCTIONS = (
    *("exp", "expf", "fmodf", "frexpf", "ldexpf", "log", "powf", "scalbnf", "specialcase"),
    *(f"__math_{name}{of}" for name in ("invalid", "oflow", "uflow", "xflow") for of in ("", "f")),
    "__math_divzero",
    *("feclearexcept", "fegetenv", "fegetround", "feraiseexcept", "fesetenv", "fetestexcept"),
    "__fesetround",
)


def process_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """The flags that a process must be started with to compile with others sooner, if any.

    The code is the same but for functions that nothing calls, which are not optimized.
    """
    if "--iree-hal-target-device=local" not in flags:
        return ()
    # Such a process takes the level of optimization from here only.
    level = [flag for flag in flags if flag.startswith("--iree-opt-level=")]
    unused = [
        f"--force-attribute={name}:{attribute}"
        for name in _UNUSED_FUNCTIONS
        for attribute in ("noinline", "optnone")
    ]
    return (*level, *(f"--iree-plugin=-{part}" for part in _OTHER_PARTS), *unused)


class Outcome(NamedTuple):
    """The result of compiling a program.

    Attributes:
      vmfb: the module file's bytes, None if the compiler rejected the program.
      diagnostics: its messages, in order.
    """

    vmfb: bytes | None
    diagnostics: list[str]


def compile_text(text: str, flags: Sequence[str]) -> Outcome:
    """Compile a module.

    Raises:
      ValueError: there is no such flag.
    """
    from iree.compiler.api import Output, Session, Source

    diagnostics: list[str] = []
    session = Session()
    try:
        session.set_flags(*flags)
        invocation = session.invocation()
        _callback = _collect_diagnostics(invocation, diagnostics)
        # IREE parses in place and needs the terminating zero.
        source = Source.wrap_buffer(session, text.encode() + b"\0", buffer_name="dovetail.mlir")
        if not (invocation.parse_source(source) and _execute(invocation)):
            return Outcome(None, diagnostics)
        output = Output.open_membuffer()
        try:
            invocation.output_vm_bytecode(output)
            vmfb = bytes(output.map_memory())  # pyright: ignore[reportArgumentType]
            return Outcome(vmfb, diagnostics)
        except ValueError as error:
            return Outcome(None, [*diagnostics, str(error)])
        finally:
            output.close()
    finally:
        session.close()


# A program is verified after each of these. By default it is after each of hundreds of passes,
# which takes a third of the compiler's time.
_PHASES = ("flow", "stream", "executable-sources", "executable-targets", "end")


def _execute(invocation: Any) -> bool:
    """Compiles the parsed and verified module; errors go to the diagnostics."""
    library, this = native(invocation)
    library.ireeCompilerInvocationSetVerifyIR(this, False)
    for index, phase in enumerate(_PHASES):
        if index:
            module = library.ireeCompilerInvocationExportStealModule(this)
            is_valid = library.mlirOperationVerify(module)
            library.ireeCompilerInvocationImportStealModule(this, module)
            if not is_valid:
                return False
            library.ireeCompilerInvocationSetCompileFromPhase(this, _PHASES[index - 1].encode())
        library.ireeCompilerInvocationSetCompileToPhase(this, phase.encode())
        if not invocation.execute():
            return False
    return True


# iree_compiler_diagnostic_severity_t
_SEVERITIES = ("note", "warning", "error", "remark")

_DiagnosticCallback = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
)


def _collect_diagnostics(invocation: Any, diagnostics: list[str]) -> Callable[..., None]:
    """Make IREE append its messages to `diagnostics`; the Python API only connects the console.

    Returns:
      The callback, which must outlive the invocation.
    """
    library, this = native(invocation)
    # IREE's verifier may report from worker threads.
    lock = threading.Lock()

    def on_diagnostic(severity: int, message: int, size: int, _: Any) -> None:
        text = ctypes.string_at(message, size).decode(errors="replace")
        with lock:
            diagnostics.append(f"{_SEVERITIES[severity]}: {text}")

    callback = _DiagnosticCallback(on_diagnostic)
    library.ireeCompilerInvocationEnableCallbackDiagnostics(this, 0, callback, None)
    return callback


# The undocumented parts of IREE's compiler that are used here; tests/python/compiler/
# test_iree_internals.py has a test for each. They hold for IREE 3.13.

_pointer = ctypes.c_void_p
# The arguments after the invocation or the operation, and the result, of C functions that the
# Python API does not wrap; a module is a pointer.
C_FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "ireeCompilerInvocationEnableCallbackDiagnostics": (
        (ctypes.c_int, _DiagnosticCallback, _pointer),
        None,
    ),
    "ireeCompilerInvocationSetVerifyIR": ((ctypes.c_bool,), None),
    "ireeCompilerInvocationSetCompileFromPhase": ((ctypes.c_char_p,), None),
    "ireeCompilerInvocationSetCompileToPhase": ((ctypes.c_char_p,), None),
    "ireeCompilerInvocationExportStealModule": ((), _pointer),
    "ireeCompilerInvocationImportStealModule": ((_pointer,), ctypes.c_bool),
    "mlirOperationVerify": ((), ctypes.c_bool),
}


def native(invocation: Any) -> tuple[Any, Any]:
    """The C library of an invocation of the compiler, with typed functions, and its pointer."""
    library = invocation._local_dylib
    for name, (arguments, result) in C_FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = (_pointer, *arguments), result
    return library, invocation._inv_p


def program(name: str) -> str:
    """The path of one of the programs that are installed with the compiler."""
    from iree.compiler import _mlir_libs

    return os.path.join(os.path.dirname(str(_mlir_libs.__file__)), name)


def serve(flags: Sequence[str]) -> None:
    """Answer requests (text, flags) from standard input; ends with it, even while compiling.

    An answer is an outcome as a tuple, or a message about wrong flags.

    Args:
      flags: those of the process.
    """
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Keep the compiler's own output off the pipe of answers.
    os.dup2(2, 1)
    if flags:
        from iree.compiler.api import _initializeGlobalCL

        _initializeGlobalCL("iree-compile", *flags)
    received: queue.SimpleQueue[tuple[str, Sequence[str]]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, received), daemon=True).start()
    while True:
        text, flags = received.get()
        try:
            answer: Any = tuple(compile_text(text, flags))
        except ValueError as error:
            answer = str(error)
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _receive(requests: BinaryIO, received: queue.SimpleQueue[tuple[str, Sequence[str]]]) -> None:
    while True:
        try:
            request = pickle.load(requests)
        except BaseException:
            # Nobody waits for an answer any more.
            os._exit(0)
        received.put(request)


if __name__ == "__main__":
    serve(sys.argv[1:])
