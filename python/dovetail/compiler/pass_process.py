"""Runs the compiler's passes in a separate process, so that a crash does not end this one.

Each run is a process of `dovetail-opt`, which starts quickly: one linked program without Python.
What passes make of a module is kept on disk, beside what is compiled from it: to look it up takes a
fraction of the time of the process.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from dovetail import _core
from dovetail.base import background, config, locations
from dovetail.compiler.dovetail_opt import program_of_passes
from dovetail.compiler.errors import CompileError
from dovetail.compiler.module_files import default_cache, digest, host_cpu

# The size of the largest results on disk, in bytes: programs with large constants would fill it.
_LARGEST_KEPT = 1 << 24
# A message's location, as the program prints it.
_ERROR = re.compile(r"^(?:(?P<file>.+?):(?P<line>\d+):\d+: )?error: ", re.MULTILINE)
# Continuation of a message: the user's line, or notes.
_REST = re.compile(r"^(?:.+:\d+:\d+: )?(?:note|remark|warning): ", re.MULTILINE)

_running: set[subprocess.Popen[bytes]] = set()


def _end_all() -> None:
    for process in list(_running):
        process.kill()


background.at_end(_end_all)


def run(
    module: _core.Module,
    arguments: Sequence[str],
    here: Callable[[], object],
    *,
    target: str = "cpu",
    host_functions: bool = False,
    name: str = "",
) -> None:
    """Run passes on a module, in place.

    Args:
      module: the module.
      arguments: the passes, as options of `dovetail-opt`.
      here: runs the same passes in this process, for debugging the compiler, and if there can be no
        other process.
      target, host_functions: as for `phases.run`.
      name: the program's name in messages.

    Raises:
      CompilerError: a pass rejected the program.
      CompileError: the process died.
    """
    if config.compile_in_process.value or background.ending.is_set():
        here()
        return
    program = module.marked(target, host_functions, text=False)
    try:
        cache, key = default_cache(), _key(program, arguments)
        kept = cache.get(key)
        code, printed, result = (0, "", kept) if kept else _passed(program, arguments)
    except OSError:
        here()
        return
    if background.ending.is_set():
        raise RuntimeError("nothing is compiled while the interpreter exits")
    if code > 0 and (refusal := _refusal(printed)):
        raise refusal
    if code:
        text = module.marked(target, host_functions, text=True)
        raise _death(code, printed, text, arguments, name, module.place())
    if kept is None and len(result) <= _LARGEST_KEPT:
        cache.put(key, result)
    module.become(result)


def _key(program: bytes, arguments: Sequence[str]) -> str:
    """The name under which the result is kept."""
    # Of the program that a developer builds anew, the version stays the same.
    status = program_of_passes().stat()
    return digest(host_cpu(), str(status.st_mtime_ns), *arguments, program) + ".mlirbc"


def _passed(program: bytes, arguments: Sequence[str]) -> tuple[int, str, bytes]:
    """The exit status of a process that runs passes, its messages, and the result if it is 0.

    Raises:
      OSError: there can be no process, or no file.
    """
    folder = Path(tempfile.mkdtemp(prefix="dovetail-"))
    try:
        source, result = folder / "program.mlirbc", folder / "result.mlirbc"
        source.write_bytes(program)
        command = [
            str(program_of_passes()),
            *arguments,
            "--emit-bytecode",
            "--mlir-disable-threading",
            "--mlir-print-debuginfo",
            "--mlir-print-op-on-diagnostic=false",
            str(source),
            "-o",
            str(result),
        ]
        code = _run(command, folder)
        if code == -signal.SIGKILL:
            # It was killed from outside, perhaps for lack of memory.
            code = _run(command, folder)
        printed = (folder / "messages").read_text(encoding="utf-8", errors="replace")
        return code, printed, b"" if code else result.read_bytes()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: Sequence[str], folder: Path) -> int:
    """The exit status of a command whose messages go to a file.

    Files rather than pipes: a process that was forked meanwhile would hold these open.
    """
    with open(folder / "messages", "wb") as messages:
        # A separate session: an interrupt from the terminal is for the user's program alone.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=messages,
            start_new_session=True,
            env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"},
        )
    _running.add(process)
    try:
        with background.outside():
            return process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        _running.discard(process)


def _refusal(printed: str) -> _core.CompilerError | None:
    """The error that the passes reported, with the location of the first message."""
    found = list(_ERROR.finditer(printed))
    if not found:
        return None
    ends = [match.start() for match in found[1:]] + [len(printed)]
    messages = []
    for match, end in zip(found, ends, strict=True):
        message = printed[match.end() : end]
        if rest := _REST.search(message):
            message = message[: rest.start()]
        # The user's line and a caret may follow.
        messages.append(re.split(r"\n.*\n\s*\^", message)[0].strip())
    file, line = found[0]["file"], int(found[0]["line"] or 0)
    is_known = bool(file) and file not in ("<unknown>", "-")
    return _core.CompilerError("\n".join(messages), file if is_known else "", line)


def _death(
    code: int,
    printed: str,
    text: bytes,
    arguments: Sequence[str],
    name: str,
    place: tuple[str, int, str],
) -> Exception:
    """The error for a pass process that died; the program is kept for debugging."""
    from dovetail.compiler.iree_compiler import DIED  # lazy

    cause = signal.Signals(-code).name if code < 0 else f"it ended with {code}"
    handle, kept = tempfile.mkstemp(prefix="dovetail-", suffix=".mlir")
    with os.fdopen(handle, "wb") as file:
        file.write(text)
    what = f"`{name}`" if name else "a program"
    return CompileError(
        f"the compiler died: {cause}, while it lowered {what}, at {locations.describe(place)}\n"
        f"The program's text was kept in {kept}; reproduce with\n"
        f"  {shlex.join(['dovetail-opt', *arguments, kept, '-o', os.devnull])}",
        [f"{DIED}{cause}", f"note: {printed.strip()}"],
        Path(kept),
    )
