"""IREE's compiler, in this process or, run as a program, for another process that talks to it by
pipes.

This file imports nothing of the package, so that the program starts quickly.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
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
    if _FUNCTION in text:
        outcome = _compile(text, flags, shortens=True)
        if outcome.vmfb is not None:
            return outcome
        # IREE may have had to compute ahead what calls a function.
    return _compile(text, flags, shortens=False)


def _compile(text: str, flags: Sequence[str], shortens: bool) -> Outcome:
    """Compile a module.

    Args:
      text: the module.
      flags: the compiler's.
      shortens: whether to put functions in place of their calls late.
    """
    from iree.compiler.api import Output, Session, Source

    diagnostics: list[str] = []
    session = Session()
    functions = None
    try:
        session.set_flags(*flags)
        invocation = session.invocation()
        _callback = _collect_diagnostics(invocation, diagnostics)
        # IREE parses in place and needs the terminating zero.
        source = Source.wrap_buffer(session, text.encode() + b"\0", buffer_name="dovetail.mlir")
        if not invocation.parse_source(source):
            return Outcome(None, diagnostics)
        functions = _Functions(invocation) if shortens else None
        if not _execute(invocation, functions):
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
        if functions is not None:
            functions.destroy()
        session.close()


# A program is verified after each of these. By default it is after each of hundreds of passes,
# which takes a third of the compiler's time.
_PHASES = ("flow", "stream", "executable-sources", "executable-targets", "end")


def _execute(invocation: Any, functions: _Functions | None) -> bool:
    """Compiles the parsed and verified module; errors go to the diagnostics.

    Args:
      invocation: IREE's.
      functions: to be put in place of their calls once dispatches are formed.
    """
    library, this = native(invocation)
    library.ireeCompilerInvocationSetVerifyIR(this, False)
    for index, phase in enumerate(_PHASES):
        if index:
            with _module_of(invocation) as module:
                is_valid = library.mlirOperationVerify(module)
                if functions is not None and _PHASES[index - 1] == "stream":
                    functions.put_in_place(module)
            if not is_valid:
                return False
            library.ireeCompilerInvocationSetCompileFromPhase(this, _PHASES[index - 1].encode())
        library.ireeCompilerInvocationSetCompileToPhase(this, phase.encode())
        if not invocation.execute():
            return False
    return True


@contextlib.contextmanager
def _module_of(invocation: Any) -> Iterator[Any]:
    """The module of an invocation, to look at or to change."""
    library, this = native(invocation)
    module = library.ireeCompilerInvocationExportStealModule(this)
    yield module
    library.ireeCompilerInvocationImportStealModule(this, module)


# The attribute of functions and calls that `--dovetail-outline-functions` makes.
_FUNCTION = "dovetail.function"
# What stands for a call until dispatches are formed. IREE takes it for arithmetic, and fails if it
# is to make code of it.
_PLACEHOLDER = "spirv.GL.Fma"


class _Functions:
    """The scalar functions of a program, set aside while IREE forms dispatches: hundreds of passes
    then visit an op in the place of a hundred, and one more op is all that it fuses.

    Args:
      invocation: an invocation of the compiler, with a module that has functions.
    """

    def __init__(self, invocation: Any) -> None:
        self._library, _ = native(invocation)
        # By their attributes, which are unique.
        self._each: dict[int, Any] = {}
        with _module_of(invocation) as module:
            context = self._library.mlirOperationGetContext(module)
            dialect = _StringRef.of(_PLACEHOLDER.partition(".")[0])
            self._library.mlirContextGetOrLoadDialect(context, dialect)
            calls = []
            for op, name in self._named(module):
                if self._library.mlirOperationGetNumRegions(op):
                    self._library.mlirOperationRemoveFromParent(op)
                    self._each[name] = op
                else:
                    calls.append((op, name))
            for call, name in calls:
                self._replace(call, self._placeholder(call, name))

    def put_in_place(self, module: Any) -> None:
        """Replace what stands for calls by the functions' ops."""
        library = self._library
        for op, name in self._named(module):
            block = library.mlirOperationGetBlock(op)
            body = library.mlirRegionGetFirstBlock(
                library.mlirOperationGetRegion(self._each[name], 0)
            )
            mapping = library.mlirIRMappingCreate()
            for i in range(library.mlirBlockGetNumArguments(body)):
                argument = library.mlirBlockGetArgument(body, i)
                library.mlirIRMappingMapValue(
                    mapping, argument, library.mlirOperationGetOperand(op, i)
                )
            each, end = (
                library.mlirBlockGetFirstOperation(body),
                library.mlirBlockGetTerminator(body),
            )
            while each != end:
                copy = library.mlirOperationCloneWithMapping(each, mapping)
                library.mlirBlockInsertOwnedOperationBefore(block, op, copy)
                each = library.mlirOperationGetNextInBlock(each)
            result = library.mlirOperationGetOperand(end, 0)
            result = library.mlirIRMappingLookupOrDefaultValue(mapping, result)
            library.mlirIRMappingDestroy(mapping)
            self._replace(op, result)

    def destroy(self) -> None:
        """Destroy the functions, before the session ends."""
        for function in self._each.values():
            self._library.mlirOperationDestroy(function)
        self._each.clear()

    def _named(self, module: Any) -> list[tuple[Any, int]]:
        """The ops with the attribute, and the attribute."""
        found = []
        key = _StringRef.of(_FUNCTION)

        @_Visitor
        def visit(op: Any, _: Any) -> int:
            name = self._library.mlirOperationGetDiscardableAttributeByName(op, key)
            if name:
                found.append((op, name))
            return 0

        self._library.mlirOperationWalk(module, visit, None, 0)
        return found

    def _placeholder(self, call: Any, name: int) -> Any:
        """The result of an op that stands for a call, inserted before it."""
        library = self._library
        operands = [
            library.mlirOperationGetOperand(call, i)
            for i in range(library.mlirOperationGetNumOperands(call))
        ]
        # The op has three: the last one is repeated.
        operands = (_pointer * 3)(*(operands + operands[-1:] * 2)[:3])
        result = library.mlirValueGetType(library.mlirOperationGetResult(call, 0))
        place = library.mlirOperationGetLocation(call)
        op_name = _StringRef.of(_PLACEHOLDER)  # the state refers to its characters
        state = library.mlirOperationStateGet(op_name, place)
        library.mlirOperationStateAddResults(ctypes.byref(state), 1, (_pointer * 1)(result))
        library.mlirOperationStateAddOperands(ctypes.byref(state), 3, operands)
        op = library.mlirOperationCreate(ctypes.byref(state))
        library.mlirOperationSetDiscardableAttributeByName(op, _StringRef.of(_FUNCTION), name)
        block = library.mlirOperationGetBlock(call)
        library.mlirBlockInsertOwnedOperationBefore(block, call, op)
        return library.mlirOperationGetResult(op, 0)

    def _replace(self, op: Any, value: Any) -> None:
        """Replace the result of an op, and destroy it."""
        library = self._library
        library.mlirValueReplaceAllUsesOfWith(library.mlirOperationGetResult(op, 0), value)
        library.mlirOperationRemoveFromParent(op)
        library.mlirOperationDestroy(op)


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


class _StringRef(ctypes.Structure):
    """MlirStringRef"""

    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))

    @classmethod
    def of(cls, text: str) -> _StringRef:
        encoded = text.encode()
        return cls(encoded, len(encoded))


class _OperationState(ctypes.Structure):
    """MlirOperationState"""

    _fields_ = (
        ("name", _StringRef),
        ("location", _pointer),
        ("num_results", ctypes.c_ssize_t),
        ("results", ctypes.POINTER(_pointer)),
        ("num_operands", ctypes.c_ssize_t),
        ("operands", ctypes.POINTER(_pointer)),
        ("num_regions", ctypes.c_ssize_t),
        ("regions", ctypes.POINTER(_pointer)),
        ("num_successors", ctypes.c_ssize_t),
        ("successors", ctypes.POINTER(_pointer)),
        ("num_attributes", ctypes.c_ssize_t),
        ("attributes", _pointer),
        ("enable_result_type_inference", ctypes.c_bool),
    )


# MlirOperationWalkCallback
_Visitor = ctypes.CFUNCTYPE(ctypes.c_int, _pointer, _pointer)
# The arguments and the result of C functions that the Python API does not wrap; invocations, ops
# and their parts are pointers.
C_FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "ireeCompilerInvocationEnableCallbackDiagnostics": (
        (_pointer, ctypes.c_int, _DiagnosticCallback, _pointer),
        None,
    ),
    "ireeCompilerInvocationSetVerifyIR": ((_pointer, ctypes.c_bool), None),
    "ireeCompilerInvocationSetCompileFromPhase": ((_pointer, ctypes.c_char_p), None),
    "ireeCompilerInvocationSetCompileToPhase": ((_pointer, ctypes.c_char_p), None),
    "ireeCompilerInvocationExportStealModule": ((_pointer,), _pointer),
    "ireeCompilerInvocationImportStealModule": ((_pointer, _pointer), ctypes.c_bool),
    "mlirBlockGetArgument": ((_pointer, ctypes.c_ssize_t), _pointer),
    "mlirBlockGetFirstOperation": ((_pointer,), _pointer),
    "mlirBlockGetNumArguments": ((_pointer,), ctypes.c_ssize_t),
    "mlirBlockGetTerminator": ((_pointer,), _pointer),
    "mlirBlockInsertOwnedOperationBefore": ((_pointer, _pointer, _pointer), None),
    "mlirContextGetOrLoadDialect": ((_pointer, _StringRef), _pointer),
    "mlirIRMappingCreate": ((), _pointer),
    "mlirIRMappingDestroy": ((_pointer,), None),
    "mlirIRMappingLookupOrDefaultValue": ((_pointer, _pointer), _pointer),
    "mlirIRMappingMapValue": ((_pointer, _pointer, _pointer), None),
    "mlirOperationCloneWithMapping": ((_pointer, _pointer), _pointer),
    "mlirOperationCreate": ((_pointer,), _pointer),
    "mlirOperationDestroy": ((_pointer,), None),
    "mlirOperationGetBlock": ((_pointer,), _pointer),
    "mlirOperationGetContext": ((_pointer,), _pointer),
    "mlirOperationGetDiscardableAttributeByName": ((_pointer, _StringRef), _pointer),
    "mlirOperationGetLocation": ((_pointer,), _pointer),
    "mlirOperationGetNextInBlock": ((_pointer,), _pointer),
    "mlirOperationGetNumOperands": ((_pointer,), ctypes.c_ssize_t),
    "mlirOperationGetNumRegions": ((_pointer,), ctypes.c_ssize_t),
    "mlirOperationGetOperand": ((_pointer, ctypes.c_ssize_t), _pointer),
    "mlirOperationGetRegion": ((_pointer, ctypes.c_ssize_t), _pointer),
    "mlirOperationGetResult": ((_pointer, ctypes.c_ssize_t), _pointer),
    "mlirOperationRemoveFromParent": ((_pointer,), None),
    "mlirOperationSetDiscardableAttributeByName": ((_pointer, _StringRef, _pointer), None),
    "mlirOperationStateAddOperands": ((_pointer, ctypes.c_ssize_t, ctypes.POINTER(_pointer)), None),
    "mlirOperationStateAddResults": ((_pointer, ctypes.c_ssize_t, ctypes.POINTER(_pointer)), None),
    "mlirOperationStateGet": ((_StringRef, _pointer), _OperationState),
    "mlirOperationVerify": ((_pointer,), ctypes.c_bool),
    "mlirOperationWalk": ((_pointer, _Visitor, _pointer, ctypes.c_int), None),
    "mlirRegionGetFirstBlock": ((_pointer,), _pointer),
    "mlirValueGetType": ((_pointer,), _pointer),
    "mlirValueReplaceAllUsesOfWith": ((_pointer, _pointer), None),
}


def native(invocation: Any) -> tuple[Any, Any]:
    """The C library of an invocation of the compiler, with typed functions, and its pointer."""
    library = invocation._local_dylib
    for name, (arguments, result) in C_FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
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
