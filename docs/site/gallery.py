"""Runs the examples in their reduced size, and writes pages with their figures and code."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from contents import ROOT, examples
from pages import shown, write

from support import kept_runs

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
        printed = (folder / "output.txt").read_text().splitlines()
        lines = [line for line in printed if not line.startswith("figure:")]
        write(page, _page(path, title, "\n".join(lines)))
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
    try:
        return kept_runs.example(ROOT, path.stem, *_reduced(path).split())
    except RuntimeError as error:
        raise SystemExit(f"site: {error}") from None
