"""Folders of checkpoints: named trees for each step of a computation."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.runtime import processes
from dovetail.saving.trees import load, save

_SUFFIX = ".safetensors"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class CheckpointFolder:
    """The checkpoints of a computation: a folder for each step, with a file for each named tree.

    A step is complete or absent: it is written under a temporary name. Files are those of `save`,
    in the safetensors format.

    If arrays are on devices of several processes, all of these must call `save` at the same time,
    with the same trees, in a folder that all see.

    Args:
      path: the folder, which is made if there is none.
      keep: how many of the latest steps stay; by default all do.

    Raises:
      ValueError: fewer than one step is to stay.

    Example:
      >>> import tempfile
      >>> import numpy as np
      >>> from dovetail import checkpoint
      >>> folder = checkpoint.CheckpointFolder(tempfile.mkdtemp(), keep=2)
      >>> for step in (10, 20, 30):
      ...     folder.save(step, params={"w": np.full(2, step)}, data={"position": step})
      >>> folder.steps, folder.latest
      ([20, 30], 30)
      >>> folder.load()
      {'data': {'position': 30}, 'params': {'w': array([30, 30])}}
    """

    def __init__(self, path: str | os.PathLike[str], *, keep: int | None = None) -> None:
        if keep is not None and (not isinstance(keep, int) or keep < 1):
            raise value_error(
                f"CheckpointFolder: keep must be at least 1, or None for all steps, got: {keep!r}"
            )
        self.path, self.keep = Path(path), keep
        self.path.mkdir(parents=True, exist_ok=True)

    def __repr__(self) -> str:
        return f"CheckpointFolder({str(self.path)!r}, steps={self.steps})"

    @property
    def steps(self) -> list[int]:
        """The steps that there are, in rising order."""
        return sorted(
            int(each.name)
            for each in self.path.iterdir()
            if each.name.isdecimal() and each.is_dir()
        )

    @property
    def latest(self) -> int | None:
        """The last step; None if there is none."""
        return max(self.steps, default=None)

    def save(self, step: int, **trees: Any) -> None:
        """Write the trees of a step; steps before the last `keep` are removed.

        Args:
          step: the number of the step, 0 or more.
          **trees: trees of arrays, NumPy arrays, numbers and random keys, by name.

        Raises:
          TypeError: a leaf is something else.
          ValueError: the step is there already, or negative, there is no tree, or a name is none of
            a file.
          OSError: a file cannot be written.

        Example:
          >>> import tempfile
          >>> from dovetail import checkpoint
          >>> folder = checkpoint.CheckpointFolder(tempfile.mkdtemp())
          >>> folder.save(0, params={"w": dnp.zeros(2)})
          >>> folder.steps
          [0]
        """
        if not isinstance(step, int) or step < 0 or not trees:
            raise value_error(
                "CheckpointFolder.save: there must be a step of 0 or more, and a tree, got: "
                f"{step!r} and {len(trees)} trees"
            )
        for name in trees:
            if not _NAME.fullmatch(name):
                raise value_error(
                    "CheckpointFolder.save: names must consist of letters, digits and _, got: "
                    f"{name!r}"
                )
        target = self.path / str(step)
        if target.exists():
            raise value_error(
                f"CheckpointFolder.save: a step must be new, got: {step}, which is in {self.path}; "
                "remove its folder to write it again"
            )
        group = processes.current()
        is_first = group is None or group.index == 0
        unfinished = self.path / f".{step}.unfinished"
        if is_first and unfinished.exists():
            shutil.rmtree(unfinished)
        if group is not None:
            group.barrier(f"the start of step {step}")
        unfinished.mkdir(exist_ok=True)
        try:
            for name, tree in trees.items():
                save(unfinished / f"{name}{_SUFFIX}", tree)
        except BaseException:
            if group is None:
                shutil.rmtree(unfinished)
            raise
        if is_first:
            unfinished.rename(target)
            for old in self.steps[: -self.keep] if self.keep else []:
                shutil.rmtree(self.path / str(old))
        if group is not None:
            group.barrier(f"the end of step {step}")

    def load(self, step: int | None = None, **like: Any) -> dict[str, Any]:
        """The trees of a step, by name.

        Args:
          step: the step; by default the last one.
          **like: trees whose leaves state the types and shardings of the results, as for
            `checkpoint.load`; if there are any, only these trees are read.

        Raises:
          TypeError: the step is no number.
          FileNotFoundError: there is no such step, or no tree of that name in it.
          ValueError: the leaves of a tree are not those of the file, or it is damaged.

        Example:
          >>> import tempfile
          >>> from dovetail import checkpoint
          >>> folder = checkpoint.CheckpointFolder(tempfile.mkdtemp())
          >>> folder.save(5, params={"w": dnp.ones(2)}, state={"count": 3})
          >>> folder.load(params={"w": dnp.zeros(2)})
          {'params': {'w': Array([1., 1.], dtype=float32)}}
        """
        if step is not None and not isinstance(step, int):
            raise type_error(f"CheckpointFolder.load: step must be an int or None, got: {step!r}")
        step = self.latest if step is None else step
        source = self.path / str(step)
        if step is None or not source.is_dir():
            raise FileNotFoundError(
                f"CheckpointFolder.load: there must be a step of that number in {self.path}, got: "
                f"{step} of {self.steps}"
            )
        names = sorted(like) or sorted(
            each.name.removesuffix(_SUFFIX) for each in source.glob(f"*{_SUFFIX}")
        )
        return {name: load(source / f"{name}{_SUFFIX}", like.get(name)) for name in names}
