"""The names of dimensions with their constraints, and the arithmetic that depends on these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from dovetail.base.errors import UnknownSizeError, value_error
from dovetail.symbolic.bounds import Interval, Variable, interval, is_nonnegative
from dovetail.symbolic.parse import constrain
from dovetail.symbolic.size import Monomial, Size, Terms, made, max_dim, min_dim, terms_of


class SymbolicScope:
    """Dimension names that are used together, and the facts about their sizes.

    A size is at least 1, unless a constraint allows 0.

    Args:
      constraints_str: constraints such as `"b >= 2"`, `"b <= 4096"`, `"b % 8 == 0"`,
        `"mod(b, 8) == 0"`, `"s <= b"`, `"c == 2*b"`.

    Raises:
      ValueError: a constraint is not of this form, or they contradict each other.

    Example:
      >>> from dovetail import export
      >>> scope = export.SymbolicScope(["b % 8 == 0", "b <= 64"])
      >>> (b,) = export.symbolic_shape("b", scope=scope)
      >>> b % 4, b // 8 * 8 == b, b <= 100
      (0, True, True)
    """

    def __init__(self, constraints_str: Sequence[str] = ()) -> None:
        if isinstance(constraints_str, str):
            constraints_str = (constraints_str,)
        self.constraints = tuple(constraints_str)
        self._variables: dict[str, Variable] = {}
        # By name: its value in other variables, and the number of which it is a multiple.
        self._values: dict[str, Any] = {}
        self.multiples: dict[str, int] = {}
        self._facts: list[Size] = []
        self._unnamed = 0
        # The names whose size is a multiple, by the texts of their parts.
        self._wholes: dict[str, tuple[str, int]] = {}
        constrain(self, self.constraints)

    def __repr__(self) -> str:
        return f"SymbolicScope({list(self.constraints)})"

    def described(self) -> str:
        """The constraints as text for messages."""
        if not self.constraints:
            return "the constraints (none but that sizes are 1 or more)"
        return f"the constraints ({', '.join(self.constraints)})"

    def check_same(self, other: SymbolicScope) -> None:
        """Reject sizes of another scope."""
        if other is not self:
            raise value_error(
                "sizes that are used together must be of one SymbolicScope, got: sizes of two; "
                "pass scope= to symbolic_shape or symbolic_args_specs"
            )

    # Names ----------------------------------------------------------------------------------------

    def name(self, name: str) -> Any:
        """The size of that name."""
        if name not in self._values:
            self.declare(name, 1, math.inf, 1)
        return self._values[name]

    def unnamed(self) -> Any:
        """A size that is known only as that of an array."""
        name = f"?{self._unnamed}"
        self._unnamed += 1
        self.declare(name, 0, math.inf, 1)
        return self._values[name]

    def declare(self, name: str, low: float, high: float, multiple: int) -> None:
        """A name for sizes that are multiples of a number within bounds."""
        if low > high or (not math.isinf(high) and high // multiple < -(-low // multiple)):
            raise value_error(f"constraints must leave sizes for {name!r}, got: {self.constraints}")
        self.multiples[name] = multiple
        if multiple == 1:
            self._variables[name] = Variable("name", (), low, high)
            self._values[name] = Size(self, {((name, 1),): 1})
            return
        part = f"{name}//{multiple}"
        above = high if math.isinf(high) else high // multiple
        self._variables[part] = Variable("name", (), -(-low // multiple), above)
        self._wholes[part] = name, multiple
        self._values[name] = Size(self, {((part, 1),): multiple})

    def define(self, name: str, value: Any) -> None:
        """Define a name as another size."""
        self._values[name] = value
        self.multiples.setdefault(name, 1)

    def assume(self, size: Any) -> None:
        """Assume that a size is 0 or more."""
        if isinstance(size, int):
            if size < 0:
                raise value_error(f"constraints must not contradict, got: {self.constraints}")
            return
        self._facts.append(size)

    def name_of_variable(self, text: str) -> tuple[str, int] | None:
        """The name that is a multiple of a variable, and the multiple."""
        if text in self._wholes:
            return self._wholes[text]
        return (text, 1) if self.variable(text).op == "name" else None

    def variable(self, text: str) -> Variable:
        """The meaning of a polynomial's variable."""
        return self._variables[text]

    # Facts
    # -------------------------------------------------------------------------------------------

    def bounds(self, size: Any) -> Interval:
        """The smallest and the largest value of a size."""
        return interval(size, self.variable)

    def is_nonnegative(self, size: Any) -> bool:
        """True if a size is known to be nonnegative."""
        if isinstance(size, int):
            return size >= 0
        return is_nonnegative(size, self._facts, self.variable)

    def is_at_least(self, x: Any, y: Any) -> bool | None:
        """True if x >= y for all sizes, False if for none, else None."""
        difference = x - y
        if self.is_nonnegative(difference):
            return True
        return False if self.is_nonnegative(-difference - 1) else None

    def differs(self, x: Any, y: Any) -> bool:
        """True if x and y differ for all sizes."""
        difference = x - y
        if isinstance(difference, int):
            return difference != 0
        if self.is_nonnegative(difference - 1) or self.is_nonnegative(-difference - 1):
            return True
        # A multiple of a number cannot equal a number that is not a multiple of it.
        constant = difference.terms.get((), 0)
        divisor = math.gcd(*(c for monomial, c in difference.terms.items() if monomial))
        return constant % divisor != 0

    # Arithmetic -----------------------------------------------------------------------------------

    def _variable(self, op: str, x: Any, y: Any) -> Size:
        text = (
            f"{op}({x}, {y})" if op in ("max", "min") else f"{_factor(x)}{_SIGNS[op]}{_factor(y)}"
        )
        self._variables.setdefault(text, Variable(op, (x, y)))
        return Size(self, {((text, 1),): 1})

    def product(self, x: Any, y: Any) -> Any:
        """x * y, where y * (x // y) is written as x - x % y."""
        total: dict[Monomial, int] = {}
        for a, c in terms_of(x).items():
            for b, d in terms_of(y).items():
                powers = dict(a)
                for text, power in b:
                    powers[text] = powers.get(text, 0) + power
                monomial = tuple(sorted(powers.items()))
                total[monomial] = total.get(monomial, 0) + c * d
        return self._without_quotients(total)

    def _without_quotients(self, terms: Terms) -> Any:
        result: Any = 0
        kept: dict[Monomial, int] = {}
        for monomial, c in terms.items():
            for text, _ in monomial:
                variable = self._variables[text]
                if variable.op != "div":
                    continue
                x, y = variable.args
                others = self._over(monomial, c, text, y)
                if others is not None:
                    result = result + others * (x - x % y)
                    break
            else:
                kept[monomial] = c
        return made(self, kept) + result

    def _over(self, monomial: Monomial, c: int, text: str, y: Any) -> Any:
        """The cofactors of a term with both y and a quotient by y as factors, or None."""
        if len(terms_of(y)) != 1 or not self.is_nonnegative(y - 1):
            return None
        ((factors, k),) = terms_of(y).items()
        powers = dict(monomial)
        for factor, power in (*factors, (text, 1)):
            powers[factor] = powers.get(factor, 0) - power
        if c % k or any(power < 0 for power in powers.values()):
            return None
        return made(self, {tuple(sorted((t, p) for t, p in powers.items() if p)): c // k})

    def quotient(self, x: Any, y: Any) -> Any:
        """x // y."""
        if isinstance(y, int):
            if y == 0:
                raise ZeroDivisionError(f"{x} // 0")
            if y < 0:
                x, y = -x, -y
            whole, rest = self._divided(x, y)
            if isinstance(rest, int) or self._is_within(rest, y):
                return whole
            return whole + self._variable("div", rest, y)
        exact = self._exact_quotient(x, y)
        if exact is not None:
            return exact
        if self._is_within(x, y):
            return 0
        if self._is_within(x + y, y):
            return -1
        return self._variable("div", x, y)

    def _divided(self, x: Any, y: int) -> tuple[Any, Any]:
        """A whole part and the rest of x divided by a number."""
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for monomial, c in terms_of(x).items():
            whole[monomial], rest[monomial] = divmod(c, y)
        return made(self, whole), made(self, rest)

    def _is_within(self, x: Any, y: Any) -> bool:
        """True if 0 <= x < y."""
        return self.is_nonnegative(x) and self.is_nonnegative(y - x - 1)

    def _exact_quotient(self, x: Any, y: Size) -> Any:
        """The polynomial whose product with y is x; None if there is none."""
        lead, c = max(y.terms.items(), key=lambda term: _order(term[0]))
        rest, quotient = x, 0
        for _ in range(32):
            if isinstance(rest, int) and rest == 0:
                return quotient
            top, d = max(terms_of(rest).items(), key=lambda term: _order(term[0]))
            powers = dict(top)
            for text, power in lead:
                powers[text] = powers.get(text, 0) - power
            if d % c or any(power < 0 for power in powers.values()):
                return None
            monomial = tuple(sorted((t, p) for t, p in powers.items() if p))
            part = made(self, {monomial: d // c})
            quotient, rest = quotient + part, rest - part * y
        return None

    def remainder(self, x: Any, y: Any) -> Any:
        """x % y."""
        if isinstance(y, int) and y > 0:
            _, rest = self._divided(x, y)
            if isinstance(rest, int) or self._is_within(rest, y):
                return rest
            return self._variable("mod", rest, y)
        if isinstance(y, Size) and self._exact_quotient(x, y) is not None:
            return 0
        if isinstance(y, Size) and self._is_within(x, y):
            return x
        if isinstance(y, Size) and self._is_within(x + y, y):
            return x + y
        if not self.is_nonnegative(y - 1):
            raise UnknownSizeError(f"a size can be divided by what is positive, got: {x} % {y}")
        return self._variable("mod", x, y)

    def larger(self, x: Any, y: Any) -> Any:
        """The larger of two."""
        if self.is_nonnegative(x - y):
            return x
        if self.is_nonnegative(y - x):
            return y
        return self._variable("max", *sorted((x, y), key=_place))

    def smaller(self, x: Any, y: Any) -> Any:
        """The smaller of two."""
        if self.is_nonnegative(x - y):
            return y
        if self.is_nonnegative(y - x):
            return x
        return self._variable("min", *sorted((x, y), key=_place))

    # Text and values ------------------------------------------------------------------------------

    def text_of(self, terms: Terms) -> str:
        """A polynomial as text."""
        result = ""
        for monomial, c in sorted(terms.items(), key=lambda term: _order(term[0]), reverse=True):
            factors = []
            for text, power in monomial:
                name, multiple = self._wholes.get(text, (text, 1))
                if c % multiple**power:
                    name = text
                else:
                    c //= multiple**power
                factors.append(name if power == 1 else f"{_factor(name)}^{power}")
            if abs(c) != 1 or c < 0 or len(factors) > 1:
                factors = [_factor(factor) for factor in factors]
            number = str(abs(c))
            body = "*".join(factors if number == "1" and factors else [number, *factors])
            if not result:
                result = body if c > 0 else f"-{body}"
            else:
                result += f" {'+' if c > 0 else '-'} {body}"
        return result

    def value(self, size: Any, names: dict[str, int]) -> int:
        """A size, given the values of names."""
        if isinstance(size, int):
            return size
        return sum(
            c * reduce(lambda total, v: total * self._value_of(v[0], names) ** v[1], monomial, 1)
            for monomial, c in size.terms.items()
        )

    def _value_of(self, text: str, names: dict[str, int]) -> int:
        found = self.name_of_variable(text)
        if found is not None:
            return names[found[0]] // found[1]
        op, (x, y), *_ = self._variables[text]
        a, b = self.value(x, names), self.value(y, names)
        return {"div": _floor_div, "mod": _mod, "max": max_dim, "min": min_dim}[op](a, b)

    def names_in(self, sizes: Iterable[Any]) -> list[str]:
        """The names that sizes depend on, in order of occurrence."""
        found: dict[str, None] = {}
        for size in sizes:
            for monomial in terms_of(size):
                for text, _ in monomial:
                    whole = self.name_of_variable(text)
                    if whole is not None:
                        found[whole[0]] = None
                    else:
                        found.update(dict.fromkeys(self.names_in(self._variables[text].args)))
        return list(found)

    @property
    def facts(self) -> Sequence[Size]:
        """Sizes that constraints on several names imply to be 0 or more."""
        return self._facts


_SIGNS = {"div": "//", "mod": "%"}


def _floor_div(x: int, y: int) -> int:
    return x // y


def _mod(x: int, y: int) -> int:
    return x % y


def _order(monomial: Monomial) -> tuple[int, Any]:
    """Higher powers first, then names in alphabetical order, then other variables."""
    return sum(power for _, power in monomial), tuple(
        (text.isidentifier(), tuple(-ord(letter) for letter in text), power)
        for text, power in monomial
    )


def _place(size: Any) -> tuple[bool, str]:
    return isinstance(size, int), str(size)


def _factor(size: Any) -> str:
    """The text of a size as a factor."""
    text = str(size)
    is_call = text.startswith(("max(", "min(")) and text.endswith(")") and text.count("(") == 1
    is_power = text.replace("^", "").replace("_", "").isalnum()
    return text if is_call or is_power else f"({text})"
