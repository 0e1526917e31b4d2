"""Checkpoints that several processes write at once, and that others read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors import numpy as plain

from dovetail import checkpoint
from support.rank_programs import check_tree, expected_tree
from support.ranks import SHAPES, by_tcp, check_done

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("count", "local"), SHAPES)
def test_another_number_of_processes(count: int, local: int, tmp_path: Path) -> None:
    path = tmp_path / "state"
    check_done(by_tcp(count, local, "saves", path))
    assert list(tmp_path.iterdir()) == [path]
    # In one process without them, and by other programs.
    check_tree(checkpoint.load(path))
    np.testing.assert_array_equal(plain.load_file(path)["grid"], expected_tree()["grid"])
    check_done(by_tcp(*next(shape for shape in SHAPES if shape[0] != count), "loads", path))
    # Each part has its digest.
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="are not those that were saved"):
        checkpoint.load(path)


@pytest.mark.parametrize("fault", ["full", "killed"])
def test_a_process_that_cannot_write(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "state"
    ranks = by_tcp(3, 1, "cannot_save", path, fault)
    if fault == "killed":
        assert ranks.pop(1).status == -9
    for rank in ranks:
        assert (rank.errors, rank.status) == ("", 0)
    assert list(tmp_path.iterdir()) == [path]
