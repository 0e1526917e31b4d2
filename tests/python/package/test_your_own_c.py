"""The examples of docs/your_own_c.md, one after the other."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs the system's C compiler, cc")
def test_examples_run(repository: Path) -> None:
    text = (repository / "docs" / "your_own_c.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(
        "\n".join(blocks), {}, "your_own_c.md", "docs/your_own_c.md", 0
    )
    assert len(test.examples) > 15
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)
