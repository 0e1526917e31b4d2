"""Parses symbolic shapes and constraints."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dovetail.base.errors import value_error
from dovetail.symbolic.size import Size

if TYPE_CHECKING:
    from dovetail.symbolic.scope import SymbolicScope

_COMPARISONS = {ast.GtE: ">=", ast.LtE: "<=", ast.Gt: ">", ast.Lt: "<", ast.Eq: "=="}


def entries(text: str) -> list[str]:
    """The sizes in the text of a shape, which may be in parentheses."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and _is_one(text):
        text = text[1:-1].strip()
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    if parts[-1] == "":
        parts.pop()
    return parts


def _is_one(text: str) -> bool:
    """True if the last parenthesis closes the first."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def shape(text: str, scope: SymbolicScope, like: Sequence[Any] | None = None) -> tuple[Any, ...]:
    """The shape that a text describes.

    Args:
      text: sizes separated by commas; `_` is the size of `like` in that position, and `...` stands
        for all sizes of `like` that are not written.
      scope: the scope of the names.
      like: a shape.
    """
    parts = entries(text)
    if parts.count("...") > 1:
        raise value_error(f"a symbolic shape may have one '...', got: {text!r}")
    if "..." in parts:
        place = parts.index("...")
        if like is None:
            raise value_error(
                f"'...' needs a shape whose sizes it takes, got: {text!r} without one; pass like="
            )
        count = len(like) - len(parts) + 1
        if count < 0:
            raise value_error(f"{text!r} must have no more sizes than the array, got: {like}")
        parts[place : place + 1] = ["_"] * count
    if like is not None and len(parts) != len(like):
        raise value_error(
            f"{text!r} must have one size for each dimension of the array, got: {len(parts)} for "
            f"the shape {tuple(like)}; write '...' for the others"
        )
    sizes = []
    for i, part in enumerate(parts):
        if part == "_":
            if like is None:
                raise value_error(
                    f"'_' needs a shape whose size it takes, got: {text!r} without one; pass like="
                )
            sizes.append(like[i])
        else:
            sizes.append(size(part, scope))
    return tuple(sizes)


def size(text: str, scope: SymbolicScope) -> Any:
    """The size that a text describes."""
    value = _evaluated(_parsed(text), scope, text)
    if not scope.is_nonnegative(value):
        raise value_error(
            f"a size must be 0 or more under {scope.described()}, got: {text!r}; add the "
            f"constraint '{value} >= 0' if it is"
        )
    return value


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.replace("^", "**").strip(), mode="eval").body
    except SyntaxError:
        raise value_error(
            "a symbolic size must be made of names, integers, + - * // % ^, mod, floordiv, max and "
            f"min, got: {text!r}"
        ) from None


def _evaluated(node: ast.expr, scope: SymbolicScope, text: str) -> Any:
    """The size of an expression."""
    if isinstance(node, ast.Name):
        return scope.name(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluated(node.operand, scope, text)
    if isinstance(node, ast.BinOp):
        x, y = (_evaluated(side, scope, text) for side in (node.left, node.right))
        if isinstance(node.op, ast.Add):
            return x + y
        if isinstance(node.op, ast.Sub):
            return x - y
        if isinstance(node.op, ast.Mult):
            return x * y
        if isinstance(node.op, ast.FloorDiv):
            return x // y
        if isinstance(node.op, ast.Mod):
            return x % y
        if isinstance(node.op, ast.Pow):
            return x**y
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
        x, y = (_evaluated(arg, scope, text) for arg in node.args)
        if node.func.id == "mod":
            return x % y
        if node.func.id == "floordiv":
            return x // y
        if node.func.id == "max":
            return scope.larger(x, y)
        if node.func.id == "min":
            return scope.smaller(x, y)
    raise value_error(
        "a symbolic size must be made of names, integers, + - * // % ^, mod, floordiv, max and "
        f"min, got: {text!r}"
    )


class _Known:
    """The constraints on one name."""

    def __init__(self) -> None:
        self.low: float | None = None
        self.high: float = math.inf
        self.multiple = 1


def constrain(scope: SymbolicScope, constraints: Sequence[str]) -> None:
    """Declare the names of constraints in a new scope."""
    known: dict[str, _Known] = {}
    rest: list[tuple[str, ast.expr, str, ast.expr]] = []
    for text in constraints:
        left, sign, right = _sides(text)
        if not _note(known, left, sign, right):
            rest.append((text, left, sign, right))
    defined = {
        left.id
        for _, left, sign, _ in rest
        if sign == "==" and isinstance(left, ast.Name) and left.id not in known
    }
    for name, what in known.items():
        scope.declare(name, 1 if what.low is None else what.low, what.high, what.multiple)
    for text, left, sign, right in rest:
        if sign == "==" and isinstance(left, ast.Name) and left.id in defined:
            scope.define(left.id, _evaluated(right, scope, text))
    for text, left, sign, right in rest:
        if isinstance(left, ast.Name) and left.id in defined and sign == "==":
            continue
        x, y = _evaluated(left, scope, text), _evaluated(right, scope, text)
        if sign == "==" and type(x) is Size and len(x.terms) == 1 and "%" in str(x):
            raise value_error(
                "a constraint on a remainder must be of a name, such as 'b % 8 == 0', got: "
                f"{text!r}"
            )
        if sign in (">=", ">", "=="):
            scope.assume(x - y - (sign == ">"))
        if sign in ("<=", "<", "=="):
            scope.assume(y - x - (sign == "<"))


def _sides(text: str) -> tuple[ast.expr, str, ast.expr]:
    node = _parsed(text)
    if (
        not isinstance(node, ast.Compare)
        or len(node.ops) != 1
        or type(node.ops[0]) not in _COMPARISONS
    ):
        raise value_error(
            "a constraint must compare two sizes by >=, <=, >, < or ==, such as 'b <= 4096' or "
            f"'b % 8 == 0', got: {text!r}"
        )
    return node.left, _COMPARISONS[type(node.ops[0])], node.comparators[0]


_MIRRORED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "=="}


def _note(known: dict[str, _Known], left: ast.expr, sign: str, right: ast.expr) -> bool:
    """Record a constraint on a single name; False if it is of another form."""
    if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        left, sign, right = right, _MIRRORED[sign], left
    if not isinstance(right, ast.Constant) or type(right.value) is not int:
        return False
    number = right.value
    if isinstance(left, ast.Name):
        what = known.setdefault(left.id, _Known())
        if sign in (">=", ">", "=="):
            low = number + (sign == ">")
            what.low = low if what.low is None else max(what.low, low)
        if sign in ("<=", "<", "=="):
            what.high = min(what.high, number - (sign == "<"))
        return True
    divided = _divided(left)
    if divided is None or sign != "==" or number != 0:
        return False
    name, divisor = divided
    what = known.setdefault(name, _Known())
    what.multiple = math.lcm(what.multiple, divisor)
    return True


def _divided(node: ast.expr) -> tuple[str, int] | None:
    """The name and the number of `name % number` or `mod(name, number)`."""
    pair: tuple[ast.expr, ast.expr] | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        pair = node.left, node.right
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "mod":
        pair = (node.args[0], node.args[1]) if len(node.args) == 2 else None
    if pair is None or not isinstance(pair[0], ast.Name):
        return None
    number = pair[1]
    if not isinstance(number, ast.Constant) or type(number.value) is not int or number.value < 1:
        return None
    return pair[0].id, number.value
