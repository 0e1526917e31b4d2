"""IREE's compiler, in this process or, run as a program, for another process that talks to it by
pipes.

These files import nothing else of the package, so that the program starts quickly.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .alignments import correct, may_be_wrong
from .bodies import SOURCE, Bodies
from .dispatches import Dispatches, Shared
from .functions import FUNCTION, Functions
from .library import detach
from .linking import link
from .native import collect_diagnostics, library_of, module_of
from .unused import unused_functions

# Error texts for a compiler that crashed, and for one that was killed, perhaps for lack of memory.
DIED = "error: the compiler died: "
KILLED = DIED + "SIGKILL"


# The parts of IREE that code for CPUs does not need. Each of its hundred rewriters starts by
# looking at all ops of all dialects, theirs among them.
_OTHER_PARTS = (
    *(f"hal_target_{name}" for name in ("cuda", "metal_spirv", "rocm", "vmvx", "vulkan_spirv")),
    *(f"input_{name}" for name in ("stablehlo", "torch")),
)

# The most elements of a workgroup along a dimension, where IREE has no better reason for another
# number. Its own, 64, makes workgroups write short pieces of rows, at addresses that often share
# their places in the cache: half as fast where a large array is made of smaller ones.
_TILES = "--iree-llvmcpu-distribution-size=128"


def process_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """The flags that a process must be started with to compile with others, if any.

    They are not part of those for a program: functions that nothing calls are not optimized,
    workgroups are larger, and a program is not verified each time that it is named in an analysis.
    """
    if not _is_for_cpus(flags):
        return ()
    # Such a process takes the level of optimization from here only.
    level = [flag for flag in flags if flag.startswith("--iree-opt-level=")]
    not_optimized = [
        f"--force-attribute={name}:{attribute}"
        for name in unused_functions(flags)
        for attribute in ("noinline", "optnone")
    ]
    return (
        *level,
        _TILES,
        # They are linked before.
        "--iree-hal-link-executables=false",
        # An analysis prints values, for which it would have all of the program verified first.
        "--mlir-print-assume-verified",
        *(f"--iree-plugin=-{part}" for part in _OTHER_PARTS),
        *not_optimized,
    )


def _is_for_cpus(flags: Sequence[str]) -> bool:
    """Whether all code is for CPUs."""
    return "--iree-hal-target-device=local" in flags


class Outcome(NamedTuple):
    """The result of compiling a program.

    Attributes:
      vmfb: the module file's bytes, None if the compiler rejected the program.
      diagnostics: its messages, in order.
      known: the number of dispatches whose code was known.
      kept: what is to be kept for other programs, by key.
    """

    vmfb: bytes | None
    diagnostics: list[str]
    known: int = 0
    kept: Mapping[str, bytes] = {}


def compile_text(
    text: str, flags: Sequence[str], shared: Shared | None = None, executables: int = 1
) -> Outcome:
    """Compile a module.

    Args:
      text: the module.
      flags: the compiler's.
      shared: where code that programs share is found, in a process that compiles one at a time.
      executables: the largest number of executables of a CPU, of which code is made at once.

    Raises:
      ValueError: there is no such flag.
    """
    outcome, is_whole = _compile(text, flags, True, shared, executables)
    if outcome.vmfb is None and not is_whole:
        # IREE may have had to compute ahead by code that was set aside, or to link what it cannot.
        return _compile(text, flags)[0]
    return outcome


def _compile(
    text: str,
    flags: Sequence[str],
    shortens: bool = False,
    shared: Shared | None = None,
    executables: int = 1,
) -> tuple[Outcome, bool]:
    """Compile a module; returns also whether IREE got all of it as it is.

    Args:
      text: the module.
      flags: the compiler's.
      shortens: whether to set code aside at first: functions and the bodies of executables.
      shared: where code that programs share is found.
      executables: the largest number of executables of a CPU.
    """
    from iree.compiler.api import Output, Session, Source

    diagnostics: list[str] = []
    session = Session()
    functions = bodies = dispatches = None
    if shared is not None and _is_for_cpus(flags):
        dispatches = Dispatches(shared, flags, program("iree-lld"))

    def ended(vmfb: bytes | None = None, *errors: str) -> tuple[Outcome, bool]:
        told = [*diagnostics, *errors]
        is_whole = functions is None and bodies is None
        if dispatches is None:
            return Outcome(vmfb, told), is_whole
        kept = {} if vmfb is None else dispatches.made()
        outcome = Outcome(vmfb, dispatches.without_own(told), dispatches.known, kept)
        return outcome, is_whole and not dispatches.changes

    try:
        session.set_flags(*flags, *(dispatches.flags if dispatches else ()))
        invocation = session.invocation()
        _callback = collect_diagnostics(invocation, diagnostics)
        # IREE parses in place and needs the terminating zero.
        source = Source.wrap_buffer(session, text.encode() + b"\0", buffer_name="dovetail.mlir")
        if not invocation.parse_source(source):
            return ended()
        if shortens:
            functions = Functions(invocation) if FUNCTION in text else None
            bodies = Bodies(invocation) if SOURCE in text else None
        most = executables if _is_for_cpus(flags) else 0
        if not _execute(invocation, bodies, functions, dispatches, most, may_be_wrong(text)):
            return ended()
        output = Output.open_membuffer()
        try:
            invocation.output_vm_bytecode(output)
            return ended(bytes(output.map_memory()))  # pyright: ignore[reportArgumentType]
        except ValueError as error:
            return ended(None, str(error))
        finally:
            output.close()
    finally:
        if bodies is not None:
            bodies.destroy()
        if functions is not None:
            functions.destroy()
        if dispatches is not None:
            dispatches.close()
        session.close()


# A program is verified after each of these but the last. By default it is after each of hundreds
# of passes, which takes a third of the compiler's time.
_PHASES = ("flow", "stream", "executable-sources", "executable-targets", "end")


def _execute(
    invocation: Any,
    bodies: Bodies | None = None,
    functions: Functions | None = None,
    dispatches: Dispatches | None = None,
    executables: int = 0,
    corrects: bool = False,
) -> bool:
    """Compiles the parsed and verified module; errors go to the diagnostics.

    Args:
      invocation: IREE's.
      bodies: the code of executables, to be put back once dispatches are formed.
      functions: to be put in place of their calls once dispatches are formed.
      dispatches: those of which some need not be compiled.
      executables: the largest number of executables, into which dispatches are linked here; 0 if
        IREE does it.
      corrects: whether alignments may have to be corrected.
    """
    library, this = library_of(invocation)
    library.ireeCompilerInvocationSetVerifyIR(this, False)
    for phase in _PHASES:
        library.ireeCompilerInvocationSetCompileToPhase(this, phase.encode())
        if not invocation.execute():
            return False
        if phase == _PHASES[-1]:
            break
        with module_of(invocation) as module:
            is_whole = (
                dispatches is None
                or phase != "executable-targets"
                or dispatches.put_back(invocation, module)
            )
            is_valid = is_whole and library.mlirOperationVerify(module)
            if is_valid and phase == "stream" and corrects:
                correct(invocation, module)
            if is_valid and phase == "executable-sources":
                if bodies is not None:
                    bodies.put_back(module)
                if dispatches is not None:
                    dispatches.take_known(invocation, module, functions)
                if functions is not None:
                    functions.put_in_place(module)
        if not is_valid:
            return False
        if phase == "executable-targets" and executables:
            if not link(invocation, executables):
                return False
            if dispatches is not None and dispatches.has_library:
                detach(invocation)
        library.ireeCompilerInvocationSetCompileFromPhase(this, phase.encode())
    return True


def program(name: str) -> str:
    """The path of one of the programs that are installed with the compiler."""
    from iree.compiler import _mlir_libs

    return os.path.join(os.path.dirname(str(_mlir_libs.__file__)), name)
