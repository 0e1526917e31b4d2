"""Runs of the examples in their reduced size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.images import png_size


def run(repository: Path, folder: Path, name: str) -> dict[str, Any]:
    """What the example found; it must draw a figure."""
    command = [sys.executable, repository / "examples" / f"{name}.py", "--quick"]
    done = subprocess.run(
        [*command, "--output", folder], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    width, height = png_size(folder / f"{name}.png")
    assert width > 500
    assert height > 300
    return json.loads((folder / f"{name}.json").read_text())
