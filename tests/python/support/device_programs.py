"""Expressions on arrays on several CPU devices, and the devices of their results: the same as
in JAX.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

# Names: `j` is the library, `np` NumPy, `n` the library's NumPy, `d` its devices, `x` an array that
# is committed to none, `x1` and `x2` are committed to those of these numbers, `u1` was made while 1
# was the default.
#
# A result is the number of its device, with an exclamation mark if it is committed there; or the
# type of an error.
ROWS: list[tuple[str, str]] = [
    # Placement of arrays.
    ("x", "0"),
    ("u1", "1"),
    ("x1", "1!"),
    ("j.device_put(x1)", "1!"),
    ("j.device_put(u1)", "1"),
    ("j.device_put(np.ones(3))", "0"),
    ("j.device_put(2.0, d[3])", "3!"),
    ("j.device_put(x1, d[2])", "2!"),
    ("j.device_put(x1, x2.sharding)", "2!"),
    ("j.device_put(x1, d[1], may_alias=False)", "1!"),
    ("j.device_put(n.arange(3), d[1], donate=True)", "1!"),
    ("j.device_put({'a': x, 'b': x}, {'a': d[1], 'b': d[2]})", "1! 2!"),
    ("j.device_put({'a': (x, x), 'b': x}, {'a': x1.sharding, 'b': None})", "1! 1! 0"),
    ("j.device_put(x, 3)", "ValueError"),
    ("j.device_put(x, d[1], donate=True, may_alias=True)", "ValueError"),
    ("x1.to_device(d[2])", "2!"),
    ("n.zeros(3, device=d[1])", "1!"),
    ("n.array([1], device=d[1])", "1!"),
    ("n.asarray(x1)", "1!"),
    ("n.array(x1)", "1!"),
    ("x.astype(int, device=d[1])", "1!"),
    ("pickle.loads(pickle.dumps(x1))", "0"),
    ("copy.deepcopy(x1)", "1!"),
    # Eager functions.
    ("x1 + x", "1!"),
    ("x1 + u1", "1!"),
    ("x1 * 2.0", "1!"),
    ("x1 * np.ones(3)", "1!"),
    ("u1 + 1", "0"),
    ("u1 + x", "0"),
    ("u1[0]", "0"),
    ("x1 + x2", "ValueError"),
    ("n.where(x1 > 0, x1, x2)", "ValueError"),
    ("n.concatenate([x1, x2])", "ValueError"),
    ("n.concatenate([x, x2])", "2!"),
    ("x1[0]", "1!"),
    ("x1[1:]", "1!"),
    ("x1[x1 > 0]", "1!"),
    ("x1[n.array([0, 1])]", "1!"),
    ("x[x1.astype(int)]", "1!"),
    ("list(x1)", "1! 1! 1!"),
    ("x1.T", "1!"),
    ("x1.sum()", "1!"),
    ("n.sum(x1)", "1!"),
    ("n.sort(x1)", "1!"),
    ("n.unique(x1)", "1!"),
    ("n.nonzero(x1)", "1!"),
    ("n.split(x1, 3)", "1! 1! 1!"),
    ("n.linalg.norm(x1)", "1!"),
    ("n.linalg.inv(n.outer(x1, x1) + n.eye(3))", "1!"),
    ("n.fft.fft(x1)", "1!"),
    ("n.interp(x, x1, x1)", "1!"),
    ("n.histogram(x1)", "1! 1!"),
    ("n.searchsorted(x1, x)", "1!"),
    ("n.repeat(x1, 2)", "1!"),
    ("n.percentile(x1, 50)", "1!"),
    ("n.zeros_like(x1)", "1!"),
    ("n.zeros_like(u1)", "0"),
    ("x1.at[0].set(1)", "1!"),
    ("x.at[0].set(x1[0])", "1!"),
    ("x1.at[0].set(x2[0])", "ValueError"),
    ("j.nn.softmax(x1)", "1!"),
    ("j.random.normal(j.device_put(j.random.key(0), d[1]), (2,))", "1!"),
    ("j.random.split(j.device_put(j.random.PRNGKey(0), d[1]))", "1!"),
    # Compiled programs.
    ("j.jit(lambda a, b: (a + b, a, n.zeros(2)))(x1, x)", "1! 1! 1!"),
    ("j.jit(lambda a: a + 1)(u1)", "0"),
    ("j.jit(lambda a, b: a + b)(x1, x2)", "ValueError"),
    ("j.jit(lambda p: p['a'] + p['b'])({'a': x1, 'b': x2})", "ValueError"),
    ("j.jit(lambda a: a + x1)(x)", "0"),
    ("j.jit(lambda a: a + x1)(x2)", "2!"),
    ("j.jit(lambda: n.ones(3))()", "0"),
    ("j.jit(lambda a: j.device_put(a, d[1]) + 1)(x)", "0"),
    ("j.jit(lambda a: j.device_put(a, d[1]) + 1)(x2)", "2!"),
    ("j.jit(lambda a: a + 1, device=d[1])(x)", "1!"),
    ("j.jit(lambda a: a + 1, device=d[1])(x2)", "1!"),
    ("j.jit(lambda: n.ones(3), device=d[1])()", "1!"),
    ("j.jit(lambda a: a + 1, backend='cpu')(x1)", "0!"),
    ("j.jit(lambda a: a + 1, backend='cpu', device=d[1])(x1)", "ValueError"),
    ("j.jit(lambda a: a + 1, backend='nothing')(x1)", "RuntimeError"),
    ("j.jit(lambda a: j.jit(lambda b: b + 1, device=d[1])(a))(x)", "1!"),
    ("j.jit(lambda a: j.jit(lambda b: b + 1, device=d[1])(a))(x2)", "ValueError"),
    ("j.jit(lambda a: a + 1).lower(x1).compile()(x)", "1!"),
    ("j.jit(lambda a: a + 1).lower(x1).compile()(x2)", "ValueError"),
    ("j.jit(lambda a: a + 1).lower(x).compile()(x1)", "ValueError"),
    (
        "j.jit(lambda a: a + 1).lower("
        "j.ShapeDtypeStruct((3,), 'float32', sharding=x1.sharding)).compile()(x)",
        "1!",
    ),
    # Transforms.
    ("j.value_and_grad(lambda a: (a**2).sum())(x1)", "1! 1!"),
    ("j.grad(lambda a, b: (a * b).sum())(x1, x2)", "ValueError"),
    ("j.vmap(lambda a: a + 1)(x1)", "1!"),
    ("j.vmap(lambda a, b: a + b)(x1, x2)", "ValueError"),
    ("j.vjp(lambda a: a * a, x1)[1](x)", "1!"),
    ("j.vjp(lambda a: a * a, x1)[1](x2)", "ValueError"),
    ("j.jvp(lambda a: a * a, (x1,), (x,))", "1! 1!"),
    ("j.jvp(lambda a: a * a, (x1,), (x2,))", "ValueError"),
    ("j.linear_transpose(lambda a: 2 * a, x)(x1)", "1!"),
    ("j.lax.scan(lambda c, y: (c + y, c), 0.0, x1)", "1! 1!"),
    ("j.lax.while_loop(lambda c: c < 3, lambda c: c + 1, x1[0])", "1!"),
    ("j.lax.cond(True, lambda a: a, lambda a: -a, x1)", "1!"),
    ("j.lax.cond(x1[0] > 0, lambda a: a, lambda a: -a, x)", "1!"),
    ("j.lax.cond(x1[0] > 0, lambda a: a, lambda a: -a, x2)", "ValueError"),
    # The default device.
    ("within(1, lambda: n.ones(3))", "1"),
    ("within(1, lambda: n.array([1, 2]))", "1"),
    ("within(1, lambda: n.asarray(np.ones(2)))", "1"),
    ("within(1, lambda: n.asarray(x))", "0"),
    ("within(1, lambda: j.device_put(x))", "0"),
    ("within(1, lambda: j.device_put(np.ones(2)))", "1"),
    ("within(1, lambda: x + 1)", "1"),
    ("within(1, lambda: x2 + 1)", "2!"),
    ("within(1, lambda: j.jit(lambda a: a + 1)(x))", "1"),
    ("within(1, lambda: j.jit(lambda a: a + 1)(x2))", "2!"),
    ("within(1, lambda: j.random.key(0))", "1"),
    ("within(1, lambda: j.grad(lambda a: a * a)(1.0))", "1"),
    ("j.default_device(3)", "ValueError"),
    # Constraints.
    ("j.lax.with_sharding_constraint(x1, x1.sharding)", "1!"),
    ("j.lax.with_sharding_constraint({'a': x}, x2.sharding)", "2!"),
    ("j.lax.with_sharding_constraint(x1, x2.sharding)", "ValueError"),
    ("j.lax.with_sharding_constraint(x1, d[1])", "TypeError"),
    ("j.lax.with_sharding_constraint(x1, None)", "ValueError"),
    ("j.jit(lambda a: j.lax.with_sharding_constraint(a, x1.sharding))(x)", "1!"),
    ("j.jit(lambda a: j.lax.with_sharding_constraint(a, x1.sharding))(x2)", "ValueError"),
    # Inventory.
    ("j.devices('nothing')", "RuntimeError"),
    ("j.local_devices(process_index=3)", "ValueError"),
    ("j.config.update('jax_num_cpu_devices', 3)", "RuntimeError"),
]


def names_of(library: Any, numpy: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    import copy
    import pickle

    devices = library.devices()
    x = numpy.arange(3.0)

    def within(number: int, function: Any) -> Any:
        with library.default_device(devices[number]):
            return function()

    return {
        "j": library,
        "n": numpy,
        "np": np,
        "d": devices,
        "within": within,
        "x": x,
        "copy": copy,
        "pickle": pickle,
        "u1": within(1, lambda: numpy.ones(3)),
        "x1": library.device_put(x, devices[1]),
        "x2": library.device_put(x, devices[2]),
    }


def outcome(expression: str, names: dict[str, Any], leaves: Any) -> str:
    """The outcome of an expression, in the notation of the rows; `leaves` are those of a tree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(expression, dict(names))
        except Exception as error:
            return type(error).__name__
    return " ".join(map(_where, leaves(result)))


def _where(array: Any) -> str:
    (device,) = array.devices()
    return f"{device.id}{'!' if array.committed else ''}"
