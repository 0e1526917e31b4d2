"""Divides the dialect's reference into a page for each family of ops, and one for each kind of pass."""

from __future__ import annotations

import re
from pathlib import Path

from contents import ROOT
from pages import write

_DESCRIPTION = re.compile(r"^\s*def \w+\s*:", flags=re.MULTILINE)


def make(site: Path) -> set[Path]:
    """Writes the pages; returns their files."""
    text = (ROOT / "dialects" / "REFERENCE.md").read_text()
    head, *families = re.split(r"^## ", text, flags=re.MULTILINE)
    written = set[Path]()
    index = "# The dialect\n\n" + head.split("\n", 2)[2].strip() + "\n\n"
    index += (
        "An op states its rules once: its derivative, transpose, batching and lowering. A tangent "
        "formula is one expression, in which `t` is the tangent, `x` and `y` are the operands and "
        "`ans` is the result; {doc}`adding_ops` explains them.\n\n"
        "| family | ops |\n|---|---|\n"
    )
    pages = []
    for family in families:
        title, _, body = family.partition("\n")
        name = title.strip().lower()
        pages.append(name)
        body = re.sub(r"^###", "##", body, flags=re.MULTILINE)
        body = re.sub(r"^#####", "####", body, flags=re.MULTILINE)
        body = re.sub(r"^### `", "## `", body, flags=re.MULTILINE)
        body = re.sub(r"^```$\n(?=operation)", "```text\n", body, flags=re.MULTILINE)
        path = site / "dialect" / f"{name}.md"
        write(path, f"# {title.strip()}\n{body}")
        written.add(path)
        ops = re.findall(r"^## `(?:dovetail\.)?([\w.-]+)`", body, flags=re.MULTILINE)
        index += f"| [{title.strip()}]({name}.md) | {' '.join(f'`{op}`' for op in ops)} |\n"
    index += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    path = site / "dialect" / "index.md"
    write(path, index)
    return written | {path}
