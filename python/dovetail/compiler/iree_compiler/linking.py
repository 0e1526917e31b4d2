"""Links a program's dispatches into executables of similar size, of which LLVM makes code at once.

IREE would link all of them into one, of which one processor makes code.
"""

from __future__ import annotations

import heapq
from typing import Any

from .native import SYMBOL, StringRef, Visitor, block_of, library_of, module_of, ops_in

# The ops that are worth an executable: each has parts of the C library, which take as long as a
# third of this.
_LEAST_OPS = 3000
# Ops of a dispatch that are counted.
_MOST_COUNTED = 4000
# It also gives positions to the functions that executables get when they are loaded.
_PASSES = (
    b"iree-llvmcpu-link-executables{target=llvm-cpu},"
    b"hal.executable(canonicalize,hal.executable.variant("
    b"iree-llvmcpu-assign-constant-ordinals,iree-llvmcpu-assign-import-ordinals))"
)


def link(invocation: Any, most: int) -> bool:
    """Link the dispatches of a program for a CPU, once code is made of them; False if that fails.

    Args:
      invocation: an invocation of the compiler, after the phase `executable-targets`.
      most: the largest number of executables.
    """
    library, this = library_of(invocation)
    with module_of(invocation) as module:
        executables = [op for name, op in ops_in(library, module) if name == "hal.executable"]
        groups = _groups(library, executables, most)
        if len(groups) > 1:
            for op in executables:
                library.mlirOperationRemoveFromParent(op)
    if len(groups) == 1:
        return library.ireeCompilerInvocationRunPassPipeline(this, _PASSES)
    linked: list[Any] = []
    is_done = True
    for i, group in enumerate(groups):
        with module_of(invocation) as module:
            # Executables have the name of their program.
            name = library.mlirStringAttrGet(
                library.mlirOperationGetContext(module), StringRef.of(f"group_{i}")
            )
            library.mlirOperationSetAttributeByName(module, StringRef.of(SYMBOL), name)
            for op in group:
                library.mlirBlockAppendOwnedOperation(block_of(library, module), op)
        is_done = is_done and library.ireeCompilerInvocationRunPassPipeline(this, _PASSES)
        with module_of(invocation) as module:
            for name, op in ops_in(library, module):
                if name == "hal.executable":
                    library.mlirOperationRemoveFromParent(op)
                    linked.append(op)
    with module_of(invocation) as module:
        library.mlirOperationRemoveAttributeByName(module, StringRef.of(SYMBOL))
        for op in linked:
            library.mlirBlockAppendOwnedOperation(block_of(library, module), op)
    return is_done


def _groups(library: Any, executables: list[Any], most: int) -> list[list[Any]]:
    """Executables in groups of a similar number of ops."""
    sizes = [_ops(library, op) for op in executables] if most > 1 else []
    count = max(1, min(most, sum(sizes) // _LEAST_OPS, len(executables)))
    if count == 1:
        return [executables]
    groups: list[list[Any]] = [[] for _ in range(count)]
    heap = [(0, i) for i in range(count)]
    for size, i in sorted(((size, i) for i, size in enumerate(sizes)), reverse=True):
        total, group = heap[0]
        groups[group].append(executables[i])
        heapq.heapreplace(heap, (total + size, group))
    return groups


def _ops(library: Any, op: Any) -> int:
    """The number of ops in an op."""
    number = 0

    @Visitor
    def visit(_: Any, __: Any) -> int:
        nonlocal number
        number += 1
        return int(number == _MOST_COUNTED)  # interrupts the walk

    library.mlirOperationWalk(op, visit, None, 0)
    return number
