"""The program `dovetail-opt` of an installed package."""

from __future__ import annotations

from pathlib import Path

from dovetail import _core


def program_of_passes() -> Path:
    """The program `dovetail-opt`."""
    # Beside the extension, also where the Python files are elsewhere (an editable installation).
    return Path(_core.__file__).parent / "bin" / "dovetail-opt"
