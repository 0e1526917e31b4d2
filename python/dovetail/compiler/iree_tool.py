"""IREE's compiler as the program `iree-compile`: for process-wide flags."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dovetail.compiler import iree_compiler
from dovetail.compiler.iree_compiler import DIED, Outcome

# The other ways to run the compiler do not know such flags.
PROCESS_FLAGS = frozenset(("--iree-hal-link-executables=false",))


def run(arguments: Sequence[str], text: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a module."""
    tool = iree_compiler.program("iree-compile")
    # A separate session: an interrupt from the terminal is for the user's program alone.
    return subprocess.run(
        [tool, "-", *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )


def compile_text(text: str, flags: Sequence[str]) -> Outcome:
    """Like `iree_compiler.compile_text`, by the program."""
    with tempfile.TemporaryDirectory(prefix="dovetail-") as folder:
        path = Path(folder) / "module.vmfb"
        done = run([*flags, "-o", str(path)], text)
        if done.returncode == 0:
            return Outcome(path.read_bytes(), [])
    printed = done.stderr.replace("<stdin>", "dovetail.mlir")
    # Each message begins with a location, or with the kind of message.
    messages = re.split(r"^(?=dovetail\.mlir:\d+:\d+: \w+: |error: )", printed, flags=re.MULTILINE)
    diagnostics = [
        re.sub(r"^(dovetail\.mlir:\d+:\d+): (\w+): ", r"\2: \1: ", message.strip())
        for message in messages
        if message.strip()
    ]
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        diagnostics.insert(0, DIED + name)
    return Outcome(None, diagnostics)
