"""The error of programs that cannot be compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class CompileError(RuntimeError):
    """A program cannot be compiled: IREE rejected it, or the compiler crashed.

    Attributes:
      diagnostics: the compiler's messages, complete, in order.
      path: the file that holds the program's text.
    """

    def __init__(self, message: str, diagnostics: Sequence[str], path: Path) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)
        self.path = path
