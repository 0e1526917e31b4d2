"""Sizes that are known only when a function is called: how names are computed from arrays, and the
constraints on them.

An exporter writes them as part of a function's signature:

    {"names": [["b", 0, 0, 2, "1"], …], "constraints": ["b >= 1", "b % 8 == 0", "s <= b"]}

Name `b` is here the size of dimension 0 of input 0, minus 1, divided by 2; the subtracted term may
be a text of earlier names. Texts consist of names, integers, `+ - * // % **`, `max` and `min`;
constraints also have one comparison.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_OPERATORS: dict[type[ast.AST], Callable[[int, int], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.Eq: operator.eq,
}
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "max": max,
    "min": min,
    "mod": operator.mod,
    "floordiv": operator.floordiv,
}


class Name(NamedTuple):
    """The solution for a name: (dimension `dimension` of input `leaf` - `rest`) / `factor`."""

    name: str
    leaf: int
    dimension: int
    factor: int
    rest: str


@dataclass(frozen=True)
class Sizes:
    """The names in the shapes of a function's arrays.

    Attributes:
      names: how each is computed from the inputs, in order.
      constraints: the constraints on them.

    Example:
      >>> from dovetail.runtime.sizes import Name, Sizes
      >>> Sizes((Name("b", 0, 0, 1, "0"),), ("b % 8 == 0",)).broken({"b": 12})
      ['b % 8 == 0']
    """

    names: tuple[Name, ...] = ()
    constraints: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `from_json` reads."""
        return {"names": self.names, "constraints": self.constraints}

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Sizes:
        """Reads what `to_json` returns.

        Raises:
          ValueError: a text is not a size.
        """
        names = []
        for name, leaf, dimension, factor, rest in fields["names"]:
            names.append(Name(str(name), int(leaf), int(dimension), int(factor), str(rest)))
            formula(names[-1].rest)
        constraints = tuple(map(str, fields["constraints"]))
        for text in constraints:
            formula(text)
        return Sizes(tuple(names), constraints)

    def broken(self, values: Mapping[str, int]) -> list[str]:
        """The constraints that do not hold for values of the names."""
        return [
            text
            for text in self.constraints
            if values.keys() >= names_in(text) and not formula(text)(values)
        ]


def formula(text: str) -> Callable[[Mapping[str, int]], Any]:
    """The text as a function of the names' values.

    Raises:
      ValueError: the text is not a size or a constraint.
    """
    return _parsed(text)[0]


def names_in(text: str) -> frozenset[str]:
    """The names that occur in an expression."""
    return _parsed(text)[1]


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Callable[[Mapping[str, int]], Any], frozenset[str]]:
    try:
        tree = ast.parse(text.replace("^", "**").strip(), mode="eval").body
        found: set[str] = set()
        return _function(tree, found), frozenset(found)
    except (SyntaxError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(
            f"a size must be made of names, integers, + - * // % **, max and min, got: {text!r}"
        ) from error


def _function(node: ast.expr, names: set[str]) -> Callable[[Mapping[str, int]], Any]:
    if isinstance(node, ast.Name):
        names.add(name := node.id)
        return lambda values: values[name]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
        return lambda values: value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _function(node.operand, names)
        return lambda values: -inner(values)
    if isinstance(node, ast.BinOp):
        return _applied(_OPERATORS[type(node.op)], [node.left, node.right], names)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _applied(_OPERATORS[type(node.ops[0])], [node.left, *node.comparators], names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
        return _applied(_FUNCTIONS[node.func.id], node.args, names)
    raise TypeError(ast.dump(node))


def _applied(
    function: Callable[[int, int], Any], sides: Sequence[ast.expr], names: set[str]
) -> Callable[[Mapping[str, int]], Any]:
    x, y = (_function(side, names) for side in sides)
    return lambda values: function(x(values), y(values))
