"""Divides the dialect's reference into a page for each family of ops, and one for the passes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from contents import ROOT
from derivatives import described
from formulas import typeset
from op_programs import programs
from pages import write

_ABOUT = (
    "An op states its rules once: its derivative, transpose, batching and lowering; "
    "[Adding an op](adding_ops.md) explains them. A tangent formula is one expression, in which "
    "`t` is the tangent of an operand, and `ans` is the result. Here derivatives are typeset, with "
    "f for the result and a dot for tangents; \\[a = b\\] is 1 where this is so, and 0 elsewhere. "
    "Below the example of an op is what the compiler makes of it: the tangents of its results, as "
    "its rule writes them, and the lowered program. Ops on matrices are shown as the loops and "
    "products that they become where there is no LAPACK.\n\n"
)


def make(site: Path) -> set[Path]:
    """Writes the pages; returns their files."""
    text = (ROOT / "dialects" / "REFERENCE.md").read_text()
    head, *families = re.split(r"^## ", text, flags=re.MULTILINE)
    written = set[Path]()
    index = "# The dialect\n\n" + head.split("\n", 2)[2].strip() + "\n\n" + _ABOUT
    index += "| family | ops |\n|---|---|\n"
    pages = []
    for family in families:
        title, _, body = family.partition("\n")
        title = title.strip()
        entries = re.split(r"^### ", body, flags=re.MULTILINE)
        body = entries[0] + "".join("## " + _entry(entry) for entry in entries[1:])
        # The family of gathers and scatters; the list of families is called index.
        page = "indexing" if title == "Index" else title.lower()
        path = site / "dialect" / f"{page}.md"
        write(path, f"# {title}\n{body}")
        written.add(path)
        pages.append(page)
        ops = [re.match(r"`(?:dovetail\.)?([^`]+)`|(\w+)", entry) for entry in entries[1:]]
        names = " ".join(f"`{op[1]}`" for op in ops if op and op[1])
        index += f"| [{title}]({page}.md) | {names} |\n"
    index += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    path = site / "dialect" / "index.md"
    write(path, index)
    return written | {path}


def _entry(text: str) -> str:
    """The description of an op, with its derivative typeset and an example."""
    heading, _, body = text.partition("\n")
    operands = re.findall(
        r"^\| `(\w+)` \|", body.partition("Operands:")[2].partition("###")[0], re.M
    )
    # Headings would fill the table of contents.
    body = re.sub(r"^#####? (.*?):?$", r"**\1**", body, flags=re.MULTILINE)
    tangent = re.search(r"^Tangent: (.*?)\.$", body, flags=re.MULTILINE | re.DOTALL)
    if tangent and (formula := typeset(tangent[1].replace("\n", " "), operands)):
        body = body.replace(tangent[0], f"{tangent[0]}\n\n$$\n{formula}\n$$")
    if op := re.match(r"`dovetail\.(\w+)`", heading):
        start = re.search(r"^\*\*(Attributes|Operands|Results)", body, flags=re.MULTILINE)
        place = start.start() if start else len(body)
        body = body[:place] + _shown(op[1], known=bool(tangent)) + body[place:]
    return f"{heading}\n{body}"


def _shown(op: str, known: bool) -> str:
    """The derivative of an op, unless it is known, and a program with what becomes of it."""
    texts = programs().get(op, {})
    shown = "" if known else f"{described(op)}\n\n"
    if example := texts.get("example") or _examples().get(op):
        shown += f"For example:\n\n```mlir\n{example}\n```\n\n"
    for name, title in (("derivative", "Its tangents"), ("lowering", "Its lowering")):
        if text := texts.get(name):
            shown += f":::{{dropdown}} {title}\n```mlir\n{text}\n```\n:::\n\n"
    return shown


@cache
def _examples() -> dict[str, str]:
    """A line of the tests of the dialect's syntax for each op."""
    found = dict[str, str]()
    for path in sorted((ROOT / "tests/lit/dialect").glob("*/parse_print*.mlir")):
        for line in path.read_text().splitlines():
            op = re.match(r"\s*(?!//)(?:%[\w:]+ = )?dovetail\.(\w+)\b", line)
            if op and "{" not in re.sub(r'"[^"]*"', "", line):
                found.setdefault(op[1], line.strip())
    return found
