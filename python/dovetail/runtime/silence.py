"""Silence at the end of the process about objects of IREE that are never destroyed."""

from __future__ import annotations

import os
import sys
from typing import Any

_NAME = "_dovetail_silence"


class _Silence:
    """Goes with the module `sys`, after all Python: then nanobind lists what was not destroyed."""

    def __del__(
        self,
        open: Any = os.open,
        dup2: Any = os.dup2,
        null: str = os.devnull,
        writing: int = os.O_WRONLY,
    ) -> None:
        # By then this module's names are gone.
        dup2(open(null, writing), 2)


def at_end() -> None:
    """Have nothing said of them: some objects are meant to outlive Python."""
    if _NAME not in vars(sys):
        setattr(sys, _NAME, _Silence())
