"""Moves the places of arrays in larger allocations out of dispatches.

IREE packs the arrays of a program into few allocations, and compiles into each dispatch where in
them its arrays begin. A change anywhere then changes the code of most dispatches. Here each array
gets a binding of its own, which begins where the array does: the host knows the place alone.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from .native import NamedAttribute, StringRef, Visitor, elements_of, library_of, name_of, pointer

# Allocations, and arrays in them, begin at multiples of this.
_ALIGNMENT = 64
# The HAL has twice as many; a dispatch of more arrays is left as it is.
_MOST_BINDINGS = 32
# The groups of operands of an op that runs a dispatch.
_SEGMENTS = 6

_CONSTANT = re.compile(r"^ *(%\w+) = arith\.constant (\d+) : index\n", re.MULTILINE)
_SUBSPAN = re.compile(
    r"(?P<head>hal\.interface\.binding\.subspan layout\(<.*?>\)) binding\((?P<binding>\d+)\)"
    r"(?P<alignment>(?: alignment\(\d+\))?)(?: offset\((?P<offset>%[\w#]+)\))?"
)
_LAYOUT = re.compile(r"(?:constants = (\d+), )?bindings = \[([^\]]*)\]")
_BINDING = re.compile(r"#hal\.pipeline\.binding<[^>]*>")
# What a dispatch that runs in several places gets as operands, and what is known of them.
_OPERAND = re.compile(
    r"^ *(%\w+) = hal\.interface\.constant\.load layout\(<.*?>\) ordinal\((\d+)\) : i32\n",
    re.MULTILINE,
)
_CAST = re.compile(r"^ *(%\w+) = arith\.index_castui (%\w+) : i32 to index\n", re.MULTILINE)
_KNOWN = re.compile(
    r"^ *(%\w+)(?::\d+)? = util\.assume\.int\s+((?:%\w+(?:\[[^\]]*\]|<[^>]*>)?,?\s+)+): [\w, ]+\n",
    re.MULTILINE,
)


class Part(NamedTuple):
    """Where an array begins.

    Attributes:
      binding: the binding that it is in.
      offset: its offset in it, in bytes.
      operand: the position of an operand that is added to it; -1 for none.
    """

    binding: int
    offset: int
    operand: int


class Split(NamedTuple):
    """An executable whose arrays have bindings of their own.

    Attributes:
      text: its text, without the head.
      parts: where each binding begins in the former ones.
      drops_operands: whether the executable no longer has operands.
    """

    text: str
    parts: list[Part]
    drops_operands: bool


def split(text: str) -> Split | None:
    """Give each array of an executable, whose text after its head this is, a binding; None if they
    have.
    """
    values = {name: int(value) for name, value in _CONSTANT.findall(text)}
    layout = _LAYOUT.search(text)
    if layout is None:
        return None
    bindings = _BINDING.findall(layout[2])
    without, operands = _without_operands(text)
    if layout[1] and int(layout[1]) == len(set(operands.values())):
        text = without
    else:
        operands = {}

    def place(subspan: re.Match[str]) -> Part:
        binding, offset = int(subspan["binding"]), subspan["offset"]
        if offset in operands:
            return Part(binding, 0, operands[offset])
        value = values.get(offset, 0)
        return Part(binding, 0 if value % _ALIGNMENT else value, -1)

    places = {place(subspan) for subspan in _SUBSPAN.finditer(text)}
    used = {each.binding for each in places}
    parts = sorted(places | {Part(i, 0, -1) for i in range(len(bindings)) if i not in used})
    if len(parts) > _MOST_BINDINGS or all(each[1:] == (0, -1) for each in parts):
        return None

    def moved(subspan: re.Match[str]) -> str:
        part, offset = place(subspan), subspan["offset"]
        stays = offset and part.operand < 0 and part.offset != values.get(offset)
        kept = f" offset({offset})" if stays else ""
        return f"{subspan['head']} binding({parts.index(part)}){subspan['alignment']}{kept}"

    text = _SUBSPAN.sub(moved, text)
    each = ", ".join(bindings[part.binding] for part in parts)
    count = "" if operands or not layout[1] else f"constants = {layout[1]}, "
    text = _LAYOUT.sub(lambda _: f"{count}bindings = [{each}]", text)
    uses = Counter(re.findall(r"%\w+", text))
    text = _CONSTANT.sub(lambda line: line[0] if uses[line[1]] > 1 else "", text)
    return Split(text, parts, bool(operands))


def _without_operands(text: str) -> tuple[str, dict[str, int]]:
    """The text without its operands, and the positions of those by the names of offsets; there are
    none if operands are used otherwise.
    """
    numbers = {name: int(position) for name, position in _OPERAND.findall(text)}
    loaded = set(numbers)
    for name, operand in _CAST.findall(text):
        if operand in loaded:
            numbers[name] = numbers[operand]
    for name, listed in _KNOWN.findall(text):
        each = re.findall(r"(%\w+)(?:\[|<|,|\s)", listed)
        if all(operand in numbers for operand in each):
            results = [name] if len(each) == 1 else [f"{name}#{i}" for i in range(len(each))]
            numbers.update((result, numbers[x]) for result, x in zip(results, each, strict=True))
    # The ops that define these values, and no others, go.
    text = _OPERAND.sub("", text)
    text = _CAST.sub(lambda line: "" if line[1] in numbers else line[0], text)
    text = _KNOWN.sub(
        lambda line: "" if line[1] in numbers or f"{line[1]}#0" in numbers else line[0], text
    )
    names = Counter(re.findall(r"%[\w#]+", text))
    used = Counter(subspan["offset"] for subspan in _SUBSPAN.finditer(text))
    return text, {} if any(names[name] > used[name] for name in numbers) else numbers


class Sites:
    """The ops that run the dispatches of a program.

    Args:
      invocation: an invocation of the compiler.
      module: its module.
    """

    def __init__(self, invocation: Any, module: Any) -> None:
        self._library, _ = library_of(invocation)
        self._context = self._library.mlirOperationGetContext(module)
        self._each: dict[str, list[_Site]] = {}
        library = self._library

        @Visitor
        def visit(op: Any, _: Any) -> int:
            if name_of(library, op) == "stream.cmd.dispatch":
                site = _Site.of(library, op)
                self._each.setdefault(site.executable, []).append(site)
            return 0

        library.mlirOperationWalk(module, visit, None, 0)

    def operand(self, executable: str, position: int) -> list[Any]:
        """The operand of an executable in each of the places where it runs."""
        return [site.operands[1][position] for site in self._each.get(executable, [])]

    def rebind(self, executable: str, split: Split) -> bool:
        """Pass an executable bindings that are parts of the former ones; False if nothing is
        changed, since offsets or lengths are not known.
        """
        sites = self._each.get(executable, [])
        ranges = [each for site in sites if (each := self._ranges(site, split.parts)) is not None]
        if len(ranges) < len(sites):
            return False
        for site, (offsets, lengths) in zip(sites, ranges, strict=True):
            self._rebind(site, split, offsets, lengths)
        return True

    def _ranges(self, site: _Site, parts: Sequence[Part]) -> tuple[list[int], list[int]] | None:
        """The offsets and lengths of the bindings of a site, if they are constant."""
        offsets, lengths = [], []
        for binding, offset, operand in parts:
            start, length = (self._number(values[binding]) for values in site.operands[4:])
            more = 0 if operand < 0 else self._number(site.operands[1][operand])
            if start is None or length is None or more is None:
                return None
            moved = offset + (more & 0xFFFFFFFF)
            if moved % _ALIGNMENT:
                return None
            offsets.append(start + moved)
            lengths.append(length - moved)
        return offsets, lengths

    def _number(self, value: Any) -> int | None:
        """The value of a constant."""
        library = self._library
        if not library.mlirValueIsAOpResult(value):
            return None
        op = library.mlirOpResultGetOwner(value)
        if name_of(library, op) != "arith.constant":
            return None
        attribute = library.mlirOperationGetAttributeByName(op, StringRef.of("value"))
        return library.mlirIntegerAttrGetValueInt(attribute)

    def _rebind(self, site: _Site, split: Split, offsets: list[int], lengths: list[int]) -> None:
        library = self._library
        workload, operands, resources, sizes, _, _ = site.operands
        parts = split.parts
        segments = (
            workload,
            [] if split.drops_operands else operands,
            [resources[part.binding] for part in parts],
            [sizes[part.binding] for part in parts],
            [self._constant(site, offset) for offset in offsets],
            [self._constant(site, length) for length in lengths],
        )
        accesses = elements_of(library, site.op, "resource_accesses")
        accesses = [accesses[part.binding] for part in parts]
        counts = (ctypes.c_int32 * len(segments))(*map(len, segments))
        entry_points = library.mlirOperationGetAttributeByName(
            site.op, StringRef.of("entry_points")
        )
        inherent = {
            "entry_points": entry_points,
            "resource_accesses": library.mlirArrayAttrGet(
                self._context, len(accesses), (pointer * len(accesses))(*accesses)
            ),
            "operandSegmentSizes": library.mlirDenseI32ArrayGet(
                self._context, len(segments), counts
            ),
        }
        attributes = [
            NamedAttribute(library.mlirIdentifierGet(self._context, StringRef.of(name)), attribute)
            for name, attribute in inherent.items()
        ]
        for i in range(library.mlirOperationGetNumDiscardableAttributes(site.op)):
            attributes.append(library.mlirOperationGetDiscardableAttribute(site.op, i))
        values = [value for segment in segments for value in segment]
        op_name = StringRef.of("stream.cmd.dispatch")  # the state refers to its characters
        state = library.mlirOperationStateGet(op_name, library.mlirOperationGetLocation(site.op))
        library.mlirOperationStateAddOperands(
            ctypes.byref(state), len(values), (pointer * len(values))(*values)
        )
        library.mlirOperationStateAddAttributes(
            ctypes.byref(state), len(attributes), (NamedAttribute * len(attributes))(*attributes)
        )
        op = library.mlirOperationCreate(ctypes.byref(state))
        block = library.mlirOperationGetBlock(site.op)
        library.mlirBlockInsertOwnedOperationBefore(block, site.op, op)
        library.mlirOperationRemoveFromParent(site.op)
        library.mlirOperationDestroy(site.op)

    def _constant(self, site: _Site, number: int) -> Any:
        """A constant that is defined before the ops that are recorded with a site."""
        library = self._library
        text = StringRef.of(f"%0 = arith.constant {number} : index")
        op = library.mlirOperationCreateParse(self._context, text, StringRef.of("constant"))
        block = library.mlirOperationGetBlock(site.recorded)
        library.mlirBlockInsertOwnedOperationBefore(block, site.recorded, op)
        return library.mlirOperationGetResult(op, 0)


class _Site(NamedTuple):
    """An op that runs a dispatch.

    Attributes:
      op: the op.
      executable: the name of the executable.
      recorded: the outermost op of those that are recorded with it.
      operands: its workload, uniform operands, and the allocations, their sizes, and the offsets
        and the lengths of the ranges that are bound.
    """

    op: Any
    executable: str
    recorded: Any
    operands: list[list[Any]]

    @staticmethod
    def of(library: Any, op: Any) -> _Site:
        """The site of an op."""
        entry = elements_of(library, op, "entry_points")[0]
        executable = library.mlirSymbolRefAttrGetRootReference(entry).bytes().decode()
        recorded = op
        while True:
            parent = library.mlirOperationGetParentOperation(recorded)
            if not name_of(library, parent).startswith("stream."):
                break
            recorded = parent
        sizes = library.mlirOperationGetAttributeByName(op, StringRef.of("operandSegmentSizes"))
        operands, first = [], 0
        for i in range(_SEGMENTS):
            count = library.mlirDenseI32ArrayGetElement(sizes, i)
            operands.append(
                [library.mlirOperationGetOperand(op, k) for k in range(first, first + count)]
            )
            first += count
        return _Site(op, executable, recorded, operands)
