"""The examples of docs/weights.md, one after the other."""

from __future__ import annotations

import doctest
import re
from pathlib import Path


def test_examples_run(repository: Path) -> None:
    text = (repository / "docs" / "weights.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(
        "\n".join(blocks), {}, "weights.md", "docs/weights.md", 0
    )
    assert len(test.examples) > 15
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)
