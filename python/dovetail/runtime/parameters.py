"""Arrays that modules read from files: IREE's parameter archives, and safetensors.

A file written by Dovetail has an additional array: the digest of all bytes of the file, with its
own bytes counted as zeros.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iree.runtime import ParameterIndex, VmModule, create_io_parameters_module

from .devices import INSTANCE
from .notes import Parameters
from .signature import ArraySpec

FORMATS = ("irpa", "safetensors", "gguf")
DIGEST_KEY = "dovetail.sha256"
DIGEST_SIZE = hashlib.sha256().digest_size
_CHUNK = 1 << 20

PathLike = str | os.PathLike[str]


def parameters_module(
    wanted: Mapping[str, Parameters],
    given: PathLike | Mapping[str, PathLike] | None,
    beside: Path | None,
    name: str,
    verify: bool,
) -> VmModule | None:
    """The VM module that provides a program's parameters; None if there are none.

    Args:
      wanted: the parameters that the program reads, by scope.
      given: the file, if there is one scope, or the files by scope; others are searched for in the
        folder of the program's own file, under the names stated there.
      beside: the folder of the program's file.
      name: the program's name in messages.
      verify: whether to compare digests, for files that have one.

    Raises:
      FileNotFoundError: there is no such file, or its name is not known.
      ValueError: a file is not a parameter file, is damaged, or lacks some parameters.
    """
    files = _files(wanted, given, name)
    providers = []
    for scope in dict.fromkeys([*wanted, *files]):
        path = files.get(scope)
        need = wanted.get(scope)
        if path is None:
            assert need is not None
            if beside is None or not need.file:
                raise FileNotFoundError(
                    f"{name} needs a file with its parameters {scope!r}, got: none; pass "
                    f"parameters={need.file or 'weights.safetensors'!r}"
                )
            path = beside / need.file
        index, entries = _read(path, scope, name)
        arrays = {} if need is None else need.arrays
        _check(entries, arrays, path, name)
        if verify:
            _verify(entries, arrays, path)
        providers.append(index.create_provider(scope))
    return create_io_parameters_module(INSTANCE, *providers) if providers else None


def _files(
    wanted: Mapping[str, Parameters], given: PathLike | Mapping[str, PathLike] | None, name: str
) -> dict[str, Path]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {scope: Path(path) for scope, path in given.items()}
    if len(wanted) != 1:
        raise ValueError(
            f"parameters of {name} must be given as a dict of files by scope, of which it has "
            f"{', '.join(wanted) or 'none'}, got: {os.fspath(given)!r}"
        )
    return {scope: Path(given) for scope in wanted}


def seal(path: Path, kind: str) -> None:
    """Write the digest into a file of parameters that has zeros in its place."""
    place = _entries(path, kind)[1][DIGEST_KEY].file_storage[1]
    digest = _digest_of(path, place)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(digest)


def _digest_of(path: Path, place: int) -> bytes:
    """The digest of a file in which the bytes at `place` hold the digest."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while place and (part := file.read(min(place, _CHUNK))):
            digest.update(part)
            place -= len(part)
        digest.update(bytes(len(file.read(DIGEST_SIZE))))
        while part := file.read(_CHUNK):
            digest.update(part)
    return digest.digest()


def resembles(key: str, meant: str) -> bool:
    """True if a key equals `meant` up to a few bits."""
    one, other = key.encode(), meant.encode()
    wrong = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return len(one) == len(other) and wrong.bit_count() <= 8


def _verify(entries: Mapping[str, Any], need: Mapping[str, ArraySpec], path: Path) -> None:
    if DIGEST_KEY in entries:
        entry = entries[DIGEST_KEY]
        if entry.is_file and entry.length == DIGEST_SIZE:
            stored = bytes(entry.file_view)
            if _digest_of(path, entry.file_storage[1]) == stored:
                return
        reason = "its SHA-256 digest does not match"
    else:
        # Files of other programs have none; but damage may have hit its name, or the position of
        # its name.
        rest = [key for key in entries if key not in need]
        is_alone = bool(need) and len(rest) == 1
        if not any(resembles(key, DIGEST_KEY) for key in rest) and not (
            is_alone and entries[rest[0]].length == DIGEST_SIZE
        ):
            return
        reason = "its SHA-256 digest has another name"
    raise ValueError(
        f"'{path}' is damaged: {reason}; export it again or fetch a fresh copy, or load it with "
        "verify=False"
    )


def _read(path: Path, scope: str, name: str) -> tuple[Any, dict[str, Any]]:
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(
            f"a file of parameters must end with one of .{', .'.join(FORMATS)}, got: '{path}'"
        )
    if not path.is_file():
        raise FileNotFoundError(
            f"{name} needs a file with its parameters {scope!r}, got: no file '{path}'; put it "
            "there, or pass parameters= with where it is"
        )
    try:
        return _entries(path, kind)
    except Exception as error:  # IREE's status codes come as exceptions of many types
        raise ValueError(
            f"'{path}' is not a file of parameters in the format {kind}, or is damaged: {error}"
        ) from None


def _entries(path: Path, kind: str) -> tuple[Any, dict[str, Any]]:
    index: Any = ParameterIndex()
    index.load(str(path), format=kind)
    return index, dict(index.items())


def _check(
    entries: Mapping[str, Any], need: Mapping[str, ArraySpec], path: Path, name: str
) -> None:
    """Rejects a file without the required parameters; IREE would fail only when the program reads
    them.
    """
    size = path.stat().st_size
    problems = [
        f"{key!r} ends after the file"
        for key, entry in entries.items()
        if entry.is_file and entry.file_storage[1] + entry.length > size
    ]
    for key, spec in need.items():
        sizes = [dim for dim in spec.shape if isinstance(dim, int)]
        length = math.prod(sizes) * spec.dtype.itemsize
        entry = entries.get(key)
        if entry is None:
            problems.append(f"{key!r} is missing")
        elif entry.length != length:
            problems.append(f"{key!r} must be {spec} of {length} bytes, got: {entry.length}")
    if problems:
        more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
        raise ValueError(
            f"'{path}' does not have the parameters of {name}: {'; '.join(problems[:3])}{more}"
        )
