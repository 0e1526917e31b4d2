"""Runs the examples in their reduced size, and writes pages with their figures and code."""

from __future__ import annotations

import ast
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from contents import ROOT, examples
from pages import RUNS, environment_of_runs, implementation, shown, used, write

_TITLES = {
    "hmc": "Hamiltonian Monte Carlo",
    "ode_fit": "Fitting an ordinary differential equation",
    "logistic_newton": "Logistic regression by Newton's method",
    "kernels": "Kernels and plain ops",
    "wigner": "Spectra of random matrices",
    "pmap_spectral_radius": "Spectral radius with pmap",
    "digits": "Handwritten digits, from training to files",
}
# Those that have no --quick.
_REDUCED = {"digits": "--epochs 10"}


def make(site: Path) -> set[Path]:
    """Writes the pages and copies the figures; returns the files."""
    paths = examples()
    folders = map(run, paths)
    written = set[Path]()
    cards, names = "", []
    for path, folder in zip(paths, folders, strict=True):
        name, title = path.stem, _TITLES.get(path.stem, path.stem.replace("_", " ").capitalize())
        figure = site / "gallery" / f"{name}.png"
        figure.parent.mkdir(parents=True, exist_ok=True)
        if not figure.exists() or figure.read_bytes() != (folder / figure.name).read_bytes():
            shutil.copyfile(folder / figure.name, figure)
        page = site / "gallery" / f"{name}.md"
        write(page, _page(path, title, (folder / "output.txt").read_text()))
        first = _docstring(path).split("\n\n")[0].replace("\n", " ")
        cards += f":::{{grid-item-card}} {title}\n:link: gallery/{name}\n:link-type: doc\n"
        cards += f":img-top: gallery/{name}.png\n:img-alt: {title}\n\n{first}\n:::\n\n"
        names.append(f"gallery/{name}")
        written |= {figure, page}
    text = (
        "# Gallery\n\nThe programs of `examples/`, in the reduced size of `--quick`, with the "
        "figures that they draw.\nThose for several devices run on eight, into which one CPU is "
        "divided. One more, which draws nothing, is [a program in C]"
        f"({shown(ROOT / 'examples' / 'deploy_c', site)}) that runs an exported network.\n\n"
        f"::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}::::\n\n"
        "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"
    )
    write(site / "gallery.md", text)
    return written | {site / "gallery.md"}


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text())) or ""


def _page(path: Path, title: str, output: str) -> str:
    return (
        f"# {title}\n\n{_docstring(path)}\n\n![{title}]({path.stem}.png)\n\n"
        f"Run it with `python examples/{path.name}`; `{_reduced(path)}`, which is used here, "
        "prints:\n\n"
        f"```text\n{output.rstrip()}\n```\n\n"
        f"## Its code\n\n```python\n{path.read_text().rstrip()}\n```\n"
    )


def _reduced(path: Path) -> str:
    """The options for a reduced size."""
    return _REDUCED.get(path.stem, "--quick")


def run(path: Path) -> Path:
    """The folder with the figure, the numbers and the output of an example."""
    digest = hashlib.sha256(path.read_bytes() + implementation()).hexdigest()
    folder = RUNS / f"gallery-{path.stem}-{digest[:16]}"
    used.add(folder)
    if not (folder / "output.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, path, *_reduced(path).split(), "--output", folder]
        done = subprocess.run(
            command, env=environment_of_runs(), cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            shutil.rmtree(folder)
            raise SystemExit(f"site: {path.relative_to(ROOT)} fails:\n{done.stderr}")
        lines = [line for line in done.stdout.splitlines() if not line.startswith("figure:")]
        (folder / "output.txt").write_text("\n".join(lines) + "\n")
    return folder
