"""Compiles MLIR text to a module file: IREE's compiler behind a cache on disk."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import platform
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from dovetail import __version__
from dovetail.base import config, monitoring
from dovetail.compiler.cache import Cache, directory_from_environment
from dovetail.compiler.errors import CompileError
from dovetail.compiler.iree_compiler import KILLED, Shared
from dovetail.compiler.targets import Target, Targets

_logger = logging.getLogger("dovetail")

# Lays out the operands of contractions in tiles. On two AVX-512 cores, this is twice as fast at
# 2048³ in f32, no faster below about 512³, and each contraction takes half as long again to
# compile.
DATA_TILING = "--iree-opt-data-tiling"
DATA_TILING_SIZE = 1 << 26
# Only such contractions call functions of IREE's library, which otherwise each program reads: a
# twentieth of the time that a small one takes to compile.
WITHOUT_LIBRARY = "--iree-llvmcpu-link-ukernel-bitcode=false"
# What is made of nothing, such as an iota, is computed in the loop that uses it. Ahead, it would be
# computed once, but each such array takes the compiler 30 to 300 ms, and then memory.
NOT_AHEAD = "--iree-opt-const-expr-max-size-increase-threshold=0"


def compile_module(
    text: str,
    *,
    target: Target | Targets | str = "cpu",
    flags: Sequence[str] = (),
    cache: Cache | None = None,
    name: str = "",
    hurries: bool = False,
) -> bytes:
    """Compiles a module of linalg-level MLIR.

    May be called from several threads at once; releases the GIL while IREE works.

    Args:
      text: the module.
      target: the target, a `Target` or its text, or several in one file.
      flags: additional flags of `iree-compile`.
      cache: the cache of compiled modules; by default the directory of `DOVETAIL_CACHE_DIR`.
      name: the program's name in messages.
      hurries: whether code of dispatches is taken from other programs, and kept for them, and all
        processors are used. The bytes then depend on what was compiled before and on the number
        of processors, what they compute does not.

    Returns:
      The module file's bytes, for `dovetail.runtime`.

    Raises:
      CompileError: IREE rejected the program.
    """
    if isinstance(target, str):
        target = Target.parse(target)
    if cache is None:
        cache = default_cache()
    all_flags = (*target.flags, *flags)

    def make(why: str) -> bytes:
        if config.explain_cache_misses.value:
            what = f"`{name}`" if name else "a module"
            _logger.warning("%s is compiled: %s", what, why)
        haste = _haste(cache, target) if hurries else _Haste(None, 1)
        return _compile_cautiously(text, all_flags, name, haste)

    content = cache.get_or_make(entry_of(text, target, flags), make)
    if content.startswith(_REFUSED):
        diagnostics = json.loads(content.removeprefix(_REFUSED))
        raise _failure(text, all_flags, diagnostics)
    return content


# What the cache has in place of a module file.
_REFUSED = b"refused\n"


def keep_refusal(
    text: str, target: Target | Targets, flags: Sequence[str], error: CompileError
) -> None:
    """Keep in the cache that `compile_module` rejects a module, for which there is another: only
    then nobody misses it once the cause, a missing linker perhaps, is removed.
    """
    content = _REFUSED + json.dumps(error.diagnostics).encode()
    default_cache().put(entry_of(text, target, flags), content)


def report_rejection(name: str, how: str, error: CompileError) -> None:
    """Tell that a program was rejected, and compiled to slower code.

    Args:
      name: the program's name.
      how: what was different then.
      error: the rejection.
    """
    reason = "".join(error.diagnostics[:1]).partition("\n")[0] or "no message"
    monitoring.record_event(monitoring.REJECTION_EVENT, fun_name=name, reason=reason)
    if config.explain_cache_misses.value:
        what = f"`{name}`" if name else "a module"
        _logger.warning("%s is compiled %s: %s", what, how, reason)


_caches: dict[tuple[Path | None, int], Cache] = {}


def default_cache() -> Cache:
    """Return the cache of the directory that settings or the environment name now."""
    chosen = config.compilation_cache_dir.value
    directory = directory_from_environment() if chosen is None else Path(chosen)
    if not config.enable_compilation_cache.value:
        directory = None
    settings = directory, config.compilation_cache_max_size.value
    return _caches.setdefault(settings, Cache(*settings))


def entry_of(text: str, target: Target | Targets, flags: Sequence[str] = ()) -> str:
    """Return the name under which a compiled module is stored."""
    host = host_cpu() if target.is_host else ""
    return cache_key(text, (*target.flags, *flags), host)


def cache_key(text: str, flags: Sequence[str], host: str) -> str:
    """Return the digest of everything that determines the compiled module."""
    return digest(_iree_version(), _compiler(), host, *flags, text) + ".vmfb"


def digest(*parts: str | bytes) -> str:
    """The digest of this package's version and all of the parts."""
    found = hashlib.sha256()
    for part in (__version__, *parts):
        encoded = part if isinstance(part, bytes) else part.encode()
        # The length keeps two different lists of parts from having the same digest.
        found.update(len(encoded).to_bytes(8, "little"))
        found.update(encoded)
    return found.hexdigest()


@functools.cache
def _iree_version() -> str:
    return importlib.metadata.version("iree-base-compiler")


@functools.cache
def _compiler() -> str:
    """The digest of the files that decide how IREE's compiler is run."""
    folder = Path(__file__).parent / "iree_compiler"
    return digest(*[path.read_bytes() for path in sorted(folder.glob("*.py"))])


@functools.cache
def host_cpu() -> str:
    """Return a string that differs between machines that cannot share code."""
    lines = []
    if os.path.exists("/proc/cpuinfo"):
        wanted = ("model name", "flags", "Features", "CPU implementer", "CPU part", "isa")
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(wanted):
                    lines.append(line.strip())
                elif not line.strip() and lines:
                    break  # one processor is enough
    return "\n".join([platform.machine(), platform.processor(), *lines])


# Changes of flags that help when the code generator fails: fewer fusions, then other vectors.
_CHANGES: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "without tiles": lambda flags: [
        WITHOUT_LIBRARY if flag == DATA_TILING else flag for flag in flags
    ],
    "with fewer fusions": lambda flags: [
        flag.replace("opt-level=O2", "opt-level=O1") for flag in flags
    ],
    "with other look-ups": lambda flags: _on_cpu(
        flags, "--iree-llvmcpu-experimental-vectorize-to-transfer-gather"
    ),
    "with short vectors": lambda flags: _on_cpu(
        flags, "--iree-llvmcpu-target-vector-width-in-bytes=4"
    ),
}


def _on_cpu(flags: Sequence[str], flag: str) -> Sequence[str]:
    """The flags with one more, if they are for CPUs."""
    return [*flags, flag] if any("llvm-cpu" in each for each in flags) else flags


def _compile_cautiously(text: str, flags: Sequence[str], name: str, haste: _Haste) -> bytes:
    """Compile with the given flags, then with those of slower code; raise an error if all fail."""
    try:
        return _compile(text, flags, haste)
    except CompileError as error:
        if KILLED in error.diagnostics:
            raise
        for how, change in _CHANGES.items():
            changed = change(flags)
            if list(changed) == list(flags):
                continue
            try:
                vmfb = _compile(text, changed, haste)
            except CompileError as another:
                another.path.unlink(missing_ok=True)
            else:
                error.path.unlink(missing_ok=True)
                report_rejection(name, how, error)
                return vmfb
        raise


class _Haste(NamedTuple):
    """What makes compilation quick.

    Attributes:
      code: where code of dispatches is found and kept, if it is.
      executables: the largest number of executables, of which code is made at once.
    """

    code: _Code | None
    executables: int


class _Code(NamedTuple):
    """The code of dispatches that programs share.

    Attributes:
      shared: where it is found.
      cache: where it is kept.
    """

    shared: Shared
    cache: Cache


def _haste(cache: Cache, target: Target | Targets) -> _Haste:
    """What there is for a target."""
    code = None
    if cache.directory is not None and isinstance(target, Target) and target.is_host:
        context = digest(_iree_version(), host_cpu(), _compiler())

        def find(keys: Sequence[str]) -> list[bytes | None]:
            return [cache.get(key + _CODE) for key in keys]

        code = _Code(Shared(context, find), cache)
    return _Haste(code, os.cpu_count() or 1)


# The ending of entries of the cache that have code of dispatches.
_CODE = ".code"


def _compile(text: str, flags: Sequence[str], haste: _Haste) -> bytes:
    """Run IREE's compiler without the cache of programs."""
    from dovetail.compiler import iree_compiler, iree_tool, processes  # lazy

    code = haste.code
    if not iree_tool.PROCESS_FLAGS.isdisjoint(flags):
        outcome = iree_tool.compile_text(text, flags)
    elif config.compile_in_process.value or not sys.executable:
        outcome = iree_compiler.compile_text(text, flags)
    else:
        shared = code and code.shared
        outcome = processes.compile_text(text, flags, shared, haste.executables)
    if outcome.vmfb is None:
        raise _failure(text, flags, outcome.diagnostics)
    for key, content in outcome.kept.items():
        assert code is not None
        code.cache.put(key + _CODE, content)
    return outcome.vmfb


_CONSEQUENCE = re.compile(r"failed to (?:run|serialize|configure|translate)\b.*executable")


def _failure(text: str, flags: Sequence[str], diagnostics: Sequence[str]) -> CompileError:
    handle, name = tempfile.mkstemp(prefix="dovetail-", suffix=".mlir")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    errors = [d for d in diagnostics if d.startswith("error")] or list(diagnostics)
    # The first message states the error; most others only say that an enclosing pass failed too.
    causes = [*errors[:1], *(d for d in errors[1:] if not _CONSEQUENCE.search(d))]
    summary = "\n".join(f"  {_shorten(d)}" for d in causes) or "  (IREE gave no message)"
    command = shlex.join(["iree-compile", *flags, name, "-o", os.devnull])
    message = (
        f"IREE cannot compile the program:\n{summary}\n"
        f"The program's text was kept in {name}; reproduce with\n  {command}"
    )
    printed = [d.removeprefix("note: ") for d in diagnostics if "lld: error" in d]
    if printed:
        message += "\nThe linker says:\n" + "\n".join(printed)
    return CompileError(message, diagnostics, Path(name))


def _shorten(diagnostic: str, limit: int = 400) -> str:
    """Drop the IR dumps and call chains that IREE appends to a message."""
    head = diagnostic.split("\n\n", 1)[0].strip()
    return head if len(head) <= limit else head[:limit] + " …"
