"""Fills a document with what its Python code prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def transcript(template: Path) -> str:
    """The template with what each block of Python code prints after the block.

    The code may import examples, has eight devices, and finds `dovetail-opt`.
    """
    sys.path.insert(0, str(ROOT / "examples"))
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    namespace: dict[str, object] = {}

    def filled(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], template.name, "exec"), namespace)
        if not printed.getvalue():
            return block[0]
        return f"{block[0]}\n```text\n{printed.getvalue().rstrip()}\n```\n"

    text = template.read_text()
    return re.sub(r"^```python\n(.*?)^```\n", filled, text, flags=re.MULTILINE | re.DOTALL)
