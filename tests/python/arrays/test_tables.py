"""The examples of docs/tables.md: each section with the library that it is about, if installed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

LIBRARIES = {
    "Arrow": "pyarrow",
    "pandas": "pandas",
    "Polars": "polars",
    "PyTorch": "torch",
    "TensorFlow": "tensorflow",
    "CuPy": "cupy",
}


def sections(repository: Path) -> dict[str, str]:
    """The page's code, by heading."""
    text = (repository / "docs" / "tables.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    code = [
        "\n".join(re.findall(r"^```pycon\n(.*?)^```$", part, re.MULTILINE | re.DOTALL))
        for part in parts[1::2]
    ]
    return dict(zip(parts[::2], code, strict=True))


def test_each_library_has_a_section(repository: Path) -> None:
    assert set(sections(repository)) == set(LIBRARIES)


@pytest.mark.parametrize("name", LIBRARIES)
def test_examples_run(name: str, repository: Path) -> None:
    pytest.importorskip(LIBRARIES[name], exc_type=ImportError)
    code = sections(repository)[name]
    test = doctest.DocTestParser().get_doctest(code, {}, name, "docs/tables.md", 0)
    assert test.examples
    report: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)


class Column:
    """A column as pandas and Polars have them: NumPy's memory, which is not to be written to."""

    def __init__(self, values: np.ndarray) -> None:
        values.flags.writeable = False
        self.values = values

    def to_numpy(self) -> np.ndarray:
        return self.values


@pytest.mark.parametrize("dtype", ["float32", "int32", "int8", "uint16", "bool", "float16"])
def test_columns_are_shared(dtype: str) -> None:
    # A column within a block, so that its memory is not aligned.
    block = np.arange(10).reshape(2, 5).astype(dtype)
    column = Column(block[1])
    array = dnp.from_dlpack(column.to_numpy(), copy=False)
    assert np.shares_memory(np.asarray(array), block)
    made = dt.jit(lambda t: {"n": t["a"].astype(int).sum()})({"a": array})
    assert int(made["n"]) == int(block[1].astype(int).sum())


def test_wide_columns_need_a_copy() -> None:
    values = np.arange(3.0)
    with pytest.raises(BufferError, match="float64 becomes float32"):
        dnp.from_dlpack(values, copy=False)
    with dt.enable_x64():
        array = dnp.from_dlpack(values, copy=False)
        assert np.shares_memory(np.asarray(array), values)
