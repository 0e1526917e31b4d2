"""Fills a document with what its Python code prints, returns and draws."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^```python(?: mpiexec=(?P<processes>\d+))?\n(?P<code>.*?)^```\n",
    flags=re.MULTILINE | re.DOTALL,
)


def transcript(template: Path, figures: Path | None = None) -> str:
    """The template with what each block of Python code prints after the block.

    The value of an expression that ends a block is printed, too. The code may import examples, and
    finds `dovetail-opt`. A block marked `mpiexec=2` is a program of its own, which two processes
    run.

    Args:
      template: a Markdown document.
      figures: the folder for the figures that blocks draw with matplotlib, which the document then
        shows after the block. Without it, they are dropped.
    """
    sys.path.insert(0, str(ROOT / "examples"))
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    namespace: dict[str, object] = {"__name__": "__main__"}
    text = template.read_text()

    def filled(block: re.Match[str]) -> str:
        # Errors and locations in the IR are to have the line of the document.
        code = "\n" * text.count("\n", 0, block.start("code")) + block["code"]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if block["processes"]:
                _run_processes(code, int(block["processes"]))
            else:
                _run(code, template.name, namespace)
        output = printed.getvalue().rstrip()
        shown = f"\n```text\n{output}\n```\n" if output else ""
        return block[0] + shown + _figures(figures, template.stem)

    return _BLOCK.sub(filled, text)


def _run(code: str, name: str, namespace: dict[str, object]) -> None:
    """Runs a block; prints the value of its last expression, like a notebook."""
    module = ast.parse(code, name)
    last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
    exec(compile(module, name, "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
        # What a call that draws returns is no result.
        if value is not None and not _open_figures():
            print(repr(value))


def _run_processes(code: str, count: int) -> None:
    """Runs a block in several processes; prints what they print."""
    launcher = ["mpiexec", "-n", str(count), sys.executable, "-c", code]
    print(subprocess.run(launcher, check=True, stdout=subprocess.PIPE, text=True).stdout, end="")


def _open_figures() -> list[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot.get_fignums() if pyplot else []


def _figures(folder: Path | None, stem: str) -> str:
    """Saves and closes the open figures; the Markdown that shows them."""
    shown = ""
    for number in _open_figures():
        pyplot = sys.modules["matplotlib.pyplot"]
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            count = len(list(folder.glob(f"{stem}-*.png"))) + 1
            figure = pyplot.figure(number)
            titles = [axes.get_title() or axes.get_ylabel() for axes in figure.axes]
            figure.savefig(folder / f"{stem}-{count}.png", dpi=160, bbox_inches="tight")
            described = ", ".join(title for title in titles if title) or "figure"
            shown += f"\n![{described}]({folder.name}/{stem}-{count}.png)\n"
        pyplot.close(number)
    return shown
