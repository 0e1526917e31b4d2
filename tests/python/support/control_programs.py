"""A table of programs with loops and branches, written once for every library that has JAX's API.

A program is a function of a library (`dovetail`, `jax`, or `control_plain.LIBRARY`, plain Python on
NumPy) and of its arguments. All are smooth near their arguments, in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import optree

# A function of a vector and of a vector that everything closes over.
Map = Callable[[Any, Any], Any]


class Program(NamedTuple):
    """A program and where to call it.

    Attributes:
      function: takes the library and the arguments; returns a tree of arrays.
      args: the arguments, NumPy arrays.
      has_while: whether it has a loop with an unknown number of steps, which JAX does not
        differentiate in reverse mode.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    has_while: bool

    @property
    def points(self) -> list[Any]:
        """The inexact arrays among the arguments' leaves."""
        return [leaf for leaf in self._leaves() if _is_inexact(leaf)]

    def results(self, lib: Any, *points: Any) -> list[Any]:
        """The results' leaves, with other inexact arguments."""
        given = iter(points)
        leaves = [next(given) if _is_inexact(leaf) else leaf for leaf in self._leaves()]
        args = optree.tree_unflatten(optree.tree_structure(self._tree()), leaves)
        return optree.tree_leaves(self.function(lib, *args))

    def smooth(self, lib: Any, *points: Any) -> list[Any]:
        """The inexact leaves of the results, with other inexact arguments."""
        return [out for out in self.results(lib, *points) if out.dtype.kind in "fc"]

    def _tree(self) -> Any:
        return self.args

    def _leaves(self) -> list[Any]:
        return optree.tree_leaves(self._tree())


def _is_inexact(leaf: Any) -> bool:
    return leaf.dtype.kind in "fc"


PROGRAMS: dict[str, Program] = {}

X = np.array([0.7, -0.4, 1.1])
W = np.array([0.9, 0.3, -0.6])
MATRIX = np.array([[0.4, -0.7, 0.2], [0.9, 0.1, -0.3], [-0.5, 0.6, 0.8]])
ROWS = np.array([[0.2, -0.5, 0.8], [1.2, 0.3, -0.9], [-0.7, 0.6, 0.1], [0.4, 1.0, -0.2]])


def program(*args: Any, has_while: bool = False) -> Callable[[Any], Any]:
    """Put a function into the table."""

    def put(function: Any) -> Any:
        PROGRAMS[function.__name__] = Program(function, args, has_while)
        return function

    return put


# Forms of control flow, as ways to make a function of a vector from another ---------------------


def scan(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            carry = g(carry, w) + 0.1 * row
            return carry, carry * row

        rows = lib.numpy.stack([w, 0.5 * x])
        last, outs = lib.lax.scan(step, x, rows)
        return last + 0.3 * lib.numpy.sum(outs, 0)

    return function


def reverse_scan(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            i, c = carry
            return (i + 1, g(row, c) * 0.6 + 0.2 * i * w), (c, i)

        rows = lib.numpy.stack([x, 0.5 * w, x * w])
        (_, last), (outs, counts) = lib.lax.scan(step, (0, w), rows, reverse=True)
        return last + 0.2 * lib.numpy.sum(outs * counts[:, None], 0)

    return function


def fori(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        return lib.lax.fori_loop(1, 3, lambda i, c: 0.5 * c + g(c, w) / (1.0 + i), x)

    return function


def fori_traced(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        stop = 1 + lib.numpy.sum(x > 0.43)
        return lib.lax.fori_loop(0, stop, lambda i, c: 0.3 * c + 0.8 * g(c, w), x)

    return function


def while_loop(lib: Any, g: Map, **bound: Any) -> Map:
    def function(x: Any, w: Any) -> Any:
        def goes_on(carry: Any) -> Any:
            i, c = carry
            return (i < 3) & (lib.numpy.sum(c * c) > 0.25)

        def body(carry: Any) -> Any:
            i, c = carry
            return i + 1, 0.6 * g(c, w)

        return lib.lax.while_loop(goes_on, body, (0, x), **bound)[1]

    return function


def bounded_while(lib: Any, g: Map) -> Map:
    # Other libraries have no bound.
    return while_loop(lib, g, **({"max_steps": 4} if lib.__name__ == "dovetail" else {}))


def cond(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        return lib.lax.cond(
            lib.numpy.sum(x) > 0.21, lambda c: g(c, w), lambda c: c * w + lib.numpy.cos(x), x
        )

    return function


def switch(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        branches = [lambda c: c * w, lambda c: g(c, x), lambda c: g(c, w) * c]
        return lib.lax.switch(lib.numpy.sum(x > 0.43), branches, 0.9 * x)

    return function


def mapped(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        rows = lib.numpy.stack([x, 0.7 * w])
        return lib.numpy.sum(lib.lax.map(lambda row: g(row, w), rows), 0)

    return function


def associative(lib: Any, g: Map) -> Map:
    def function(x: Any, w: Any) -> Any:
        def compose(first: Any, second: Any) -> Any:
            # Composition of affine functions: first a x + b, then c x + d.
            return first[0] * second[0], second[0] * first[1] + second[1]

        factors = lib.numpy.stack([w, g(x, w), 0.5 * x])
        terms = lib.numpy.stack([x, 0.3 * w, x * w])
        slopes, values = lib.lax.associative_scan(compose, (factors, terms))
        return lib.numpy.sum(values, 0) + slopes[-1]

    return function


FORMS: dict[str, Callable[[Any, Map], Map]] = {
    form.__name__: form
    for form in (
        scan,
        reverse_scan,
        fori,
        fori_traced,
        while_loop,
        bounded_while,
        cond,
        switch,
        mapped,
        associative,
    )
}
WITH_WHILE = {"while_loop", "bounded_while", "fori_traced"}
INNER = ("scan", "reverse_scan", "fori_traced", "while_loop", "bounded_while", "cond", "mapped")
TRIPLES = (
    ("scan", "while_loop", "cond"),
    ("while_loop", "cond", "scan"),
    ("cond", "scan", "reverse_scan"),
    ("mapped", "scan", "cond"),
    ("fori", "switch", "while_loop"),
    ("switch", "mapped", "reverse_scan"),
    ("while_loop", "while_loop", "while_loop"),
    ("while_loop", "bounded_while", "bounded_while"),
    ("reverse_scan", "scan", "scan"),
)


def nested(forms: tuple[str, ...]) -> Callable[..., Any]:
    """The forms around each other, the outermost first."""

    def function(lib: Any, x: Any, w: Any) -> Any:
        def base(x: Any, w: Any) -> Any:
            return lib.numpy.sin(x * w) + 0.4 * x + 0.1 * lib.numpy.sum(x)

        g: Map = base
        for form in reversed(forms):
            g = FORMS[form](lib, g)
        return g(x, w)

    return function


for _forms in [
    *((form,) for form in FORMS),
    *((outer, inner) for outer in FORMS for inner in INNER),
    *TRIPLES,
]:
    PROGRAMS[" of ".join(_forms)] = Program(nested(_forms), (X, W), bool(WITH_WHILE & {*_forms}))


# Scans ------------------------------------------------------------------------------------------


@program(X, ROWS)
def sums_so_far(lib: Any, x: Any, rows: Any) -> Any:
    return lib.lax.scan(lambda c, row: (c + row * c, lib.numpy.sin(c)), x, rows)


@program(X, MATRIX, MATRIX.T * 0.5, ROWS)
def recurrent_network(lib: Any, state: Any, a: Any, b: Any, rows: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        state = lib.numpy.tanh(a @ state + b @ row)
        return state, lib.numpy.sum(state * state)

    return lib.lax.scan(step, state, rows)


@program({"mean": X, "count": np.array(1.0)}, {"x": ROWS, "weight": np.array([0.5, 1.5, 0.8, 1.1])})
def trees(lib: Any, state: Any, data: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        count = state["count"] + row["weight"]
        mean = state["mean"] + (row["x"] - state["mean"]) * row["weight"] / count
        return {"mean": mean, "count": count}, (mean, {"deviation": row["x"] - mean})

    return lib.lax.scan(step, state, data)


@program(X)
def no_xs(lib: Any, x: Any) -> Any:
    return lib.lax.scan(lambda c, _: (lib.numpy.sin(c) + 0.5 * c, c[0]), x, None, 4)


@program(X)
def no_outputs(lib: Any, x: Any) -> Any:
    return lib.lax.scan(lambda c, i: (c * 0.9 + 0.1 * i, None), x, np.arange(4))[0]


@program(X, ROWS)
def counter_as_index(lib: Any, x: Any, rows: Any) -> Any:
    def step(carry: Any, _: Any) -> Any:
        i, c = carry
        row = lib.lax.dynamic_index_in_dim(rows, 3 - i, keepdims=False)
        return (i + 1, c * row + i), row * c

    return lib.lax.scan(step, (0, x), None, length=4)


@program(np.array(0.8), np.array([0.3, -1.2, 0.5, 2.0]))
def horner(lib: Any, x: Any, coefficients: Any) -> Any:
    def step(value: Any, coefficient: Any) -> Any:
        value = value * x + coefficient
        return value, value

    return lib.lax.scan(step, 0.0, coefficients, reverse=True)


@program(X, np.concatenate([ROWS, ROWS[:1] + 0.1]))
def unrolled(lib: Any, x: Any, rows: Any) -> Any:
    def step(c: Any, row: Any) -> Any:
        c = lib.numpy.sin(c * row) + c
        return c, (c[0], row * c)

    forwards = lib.lax.scan(step, x, rows, unroll=2)
    backwards = lib.lax.scan(step, x, rows, reverse=True, unroll=3)
    at_once = lib.lax.scan(step, x, rows[:2], unroll=True)
    return forwards, backwards, at_once


@program(X, W)
def late_dependence(lib: Any, x: Any, w: Any) -> Any:
    # The last carry depends on w only after two steps, which tangents must detect.
    def step(carry: Any, _: Any) -> Any:
        a, b, c = carry
        return (a * b, lib.numpy.sin(b) + c, w * 0.9), a

    ones = lib.numpy.ones(3)
    return lib.lax.scan(step, (x, ones, ones), None, 3)


@program(X, W)
def exchanged(lib: Any, x: Any, w: Any) -> Any:
    return lib.lax.scan(lambda c, s: ((c[1], c[0] * s), c[0]), (x, w), lib.numpy.stack([x, w, x]))


@program(X, ROWS)
def integers_beside(lib: Any, x: Any, rows: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        largest, c = carry
        largest = lib.numpy.maximum(largest, lib.numpy.argmax(row))
        return (largest, c + row * largest), (largest, row * row)

    (_, last), (_, outs) = lib.lax.scan(step, (0, x), rows)
    return last, outs


@program(X, ROWS)
def not_carried(lib: Any, x: Any, rows: Any) -> Any:
    return lib.lax.scan(lambda c, row: (c, lib.numpy.exp(row) * x), x, rows)


@program(X)
def no_steps(lib: Any, x: Any) -> Any:
    last, outs = lib.lax.scan(lambda c, row: (c * row, c), x, lib.numpy.zeros((0, 3)))
    return last * 2.0, lib.numpy.sum(outs, 0) + x


@program(np.array([0.4 + 0.3j, -0.2 + 0.9j]), np.array([0.5, 1.2, -0.3]))
def complex_carry(lib: Any, z: Any, xs: Any) -> Any:
    return lib.lax.scan(lambda c, x: (c * c * 0.7 + x * z, lib.numpy.real(c * x)), z, xs)


@program(np.array([0.3, -0.8]), ROWS, ROWS * 0.5 + 0.2)
def softmax_one_by_one(lib: Any, query: Any, keys: Any, values: Any) -> Any:
    def step(carry: Any, pair: Any) -> Any:
        largest, total, mean = carry
        key, value = pair
        score = lib.numpy.sum(query * key[:2])
        new = lib.numpy.maximum(largest, score)
        old, weight = lib.numpy.exp(largest - new), lib.numpy.exp(score - new)
        return (new, total * old + weight, mean * old + weight * value), score

    start = (lib.numpy.array(-30.0), lib.numpy.array(0.0), lib.numpy.zeros(3))
    (_, total, mean), scores = lib.lax.scan(step, start, (keys, values))
    return mean / total, scores


# Loops ------------------------------------------------------------------------------------------


@program(MATRIX, X)
def power_iteration(lib: Any, matrix: Any, x: Any) -> Any:
    def body(_: Any, x: Any) -> Any:
        y = matrix @ x
        return y / lib.numpy.sqrt(lib.numpy.sum(y * y))

    return lib.lax.fori_loop(0, 4, body, x)


@program(X, np.array(1.3))
def runge_kutta(lib: Any, x: Any, rate: Any) -> Any:
    def slope(x: Any) -> Any:
        return lib.numpy.sin(rate * x) - 0.5 * x

    def body(i: Any, x: Any) -> Any:
        first = slope(x)
        second = slope(x + 0.05 * first)
        third = slope(x + 0.05 * second)
        fourth = slope(x + 0.1 * third)
        return x + 0.1 / 6 * (first + 2 * second + 2 * third + fourth) + 0.01 * i

    return lib.lax.fori_loop(-1, 3, body, x)


@program(X)
def unrolled_count(lib: Any, x: Any) -> Any:
    return lib.lax.fori_loop(0, 5, lambda i, c: lib.numpy.sin(c) + 0.1 * i, x, unroll=2)


@program(X)
def no_iterations(lib: Any, x: Any) -> Any:
    count = lib.lax.fori_loop(3, 3, lambda i, c: c * i, 2.0 * x)
    return count + lib.lax.while_loop(lambda c: c[0] > 100.0, lambda c: c * 2.0, x)


PROGRAMS["no_iterations"] = PROGRAMS["no_iterations"]._replace(has_while=True)


@program(np.array([2.0, 5.0, 0.3]), has_while=True)
def newton(lib: Any, a: Any) -> Any:
    def goes_on(carry: Any) -> Any:
        _, change = carry
        return lib.numpy.max(lib.numpy.abs(change)) > 0.02

    def body(carry: Any) -> Any:
        x, _ = carry
        change = (x * x - a) / (2.0 * x)
        return x - change, change

    return lib.lax.while_loop(goes_on, body, (a + 0.5, lib.numpy.ones(3)))[0]


@program(X, np.array(1.1), has_while=True)
def several_carries(lib: Any, x: Any, rate: Any) -> Any:
    def body(carry: Any) -> Any:
        state = carry["state"]
        return {
            "time": carry["time"] + 0.3,
            "state": (state[1], lib.numpy.cos(state[0]) * rate),
            "steps": carry["steps"] + 1,
        }

    start = {"time": 0.0, "state": (x, 0.5 * x), "steps": 0}
    last = lib.lax.while_loop(lambda carry: carry["time"] < rate, body, start)
    return last["state"], last["time"]


@program(X, W, has_while=True)
def flag_as_carry(lib: Any, x: Any, w: Any) -> Any:
    def body(carry: Any) -> Any:
        _, c = carry
        c = c * 0.7 + 0.05 * w
        return lib.numpy.sum(c * c) > 0.3, c

    return lib.lax.while_loop(lambda carry: carry[0], body, (True, x))[1]


@program(X, np.array(2), np.array(5), has_while=True)
def computed_bounds(lib: Any, x: Any, lower: Any, upper: Any) -> Any:
    def body(i: Any, carry: Any) -> Any:
        total, c = carry
        return total + i * lib.numpy.sum(c), lib.numpy.sin(c) * i * 0.3

    between = lib.lax.fori_loop(lower, upper, body, (0.0, x))
    never = lib.lax.fori_loop(upper, lower, body, (0.0, x))
    return between, never


@program(ROWS, W)
def bounded_whiles(lib: Any, rows: Any, w: Any) -> Any:
    def body(c: Any) -> Any:
        return 0.8 * lib.numpy.sin(c * w) + 0.1 * c

    def goes_on(c: Any) -> Any:
        return lib.numpy.sum(c * c) > 0.04

    def bounded(c: Any) -> Any:
        if lib.__name__ == "dovetail":
            return lib.lax.while_loop(goes_on, body, c, max_steps=6)
        # Elsewhere this is a loop with that many branches.
        return lib.lax.fori_loop(
            0, 6, lambda _, c: lib.lax.cond(goes_on(c), body, lambda c: c, c), c
        )

    return lib.lax.scan(lambda c, row: (c * bounded(row), None), w, rows)[0], bounded(w)


# Branches ---------------------------------------------------------------------------------------


@program(X, W)
def branches_of_trees(lib: Any, x: Any, w: Any) -> Any:
    def one(pair: Any) -> Any:
        return {"a": pair[0] * x, "b": (pair[1], lib.numpy.sum(w))}

    def other(pair: Any) -> Any:
        return {"a": lib.numpy.cos(pair[1]), "b": (w, 1.0)}

    def chosen(pred: Any) -> Any:
        return lib.lax.cond(pred, one, other, (x, w * w))

    return chosen(x[0] > 0.5), chosen(x[0] < 0.5)


@program(X, W)
def branches_of_closures(lib: Any, x: Any, w: Any) -> Any:
    true = lib.lax.cond(x[1] < 0, lambda: x * w, lambda: x)
    number = lib.lax.cond(x[0] - 0.7 * w[0], lambda c: c * w, lambda c: c + x, operand=w)
    return true, number, lib.lax.cond(False, lambda c: c, lambda c: c * c, x)


@program(X, np.array([-3, 0, 1, 7]))
def clamped_index(lib: Any, x: Any, indices: Any) -> Any:
    branches = [lib.numpy.sin, lambda c: c * x, lambda c: lib.numpy.exp(-c)]

    def chosen(i: Any) -> Any:
        return lib.lax.switch(i, branches, x * i * 0.1)

    return lib.lax.map(chosen, indices), lib.vmap(chosen)(indices)


@program(X, has_while=True)
def shared_closures(lib: Any, x: Any) -> Any:
    # Too large for constants in the text: some functions close over one, some over both.
    grid = lib.numpy.asarray(np.sin(np.arange(25.0)).reshape(5, 5))
    row = lib.numpy.asarray(np.cos(np.arange(20.0)))

    def body(c: Any) -> Any:
        small = lib.lax.cond(
            c[0] > row[1], lambda: row[4] * grid[1, :3], lambda: 0.1 * c * grid[0, 1:4]
        )
        return 0.5 * c + 0.2 * small

    return lib.lax.while_loop(lambda c: c[0] > grid[1, 1] + row[1], body, x)


@program(X, W)
def nothing_computed(lib: Any, x: Any, w: Any) -> Any:
    return lib.lax.cond(w[0] > 0, lambda a, b: (a, b), lambda a, b: (b, a), x, w)


@program(ROWS, W)
def each_row_its_branch(lib: Any, rows: Any, w: Any) -> Any:
    def row(x: Any) -> Any:
        return lib.lax.cond(x[0] > 0, lambda: lib.numpy.sin(x) * w, lambda: x * x)

    return lib.vmap(row)(rows)


@program(ROWS, W)
def each_row_its_number(lib: Any, rows: Any, w: Any) -> Any:
    def row(x: Any) -> Any:
        branches = [lambda c: c * w, lambda c: lib.numpy.cos(c), lambda c: c + x]
        return lib.lax.switch(lib.numpy.argmax(x), branches, x * 2.0)

    return lib.vmap(row)(rows)


# Maps and associative scans ---------------------------------------------------------------------


@program(np.concatenate([ROWS, ROWS[:3] * 0.3]), W)
def map_in_batches(lib: Any, rows: Any, w: Any) -> Any:
    def row(x: Any) -> Any:
        return {"a": lib.numpy.sin(x) * w, "b": lib.numpy.sum(x * w)}

    return lib.lax.map(row, rows), lib.lax.map(row, rows, batch_size=3)


@program(np.stack([MATRIX, MATRIX.T * 0.5, MATRIX - 0.2, MATRIX @ MATRIX, np.eye(3)]))
def products_of_matrices(lib: Any, matrices: Any) -> Any:
    def product(a: Any, b: Any) -> Any:
        return lib.numpy.matmul(a, b)

    return lib.lax.associative_scan(product, matrices)


@program(ROWS, ROWS + 0.7)
def sums_along_both_axes(lib: Any, a: Any, b: Any) -> Any:
    down = lib.lax.associative_scan(lambda x, y: x + y, a, reverse=True)
    across = lib.lax.associative_scan(lambda x, y: (x[0] * y[0], x[1] + y[1]), (a, b), axis=1)
    return down, across


# Transforms around and inside -------------------------------------------------------------------


@program(X, ROWS)
def jit_inside(lib: Any, x: Any, rows: Any) -> Any:
    @lib.jit
    def step(c: Any, row: Any) -> Any:
        return lib.numpy.sin(c) * row + c, c * x

    first = lib.lax.scan(step, x, rows)
    return first, lib.jit(lambda c: lib.lax.scan(step, c, rows, reverse=True))(2.0 * x)


@program(ROWS, W)
def batch_of_scans(lib: Any, rows: Any, w: Any) -> Any:
    def run(row: Any, start: Any) -> Any:
        return lib.lax.scan(lambda c, x: (c * x + w, c * c), start, row)

    every = lib.vmap(lambda row: run(row, w))(rows)
    inits = lib.vmap(run, in_axes=(None, 0))(w, rows)
    return every, inits


@program(np.stack([ROWS, ROWS * 0.5 - 0.1]), W)
def batch_of_batches(lib: Any, blocks: Any, w: Any) -> Any:
    def run(row: Any) -> Any:
        return lib.lax.fori_loop(0, 3, lambda i, c: lib.numpy.sin(c) + i * w, row)

    return lib.vmap(lib.vmap(run))(blocks)


@program(ROWS, W, has_while=True)
def batch_of_whiles(lib: Any, rows: Any, w: Any) -> Any:
    def run(row: Any) -> Any:
        def body(c: Any) -> Any:
            return c * 0.8 + 0.02 * w

        return lib.lax.while_loop(lambda c: lib.numpy.sum(c * c) > 0.4, body, row)

    return lib.vmap(run)(rows)


@program(X, ROWS)
def batch_inside(lib: Any, x: Any, rows: Any) -> Any:
    def step(c: Any, row: Any) -> Any:
        moved = lib.vmap(lambda other: lib.numpy.sin(other * c) * row)(rows)
        return lib.numpy.sum(moved, 0), moved

    return lib.lax.scan(step, x, rows[:2])


@program(X, W)
def descent(lib: Any, x: Any, w: Any) -> Any:
    def loss(x: Any) -> Any:
        return lib.numpy.sum(lib.numpy.cos(x) * w) + 0.5 * lib.numpy.sum(x * x)

    return lib.lax.fori_loop(0, 3, lambda _, x: x - 0.3 * lib.grad(loss)(x), x)


@program(X, W)
def gradient_of_scan_in_branch(lib: Any, x: Any, w: Any) -> Any:
    def loss(x: Any) -> Any:
        last, outs = lib.lax.scan(lambda c, s: (lib.numpy.sin(c) * s + c, c), x, w)
        return lib.numpy.sum(last) + lib.numpy.sum(outs * outs)

    return lib.lax.cond(x[0] > 0, lambda c: lib.grad(loss)(c), lambda c: c, x)


@program(X, W, has_while=True)
def derivative_inside_while(lib: Any, x: Any, w: Any) -> Any:
    def body(carry: Any) -> Any:
        i, c = carry
        value, change = lib.jvp(lambda y: lib.numpy.sin(y * w), (c,), (w,))
        return i + 1, value + 0.2 * change

    return lib.lax.while_loop(lambda carry: carry[0] < 3, body, (0, x))[1]


@program(ROWS, W)
def gradients_of_a_batch(lib: Any, rows: Any, w: Any) -> Any:
    def loss(row: Any) -> Any:
        out = lib.lax.fori_loop(0, 2, lambda i, c: lib.numpy.sin(c) * w + i, row)
        return lib.numpy.sum(out * out)

    return lib.vmap(lib.grad(loss))(rows)
