"""Makes a notebook of a tutorial: a cell for each block of Python, and for the text between."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from contents import ROOT, page_of

# The cells of code.
BLOCK = re.compile(r"^```python\n(.*?)^```\n", flags=re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?!https?:)([^)\s#]+)\.md(?=[#)])")


def tutorials() -> list[Path]:
    """The documents that are notebooks, too."""
    return [ROOT / "docs" / "tour.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]


def notebook_of(path: Path) -> str:
    """The notebook of a document, in Jupyter's format 4.5, without outputs."""
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(BLOCK.split(path.read_text())):
        # Links lead to the pages of the site, beside which the notebook is.
        text = part.strip("\n") if number % 2 else _LINK.sub(r"\1.html", part).strip()
        if not text:
            continue
        cell: dict[str, Any] = {
            "cell_type": "code" if number % 2 else "markdown",
            "id": f"{path.stem}-{number}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        if number % 2:
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def with_link(path: Path, text: str) -> str:
    """The page of a document with a link to its notebook below the title."""
    title, rest = text.split("\n", 1)
    link = f"{{download}}`Download this page as a notebook <{Path(page_of(path)).name}.ipynb>`"
    return f"{title}\n\n{link}\n{rest}"
