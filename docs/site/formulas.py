"""Typesets the tangent formulas of ops, which the dialect states in C++."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
# A formula and how tightly it holds together.
_Typeset = tuple[str, int]
_CONSTANTS = {"M_LN2": r"\ln 2", "M_2_SQRTPI": r"\tfrac{2}{\sqrt{\pi}}", "ans": "f"}
_FUNCTIONS = {
    name: rf"\{name}" for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")
}
_OPERATORS = {"equal": "=", "greater": ">", "less": "<", "both": r"\wedge"}


def typeset(formulas: str, operands: Sequence[str]) -> str:
    r"""The derivative as LaTeX.

    Args:
      formulas: a formula in backticks for each operand, joined by " + ".
      operands: the names of the operands.

    Returns:
      The sum of the formulas without those that are zero, as in `\dot f = \cos(x)\,\dot x`; "" if
      a formula is no expression.
    """
    terms = []
    for formula, operand in zip(re.findall(r"`([^`]+)`", formulas), operands, strict=False):
        expression = re.sub(r"e\.make<(\w+)Op>", r"\1", formula)
        try:
            tree = ast.parse(expression, mode="eval").body
        except SyntaxError:
            return ""
        text, _ = _typeset(tree, operand)
        if text != "0":
            terms.append(text)
    if not terms:
        return r"\dot f = 0"
    return r"\dot f = " + " + ".join(terms).replace("+ -", "- ")


def _typeset(node: ast.expr, operand: str) -> _Typeset:
    if isinstance(node, ast.Constant):
        number = float(node.value)
        return (str(int(number)) if number.is_integer() else str(number)), _ATOM
    if isinstance(node, ast.Name):
        if node.id == "t":
            name = operand if len(operand) == 1 else rf"\mathrm{{{operand}}}"
            return rf"\dot{{{name}}}", _ATOM
        name = "0" if node.id == "zero" else _CONSTANTS.get(node.id, node.id)
        return (name if len(node.id) == 1 or name != node.id else rf"\mathrm{{{name}}}"), _ATOM
    if isinstance(node, ast.UnaryOp):
        return "-" + _grouped(_typeset(node.operand, operand), _PRODUCT), _SUM
    if isinstance(node, ast.BinOp):
        left, right = _typeset(node.left, operand)[0], _typeset(node.right, operand)[0]
        return (
            rf"\frac{{{left}}}{{{right}}}" if isinstance(node.op, ast.Div) else f"{left}{right}"
        ), _ATOM
    assert isinstance(node, ast.Call)
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)
    given = [argument for argument in node.args if ast.unparse(argument) != "e"]
    parts = [_typeset(argument, operand) for argument in given]
    if name in _RULES:
        return _RULES[name](parts)
    if name in _OPERATORS:
        return f"{parts[0][0]} {_OPERATORS[name]} {parts[1][0]}", _SUM
    shown = _FUNCTIONS.get(name, rf"\text{{{_words(name)}}}")
    return shown + r"\left(" + ", ".join(text for text, _ in parts) + r"\right)", _ATOM


def _words(name: str) -> str:
    """The name of a function of the dialect's C++, as text."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return spaced.lower()


def _grouped(part: _Typeset, level: int) -> str:
    text, binds = part
    return text if binds >= level else rf"\left({text}\right)"


def _mul(parts: list[_Typeset]) -> _Typeset:
    (left, _), (right, _) = parts
    if left == right:
        return _grouped(parts[0], _ATOM) + "^2", _POWER
    return r"\,".join(_grouped(part, _PRODUCT) for part in reversed(parts)), _PRODUCT


def _scale(parts: list[_Typeset]) -> _Typeset:
    factor = parts[1][0]
    return rf"{factor}\,{_grouped(parts[0], _PRODUCT)}", _PRODUCT


def _select(parts: list[_Typeset]) -> _Typeset:
    condition, yes, no = (text for text, _ in parts)
    return (
        rf"\begin{{cases}}{yes} & {condition} \\ {no} & \text{{otherwise}}\end{{cases}}",
        _ATOM,
    )


def _share_of_sum(parts: list[_Typeset]) -> _Typeset:
    """The part that the first of two has in the sum of their powers, of e or of 2."""
    base = "2" if len(parts) > 2 else "e"
    first, second = (f"{base}^{{{text}}}" for text, _ in parts[:2])
    return rf"\frac{{{first}}}{{{first} + {second}}}", _PRODUCT


def _named(function: str) -> Callable[[list[_Typeset]], _Typeset]:
    """The rule of a function that is written by its name."""
    return lambda parts: (rf"{function}\left({parts[0][0]}\right)", _ATOM)


_RULES: dict[str, Callable[[list[_Typeset]], _Typeset]] = {
    "mul": _mul,
    "scale": _scale,
    "select": _select,
    "div": lambda parts: (rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", _PRODUCT),
    "add": lambda parts: (" + ".join(text for text, _ in parts).replace("+ -", "- "), _SUM),
    "sub": lambda parts: (f"{parts[0][0]} - {_grouped(parts[1], _PRODUCT)}", _SUM),
    "neg": lambda parts: ("-" + _grouped(parts[0], _PRODUCT), _SUM),
    "rsqrt": lambda parts: (rf"\frac{{1}}{{\sqrt{{{parts[0][0]}}}}}", _PRODUCT),
    "oneMinusSquare": lambda parts: (f"1 - {_grouped(parts[0], _ATOM)}^2", _SUM),
    "full": lambda parts: parts[1],
    "conj": lambda parts: (rf"\overline{{{parts[0][0]}}}", _ATOM),
    "real": _named(r"\mathrm{Re}"),
    "imag": _named(r"\mathrm{Im}"),
    "sign": _named(r"\mathrm{sgn}"),
    # The sign also of zeros.
    "signBit": _named(r"\mathrm{sgn}"),
    "truncate": _named(r"\mathrm{trunc}"),
    "complex": lambda parts: parts[0] if parts[1][0] == "0" else (rf"i\,{parts[1][0]}", _PRODUCT),
    "absTangent": lambda parts: (
        rf"\mathrm{{Re}}\left(\frac{{\overline{{{parts[1][0]}}}}}{{|{parts[1][0]}|}}"
        rf"\,{parts[0][0]}\right)",
        _ATOM,
    ),
    # That of a complex number; the sign of a real one is constant.
    "signTangent": lambda parts: (
        rf"\frac{{i\,f\,\mathrm{{Im}}\left(\overline{{f}}\,{parts[0][0]}\right)}}{{|{parts[1][0]}|}}",
        _PRODUCT,
    ),
    "integerPowTangent": lambda parts: (rf"n\,{parts[0][0]}^{{n-1}}", _PRODUCT),
    "powTangentOfBase": lambda parts: (
        rf"{parts[1][0]}\,{parts[0][0]}^{{{parts[1][0]}-1}}",
        _PRODUCT,
    ),
    "logOrZero": lambda parts: (rf"\ln\left({parts[0][0]}\right)", _ATOM),
    "legOf": lambda parts: (rf"\frac{{{parts[0][0]}}}{{f}}", _PRODUCT),
    "shareOfMaximum": lambda parts: (
        rf"\frac{{[{parts[0][0]} = f]}}{{[{parts[0][0]} = f] + [{parts[2][0]} = f]}}",
        _PRODUCT,
    ),
    "shareOfSum": _share_of_sum,
    "gammaDensity": lambda parts: (
        rf"\frac{{{parts[1][0]}^{{{parts[0][0]}-1}}\,e^{{-{parts[1][0]}}}}}{{\Gamma({parts[0][0]})}}",
        _PRODUCT,
    ),
    "betaDensity": lambda parts: (
        rf"\frac{{{parts[2][0]}^{{{parts[0][0]}-1}}\,(1-{parts[2][0]})^{{{parts[1][0]}-1}}}}"
        rf"{{B({parts[0][0]}, {parts[1][0]})}}",
        _PRODUCT,
    ),
    "derivativeOfI1e": lambda parts: (
        r"e^{-|x|}\,I_0(x) - \left(\mathrm{sgn}\,x + \frac{1}{x}\right)\,f",
        _SUM,
    ),
    "BesselI1e": lambda parts: (rf"e^{{-|{parts[0][0]}|}}\,I_1({parts[0][0]})", _PRODUCT),
    "Digamma": lambda parts: (rf"\psi({parts[0][0]})", _ATOM),
    "Polygamma": lambda parts: (rf"\psi^{{({parts[0][0]})}}({parts[1][0]})", _ATOM),
    "Zeta": lambda parts: (rf"\zeta({parts[0][0]}, {parts[1][0]})", _ATOM),
    "RandomGammaGrad": lambda parts: (
        r"\left.\frac{\partial x}{\partial a}\right|_{f}",
        _ATOM,
    ),
    "FloorDiv": lambda parts: (
        rf"\lfloor {parts[0][0]} / {parts[1][0]} \rfloor",
        _ATOM,
    ),
    "Ldexp": lambda parts: (rf"{parts[0][0]} \cdot 2^{{{parts[1][0]}}}", _PRODUCT),
    "ReducePrecision": lambda parts: (
        rf"\mathrm{{reduce\_precision}}\left({parts[0][0]}\right)",
        _ATOM,
    ),
}
