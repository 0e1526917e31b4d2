"""Module files on disk: validation, and the digest that seals them.

IREE writes a module as a ZIP archive whose first member is the module proper. A sealed file has a
SHA-256 digest in the archive's comment, which IREE's own tools and ZIP's ignore.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import secrets
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Bytes = bytes | bytearray | memoryview

_ZIP_MAGIC = b"PK\x03\x04"
# "End of central directory": signature, counts and offsets, length of the comment that follows.
_END = struct.Struct("<4s16sH")
_END_MAGIC = b"PK\x05\x06"
_SEAL = b"dovetail sha256 "
_DIGEST_SIZE = 2 * hashlib.sha256().digest_size
_SEAL_SIZE = len(_SEAL) + _DIGEST_SIZE

# The FlatBuffer identifier of a module, after the FlatBuffer's size and its root table's offset.
_MODULE_MAGIC = b"IREE"


def seal(vmfb: Bytes) -> bytes:
    """Returns the module file with a digest in it.

    Raises:
      ValueError: `vmfb` is not a module file.
    """
    check(vmfb)
    if _comment_size(memoryview(vmfb)) != 0:
        return bytes(vmfb)  # it has one
    content = bytes(vmfb[:-2]) + struct.pack("<H", _SEAL_SIZE) + _SEAL
    return content + hashlib.sha256(content).hexdigest().encode()


def save(path: str | os.PathLike[str], vmfb: Bytes) -> None:
    """Writes a module file that `load` checks for damage and that every IREE tool can read.

    The file appears at once and complete: a process that has the old one open keeps the old one.

    Args:
      path: the file to write; an existing file is replaced.
      vmfb: the module file's bytes.

    Raises:
      ValueError: `vmfb` is not a module file.
      OSError: the file cannot be written.

    Example:
      >>> import os, tempfile
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = arith.addf %x, %x : tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> with tempfile.TemporaryDirectory() as directory:
      ...     path = os.path.join(directory, "twice.vmfb")
      ...     runtime.save(path, vmfb)
      ...     runtime.load(path).functions
      ['twice']
    """
    content = seal(vmfb)
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write that replaces another one at the end or, after an error, is removed.

    It already exists, empty, for writers that report their own errors if they cannot write.

    Raises:
      OSError: the file cannot be written; the error names `path`.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}-{secrets.token_hex(8)}")
    try:
        temporary.touch()
        mode = temporary.stat().st_mode
        yield temporary
        # A full disk is reported here at the latest.
        _synchronize(temporary)
        # Some libraries create a file that only its owner can read.
        temporary.chmod(mode)
        os.replace(temporary, target)
        _synchronize(target.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            # Report the user's file name, not that of the temporary file.
            raise type(error)(
                error.errno, f"the file cannot be written: {os.strerror(error.errno)}", str(target)
            ) from None
        raise


def _synchronize(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check(data: Bytes, name: str = "this") -> list[str]:
    """Checks that `data` is a complete module file, by its digest, or by its archive's CRCs.

    IREE's own checks do not replace these: damaged machine code crashes the process.

    Args:
      data: the file's bytes.
      name: its name in errors.

    Returns:
      The names of the files packed in it.

    Raises:
      ValueError: it is not a module file, or it is damaged.
    """
    view = memoryview(data)
    try:
        return _check_archive(view, sealed=_check_seal(view))
    except Exception as error:  # `zipfile` raises errors of many types on damaged archives
        raise ValueError(
            f"{name} is not an IREE module file: {error}; compile it again or fetch a fresh copy"
        ) from None


def _check_seal(view: memoryview) -> bool:
    """Checks the digest; returns False if there is none."""
    if bytes(view[: len(_ZIP_MAGIC)]) != _ZIP_MAGIC:
        raise ValueError("it does not start as an archive")
    # IREE writes no comment, so a comment that is not empty is a seal, or the remains of one.
    if _comment_size(view) == 0:
        return False
    content, digest = view[:-_DIGEST_SIZE], bytes(view[-_DIGEST_SIZE:])
    if _comment_size(view[:-_SEAL_SIZE]) != _SEAL_SIZE:
        raise ValueError("its end is missing or damaged")
    if hashlib.sha256(content).hexdigest().encode() != digest:
        raise ValueError("its SHA-256 digest does not match")
    return True


def _comment_size(view: memoryview) -> int | None:
    """Returns the length of the comment that follows `view`, or None if no archive ends there."""
    if len(view) < _END.size:
        return None
    magic, _, size = _END.unpack(view[-_END.size :])
    return size if magic == _END_MAGIC else None


def _check_archive(view: memoryview, sealed: bool) -> list[str]:
    """Checks that the first member is a module, and every member's CRC if there was no digest."""
    with zipfile.ZipFile(_Reader(view)) as archive:
        members = archive.infolist()
        if not members or members[0].header_offset != 0:
            raise ValueError("its archive has no member at the start")
        with archive.open(members[0]) as module:
            if module.read(8 + len(_MODULE_MAGIC))[8:] != _MODULE_MAGIC:
                raise ValueError("its archive does not start with a module")
        damaged = None if sealed else archive.testzip()
        if damaged is not None:
            raise ValueError(f"the CRC of {damaged!r} in its archive does not match")
        return [member.filename for member in members]


class _Reader(io.RawIOBase):
    """A file over bytes in memory that, unlike `io.BytesIO`, does not copy them."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: len(self._view)}[whence]
        if base + offset < 0:
            raise ValueError(f"a position must not be negative, got: {base + offset}")
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        chunk = self._view[self._position : self._position + len(buffer)]
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)
