"""The program `dovetail-opt` of an installed package."""

from __future__ import annotations

from pathlib import Path

from dovetail import _core


def program_of_passes() -> Path:
    """The program `dovetail-opt`."""
    # Next to the extension, also if the Python files are elsewhere (in an editable installation).
    return Path(_core.__file__).parent / "bin" / "dovetail-opt"
