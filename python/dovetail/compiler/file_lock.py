"""Locks among processes and threads: files that the system unlocks when their holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from dovetail.base import background

# The descriptors of the locks that are held; a forked process must not hold them as well.
_held: set[int] = set()


def _let_go() -> None:
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_let_go)


@contextlib.contextmanager
def held(path: Path, patience: float) -> Iterator[bool]:
    """Hold the lock of a file within the block.

    Args:
      path: the file, which is removed at the end.
      patience: the number of seconds to wait for another holder.

    Yields:
      Whether it is held. It is not if another holder kept it for longer, if no such file can be
      created or locked, or if the interpreter exits.
    """
    descriptor = _acquired(path, patience)
    if descriptor is None:
        yield False
        return
    _held.add(descriptor)
    try:
        yield True
    finally:
        # Unlinked while it is locked, so that no other process holds it.
        with contextlib.suppress(OSError):
            os.unlink(path)
        _held.discard(descriptor)
        os.close(descriptor)


def _acquired(path: Path, patience: float) -> int | None:
    deadline = time.monotonic() + patience
    delay = 0.002
    while True:
        try:
            # Whatever the path refers to, opening it does not wait.
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            descriptor = os.open(path, flags, 0o600)
        except OSError:
            return None
        is_mine = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The last holder may have removed this file since.
            is_mine = _is_at(descriptor, path)
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            with background.outside():
                is_ending = background.ending.wait(min(delay, left))
            if is_ending:
                return None
            delay = min(2 * delay, 0.1)
        except OSError:
            # A file system without locks.
            return None
        finally:
            if not is_mine:
                os.close(descriptor)
        if is_mine:
            return descriptor


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
