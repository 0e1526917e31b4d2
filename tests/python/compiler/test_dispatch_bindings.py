"""Dispatches of the ops' programs get a binding for each array: IREE's text is read as it is."""

from __future__ import annotations

import collections
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dovetail import dtypes
from dovetail.compiler import module_files
from dovetail.compiler.iree_compiler import native
from dovetail.compiler.iree_compiler.dispatches import Dispatches, Shared
from dovetail.compiler.targets import Target
from support.breadth import IS_NIGHTLY
from support.op_calls import IN_EVERY_WAY, MOST_CALLS, all_calls, program_of

pytestmark = pytest.mark.usefixtures("in_64_bits")

FLAGS = (*Target.parse("cpu").flags, module_files.WITHOUT_LIBRARY)
# Element types, and whether sizes are unknown: dispatches have operands then.
OTHERS = [(each, False) for each in sorted(IN_EVERY_WAY - {dtypes.float32}, key=str)]
PROGRAMS = [(dtypes.float32, False), (dtypes.float32, True), *(OTHERS if IS_NIGHTLY else [])]

SUBSPAN, LOADED = "hal.interface.binding.subspan", "hal.interface.constant.load"
# What only passes an operand on, or says what is known of it.
PASSED_ON = {"arith.index_castui", "util.assume.int"}
# Allocations begin at multiples of it.
ALIGNMENT = 64


def ops_within(op: Any) -> Iterator[Any]:
    """An op and all ops in it."""
    yield op
    for region in op.regions:
        for block in region:
            for each in block:
                yield from ops_within(each.operation)


def uses_otherwise(value: Any) -> bool:
    """Whether an operand of a dispatch is more than the offset of arrays."""
    for use in value.uses:
        user = use.owner.operation
        if user.name in PASSED_ON:
            position = use.operand_number if len(user.results) > 1 else 0
            if uses_otherwise(user.results[position]):
                return True
        elif user.name != SUBSPAN:
            return True
    return False


def is_constant(value: Any) -> bool:
    """Whether a value of the host is a number in the text."""
    return getattr(value.owner, "name", "") == "arith.constant"


def of_unknown_size(module: Any) -> set[str]:
    """The executables that run on ranges of memory of which the offset or the length is computed,
    or with offsets that are.
    """
    found = set()
    for op in ops_within(module):
        if op.name == "stream.cmd.dispatch":
            workload, operands, resources, *_ = op.attributes["operandSegmentSizes"]
            values = list(op.operands)[workload:]
            values = values[:operands] + values[operands + 2 * resources :]
            if not all(map(is_constant, values)):
                found.add(op.attributes["entry_points"][0].value[0])
    return found


def of_executable(executable: Any, is_known: bool) -> set[str]:
    """The reasons for which arrays of an executable do not begin where their bindings do."""
    ops = list(ops_within(executable))
    loaded = [op.results[0] for op in ops if op.name == LOADED]
    found = set()
    for op in ops:
        if op.name != SUBSPAN or not op.operands:
            continue
        if not is_constant(op.operands[0]):
            found.add("operand" if is_known else "unknown size")
        elif at := int(op.operands[0].owner.attributes["value"].value):
            found.add("not aligned" if at % ALIGNMENT else "offset" if is_known else "unknown size")
    if "operand" in found and any(map(uses_otherwise, loaded)):
        return found - {"operand"} | {"operand used otherwise"}
    return found


def reasons(program: str) -> tuple[list[set[str]], bool]:
    """The reasons for each executable of a program after its arrays got bindings, and whether the
    program is valid.
    """
    from iree.compiler import ir
    from iree.compiler.api import Session, Source

    session = Session()
    dispatches = Dispatches(Shared("test", lambda keys: [None] * len(keys)), FLAGS, "lld")
    try:
        session.set_flags(*FLAGS)
        invocation = session.invocation()
        diagnostics: list[str] = []
        _callback = native.collect_diagnostics(invocation, diagnostics)
        source = Source.wrap_buffer(session, program.encode() + b"\0", buffer_name="dovetail.mlir")
        assert invocation.parse_source(source), diagnostics
        library, this = native.library_of(invocation)
        library.ireeCompilerInvocationSetCompileToPhase(this, b"executable-sources")
        assert invocation.execute(), diagnostics
        with native.module_of(invocation) as module:
            dispatches.take_known(invocation, module, None)
            is_valid = library.mlirOperationVerify(module)
            capsule = ctypes.pythonapi.PyCapsule_New(module, native._OP_CAPSULE, None)
            op = ir.Operation._CAPICreate(capsule)  # pyright: ignore[reportAttributeAccessIssue]
            unknown = of_unknown_size(op)
            executables = [each for each in ops_within(op) if each.name == "hal.executable"]
            return [
                of_executable(each, each.attributes["sym_name"].value not in unknown)
                for each in executables
            ], is_valid
    finally:
        dispatches.close()
        session.close()


@pytest.mark.parametrize(("dtype", "dynamic"), PROGRAMS, ids=str)
def test_arrays_of_all_ops_begin_where_their_bindings_do(dtype: np.dtype, dynamic: bool) -> None:
    calls = all_calls(dtype)
    counts: collections.Counter[str] = collections.Counter()
    known = {"operand used otherwise", "not aligned", *(["unknown size"] if dynamic else [])}
    for first in range(0, len(calls), MOST_CALLS):
        part = calls[first : first + MOST_CALLS]
        operands = [call.ordinary() for call in part]
        program = program_of(part, operands, dynamic)
        program.module.run("", "lower", "cpu", host_functions=True)
        found, is_valid = reasons(program.module.text())
        assert is_valid
        counts.update(reason for each in found for reason in each or {"none"})
    assert set(counts) <= {"none", *known}, counts
    assert counts["none"] > (0 if dynamic else 0.99 * counts.total())
