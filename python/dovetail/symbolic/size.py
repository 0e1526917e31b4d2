"""Sizes that are known only when a program runs: polynomials with integer coefficients.

Their variables are the names of dimensions, and expressions that are not polynomials: quotients
rounded down, remainders, maxima and minima. Equal polynomials have the same normal form, by which
they are compared.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from dovetail.base import locations
from dovetail.base.dtypes import default_dtype
from dovetail.base.errors import InconclusiveDimensionOperation, UnknownSizeError
from dovetail.base.late import numpy as dnp
from dovetail.base.locations import here

if TYPE_CHECKING:
    from dovetail.symbolic.scope import SymbolicScope

# Powers of variables, by their texts, in order.
Monomial = tuple[tuple[str, int], ...]
Terms = Mapping[Monomial, int]


def made(scope: SymbolicScope, terms: Terms) -> Any:
    """The size of a polynomial, an int where it is constant."""
    kept = {monomial: c for monomial, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return Size(scope, kept)


def terms_of(size: Any) -> Terms:
    """The polynomial of a size or an int."""
    return size.terms if type(size) is Size else {(): size}


def _by_hand(function: Callable[[Size, Any], Any]) -> Callable[[Size, Any], Any]:
    """An operator on sizes: with ints and other sizes it returns a size, otherwise an array."""
    name = function.__name__.strip("_")
    is_right = name.startswith("r")
    of_arrays = {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "pow": "power",
    }[name.removeprefix("r")]

    @functools.wraps(function)
    def applied(self: Size, other: Any) -> Any:
        if isinstance(other, Size):
            self.scope.check_same(other.scope)
        elif isinstance(other, (int, np.integer)):
            other = int(other)
        else:
            return _on_arrays(of_arrays, self, other, is_right)
        return function(self, other)

    return applied


def _on_arrays(name: str, size: Size, other: Any, is_right: bool) -> Any:
    """An operator whose other operand is not a size; arrays define the operator themselves."""
    if not isinstance(other, (float, complex, np.ndarray, np.generic)):
        return NotImplemented
    pair = (other, size) if is_right else (size, other)
    return getattr(dnp, name)(*pair)


class Size:
    """A size that is known only when the program runs.

    It supports arithmetic like an int. Comparisons are decided for all sizes that the constraints
    of its scope allow; one that these do not decide is an error. As an operand of an array function
    it is a scalar array.

    Example:
      >>> from dovetail.export import symbolic_shape
      >>> b, c = symbolic_shape("b, 2*b")
      >>> c // 2 == b, b + c, b >= 1
      (True, 3*b, True)
    """

    __slots__ = ("_hash", "_text", "scope", "terms")
    # NumPy leaves operators to this class.
    __array_ufunc__ = None
    # As an operand, a size behaves like a Python int.
    weak_type = True
    shape = ()
    ndim = 0

    def __init__(self, scope: SymbolicScope, terms: Terms) -> None:
        self.scope = scope
        self.terms = terms
        self._text: str | None = None
        self._hash: int | None = None

    @property
    def dtype(self) -> np.dtype:
        """Its element type as an array."""
        return default_dtype("i")

    # Text -----------------------------------------------------------------------------------------

    def __str__(self) -> str:
        if self._text is None:
            self._text = self.scope.text_of(self.terms)
        return self._text

    __repr__ = __str__

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("dovetail.Size", str(self)))
        return self._hash

    def __deepcopy__(self, memo: Any) -> Size:
        return self

    # Arithmetic -----------------------------------------------------------------------------------

    @_by_hand
    def __add__(self, other: Any) -> Any:
        total = dict(self.terms)
        for monomial, c in terms_of(other).items():
            total[monomial] = total.get(monomial, 0) + c
        return made(self.scope, total)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return made(self.scope, {monomial: -c for monomial, c in self.terms.items()})

    def __pos__(self) -> Any:
        return self

    @_by_hand
    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    @_by_hand
    def __rsub__(self, other: Any) -> Any:
        return -self + other

    @_by_hand
    def __mul__(self, other: Any) -> Any:
        return self.scope.product(self, other)

    __rmul__ = __mul__

    @_by_hand
    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int) or other < 0:
            raise UnknownSizeError(
                f"a size can be raised to a known power of 0 or more, got: {other} as the power "
                f"of {self}, {here()}"
            )
        return functools.reduce(operator.mul, [self] * other, 1)

    @_by_hand
    def __floordiv__(self, other: Any) -> Any:
        return self.scope.quotient(self, other)

    @_by_hand
    def __rfloordiv__(self, other: Any) -> Any:
        return self.scope.quotient(other, self)

    @_by_hand
    def __mod__(self, other: Any) -> Any:
        return self.scope.remainder(self, other)

    @_by_hand
    def __rmod__(self, other: Any) -> Any:
        return self.scope.remainder(other, self)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (Size, int, float, complex, np.ndarray, np.generic)):
            return NotImplemented
        return dnp.true_divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, (int, float, complex, np.ndarray, np.generic)):
            return NotImplemented
        return dnp.true_divide(other, self)

    def __abs__(self) -> Any:
        return self.scope.larger(self, -self)

    def __ceil__(self) -> Any:
        return self

    __floor__ = __round__ = __trunc__ = __ceil__

    # Comparisons ----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        answer = self._equals(other)
        if answer is None and not locations.is_internal(sys._getframe(1).f_code.co_filename):
            raise _inconclusive(f"{self} == {other}", _equality(self, other), self)
        return answer is True if answer is not NotImplemented else answer

    def __ne__(self, other: object) -> Any:
        answer = self._equals(other)
        if answer is None and not locations.is_internal(sys._getframe(1).f_code.co_filename):
            raise _inconclusive(f"{self} != {other}", _equality(self, other), self)
        return answer is not True if answer is not NotImplemented else answer

    def _equals(self, other: object) -> Any:
        """True if equal for all sizes, False if for none, else None."""
        if isinstance(other, Size):
            if other.scope is not self.scope:
                return False
            if str(self) == str(other):
                return True
        elif isinstance(other, (int, np.integer)):
            other = int(other)
        else:
            return NotImplemented
        return False if self.scope.differs(self, other) else None

    def _compare(self, other: Any, larger: Any, smaller: Any, text: str) -> bool:
        """True if `larger - smaller` is nonnegative."""
        answer = self.scope.is_at_least(larger, smaller)
        if answer is None:
            question, opposite = (f"{self} {sign} {other}" for sign in (text, _OPPOSITE[text]))
            raise _inconclusive(question, f"{question}' or '{opposite}", self)
        return answer

    def _other(self, other: Any) -> Any:
        if isinstance(other, Size):
            self.scope.check_same(other.scope)
            return other
        return int(other) if isinstance(other, (int, np.integer)) else None

    def __ge__(self, other: Any) -> Any:
        number = self._other(other)
        if number is None:
            return _compare_otherwise("greater_equal", self, other)
        return self._compare(other, self, number, ">=")

    def __gt__(self, other: Any) -> Any:
        number = self._other(other)
        if number is None:
            return _compare_otherwise("greater", self, other)
        return self._compare(other, self, number + 1, ">")

    def __le__(self, other: Any) -> Any:
        number = self._other(other)
        if number is None:
            return _compare_otherwise("less_equal", self, other)
        return self._compare(other, number, self, "<=")

    def __lt__(self, other: Any) -> Any:
        number = self._other(other)
        if number is None:
            return _compare_otherwise("less", self, other)
        return self._compare(other, number, self + 1, "<")

    def __bool__(self) -> bool:
        # As for an int: whether it is nonzero.
        if self.scope.differs(self, 0):
            return True
        raise _inconclusive(f"{self} != 0", f"{self} >= 1", self)

    # Values ---------------------------------------------------------------------------------------

    def bit_length(self) -> int:
        """The number of bits that hold any value of the size."""
        _, high = self.scope.bounds(self)
        return 31 if math.isinf(high) else int(high).bit_length()

    def _no_value(self) -> NoReturn:
        raise UnknownSizeError(
            f"a size must be known while tracing here, got: {self}, which is known only when the "
            f"program runs, {here()}; compute with it as it is (in shapes, in arithmetic, or as "
            "the array dovetail.numpy.array(size)), or leave this dimension out of the symbolic "
            "shapes, so that each of its sizes is traced"
        )

    def __index__(self) -> int:
        self._no_value()

    __int__ = __float__ = __complex__ = __index__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._no_value()


_OPPOSITE = {">=": "<", "<": ">=", "<=": ">", ">": "<="}


def _compare_otherwise(name: str, size: Size, other: Any) -> Any:
    """A comparison whose other operand is not a size."""
    if not isinstance(other, (float, np.ndarray, np.generic)):
        return NotImplemented
    return getattr(dnp, name)(size, other)


def _equality(size: Size, other: Any) -> str:
    """A constraint that determines whether a size equals another."""
    return f"{size} >= {other + 1}" if isinstance(other, int) else f"{size} == {other}"


def _inconclusive(question: str, constraint: str, size: Size) -> InconclusiveDimensionOperation:
    return InconclusiveDimensionOperation(
        f"a comparison of sizes must have one answer for all of them, got: `{question}`, which "
        f"holds for some and not for others, or is not decided, under {size.scope.described()}, "
        f"{here()}; add a constraint that decides it, such as '{constraint}', or let the "
        "program decide with dovetail.numpy.where on dovetail.numpy.array(size)"
    )


def is_symbolic_dim(p: Any) -> bool:
    """True if a size is symbolic: known only when the program runs.

    Args:
      p: an entry of a shape.

    Returns:
      True for a symbolic size, False for an int.

    Example:
      >>> from dovetail import export
      >>> [export.is_symbolic_dim(size) for size in export.symbolic_shape("b, 3")]
      [True, False]
    """
    return type(p) is Size


def has_sizes(shape: Any) -> bool:
    """True if a shape has symbolic sizes."""
    return any(type(size) is Size for size in shape)


# The compiler's marker of an unknown size in types (`ShapedType::kDynamic`).
UNKNOWN = -(1 << 63)


def plain(shape: tuple[Any, ...], unknown: int = -1) -> tuple[int, ...]:
    """A shape in the compiler's form, with -1 for an unknown size."""
    return tuple([unknown if type(size) is Size else size for size in shape])


def is_at_most(size: Any, bound: int) -> bool:
    """True if a size is known to be at most `bound`."""
    return size.scope.is_nonnegative(bound - size) if type(size) is Size else size <= bound


def is_at_least(size: Any, bound: int) -> bool:
    """True if a size is known to be at least `bound`."""
    return size.scope.is_nonnegative(size - bound) if type(size) is Size else size >= bound


def as_size(size: Any) -> Any:
    """A symbolic size unchanged; anything else that is usable as an index, as an int."""
    return size if type(size) is Size else operator.index(size)


def max_dim(x: Any, y: Any) -> Any:
    """The larger of two sizes.

    Args:
      x, y: sizes, ints among them.

    Returns:
      A size.

    Example:
      >>> from dovetail import export
      >>> (b,) = export.symbolic_shape("b")
      >>> export.max_dim(b, 3), export.max_dim(b, 1)
      (max(b, 3), b)
    """
    scope = _scope_of(x, y)
    return max(x, y) if scope is None else scope.larger(x, y)


def min_dim(x: Any, y: Any) -> Any:
    """The smaller of two sizes.

    Args:
      x, y: sizes, ints among them.

    Returns:
      A size.

    Example:
      >>> from dovetail import export
      >>> (b,) = export.symbolic_shape("b")
      >>> export.min_dim(b, 3), export.min_dim(b, 1)
      (min(b, 3), 1)
    """
    scope = _scope_of(x, y)
    return min(x, y) if scope is None else scope.smaller(x, y)


def _scope_of(*sizes: Any) -> SymbolicScope | None:
    scopes = [size.scope for size in sizes if type(size) is Size]
    for scope in scopes[1:]:
        scopes[0].check_same(scope)
    return scopes[0] if scopes else None
