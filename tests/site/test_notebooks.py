"""Notebooks: the tutorials run as such, and have the extension, rich displays and progress."""

from __future__ import annotations

import base64
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
sys.path.insert(0, str(ROOT / "docs" / "site"))

from contents import page_of  # noqa: E402
from notebooks import notebook_of, tutorials  # noqa: E402


def run(code: list[str], tmp_path: Path, *, allow_errors: bool = False) -> Any:
    """Runs cells of code; returns them with their outputs."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in code])
    os.environ.setdefault("DOVETAIL_CACHE_DIR", str(ROOT / "build" / "test-cache"))
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        allow_errors=allow_errors,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    return notebook.cells


def displayed(cell: Any, kind: str) -> str:
    """All that a cell shows of a MIME type."""
    return "\n".join(each.data.get(kind, "") for each in cell.outputs if "data" in each)


@pytest.mark.parametrize("path", tutorials(), ids=lambda path: path.stem)
def test_tutorials_run_as_notebooks(path: Path) -> None:
    """The site has the notebook of each tutorial as it is now, with what running it showed."""
    built = SITE / f"{page_of(path)}.ipynb"
    links = re.findall(r'href="([^"]*\.ipynb)"', built.with_suffix(".html").read_text())
    [downloaded] = {(built.parent / link).resolve() for link in links}
    notebook = nbformat.read(downloaded, as_version=4)
    nbformat.validate(notebook)
    source = nbformat.reads(notebook_of(path), as_version=4)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in source.cells]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error"]
    if "pyplot" in path.read_text():
        pictures = [displayed(cell, "image/png") for cell in cells]
        assert any(base64.b64decode(text)[:4] == b"\x89PNG" for text in pictures if text)


HEAD = """
import numpy as np, dovetail as dt, dovetail.numpy as dnp
%load_ext dovetail
w = np.ones((640, 320), np.float32); x = np.ones((160, 640), np.float32)
def layer(w, x, scale=1.0):
    return dnp.tanh(x @ w) * scale
"""


def test_rich_displays(tmp_path: Path) -> None:
    _, array, cube, ir, lowered, page = run(
        [
            HEAD,
            "dnp.arange(40.0).reshape(2, 20) / 3",
            "dnp.zeros((2, 2, 2))",
            "dt.make_ir(layer)(w, x)",
            "dt.jit(layer).lower(w, x)",
            "dt.view(layer, w, x)",
        ],
        tmp_path,
    )
    table = displayed(array, "text/html")
    assert "float32[2,20], 160 bytes" in table
    assert ">0.33333</td>" in table
    assert table.count("…") == 3
    assert "Array([[" in displayed(array, "text/plain")
    assert "<pre>[[[0. 0.]" in displayed(cube, "text/html")
    for cell in (ir, lowered):
        assert '<span style="color: #3b82d0">dovetail.tanh</span>' in displayed(cell, "text/html")
    assert "layer(float32[640,320], float32[160,640])" in displayed(lowered, "text/html")
    assert "<iframe" in displayed(page, "text/html")


def test_magic_ir(tmp_path: Path) -> None:
    _, line, lowered, starred, cell, nothing, page = run(
        [
            HEAD,
            "%ir layer(w, x, scale=2.0)",
            "%ir --phase lower layer(w, x)",
            "%ir dt.grad(lambda *each: layer(*each).sum())(*[w, x])",
            "%%ir --phase=simplify\ny = dt.jit(layer)(w, x)\nprint(y.shape)",
            "%%ir\n1 + 1",
            "%ir --view layer(w, x)",
        ],
        tmp_path,
    )
    assert "dovetail.tanh" in displayed(line, "text/html")
    assert "%arg2: tensor<f32>" in displayed(line, "text/plain")
    assert "linalg" in displayed(lowered, "text/plain")
    assert "dovetail.vjp" in displayed(starred, "text/plain")
    assert cell.outputs[0].text == "(160, 320)\n"
    assert displayed(cell, "text/plain").startswith("// layer, simplify")
    assert "calls no jitted function" in str(nothing.outputs)
    assert "<iframe" in displayed(page, "text/html")


def test_wrong_lines(tmp_path: Path) -> None:
    wrong = {
        "%ir layer": "must be a call, f(x), got: 'layer'",
        "%ir --depth 3 layer(w, x)": "options must be --phase or --view, got: --depth",
        "%ir --phase parse layer(w, x)": "phases must be among trace",
    }
    _, *cells = run([HEAD, *wrong], tmp_path, allow_errors=True)
    for cell, message in zip(cells, wrong.values(), strict=True):
        [error] = [output for output in cell.outputs if output.output_type == "error"]
        assert message in error.evalue
        assert "got: " in error.evalue


def test_magic_profile(tmp_path: Path) -> None:
    _, _, line, cell = run(
        [
            HEAD,
            "f = dt.jit(layer)",
            "%dovetail_profile f(w, x)",
            "%%dovetail_profile\nfor _ in range(3):\n    y = f(w, x)",
        ],
        tmp_path,
    )
    for each, calls in ((line, "1"), (cell, "3")):
        shown = displayed(each, "text/html")
        assert ">layer</td>" in shown
        assert f">{calls}</td>" in shown
        assert ">dot_general" in shown
        assert "tanh" in shown
        assert " µs" in shown or " ms" in shown
    assert "dispatches run in a call" in displayed(cell, "text/plain")


def test_progress_of_a_long_compilation(tmp_path: Path) -> None:
    """A bar shows the program and the part, and is gone in the end."""
    updates: list[str] = []
    wait = "import time; from dovetail.compiler import progress; progress._PATIENCE = 0.1"
    code = (
        "progress.enter('step', 'code generation')\nwith progress.bar('step'):\n    time.sleep(1.5)"
    )
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(each) for each in (HEAD, wait, code)]
    )

    class Client(NotebookClient):
        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            if msg["msg_type"] in ("display_data", "update_display_data"):
                updates.append(msg["content"]["data"].get("text/html", ""))
            return super().process_message(msg, cell, cell_index)

    Client(notebook, timeout=120, kernel_name="python3").execute()
    assert '<progress value="0.2' in updates[0]
    assert "compiling `step`: code generation, 0 s" in updates[0]
    assert updates[-1] == ""
    assert [output.output_type for output in notebook.cells[-1].outputs] == ["display_data"]
