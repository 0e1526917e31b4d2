"""Reads PTX, the assembly of NVIDIA's GPUs, as LLVM writes it.

Source of the syntax: NVIDIA, Parallel Thread Execution ISA 8.5.
"""

from __future__ import annotations

import dataclasses
import re

_INTEGERS = {f"{kind}{size}" for kind in "bus" for size in (8, 16, 32, 64)}
TYPES = frozenset({*_INTEGERS, "b128", "pred", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
_OPENING, _CLOSING = "{[(", "}])"


def bits(dtype: str) -> int:
    """The size of a type.

    Args:
      dtype: PTX's name of it, without the dot.

    Example:
      >>> bits("f16x2"), bits("s64")
      (32, 64)
    """
    if dtype == "pred":
        return 8
    number, _, count = dtype.lstrip("bfsu").partition("x")
    return int(number) * int(count or 1)


def split(text: str) -> list[str]:
    """The parts between the commas that are not within brackets.

    Example:
      >>> split("{%r1, %r2}, [%rd1+4]")
      ['{%r1, %r2}', '[%rd1+4]']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction, such as `@%p1 ld.global.nc.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16]`.

    Attributes:
      name: the first part of its opcode.
      modifiers: the other parts that are not types.
      types: the types.
      operands: the texts of its operands.
      guard: the register, with `!` before it if it is negated, without which it does not execute.
    """

    name: str
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    operands: tuple[str, ...]
    guard: str = ""

    @staticmethod
    def parse(text: str) -> Instruction:
        found = re.fullmatch(r"(?:@(!?%\w+)\s+)?([a-z][\w.:]*)\s*(.*)", text, re.DOTALL)
        if found is None:
            raise ValueError(f"no instruction: {text}")
        guard, opcode, operands = found.groups()
        name, *rest = opcode.split(".")
        return Instruction(
            name,
            tuple(part for part in rest if part not in TYPES),
            tuple(part for part in rest if part in TYPES),
            tuple(split(operands)),
            guard or "",
        )

    def has(self, *modifiers: str) -> bool:
        """Whether one of these is among the modifiers."""
        return not set(modifiers).isdisjoint(self.modifiers)

    def __str__(self) -> str:
        opcode = ".".join((self.name, *self.modifiers, *self.types))
        return f"{opcode} {', '.join(self.operands)}"


@dataclasses.dataclass(frozen=True)
class Label:
    """A place that branches go to."""

    name: str


@dataclasses.dataclass(frozen=True)
class Scope:
    """The begin, or the end, of a block with registers of its own."""

    opens: bool


@dataclasses.dataclass(frozen=True)
class Registers:
    """Registers `prefix0`, `prefix1`, …, or one, if `count` is None."""

    dtype: str
    prefix: str
    count: int | None


@dataclasses.dataclass(frozen=True)
class Variable:
    """Memory with a name; its bytes' values, or none."""

    space: str
    name: str
    dtype: str
    count: int
    alignment: int
    values: str = ""

    @property
    def bytes(self) -> int:
        return self.count * bits(self.dtype) // 8


Statement = Instruction | Label | Scope | Registers | Variable


@dataclasses.dataclass
class Kernel:
    """An entry: its parameters, as pairs of a name and a number of bytes, and its statements."""

    name: str
    params: list[tuple[str, int]]
    body: list[Statement]


@dataclasses.dataclass
class Module:
    variables: list[Variable]
    kernels: list[Kernel]


_VARIABLE = re.compile(
    r"(?:\.(?:visible|weak|extern|common)\s+)*\.(shared|global|const|local)\s+(?:\.align\s+(\d+)\s+)?"
    r"\.(\w+)\s+([\w$]+)(?:\[(\d*)\])?\s*(?:=\s*(.*))?",
    re.DOTALL,
)
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_ENTRY = re.compile(r"(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)\s*\((.*?)\)[^{]*\{", re.DOTALL)
_PARAM = re.compile(
    r"\.param\s+\.(\w+)\s+(?:\.ptr\s+(?:\.(?!align)\w+\s+)?(?:\.align\s+\d+\s+)?)?([\w$]+)"
)


def parse(text: str) -> Module:
    """Reads a module.

    Args:
      text: the module; its functions other than kernels are not read.

    Returns:
      its variables and kernels.
    """
    text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    module = Module([], [])
    at = 0
    for entry in _ENTRY.finditer(text):
        module.variables += _variables(text[at : entry.start()])
        at = _closing(text, entry.end())
        params = [(name, bits(dtype) // 8) for dtype, name in _PARAM.findall(entry[2])]
        body = _statements(text[entry.end() : at - 1])
        module.kernels.append(Kernel(entry[1], params, body))
    module.variables += _variables(text[at:])
    return module


def _closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one before `at`."""
    depth = 1
    while depth:
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return at


def _variables(text: str) -> list[Variable]:
    """Those outside of functions."""
    found = (_VARIABLE.search(part) for part in text.split(";"))
    return [_variable(each) for each in found if each]


def _variable(found: re.Match[str]) -> Variable:
    space, alignment, dtype, name, count, values = found.groups()
    size = 1 if count is None else int(count or 0)
    return Variable(space, name, dtype, size, int(alignment or 16), (values or "").strip())


def _statements(text: str) -> list[Statement]:
    statements: list[Statement] = []
    for part in _parts(text):
        if part in "{}":
            statements.append(Scope(part == "{"))
        elif part.endswith(":"):
            statements.append(Label(part[:-1]))
        elif found := _REGISTERS.fullmatch(part):
            statements += [_registers(found[1], name) for name in split(found[2])]
        elif found := _VARIABLE.fullmatch(part):
            statements.append(_variable(found))
        elif not part.startswith("."):
            statements.append(Instruction.parse(part))
    return statements


def _registers(dtype: str, text: str) -> Registers:
    found = re.fullmatch(r"%?([\w$]+)(?:<(\d+)>)?", text)
    assert found, text
    return Registers(dtype, found[1], int(found[2]) if found[2] else None)


def _parts(text: str) -> list[str]:
    """Labels, instructions, declarations and the brackets of scopes; vectors have brackets too."""
    parts, rest = [], text.strip()
    while rest:
        if rest[0] in "{};":
            parts += [rest[0]] if rest[0] != ";" else []
            rest = rest[1:].lstrip()
        elif found := re.match(r"[\w$]+:(?!:)", rest):
            parts.append(found[0])
            rest = rest[found.end() :].lstrip()
        else:
            part, _, rest = rest.partition(";")
            parts.append(" ".join(part.split()))
            rest = rest.lstrip()
    return parts
