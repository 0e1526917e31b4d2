"""A directory of compiled modules, each under the digest of everything that determines it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import warnings
from pathlib import Path

_DIGEST_SIZE = hashlib.sha256().digest_size


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
    """A content-addressed store of bytes.

    An entry is written to a temporary file and renamed, so a reader sees all of it or nothing. Its
    digest covers name and content: an entry that is damaged or misplaced counts as absent. A
    directory that cannot be written only costs the speed-up.

    Args:
      directory: where entries lie, created on the first write; None stores nothing.
    """

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    def get(self, key: str) -> bytes | None:
        """Returns what was stored under `key`, or None; drops an entry that is damaged."""
        if self.directory is None:
            return None
        path = self.directory / key
        try:
            entry = path.read_bytes()
        except OSError:
            return None
        digest, content = entry[:_DIGEST_SIZE], entry[_DIGEST_SIZE:]
        if digest == _digest(key, content):
            return content
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def put(self, key: str, content: bytes) -> None:
        """Stores `content` under `key`, which must do as a file name."""
        if self.directory is None:
            return
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_atomically(self.directory / key, _digest(key, content) + content)
        except OSError as error:
            warnings.warn(
                f"compiled modules are not cached: {error}; "
                "set DOVETAIL_CACHE_DIR to a directory that can be written, or to '' for no cache",
                RuntimeWarning,
                stacklevel=2,
            )
            self.directory = None


def _digest(key: str, content: bytes) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(content)
    return digest.digest()


def _write_atomically(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
