"""A directory of compiled modules, of code that they share, and of modules after passes, each under
the digest of everything that determines it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dovetail.base import background, monitoring

_DIGEST_SIZE = hashlib.sha256().digest_size
# Only entries are evicted: the directory may have other files.
_ENTRY = re.compile(r"[0-9a-f]{64}\.(vmfb|mlirbc|code)")
# Names of files that are not entries. A stale one was left by a killed process.
_WRITING, _LOCK = ".writing-", ".lock-"
_STALE_SECONDS = 3600.0
# Seconds to wait for another process that makes the same entry; after that, both make it.
_PATIENCE = 600.0
# Recount the entries of other processes after this many entries of this process.
_COUNTED_EVERY = 64
# Evict several entries at a time.
_KEPT_SHARE = 0.9


class CacheStatistics(NamedTuple):
    """Statistics of the cache on disk in this process.

    Attributes:
      hits: programs that were found.
      misses: programs that were not found.
      stored: programs written.
      damaged: entries dropped because their contents had changed.
      evicted: entries removed to keep within the size limit.
      waited: programs for which this process waited while another process or thread compiled them.

    Example:
      >>> import dovetail as dt
      >>> dt.cache_statistics().damaged
      0
    """

    hits: int = 0
    misses: int = 0
    stored: int = 0
    damaged: int = 0
    evicted: int = 0
    waited: int = 0


_statistics = CacheStatistics()
_statistics_lock = threading.Lock()


def _count(what: str, number: int = 1) -> None:
    global _statistics
    with _statistics_lock:
        _statistics = _statistics._replace(**{what: getattr(_statistics, what) + number})
    monitoring.record_event(monitoring.CACHE_EVENTS + what)


def cache_statistics() -> CacheStatistics:
    """Statistics of the cache of compiled programs in this process so far.

    Returns:
      A `CacheStatistics`.

    Example:
      >>> import dovetail as dt
      >>> before = dt.cache_statistics()
      >>> compiled = dt.jit(lambda x: x + x).lower(1.0).compile()
      >>> after = dt.cache_statistics()
      >>> after.hits + after.misses - before.hits - before.misses
      1
    """
    return _statistics


def directory_from_environment() -> Path | None:
    """Returns `$DOVETAIL_CACHE_DIR`, or the user's cache directory; None if it is set to ''."""
    chosen = os.environ.get("DOVETAIL_CACHE_DIR")
    if chosen is not None:
        return Path(chosen).expanduser() if chosen else None
    # A relative $XDG_CACHE_HOME is invalid by the XDG base directory specification: ignore it.
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "dovetail"
    except RuntimeError:  # no home directory
        return None


class Cache:
    """A content-addressed store of bytes, shared by many processes.

    An entry is written to a temporary file and renamed, so a reader sees all of it or nothing. Its
    digest covers name and content: an entry that is damaged or misplaced counts as absent. Entries
    are code that will be run: a directory that others may write to is not used. Failures to read or
    write only cost the speed-up, with a warning.

    Args:
      directory: the directory of the entries, created on the first write; None stores nothing.
      max_size: the size limit in bytes, which keeps the most recently used entries; -1 for no
        limit.
    """

    def __init__(self, directory: Path | None, max_size: int = -1) -> None:
        self.directory = directory if max_size else None
        self._max_size = max_size
        self._is_checked = False
        self._is_writable = True
        self._lock = threading.Lock()
        # Total size of the entries at the last count, and bytes written since.
        self._size = 0
        self._uncounted = _COUNTED_EVERY

    def get_or_make(self, key: str, make: Callable[[str], bytes]) -> bytes:
        """Returns the entry of `key`; if there is none, stores and returns the result of `make`.

        If several processes or threads ask for the same entry, one makes it and the others wait.

        Args:
          key: the name of the entry.
          make: called with the reason why there is no entry.
        """
        content, why = self._read(key)
        if content is not None:
            _count("hits")
            return content
        if not self._may_write():
            _count("misses")
            return make(why)
        assert self.directory is not None
        # Not all file systems have such locks, and those that only read do without.
        from dovetail.compiler import file_lock  # lazy

        with file_lock.held(self.directory / (_LOCK + key), _PATIENCE):
            # Another thread or process may have made it in the meantime.
            content, _ = self._read(key)
            if content is not None:
                _count("hits")
                _count("waited")
                return content
            _count("misses")
            content = make(why)
            if self.put(key, content):
                _count("stored")
            return content

    def get(self, key: str) -> bytes | None:
        """Returns the entry of `key`, or None; drops a damaged entry."""
        return self._read(key)[0]

    def _read(self, key: str) -> tuple[bytes | None, str]:
        """The entry, or the reason why there is none."""
        if self.directory is None or not self._is_safe():
            return None, "nothing is kept" + (" yet" if self.directory else "")
        path = self.directory / key
        try:
            entry = _read_file(path)
        except OSError:
            return None, f"{self.directory} has none of the same IR, flags and versions"
        digest, content = entry[:_DIGEST_SIZE], entry[_DIGEST_SIZE:]
        if digest == _digest(key, content):
            # The modification time makes eviction least recently used.
            with contextlib.suppress(OSError):
                os.utime(path)
            return content, ""
        _count("damaged")
        with contextlib.suppress(OSError):
            path.unlink()
        return None, f"{path} was damaged"

    def put(self, key: str, content: bytes) -> bool:
        """Store `content` under `key`, which must be usable as a file name; False if that fails."""
        size = _DIGEST_SIZE + len(content)
        if not self._may_write() or 0 <= self._max_size < size:
            return False
        assert self.directory is not None
        try:
            _write_atomically(self.directory / key, _digest(key, content) + content)
        except OSError as error:
            self._give_up(error)
            return False
        self._make_room(size)
        return True

    def _may_write(self) -> bool:
        """True if entries can be stored; creates the directory."""
        if self.directory is None or not self._is_writable:
            return False
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            self._give_up(error)
            return False
        return self._is_safe()

    def _is_safe(self) -> bool:
        """True if no other user can write into the directory."""
        if self._is_checked:
            return self.directory is not None
        assert self.directory is not None
        try:
            status = self.directory.stat()
        except OSError:
            # It is checked once it exists.
            return False
        fault = None
        if status.st_uid not in (os.geteuid(), 0):
            fault = f"{self.directory} belongs to another user, number {status.st_uid}"
        elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            fault = f"others may write to {self.directory}, which `chmod go-w` would forbid"
        if fault:
            self._refuse(fault)
        self._is_checked = True
        return fault is None

    def _give_up(self, error: OSError) -> None:
        """Stop writing."""
        self._is_writable = False
        _warn(str(error))

    def _refuse(self, fault: str) -> None:
        """Stop using the directory."""
        self.directory = None
        _warn(fault)

    # Its size -------------------------------------------------------------------------------------

    def _make_room(self, size: int) -> None:
        """Keep within the size limit after an entry of this size was written."""
        with self._lock:
            self._size += size
            self._uncounted += 1
            is_over = 0 <= self._max_size < self._size
            if not is_over and self._uncounted < _COUNTED_EVERY:
                return
            self._uncounted = 0
            self._size = self._remove_oldest()

    def _remove_oldest(self) -> int:
        """Evict the least recently used entries and files left by killed processes; returns the
        remaining size.
        """
        assert self.directory is not None
        entries: list[tuple[float, int, str]] = []
        try:
            with os.scandir(self.directory) as files:
                for file in files:
                    with contextlib.suppress(OSError):
                        status = file.stat(follow_symlinks=False)
                        if file.name.startswith((_WRITING, _LOCK)):
                            _remove_if_stale(Path(file.path), status.st_mtime)
                        elif _ENTRY.fullmatch(file.name):
                            entries.append((status.st_mtime, status.st_size, file.path))
        except OSError:
            return 0
        total = sum(size for _, size, _ in entries)
        if not 0 <= self._max_size < total:
            return total
        for _, size, path in sorted(entries):
            if total <= self._max_size * _KEPT_SHARE:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
                _count("evicted")
                total -= size
        return total


def _warn(fault: str) -> None:
    background.warn(
        f"compiled programs are not kept: {fault}; set DOVETAIL_CACHE_DIR, or the setting "
        "compilation_cache_dir, to a directory of your own, or DOVETAIL_CACHE_DIR to '' for none"
    )


def _digest(key: str, content: bytes) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(content)
    return digest.digest()


def _read_file(path: Path) -> bytes:
    """The bytes of a regular file. Anything else counts as absent and never blocks."""
    # Without the flag, opening a pipe would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no regular file")
        return file.read()


def _write_atomically(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_WRITING)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _remove_if_stale(path: Path, written: float) -> None:
    if time.time() - written < _STALE_SECONDS:
        return
    if path.name.startswith(_WRITING):
        path.unlink()
        return
    from dovetail.compiler import file_lock  # lazy

    # Acquired and released, unless its holder is alive.
    with file_lock.held(path, 0):
        pass
