"""A bar while the user waits for a program: on the terminal, or below a notebook's cell."""

from __future__ import annotations

import contextlib
import html
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, TextIO

# Before that, there is nothing to explain.
_PATIENCE = 2.0
_WIDTH = 20

# The parts of a compilation, in order, and the share of the time that is over when one begins:
# that of programs that users wait for.
_BEGINS = {"transforms": 0.0, "lowering": 0.1, "code generation": 0.25, "loading": 0.95}
# Which part each program is in; a compiler in the background may be at work on several.
_parts: dict[str, str] = {}


def enter(program: str, part: str) -> None:
    """Note that the compilation of a program has come to a part.

    Args:
      program: the program's name.
      part: `transforms`, `lowering`, `code generation` or `loading`.
    """
    _parts[program] = part


def leave(program: str) -> None:
    """Note that the compilation of a program has ended."""
    _parts.pop(program, None)


@contextlib.contextmanager
def bar(program: str) -> Iterator[None]:
    """Show a bar if the block, which waits for a program, takes longer than two seconds."""
    shown = _shown_in()
    if shown is None:
        yield
        return
    done = threading.Event()
    thread = threading.Thread(
        target=_show, args=(shown, program, done), name="dovetail-progress", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _shown_in() -> _Terminal | _Notebook | None:
    """Where a bar can be shown; None if nobody would see it."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    # A notebook's shell has a kernel.
    if getattr(shell, "kernel", None) is not None:
        return _Notebook()
    stream = sys.stderr
    # None without a console; writing to a closed one raises an error.
    try:
        is_terminal = stream is not None and stream.isatty()
    except ValueError:
        is_terminal = False
    return _Terminal(stream) if stream is not None and is_terminal else None


def _show(to: _Terminal | _Notebook, program: str, done: threading.Event) -> None:
    start, delay, is_shown = time.monotonic(), _PATIENCE, False
    entered, part = start, ""
    while not done.wait(delay):
        now = time.monotonic()
        if _parts.get(program, "") != part:
            entered, part = now, _parts.get(program, "")
        to.show(program, part, _share(part, now - entered), now - start)
        delay, is_shown = 1.0, True
    if is_shown:
        to.clear()


def _share(part: str, seconds: float) -> float:
    """The share of a bar: where the part begins, and ever more slowly towards where it ends."""
    names = [*_BEGINS]
    if part not in names:
        return 0.0
    begin = _BEGINS[part]
    following = names[names.index(part) + 1 :]
    end = _BEGINS[following[0]] if following else 1.0
    return begin + (end - begin) * seconds / (seconds + 10)


def _described(program: str, part: str, seconds: float) -> str:
    return f"compiling `{program}`: {part + ', ' if part else ''}{seconds:.0f} s"


class _Terminal:
    """A line on a terminal, which is erased in the end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def show(self, program: str, part: str, share: float, seconds: float) -> None:
        """Write the line over the last one."""
        filled = round(share * _WIDTH)
        drawn = "█" * filled + "░" * (_WIDTH - filled)
        # A terminal of another encoding than Unicode.
        if "utf" not in (getattr(self._stream, "encoding", None) or "utf-8").lower():
            drawn = "#" * filled + "." * (_WIDTH - filled)
        text = f"dovetail: {drawn} {_described(program, part, seconds)}"
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = max(self._width, len(text))

    def clear(self) -> None:
        """Erase the line."""
        self._stream.write(f"\r{' ' * self._width}\r")
        self._stream.flush()


class _Notebook:
    """A bar below a cell, which becomes empty in the end."""

    def __init__(self) -> None:
        # A notebook's kernel has loaded it.
        self._display: Any = sys.modules["IPython.display"]
        self._handle: Any = None

    def show(self, program: str, part: str, share: float, seconds: float) -> None:
        """Change what is shown."""
        text = html.escape(_described(program, part, seconds))
        drawn = f'<progress value="{share:.3f}" max="1" style="width: 16em"></progress>'
        self._update(f"<div>{drawn} {text}</div>")

    def clear(self) -> None:
        """Show nothing."""
        self._update("")

    def _update(self, text: str) -> None:
        shown = self._display.HTML(text)
        if self._handle is None:
            self._handle = self._display.display(shown, display_id=True)
        else:
            self._handle.update(shown)
