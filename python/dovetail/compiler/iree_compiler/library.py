"""Links the C library of executables from an object file.

IREE compiles some functions of a C library with each executable, called or not, which takes longer
than a small program. They are the same in all: an object file that was made once has them.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from .native import StringRef, library_of, module_of, ops_in, printed
from .objects import functions_of, with_names

# Those of IREE's own linker: the result needs nothing else and has what is called. The work takes
# less time than it takes to start threads.
_FLAGS = (
    "--build-id=none --no-undefined --no-allow-shlib-undefined --allow-multiple-definition "
    "--gc-sections -z now -z relro --discard-all --icf=all --ignore-data-address-equality "
    "--ignore-function-address-equality --hash-style=sysv --threads=1"
)
# The function by which the runtime finds all others; each executable has its own.
_QUERY = "iree_hal_executable_library_query"


def library_in(content: bytes) -> bytes | None:
    """An object file as one that has the library; None if it has not."""
    names = functions_of(content) - {_QUERY}
    return with_names(content, {name: name for name in names})[0] if "memcpy" in names else None


def linker_flag(folder: Path, lld: str, content: bytes) -> str:
    """The flag with which IREE links executables that are detached with the library.

    Args:
      folder: where files are written.
      lld: the path of the linker.
      content: the object file that has the library.
    """
    library = folder / "library"
    library.write_bytes(content)
    # IREE's arguments follow: the library comes before what needs it, and is taken like a member of
    # an archive.
    lazy = f"--start-lib {shlex.quote(str(library))} --end-lib"
    command = f"LLD_VERSION=IREE exec {shlex.quote(lld)} -flavor gnu {_FLAGS} {lazy}"
    return f"--iree-llvmcpu-system-linker-path={command}"


def detach(invocation: Any) -> None:
    """Let executables of a program be compiled without the library, once dispatches are linked."""
    library, _ = library_of(invocation)
    key = StringRef.of("target")
    with module_of(invocation) as module:
        context = library.mlirOperationGetContext(module)
        for name, executable in ops_in(library, module):
            if name != "hal.executable":
                continue
            for kind, variant in ops_in(library, executable):
                if kind != "hal.executable.variant":
                    continue
                text = printed(library, library.mlirOperationGetAttributeByName(variant, key))
                # The format, which the runtime looks at, stays that of IREE's own loader.
                text = text.replace("{", "{link_embedded = false, ", 1)
                target = library.mlirAttributeParseGet(context, StringRef.of(text))
                library.mlirOperationSetAttributeByName(variant, key, target)
