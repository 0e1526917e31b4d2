"""Shared parts of the examples: arguments, and where figures and numbers are written."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def launched(name: str) -> str:
    """What the launcher says: "RANK" of this process, or "SIZE" of all. MPICH's and Open MPI's are
    `mpiexec`, Slurm's is `srun`; jobs of Slurm have no rank outside of it.
    """
    slurm = {"RANK": "SLURM_PROCID", "SIZE": "SLURM_STEP_NUM_TASKS"}[name]
    names = (f"PMI_{name}", f"OMPI_COMM_WORLD_{name}", slurm)
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def run(main: Callable[[bool, Path], dict[str, Any]], description: str | None) -> None:
    """Runs an example from the command line, and writes the numbers that it returns to a file.

    Args:
      main: takes whether the run is a quick one, and the folder for its output.
      description: a description of the example.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a reduced size, for tests")
    parser.add_argument("--output", type=Path, default=Path("build/examples"), help="a folder")
    options = parser.parse_args()
    # Under a launcher, each process has a folder.
    output = options.output / launched("RANK")
    output.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    summary = main(options.quick, output)
    summary["seconds"] = round(time.perf_counter() - start, 2)
    for name, value in summary.items():
        print(f"{name}: {value}")
    name = Path(main.__globals__["__file__"]).stem
    (output / f"{name}.json").write_text(json.dumps(summary))


def figure(path: Path, columns: int, draw: Callable[..., None]) -> None:
    """Draws and saves a figure, if matplotlib is installed.

    Args:
      path: the PNG file.
      columns: the number of panels side by side.
      draw: takes the panels' axes.
    """
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no figure")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(1, columns, figsize=(5 * columns, 4), layout="constrained")
    draw(*(axes if columns > 1 else [axes]))
    drawing.savefig(path, dpi=120)
    pyplot.close(drawing)
    print(f"figure: {path}")
