"""Corrects what IREE states of the places of arrays in larger allocations.

A dispatch gets the offset of an array that it reads or writes within an allocation as an operand,
with the power of two that divides it, which the code generator relies on: with 64, it emits vector
moves that fault at other addresses. Where a dispatch runs in several places, IREE 3.13 takes the
least of the divisors that it knows, and leaves out offsets of which it knows none, such as that of
a row in a larger array, or of an array behind one of unknown size. Here all of them count.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from .bindings import Sites
from .native import StringRef, block_of, library_of, name_of, ops_in, symbol_of

_ALIGNMENT = "stream.alignment"
# Stands for what every power of two divides.
_MOST = 1 << 32
# Arrays begin elsewhere than at multiples of 64 only in parts of others.
_PARTS = re.compile(r"\btensor\.(?:extract_slice|insert_slice|concat|pad)\b|\bflow\.tensor\.")
_UNKNOWN = re.compile(r"<\?x|x\?x|\[[^\[\]\n]*%")
# The value of these is that of their operand, or what it is extended or cut to.
_CASTS = {
    f"arith.{name}" for name in ("index_cast", "index_castui", "extui", "extsi", "trunci")
} | {"util.assume.int"}
_COMBINED = {
    "arith.addi": min,
    "arith.subi": min,
    "arith.muli": lambda a, b: min(a * b, _MOST),
    "arith.select": min,
}


def may_be_wrong(text: str) -> bool:
    """Whether offsets of a module may be unknown, and no multiples of 64."""
    return _PARTS.search(text) is not None and _UNKNOWN.search(text) is not None


def correct(invocation: Any, module: Any) -> None:
    """Correct the alignments of operands of dispatches.

    Args:
      invocation: an invocation of the compiler, after the phase `stream`.
      module: its module.
    """
    library, _ = library_of(invocation)
    sites = Sites(invocation, module)
    divisors = _Divisors(library)
    for name, executable in ops_in(library, module):
        if name != "stream.executable":
            continue
        own = symbol_of(library, executable)
        for cast, operand in _offsets(library, executable):
            places = [] if operand is None else sites.operand(own, operand)
            known = min(map(divisors.of, places), default=1)
            stated = library.mlirOperationGetDiscardableAttributeByName(
                cast, StringRef.of(_ALIGNMENT)
            )
            if known < library.mlirIntegerAttrGetValueInt(stated):
                context = library.mlirOperationGetContext(module)
                attribute = library.mlirAttributeParseGet(context, StringRef.of(f"{known} : index"))
                library.mlirOperationSetDiscardableAttributeByName(
                    cast, StringRef.of(_ALIGNMENT), attribute
                )


def _offsets(library: Any, executable: Any) -> Iterator[tuple[Any, int | None]]:
    """The ops of an executable with an alignment, and the positions of the operands of its sites
    from which they are computed, that of the lowest digits; None for ops of something else.
    """
    for name, inner in ops_in(library, executable):
        if name != "builtin.module":
            continue
        for kind, function in ops_in(library, inner):
            body = block_of(library, function) if kind == "func.func" else None
            if body is None:
                continue
            arguments = [
                library.mlirBlockGetArgument(body, i)
                for i in range(library.mlirBlockGetNumArguments(body))
            ]
            operands = [
                x for x in arguments if library.mlirTypeIsAInteger(library.mlirValueGetType(x))
            ]
            for _, op in ops_in(library, function):
                if library.mlirOperationGetDiscardableAttributeByName(op, StringRef.of(_ALIGNMENT)):
                    lowest = _lowest(library, op)
                    yield op, operands.index(lowest) if lowest in operands else None


def _lowest(library: Any, op: Any) -> Any:
    """The argument of a function from which the lowest digits of an op's result come: the high
    ones are shifted, and the second operand of an or. None if they come from elsewhere.
    """
    while library.mlirOperationGetNumOperands(op):
        value = library.mlirOperationGetOperand(op, 0)
        if not library.mlirValueIsAOpResult(value):
            return value
        op = library.mlirOpResultGetOwner(value)
    return None


class _Divisors:
    """The powers of two that divide values of a program.

    Args:
      library: the compiler's.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self.of = functools.cache(self._of)

    def _of(self, value: Any) -> int:
        """The largest power of two that is known to divide an integer, at most 2^32."""
        library = self._library
        if not library.mlirValueIsAOpResult(value):
            return 1
        op = library.mlirOpResultGetOwner(value)
        name = name_of(library, op)
        count = library.mlirOperationGetNumOperands(op)
        operands = [library.mlirOperationGetOperand(op, i) for i in range(count)]
        if name == "arith.constant":
            attribute = library.mlirOperationGetAttributeByName(op, StringRef.of("value"))
            number = library.mlirIntegerAttrGetValueInt(attribute)
            return number & -number or _MOST
        if name == "util.align":
            return self.of(operands[1])
        if name in _CASTS:
            return self.of(operands[0]) if count == 1 else 1
        if name in _COMBINED:
            return _COMBINED[name](*map(self.of, operands[-2:]))
        return 1
