"""Runs a tutorial as a notebook, and fills its page with what the cells show."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.compiler import get_file_name
from nbclient import NotebookClient
from notebooks import BLOCK, notebook_of

# Figures are as on other pages, and their text is what they are about. The magic drops what else is
# known about figures, so that it comes first.
_SETUP = """
%matplotlib inline
%config InlineBackend.print_figure_kwargs = {"dpi": 160, "bbox_inches": "tight"}

def _described(figure, printer, cycle):
    titles = [axes.get_title() or axes.get_ylabel() for axes in figure.axes]
    printer.text(", ".join(title for title in titles if title) or "figure")

get_ipython().display_formatter.formatters["text/plain"].for_type_by_name(
    "matplotlib.figure", "Figure", _described
)
"""


def run(path: Path, folder: Path) -> None:
    """Runs a tutorial; writes `notebook.ipynb`, `page.md` and the figures of the page.

    Raises:
      CellExecutionError: if a cell fails.
    """
    notebook = nbformat.reads(notebook_of(path), as_version=4)
    draws = "matplotlib" in path.read_text()
    notebook.cells[:0] = [nbformat.v4.new_code_cell(_SETUP)] * draws
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
    del notebook.cells[:draws]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(cells, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    (folder / "notebook.ipynb").write_text(nbformat.writes(notebook) + "\n")
    figures = folder / "figures"
    figures.mkdir()
    page = path.read_text()
    # Kernels call each cell a file.
    lines = {
        Path(get_file_name(block[1].strip("\n"))).name: page.count("\n", 0, block.start(1))
        for block in BLOCK.finditer(page)
    }

    def place(match: re.Match[str]) -> str:
        return f"{path.name}:{lines[match[1]] + int(match[2])}"

    outputs = iter(cells)
    number = 0

    def pictures(cell: Any) -> Iterator[str]:
        nonlocal number
        for data in _displayed(cell, "image/png"):
            number += 1
            figure = figures / f"{path.stem}-{number}.png"
            figure.write_bytes(base64.b64decode(data["image/png"]))
            yield f"\n![{data['text/plain']}](figures/{figure.name})\n"

    def filled(block: re.Match[str]) -> str:
        cell = next(outputs)
        text = re.sub(r"/\S*/ipykernel_\d+/(\d+\.py):(\d+)", place, _text(cell))
        shown = f"\n```text\n{text}\n```\n" if text else ""
        return block[0] + shown + "".join(pictures(cell))

    (folder / "page.md").write_text(BLOCK.sub(filled, page))


def _displayed(cell: Any, kind: str) -> list[Any]:
    """What a cell shows of a MIME type."""
    found = (output.get("data", {}) for output in cell.outputs)
    return [data for data in found if kind in data]


def _text(cell: Any) -> str:
    """What a cell prints, and the value of its last expression."""
    printed = [o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout"]
    # What a call that draws returns is no result.
    if not _displayed(cell, "image/png"):
        results = [o for o in cell.outputs if o.output_type == "execute_result"]
        printed += [output.data["text/plain"] for output in results]
    return "".join(printed).rstrip()
