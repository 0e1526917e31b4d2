"""Breakpoints in programs: a debugger for the values that a traced function has when it runs."""

from __future__ import annotations

import cmd
import inspect
import pprint
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any

from dovetail.base import locations
from dovetail.base.errors import value_error
from dovetail.tracing.trace import Tracer
from dovetail.transforms.callbacks import observe
from dovetail.trees.pytree import flatten, unflatten


@dataclass
class Frame:
    """A call of the user's program.

    Attributes:
      file, line: where it is.
      variables: its local variables.
      source: the lines of its function.
      offset: the index of the line among these; None if they are not known.
    """

    file: str
    line: int
    variables: dict[str, Any]
    source: list[str]
    offset: int | None


# The largest number of lines around the present one that commands show.
_AROUND, _MANY_AROUND = 2, 5


def breakpoint(
    *,
    backend: str | None = None,
    filter_frames: bool = True,
    num_frames: int | None = None,
    ordered: bool = False,
    token: Any = None,
    **kwargs: Any,
) -> None:
    """Stop where the program is, even a compiled one, and look at its variables.

    The debugger reads commands: an expression prints its value, as do `p` and `pp`; `l` lists the
    lines around, `w` the calls, `u` and `d` go to the caller and back, `c` continues and `q` ends
    the program. Variables are those that the traced function has there; what it changes later is
    not seen. Under `vmap`, the program stops for each element of the batch.

    Args:
      backend: None or "cli", the debugger in the terminal.
      filter_frames: whether calls within this package are left out.
      num_frames: the largest number of calls that are kept.
      ordered: whether the order of several breakpoints matters. They come in program order in any
        case.
      token: accepted for compatibility with JAX, where it must be None.
      kwargs: `stdin` and `stdout`, the files of the debugger, by default those of the process.

    Raises:
      ValueError: there is no such backend, or `token` is given.

    Example:
      >>> import io
      >>> import dovetail as dt
      >>> answers = io.StringIO()
      >>> @dt.jit
      ... def f(x):
      ...     y = 2 * x
      ...     dt.debug.breakpoint(stdin=io.StringIO("p x + y\\nc\\n"), stdout=answers)
      ...     return y
      >>> _ = f(1.0)
      >>> answers.getvalue().split("\\n")[1]
      '(jdb) Array(3., dtype=float32)'
    """
    if backend not in (None, "cli") or token is not None:
        wrong = f"backend={backend!r}" if token is None else f"token={token!r}"
        raise value_error(f"breakpoint: backend must be 'cli' and token None, got: {wrong}")
    frames = _frames(sys._getframe(1), filter_frames, num_frames)
    leaves, spec = flatten([frame.variables for frame in frames])
    places = [i for i, x in enumerate(leaves) if type(x) is Tracer and not x._trace.ended]

    def stop(*arrays: Any) -> None:
        filled = list(leaves)
        for i, array in zip(places, arrays, strict=True):
            filled[i] = array
        for frame, variables in zip(frames, unflatten(spec, filled), strict=True):
            frame.variables = variables
        Debugger(frames, **kwargs).run()

    observe(stop, tuple(leaves[i] for i in places), {}, ordered, "breakpoint")


def _frames(frame: FrameType | None, is_filtered: bool, most: int | None) -> list[Frame]:
    """The calls of the program, the innermost first."""
    frames: list[Frame] = []
    while frame is not None and (most is None or len(frames) < most):
        file = frame.f_code.co_filename
        if not (is_filtered and locations.is_internal(file)):
            source, offset = _source(frame)
            variables = {name: _Key.wrapped(x) for name, x in frame.f_locals.items()}
            frames.append(Frame(file, frame.f_lineno, variables, source, offset))
        frame = frame.f_back
    return frames


def _source(frame: FrameType) -> tuple[list[str], int | None]:
    """The lines of a frame's function, and the index of the present one."""
    try:
        lines, start = inspect.getsourcelines(frame)
    except (OSError, TypeError):
        return [], None
    offset = frame.f_lineno - max(start, 1)
    if not 0 <= offset < len(lines):
        return [], None
    # An empty line shows where the function ends.
    return [*(line.rstrip("\n") for line in lines), ""], offset


class _Key:
    """A value that is no tree, such as a dictionary whose keys have no order.

    Args:
      value: the value.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    @staticmethod
    def wrapped(value: Any) -> Any:
        """The value if it is a tree."""
        try:
            flatten(value)
        except Exception:
            return _Key(value)
        return value


class Debugger(cmd.Cmd):
    """Reads commands, and shows what a program has at a breakpoint.

    Args:
      frames: the calls, the innermost first.
      stdin, stdout: the files to read and to write.
    """

    prompt = "(jdb) "
    intro = "Entering jdb:"

    def __init__(
        self, frames: Sequence[Frame], stdin: IO[str] | None = None, stdout: IO[str] | None = None
    ) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self._frames = frames
        self._at = 0

    def run(self) -> None:
        """Read commands until the program goes on."""
        while True:
            try:
                return self.cmdloop()
            except KeyboardInterrupt:
                self._say("--KeyboardInterrupt--")

    def _say(self, text: str) -> None:
        self.stdout.write(f"{text}\n")

    def _show(self, expression: str, write: Callable[[Any], str]) -> None:
        """The value of an expression of the frame's variables."""
        variables = {
            name: value.value if type(value) is _Key else value
            for name, value in self._frames[self._at].variables.items()
        }
        try:
            self._say(write(eval(expression, {}, variables)))
        except BaseException as error:
            self._say(f"*** {traceback.format_exception_only(error)[-1].strip()}")

    def _context(self, around: int) -> None:
        frame = self._frames[self._at]
        self._say(f"> {frame.file}({frame.line})")
        if frame.offset is None:
            self._say("    <no source>")
            return
        first, last = max(frame.offset - around - 1, 0), frame.offset + around
        for i, line in enumerate(frame.source[first : last + 1], first):
            self._say(f"{'->' if i == frame.offset else '  '}  {line}")

    def default(self, line: str) -> None:
        """Print the value of an expression."""
        self._show(line, repr)

    def do_p(self, arg: str) -> None:
        """p EXPRESSION: print its value."""
        self._show(arg, repr)

    def do_pp(self, arg: str) -> None:
        """pp EXPRESSION: print its value on several lines."""
        self._show(arg, pprint.pformat)

    def do_up(self, _: str) -> None:
        """u(p): go to the caller."""
        self._move(1, "At topmost frame.")

    def do_down(self, _: str) -> None:
        """d(own): go to what is called here."""
        self._move(-1, "At bottommost frame.")

    def _move(self, step: int, end: str) -> None:
        if 0 <= self._at + step < len(self._frames):
            self._at += step
        else:
            self._say(end)
        self._context(_AROUND)

    def do_list(self, _: str) -> None:
        """l(ist): the lines around."""
        self._context(_MANY_AROUND)

    def do_where(self, _: str) -> None:
        """w(here), bt: the calls, the innermost last."""
        self._say("Traceback:")
        for frame in reversed(self._frames):
            line = "<no source>" if frame.offset is None else frame.source[frame.offset].strip()
            self._say(f'  File "{frame.file}", line {frame.line}\n    {line}')

    def do_continue(self, _: str) -> bool:
        """c(ont(inue)): go on."""
        return True

    def do_quit(self, _: str) -> None:
        """q(uit), exit: end the program."""
        sys.exit(0)

    do_u, do_d, do_l, do_w, do_bt = do_up, do_down, do_list, do_where, do_where
    do_c = do_cont = do_continue
    do_q = do_exit = do_EOF = do_quit
