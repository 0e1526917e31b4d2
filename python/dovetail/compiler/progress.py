"""A note on the terminal while the user waits for a program."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

# Before that, there is nothing to explain.
_PATIENCE = 2.0


@contextlib.contextmanager
def note(what: str) -> Iterator[None]:
    """Show a note on the terminal if the block takes longer than two seconds, until it ends."""
    stream = sys.stderr
    # None without a console; writing to a closed one raises an error.
    try:
        is_terminal = stream is not None and stream.isatty()
    except ValueError:
        is_terminal = False
    if not is_terminal:
        yield
        return
    done = threading.Event()
    thread = threading.Thread(
        target=_show, args=(stream, what, done), name="dovetail-progress", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(stream: TextIO, what: str, done: threading.Event) -> None:
    start, width = time.monotonic(), 0
    delay = _PATIENCE
    while not done.wait(delay):
        text = f"dovetail: {what} ({time.monotonic() - start:.0f} s)"
        width = max(width, len(text))
        stream.write(f"\r{text}")
        stream.flush()
        delay = 1.0
    if width:
        # The note is erased.
        stream.write(f"\r{' ' * width}\r")
        stream.flush()
