"""Folders of checkpoints: steps, what is kept, and what is not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.checkpoint import CheckpointFolder, load_named


def test_named_trees_of_steps(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "run" / "a")
    assert folder.steps == []
    assert folder.latest is None
    params = {"layers": [{"w": dnp.arange(6.0).reshape(2, 3)}], "key": dt.random.key(3)}
    folder.save(100, params=params, state=(dnp.zeros(2), 7))
    folder.save(9, params={"w": np.ones(2)})
    assert folder.steps == [9, 100]
    assert folder.latest == 100
    again = CheckpointFolder(tmp_path / "run" / "a")
    found = again.load(params=params, state=(dnp.ones(2), 0))
    np.testing.assert_array_equal(found["params"]["layers"][0]["w"], params["layers"][0]["w"])
    assert found["params"]["key"] == params["key"]
    assert found["state"][1] == 7
    assert sorted(again.load(100)) == ["params", "state"]
    assert sorted(again.load(9)) == ["params"]
    # Each file is one of safetensors, for other libraries and other trees.
    tree, _ = load_named(
        tmp_path / "run" / "a" / "9" / "params.safetensors", {"v": dnp.zeros(2)}, names={"v": "w"}
    )
    np.testing.assert_array_equal(tree["v"], 1)


def test_the_latest_steps_are_kept(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path, keep=2)
    (tmp_path / "notes").mkdir()
    (tmp_path / "7.txt").write_text("no step")
    for step in range(5):
        folder.save(step, count={"n": step})
    assert folder.steps == [3, 4]
    assert folder.load()["count"]["n"] == 4
    assert (tmp_path / "notes").is_dir()
    with pytest.raises(ValueError, match="keep must be at least 1, or None for all steps, got: 0"):
        CheckpointFolder(tmp_path, keep=0)


def test_a_step_is_complete_or_absent(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    with pytest.raises(TypeError):
        folder.save(1, good={"x": dnp.ones(2)}, bad={"x": "text"})
    assert folder.steps == []
    assert list(tmp_path.iterdir()) == []
    # What a process left that was ended is written again.
    (tmp_path / ".1.unfinished").mkdir()
    (tmp_path / ".1.unfinished" / "old.safetensors").write_bytes(b"")
    assert folder.steps == []
    folder.save(1, good={"x": dnp.ones(2)})
    assert sorted(folder.load(1)) == ["good"]


def test_what_is_not_there(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"got: None of \[\]"):
        folder.load()
    folder.save(1, a={"x": dnp.ones(2)})
    with pytest.raises(FileNotFoundError, match=r"got: 2 of \[1\]"):
        folder.load(2)
    with pytest.raises(FileNotFoundError):
        folder.load(1, b={"x": dnp.ones(2)})
    with pytest.raises(TypeError, match="got: 'last'"):
        folder.load("last")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a step must be new, got: 1"):
        folder.save(1, a={"x": dnp.ones(2)})
    with pytest.raises(ValueError, match="got: -1 and 1 trees"):
        folder.save(-1, a={})
    with pytest.raises(ValueError, match="got: 2 and 0 trees"):
        folder.save(2)
    with pytest.raises(ValueError, match=r"got: '\.\./a'"):
        folder.save(2, **{"../a": {"x": dnp.ones(2)}})
    with pytest.raises(ValueError, match="leaves of `like`"):
        folder.load(a={"y": dnp.ones(2)})
