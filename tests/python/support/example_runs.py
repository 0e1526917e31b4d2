"""Runs of the examples in their reduced size."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from support import kept_runs
from support.images import png_size


def run(repository: Path, folder: Path, name: str, processes: int = 1) -> dict[str, Any]:
    """What the example found; it must draw a figure.

    Args:
      repository: where the examples are.
      folder: an empty folder, which gets its output.
      name: its name.
      processes: the number of processes that `mpiexec` starts; of what they found, one's.
    """
    if processes == 1:
        shutil.copytree(kept_runs.example(repository, name, "--quick"), folder, dirs_exist_ok=True)
    else:
        launcher = ["mpiexec", "-n", str(processes), sys.executable]
        command = [*launcher, repository / "examples" / f"{name}.py", "--quick"]
        done = subprocess.run(
            [*command, "--output", folder], capture_output=True, text=True, cwd=folder
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert sorted(path.name for path in folder.iterdir()) == [*map(str, range(processes))]
        folder /= "0"
    width, height = png_size(folder / f"{name}.png")
    assert width > 500
    assert height > 300
    return json.loads((folder / f"{name}.json").read_text())
