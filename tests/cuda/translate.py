"""Translates PTX to C, whose functions run all threads of a kernel on the CPU: see threads.h.

Usage: translate.py MODULE.ptx MODULE.so
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import ptx
from ptx import Instruction, bits

HEADER = Path(__file__).with_name("threads.h")
# Memory whose accesses other threads may see.
_SHARED_SPACES = frozenset({"global", "shared", "generic"})
_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "single", "f64": "double"}
_SHARED_LINE = 128


class Unknown(Exception):
    """An instruction that is not translated."""


def unsigned(dtype: str) -> str:
    """C's type of a register of that type."""
    return f"uint{bits(dtype)}_t"


def number(dtype: str) -> str:
    """C's type of a number of an integer type."""
    return f"{'' if dtype[0] == 's' else 'u'}int{bits(dtype)}_t"


def identifier(name: str) -> str:
    """PTX's name as one of C."""
    return re.sub(r"\W", "_", name)


class Body:
    """The statements of a kernel in C.

    A register holds bits: floats are read from them, and written to them, by each instruction.

    Args:
      kernel: the kernel.
      shared: where variables in shared memory begin there.

    Attributes:
      meets: whether its threads wait for each other.
    """

    def __init__(self, kernel: ptx.Kernel, shared: dict[str, int]) -> None:
        self.kernel, self.shared, self.meets = kernel, shared, False
        self.params = {name: 8 * i for i, (name, _) in enumerate(kernel.params)}

    def lines(self) -> list[str]:
        return [self._statement(statement) for statement in self.kernel.body]

    def _statement(self, statement: ptx.Statement) -> str:
        match statement:
            case ptx.Label(name):
                return f"{identifier(name)}: ;"
            case ptx.Scope(opens):
                return "{" if opens else "}"
            case ptx.Registers(dtype, prefix, count):
                names = [prefix] if count is None else [f"{prefix}{i}" for i in range(count)]
                if not names:
                    return ""
                return f"{unsigned(dtype)} {', '.join(f'r_{identifier(n)} = 0' for n in names)};"
            case ptx.Variable():
                if statement.space == "shared":
                    return ""
                aligned = f"__attribute__((aligned({statement.alignment})))"
                return f"uint8_t v_{identifier(statement.name)}[{statement.bytes}] {aligned};"
            case Instruction():
                return self._instruction(statement)

    def _instruction(self, i: Instruction) -> str:
        translate = _TRANSLATIONS.get(i.name)
        if translate is None:
            raise Unknown(f"{self.kernel.name}: {i}")
        try:
            code = translate(self, i)
        except (KeyError, IndexError, ValueError, StopIteration) as error:
            raise Unknown(f"{self.kernel.name}: {i} ({error!r})") from error
        return f"if ({self.bits(i.guard)}) {{ {code} }}" if i.guard else code

    # Operands ---------------------------------------------------------------------------------

    def bits(self, operand: str) -> str:
        """The bits of an operand: of a register, a number, or an address."""
        if operand.startswith("!"):
            return f"!{self.bits(operand[1:])}"
        if found := re.fullmatch(r"([%\w$.]+)\s*\+\s*(-?\w+)", operand):
            return f"({self.bits(found[1])} + ({found[2]}ll))"
        if found := re.fullmatch(r"%(n?tid|n?ctaid)\.([xyz])", operand):
            return f"thread->{found[1]}[{'xyz'.index(found[2])}]"
        if operand == "%laneid":
            return "lane(thread)"
        if operand.startswith("%"):
            return f"r_{identifier(operand[1:])}"
        if found := re.fullmatch(r"0[fd]([0-9A-Fa-f]+)", operand):
            return f"0x{found[1]}ull"
        if re.fullmatch(r"-?(0[xX][0-9A-Fa-f]+|\d+)U?", operand):
            return f"({operand.rstrip('U')}{'ll' if operand[0] == '-' else 'ull'})"
        if operand in self.params:
            return f"(uint64_t)(params + {self.params[operand]})"
        if operand in self.shared:
            return f"(uint64_t)(shared + {self.shared[operand]})"
        if re.fullmatch(r"[\w$.]+", operand):
            return f"(uint64_t)v_{identifier(operand)}"
        raise ValueError(operand)

    def value(self, operand: str, dtype: str) -> str:
        """An operand's value, as a number of a type; floats of 16 bits as one of 32."""
        if dtype == "pred":
            return f"({self.bits(operand)})"
        if dtype in _FLOATS:
            return f"{_FLOATS[dtype]}_of({self.bits(operand)})"
        return f"(({number(dtype)})({self.bits(operand)}))"

    def values(self, i: Instruction, dtype: str) -> list[str]:
        return [self.value(operand, dtype) for operand in i.operands[1:]]

    def set(self, register: str, dtype: str, value: str) -> str:
        """Writes a number of a type to a register; integers that are wider keep their sign."""
        if register == "_":
            return f"(void)({value});"
        return f"{self.bits(register)} = {bits_of(dtype, value)};"

    def address(self, operand: str) -> str:
        return self.bits(operand[1:-1].strip())

    # Memory -----------------------------------------------------------------------------------

    def load(self, i: Instruction) -> str:
        dtype, size = i.types[0], bits(i.types[0]) // 8
        registers = _vector(i.operands[0])
        code = [f"{{ uint64_t p = {self.address(i.operands[1])};"]
        if "param" not in i.modifiers:
            code.append(f"check(thread, p, {size * len(registers)});")
        for n, register in enumerate(registers):
            place = f"p + {n * size}"
            if not i.has("param", "local", "const"):
                code.append(f"note_read(thread, {place}, {size});")
            code.append(self.set(register, dtype, f"*({number(dtype)} *)({place})"))
        return " ".join([*code, "}"])

    def store(self, i: Instruction) -> str:
        dtype, size = i.types[0], bits(i.types[0]) // 8
        operands = _vector(i.operands[1])
        code = [f"{{ uint64_t p = {self.address(i.operands[0])};"]
        code.append(f"check(thread, p, {size * len(operands)});")
        for n, operand in enumerate(operands):
            place, c_type = f"p + {n * size}", unsigned(dtype)
            if not i.has("local"):
                code.append(f"note_write(thread, {place}, {size});")
            code.append(f"*({c_type} *)({place}) = ({c_type})({self.bits(operand)});")
        return " ".join([*code, "}"])

    def atomic(self, i: Instruction) -> str:
        """No other thread runs at the same time."""
        dtype = i.types[0]
        result, operands = ("_", i.operands) if i.name == "red" else (i.operands[0], i.operands[1:])
        kind = next(m for m in i.modifiers if m in _ATOMICS)
        given = [self.value(operand, dtype) for operand in operands[1:]]
        old = f"{_FLOATS[dtype]}_of(old)" if dtype in _FLOATS else f"(({number(dtype)})old)"
        new = _ATOMICS[kind].format(old, *given)
        c_type = unsigned(dtype)
        code = f"{{ {c_type} *p = ({c_type} *)({self.address(operands[0])}), old = *p;"
        code += f" *p = {bits_of(dtype, new)};"
        return code + ("" if result == "_" else f" {self.bits(result)} = old;") + " }"

    def copy(self, i: Instruction) -> str:
        """An asynchronous copy to shared memory; it ends at once."""
        if i.has("commit_group", "wait_group", "wait_all"):
            return ";"
        target, source, size, *read = i.operands
        count = self.bits(read[0]) if read else size
        return (
            f"copy_padded((char *){self.address(target)}, (char *){self.address(source)}, "
            f"{size}, {count});"
        )

    # Moves and conversions --------------------------------------------------------------------

    def move(self, i: Instruction) -> str:
        target, source = i.operands
        dtype = i.types[0]
        if target.startswith("{"):
            parts = _vector(target)
            width = bits(dtype) // len(parts)
            code = " ".join(
                f"{self.bits(part)} = (uint{width}_t)(all >> {n * width});"
                for n, part in enumerate(parts)
                if part != "_"
            )
            return f"{{ {unsigned(dtype)} all = {self.bits(source)}; {code} }}"
        if source.startswith("{"):
            parts = _vector(source)
            width = bits(dtype) // len(parts)
            code = " | ".join(
                f"(({unsigned(dtype)})(uint{width}_t)({self.bits(part)}) << {n * width})"
                for n, part in enumerate(parts)
            )
            return f"{self.bits(target)} = {code};"
        return f"{self.bits(target)} = {self.bits(source)};"

    def select(self, i: Instruction) -> str:
        target, x, y, condition = i.operands
        c_type = unsigned(i.types[0])
        chosen = f"({c_type})({self.bits(x)}) : ({c_type})({self.bits(y)})"
        return f"{self.bits(target)} = {self.bits(condition)} ? {chosen};"

    def convert(self, i: Instruction) -> str:
        to, *_, of = i.types
        values = self.values(i, of)
        rounding = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "")
        x = f"{rounding}({values[0]})" if rounding and of in _FLOATS else values[0]
        if to in ("f16x2", "bf16x2"):
            high, low = (bits_of(to[:-2], value) for value in values)
            return f"{self.bits(i.operands[0])} = ((uint32_t){high} << 16) | (uint16_t){low};"
        if i.has("sat"):
            x = f"saturated({x})" if to in _FLOATS else f"clamped_{to}({x})"
        elif of in _FLOATS and to not in _FLOATS:
            x = f"to_{to}({x})"
        elif to not in _FLOATS:
            x = f"({number(to)}){x}"
        return self.set(i.operands[0], to, x)

    # Arithmetic -------------------------------------------------------------------------------

    def arithmetic(self, i: Instruction) -> str:
        dtype = i.types[0]
        if dtype in ("f16x2", "bf16x2"):
            return self._packed(i, dtype[:-2])
        values = self.values(i, dtype)
        if dtype == "pred":
            return self.set(i.operands[0], dtype, _LOGIC[i.name].format(*values))
        if dtype in _FLOATS:
            return self.set(i.operands[0], dtype, float_result(i, values))
        if i.has("wide"):
            wide = f"{dtype[0]}{2 * bits(dtype)}"
            x, y = (f"({number(wide)}){value}" for value in values[:2])
            more = f" + {self.value(i.operands[3], wide)}" if i.name == "mad" else ""
            return self.set(i.operands[0], wide, f"{x} * {y}{more}")
        if i.name in ("shl", "shr"):
            values[1] = self.value(i.operands[2], "u32")
        return self.set(i.operands[0], dtype, integer_result(i, dtype, values))

    def _packed(self, i: Instruction, dtype: str) -> str:
        halves = []
        for shift in (0, 16):
            of = [f"(uint16_t)({self.bits(operand)} >> {shift})" for operand in i.operands[1:]]
            values = [f"{_FLOATS[dtype]}_of({each})" for each in of]
            halves.append(bits_of(dtype, float_result(i, values)))
        low, high = halves
        return f"{self.bits(i.operands[0])} = ((uint32_t){high} << 16) | (uint16_t){low};"

    def compare(self, i: Instruction) -> str:
        target, x, y, *other = i.operands
        dtype = i.types[-1]
        holds = comparison(i.modifiers[0], dtype, self.value(x, dtype), self.value(y, dtype))
        registers = target.split("|")
        results = [holds, f"!{holds}"]
        if other:
            logic = next(m for m in i.modifiers[1:] if m in _LOGIC)
            results = [_LOGIC[logic].format(each, self.bits(other[0])) for each in results]
        pairs = zip(registers, results, strict=False)
        return " ".join(self.set(register, "pred", each) for register, each in pairs)

    def count(self, i: Instruction) -> str:
        """Of ones, or of leading zeros."""
        x = self.value(i.operands[1], f"u{bits(i.types[0])}")
        return f"{self.bits(i.operands[0])} = {i.name}{bits(i.types[0])}({x});"

    def call_helper(self, i: Instruction) -> str:
        """What threads.h has a function of the instruction's name for."""
        kind = [m for m in i.modifiers if m in ("l", "r", "wrap", "clamp")]
        function = "_".join([i.name, *kind, *i.types])
        values = ", ".join(self.bits(operand) for operand in i.operands[1:])
        return f"{self.bits(i.operands[0])} = {function}({values});"

    # Control and threads ----------------------------------------------------------------------

    def branch(self, i: Instruction) -> str:
        return f"goto {identifier(i.operands[0])};"

    def end(self, i: Instruction) -> str:
        return "goto done;" if i.name != "trap" else 'die(thread, KERNEL, "trap");'

    def barrier(self, i: Instruction) -> str:
        self.meets = True
        return "meet_warp(thread, 0);" if i.has("warp") else "meet_block(thread);"

    def fence(self, i: Instruction) -> str:
        return "fence_device(thread);" if i.has("gpu", "sys", "gl") else ";"

    def nothing(self, i: Instruction) -> str:
        return ";"

    def shuffle(self, i: Instruction) -> str:
        self.meets = True
        target, value, by, limits = i.operands[:4]
        mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
        register, _, holds = target.partition("|")
        code = f"uint8_t ok; uint32_t x = shuffle_{mode}(thread, {self.bits(value)}, "
        code += f"{self.bits(by)}, {self.bits(limits)}, &ok); {self.bits(register)} = x;"
        return f"{{ {code}" + (f" {self.bits(holds)} = ok; }}" if holds else " }")

    def vote(self, i: Instruction) -> str:
        self.meets = True
        mode = next(m for m in i.modifiers if m in ("ballot", "any", "all"))
        return f"{self.bits(i.operands[0])} = vote_{mode}(thread, {self.bits(i.operands[1])});"

    def reduce(self, i: Instruction) -> str:
        self.meets = True
        kind = next(m for m in i.modifiers if m != "sync")
        function = f"reduce_{kind}_{i.types[0]}"
        return f"{self.bits(i.operands[0])} = {function}(thread, {self.bits(i.operands[1])});"


def _vector(operand: str) -> list[str]:
    return ptx.split(operand[1:-1]) if operand.startswith("{") else [operand]


def bits_of(dtype: str, value: str) -> str:
    """The bits of a number of a type."""
    if dtype in _FLOATS:
        return f"of_{_FLOATS[dtype]}({value})"
    if dtype == "pred":
        return f"({value})"
    return f"({number(dtype)})({value})"


def float_result(i: Instruction, values: Sequence[str]) -> str:
    """In the precision of C's arguments: double for f64, else float."""
    nans = "_or_nan" if i.has("NaN") else ""
    code = _FLOAT_OPS[i.name].format(*values, nans=nans)
    return f"saturated({code})" if i.has("sat") else code


def integer_result(i: Instruction, dtype: str, values: Sequence[str]) -> str:
    width, same = bits(dtype), number(dtype)
    if i.name in ("mul", "mad"):
        wide = f"{'' if dtype[0] == 's' else 'unsigned '}__int128"
        code = f"(({wide}){values[0]} * ({wide}){values[1]})"
        code = f"({same})({code} >> {width})" if i.has("hi") else f"({same}){code}"
        return f"{code} + {values[2]}" if i.name == "mad" else code
    if i.name in ("div", "rem", "shl", "shr"):
        return f"{i.name}_{'s' if dtype[0] == 's' else 'u'}{width}({values[0]}, {values[1]})"
    if i.name == "brev":
        return f"brev{width}({values[0]})"
    if i.has("cc") or i.name in ("addc", "subc"):
        raise ValueError("carries")
    return _INTEGER_OPS[i.name].format(*values)


def comparison(kind: str, dtype: str, x: str, y: str) -> str:
    """C's expression of whether two numbers compare so; without order if the name ends in `u`."""
    isnan = f"({x} != {x} || {y} != {y})"
    if kind in ("num", "nan"):
        return isnan if kind == "nan" else f"(!{isnan})"
    if dtype not in _FLOATS:
        return f"({x} {_COMPARISONS[_UNSIGNED_NAMES.get(kind, kind)]} {y})"
    if kind.endswith("u"):
        return f"({x} {_COMPARISONS[kind[:-1]]} {y} || {isnan})"
    # C's != holds for NaNs.
    return f"({x} {_COMPARISONS[kind]} {y} && !{isnan})"


_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED_NAMES = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_LOGIC = {"and": "({0} & {1})", "or": "({0} | {1})", "xor": "({0} ^ {1})", "not": "(!{0})"}
_ROUNDINGS = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_ATOMICS = {
    "add": "{0} + {1}",
    "min": "({1} < {0} ? {1} : {0})",
    "max": "({1} > {0} ? {1} : {0})",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "exch": "{1}",
    "cas": "({0} == {1} ? {2} : {0})",
}
_INTEGER_OPS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "min": "({0} < {1} ? {0} : {1})",
    "max": "({0} > {1} ? {0} : {1})",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "not": "~{0}",
    "neg": "-{0}",
    "abs": "({0} < 0 ? -{0} : {0})",
    "sad": "({0} > {1} ? {0} - {1} : {1} - {0}) + {2}",
}
# The macros of <tgmath.h> compute in the precision of their arguments.
_FLOAT_OPS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "fma": "fma({0}, {1}, {2})",
    "mad": "fma({0}, {1}, {2})",
    "min": "least{nans}({0}, {1})",
    "max": "greatest{nans}({0}, {1})",
    "abs": "fabs({0})",
    "neg": "-{0}",
    "sqrt": "sqrt({0})",
    "rsqrt": "1 / sqrt({0})",
    "rcp": "1 / {0}",
    "ex2": "exp2({0})",
    "lg2": "log2({0})",
    "sin": "sin({0})",
    "cos": "cos({0})",
    "tanh": "tanh({0})",
    "copysign": "copysign({1}, {0})",
}
_TRANSLATIONS: dict[str, Callable[[Body, Instruction], str]] = {
    **dict.fromkeys(("ld", "ldu"), Body.load),
    "st": Body.store,
    **dict.fromkeys(("atom", "red"), Body.atomic),
    "cp": Body.copy,
    **dict.fromkeys(("mov", "cvta"), Body.move),
    "selp": Body.select,
    "cvt": Body.convert,
    **dict.fromkeys({*_FLOAT_OPS, *_INTEGER_OPS, *_LOGIC}, Body.arithmetic),
    **dict.fromkeys(("rem", "shl", "shr", "brev"), Body.arithmetic),
    "setp": Body.compare,
    **dict.fromkeys(("popc", "clz"), Body.count),
    **dict.fromkeys(("prmt", "lop3", "shf", "bfe", "bfi"), Body.call_helper),
    "bra": Body.branch,
    **dict.fromkeys(("ret", "exit", "trap"), Body.end),
    **dict.fromkeys(("bar", "barrier"), Body.barrier),
    **dict.fromkeys(("membar", "fence"), Body.fence),
    **dict.fromkeys(("prefetch", "nanosleep"), Body.nothing),
    "shfl": Body.shuffle,
    "vote": Body.vote,
    "redux": Body.reduce,
}


def translate(module: ptx.Module) -> str:
    """The C code of a module.

    Returns:
      code with functions `run_NAME(params, dimensions, shared)` and sizes of parameters
      `sizes_NAME`, which end with 0.

    Raises:
      Unknown: an instruction has no translation.
    """
    code = [f'#include "{HEADER}"']
    for variable in module.variables:
        if variable.space != "shared":
            values = re.sub(r"0[fd]([0-9A-Fa-f]+)", r"0x\1", variable.values) or "{0}"
            name = f"v_{identifier(variable.name)}[{max(variable.count, 1)}]"
            aligned = f"__attribute__((aligned({variable.alignment})))"
            code.append(f"static {unsigned(variable.dtype)} {name} {aligned} = {values};")
    for kernel in module.kernels:
        own = [v for v in kernel.body if isinstance(v, ptx.Variable) and v.space == "shared"]
        shared, end = {}, 0
        # What has no size is the memory that a launch asks for, behind all others.
        for variable in sorted([*module.variables, *own], key=lambda v: v.bytes == 0):
            if variable.space == "shared":
                shared[variable.name] = end
                end += -(-variable.bytes // _SHARED_LINE) * _SHARED_LINE
        name, body = identifier(kernel.name), Body(kernel, shared)
        lines = "\n".join(body.lines())
        sizes = ", ".join(str(size) for _, size in kernel.params)
        code.append(
            f'#undef KERNEL\n#define KERNEL "{kernel.name}"\n'
            f"static void body_{name}(Thread *thread, char *params, char *shared) {{\n"
            f"{lines}\ndone: ;\n}}\n"
            f"void run_{name}(char *params, const uint32_t *dimensions, uint32_t shared) {{\n"
            f"  run(body_{name}, {int(body.meets)}, params, dimensions, shared + {end});\n}}\n"
            f"const int sizes_{name}[] = {{{sizes}{', ' if sizes else ''}0}};\n"
        )
    return "\n".join(code)


def main(source: str, target: str) -> None:
    path = Path(target).with_suffix(".c")
    path.write_text(translate(ptx.parse(Path(source).read_text())))
    races = ["-DRACES"] if os.environ.get("DOVETAIL_CUDA_RACES") else []
    # Contraction is PTX's; registers are read as other types than they are written as.
    options = ["-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC", *races]
    subprocess.run(["cc", *options, "-o", target, str(path), "-lm"], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
