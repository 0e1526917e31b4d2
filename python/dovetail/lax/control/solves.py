"""Solutions of equations, with derivatives from the equations themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dovetail.arrays.array import ShapedArray
from dovetail.base import late
from dovetail.base.errors import type_error
from dovetail.base.trace_stack import derivative_order
from dovetail.lax.control.bodies import check_callable, joined
from dovetail.tracing.arguments import Function, as_operand, name_of, results_of
from dovetail.tracing.bind import is_eager
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.trace import Operand
from dovetail.transforms.autodiff import jvp
from dovetail.transforms.custom_derivatives import closure_convert, custom_jvp
from dovetail.transforms.custom_derivatives.calls import pair_of
from dovetail.transforms.custom_derivatives.symbolic import instantiated, tangent_type
from dovetail.transforms.linearization import linear_transpose, linearize
from dovetail.trees.differences import listed, structure_differences, type_differences
from dovetail.trees.pytree import flatten, leaf_names, map_leaves, unflatten


class _Like:
    """The structure and the types of an example, which the results of functions must have.

    Args:
      what: the function that requires it.
      root: the name of its parameter that is the example.
      example: a tree of arrays.
    """

    def __init__(self, what: str, root: str, example: Any) -> None:
        self.what, self.root = what, root
        values, self.spec = flatten(example)
        self.paths = list(leaf_names(example, root))
        self.leaves = [as_operand(v, f"`{p}`") for v, p in zip(values, self.paths, strict=True)]
        self.avals: list[ShapedArray] = [leaf.aval for leaf in self.leaves]

    def leaves_of(self, role: str, function: Function, result: Any) -> list[Operand]:
        """The leaves of a function's result.

        Raises:
          TypeError: structure, shape or element type differ from the example's.
        """
        values, spec = flatten(result)
        differences = list(structure_differences(self.spec, spec, self.root))
        leaves: list[Operand] = []
        if not differences:
            leaves = results_of(function, values)
            avals = [leaf.aval for leaf in leaves]
            differences = type_differences(self.paths, self.avals, avals)
        if differences:
            lines = [f"{d.second} for `{d.path}`, which is {d.first}" for d in differences]
            raise type_error(
                f"{self.what}: {role} `{name_of(function)}` must return arrays of the structure "
                f"and the types of `{self.root}`, got: {listed(lines)}"
            )
        return leaves

    def checked(self, role: str, function: Function) -> Function:
        """The function with its results checked if its argument is like the example."""

        def called(x: Any) -> Any:
            result = function(x)
            leaves, spec = flatten(x)
            is_like = spec == self.spec and all(
                getattr(leaf, "shape", ()) == aval.shape
                for leaf, aval in zip(leaves, self.avals, strict=True)
            )
            if is_like:
                self.leaves_of(role, function, result)
            return result

        called.__name__ = name_of(function)
        return called

    def traced(
        self,
        function: Callable[[Any], tuple[list[Operand], Any]],
        name: str,
        order: int | None = None,
    ) -> TracedFunction:
        """A function of such a tree, which returns leaves and anything else."""
        return trace(
            lambda *tracers: function(unflatten(self.spec, tracers)),
            self.avals,
            self.paths,
            self.what,
            name,
            order=order,
        )


def custom_linear_solve(
    matvec: Function,
    b: Any,
    solve: Function,
    transpose_solve: Function | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Any:
    """Solve a linear equation, with the derivatives of its solution instead of the solver's.

    A x = b implies A x' = b' - A' x, regardless of how x is computed (implicit differentiation).

    Args:
      matvec: the linear function A, from trees like `b` to trees like `b`. It is differentiated.
      b: the right-hand side, a tree of arrays.
      solve: takes `matvec` and a right-hand side, returns the solution; never differentiated.
      transpose_solve: the same for the transpose of A, which is its first argument; reverse mode
        needs it.
      symmetric: whether A is its own transpose, so that `solve` solves both.
      has_aux: whether the solvers return pairs (solution, auxiliary data).

    Returns:
      The solution, or the pair (solution, auxiliary data).

    Raises:
      TypeError: a function returns arrays of a structure or types other than those of `b`.

    Example:
      >>> import dovetail as dt
      >>> def root(a):
      ...     return dt.lax.custom_linear_solve(
      ...         lambda x: a * x, 6.0, lambda matvec, b: b / matvec(1.0), symmetric=True
      ...     )
      >>> float(root(3.0)), round(float(dt.grad(root)(3.0)), 4)
      (2.0, -0.6667)
    """
    check_callable("matvec of custom_linear_solve", matvec)
    check_callable("solve of custom_linear_solve", solve)
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    like = _Like("custom_linear_solve", "b", b)
    product = like.checked("matvec", matvec)

    def leaves_of(role: str, solver: Function, result: Any) -> tuple[list[Operand], Any]:
        aux: list[Any] = []
        aux_spec = None
        if has_aux:
            result, auxiliary = pair_of(
                result, f"{role} `{name_of(solver)}`", "the solution and auxiliary data"
            )
            aux, aux_spec = flatten(auxiliary)
        return [*like.leaves_of(role, solver, result), *results_of(solver, aux)], aux_spec

    def result_of(leaves: list[Operand], aux_spec: Any) -> Any:
        count = len(like.leaves)
        solution = unflatten(like.spec, leaves[:count])
        return (solution, unflatten(aux_spec, leaves[count:])) if has_aux else solution

    def transposed(y: Any) -> Any:
        return product(y) if symmetric else linear_transpose(matvec, b)(y)[0]

    def as_leaves(function: Function) -> Callable[[Any], tuple[list[Operand], Any]]:
        return lambda x: (like.leaves_of("matvec", matvec, function(x)), None)

    def solved(y: Any) -> tuple[list[Operand], Any]:
        return leaves_of("solve", solve, solve(product, y))

    # Rules of derivatives are transposed, even those that are not differentiated any more.
    if is_eager():
        return result_of(*leaves_of("solve", solve, solve(product, b)))

    parts = {"matvec": as_leaves(product), "vecmat": None, "solve": solved, "transpose_solve": None}
    if transpose_solve is not None:
        given = transpose_solve
        parts["vecmat"] = as_leaves(transposed)
        parts["transpose_solve"] = lambda y: leaves_of(
            "transpose_solve", given, given(transposed, y)
        )
    if makes_equations():
        return result_of(*_equation(like, parts))
    solver = like.traced(solved, name_of(solve), 0)
    functions = {"matvec": like.traced(parts["matvec"], name_of(matvec))}
    if transpose_solve is not None:
        name = f"{name_of(matvec)}_transposed"
        functions["vecmat"] = like.traced(parts["vecmat"], name)
        solution = parts["transpose_solve"]
        functions["transpose_solve"] = like.traced(solution, name_of(transpose_solve), 0)
    count = len(like.leaves)
    captured = joined([solver, *functions.values()], count)
    outs = apply(
        "linear_solve",
        solver,
        [*like.leaves, *captured],
        solver.avals,
        operandSegmentSizes=(count, len(captured)),
        **{key: traced.function for key, traced in functions.items()},
    )
    if solver.uses is not None:
        solver.uses.apply(like.leaves, outs)
    return result_of(outs, solver.extra)


class LinearSolveTuple(NamedTuple):
    """What there is of each function of a linear equation.

    Attributes:
      matvec: of the linear function.
      vecmat: of its transpose.
      solve: of its inverse.
      transpose_solve: of the inverse of its transpose.
    """

    matvec: Any
    vecmat: Any
    solve: Any
    transpose_solve: Any


def _equation(like: _Like, parts: dict[str, Any]) -> tuple[list[Operand], Any]:
    """The leaves of the results, by an equation that has the functions as programs, and what the
    solver also returned.
    """
    programs: dict[str, Any] = {}
    extras: dict[str, Any] = {}
    for name, part in parts.items():

        def of_leaves(*xs: Any, name: str = name, part: Any = part) -> list[Operand]:
            outs, extras[name] = part(unflatten(like.spec, xs))
            return outs

        programs[name] = None
        if part is not None:
            programs[name] = late.making.make_jaxpr(of_leaves)(*like.leaves)
    consts = {name: of.consts if of else [] for name, of in programs.items()}
    jaxprs = {
        name: of and late.making.with_constants_as_arguments(of) for name, of in programs.items()
    }
    outs = late.jaxprs.find(__name__, "linear_solve_p").bind(
        *(const for name in LinearSolveTuple._fields for const in consts[name]),
        *like.leaves,
        const_lengths=LinearSolveTuple(**{name: len(each) for name, each in consts.items()}),
        jaxprs=LinearSolveTuple(**jaxprs),
    )
    return outs, extras["solve"]


def custom_root(
    f: Function,
    initial_guess: Any,
    solve: Function,
    tangent_solve: Function,
    has_aux: bool = False,
) -> Any:
    """Find a root of a function, with the derivatives of the root instead of the solver's.

    f(p, x(p)) = 0 implies x' = -(df/dx)^-1 f' p' (the implicit function theorem), for all values p
    of floats or complex numbers that `f` closes over.

    Args:
      f: from trees like `initial_guess` to trees like it. It is differentiated.
      initial_guess: the starting point of `solve`, a tree of arrays.
      solve: takes `f` and the guess, returns the root; never differentiated.
      tangent_solve: takes a linear function g and y, both like `initial_guess`, and returns the x
        of g(x) = y; for scalars `lambda g, y: y / g(1.0)`. It must be linear in y.
      has_aux: whether `solve` returns a pair (root, auxiliary data).

    Returns:
      The root, or the pair (root, auxiliary data).

    Raises:
      TypeError: a function returns arrays of a structure or types other than those of
        `initial_guess`.

    Example:
      >>> import dovetail as dt
      >>> def newton(f, x):
      ...     return dt.lax.fori_loop(0, 20, lambda _, x: x - f(x) / dt.grad(f)(x), x)
      >>> def sqrt(a):
      ...     return dt.lax.custom_root(
      ...         lambda x: x**2 - a, 1.0, newton, lambda g, y: y / g(1.0)
      ...     )
      >>> float(sqrt(4.0)), float(dt.grad(sqrt)(4.0))
      (2.0, 0.25)
    """
    for role, function in [("f", f), ("solve", solve), ("tangent_solve", tangent_solve)]:
        check_callable(f"{role} of custom_root", function)
    like = _Like("custom_root", "initial_guess", initial_guess)
    guess = unflatten(like.spec, like.leaves)
    checked = like.checked("f", f)

    def solved(x: Any) -> Any:
        result = solve(checked, x)
        root, aux = result, ()
        if has_aux:
            root, aux = pair_of(result, f"solve `{name_of(solve)}`", "the root and auxiliary data")
        return unflatten(like.spec, like.leaves_of("solve", solve, root)), aux

    def result_of(root: Any, aux: Any) -> Any:
        return (root, aux) if has_aux else root

    if not derivative_order():
        return result_of(*solved(guess))
    # The rule differentiates with respect to the values captured by `f`, not those captured by the
    # solvers; the rule's own derivative is taken with respect to both.
    equation, ours = closure_convert(checked, guess)
    solver, theirs = closure_convert(solved, guess)

    def change_at(root: Any, ours: Any, rhs: Any) -> Any:
        linear = linearize(lambda x: equation(x, *ours), root)[1]
        change = tangent_solve(linear, rhs)
        leaves = like.leaves_of("tangent_solve", tangent_solve, change)
        return unflatten(like.spec, [-leaf for leaf in leaves])

    change, others = closure_convert(change_at, guess, ours, guess)

    @custom_jvp
    def root_of(ours: Any, theirs: Any, others: Any, guess: Any) -> Any:
        return solver(guess, *theirs)

    @root_of.defjvp
    def root_jvp(primals: Any, tangents: Any) -> Any:
        ours, directions, others = primals[0], tangents[0], primals[2]
        root, aux = root_of(*primals)
        rhs = jvp(lambda *values: equation(root, *values), tuple(ours), tuple(directions))[1]
        return (root, aux), (change(root, ours, rhs, *others), zeros_of(aux))

    def zeros_of(aux: Any) -> Any:
        return map_leaves(lambda leaf: instantiated(tangent_type(leaf.aval)), aux)

    return result_of(*root_of(ours, theirs, others, guess))
