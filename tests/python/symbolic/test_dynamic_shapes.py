"""Programs with symbolic shapes: one compilation, and the same numbers at all sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn
from dovetail.errors import InconclusiveDimensionOperation
from dovetail.programs.dynamic import DynamicJitted

SIZES = (1, 2, 5, 8, 33)


def array(*shape: int) -> np.ndarray:
    """Numbers that differ, of order 1."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(count) * 1.7 + 0.3) + 0.01).astype(np.float32).reshape(shape)


def dynamic(f: Callable[..., Any], *shapes: Any, compile: str = "never", **options: Any) -> Any:
    return dt.jit(f, dynamic_shapes=shapes, compile=compile, **options)


def check(
    f: Callable[..., Any],
    shapes: Sequence[Any],
    arguments: Callable[[int], Sequence[Any]],
    compile: str = "never",
    sizes: Sequence[int] = SIZES,
    constraints: Sequence[str] = (),
    bound: float = 2e-5,
) -> None:
    """One program returns at all sizes what the function does there."""
    program = dynamic(f, *shapes, compile=compile, dynamic_constraints=constraints)
    for size in sizes:
        args = arguments(size)
        actual, expected = dt.tree.leaves(program(*args)), dt.tree.leaves(f(*args))
        for x, y in zip(actual, expected, strict=True):
            assert x.shape == y.shape
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, rtol=bound, atol=bound)
    assert len(program._executions) == 1


# Functions of an array of shape (b, 6); all in one program.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(-1),
    "reshape to rows": lambda x: x.reshape(x.shape[0], 2, -1),
    "reshape by product": lambda x: dnp.reshape(x, (x.shape[0] * 3, 2)),
    "ravel": lambda x: dnp.ravel(x) * 2,
    "broadcast": lambda x: dnp.broadcast_to(x[:, :1], (3, *x.shape[:1], 2)),
    "arange": lambda x: dnp.arange(x.shape[0]) + dnp.arange(1, x.shape[0] + 1),
    "arange of floats": lambda x: dnp.arange(x.shape[0], dtype=dnp.float32) / x.shape[0],
    "zeros": lambda x: dnp.zeros(x.shape) + dnp.ones((x.shape[0], 1)) + dnp.full(x.shape, 2.0),
    "like": lambda x: dnp.zeros_like(x) + dnp.full_like(x, 3),
    "size as array": lambda x: dnp.array(x.shape[0]) + x.size,
    "divided by size": lambda x: x / x.shape[0] + 1 / x.shape[0] - x.shape[0] * 0.5,
    "mean": lambda x: x.mean(0) + dnp.var(x, 0),
    "mean of all": lambda x: dnp.mean(x) + dnp.std(x),
    "softmax": lambda x: nn.softmax(x, 0) + nn.log_softmax(x, 1),
    "slice": lambda x: x[:, 1:5:2],
    "slice to the end": lambda x: x[x.shape[0] // 2 :],
    "slice from the start": lambda x: x[: (x.shape[0] + 1) // 2],
    "slice of the middle": lambda x: x[x.shape[0] // 4 : x.shape[0] // 2 + 1, 1:],
    "slice of both ends": lambda x: dnp.concatenate([x, x], 0)[1:-1],
    "steps": lambda x: x[::2] * 1,
    "backwards": lambda x: x[::-1] - x,
    "last": lambda x: x[-1] + x[0],
    "flip and roll": lambda x: dnp.flip(x, 0) + dnp.roll(x, 2, 1),
    "pad": lambda x: dnp.pad(x, ((1, 2), (0, 0))),
    "pad by size": lambda x: lax.pad(x, 0.5, [(x.shape[0], 1, 0), (0, 0, 1)]),
    "iota": lambda x: lax.broadcasted_iota(dnp.int32, x.shape, 0),
    "concatenate": lambda x: dnp.concatenate([x, x[:1], 2 * x], 0),
    "stack": lambda x: dnp.stack([x, x + 1], 1),
    "split": lambda x: dnp.split(dnp.concatenate([x, -x], 0), 2)[1],
    "split by sizes": lambda x: lax.split(dnp.concatenate([x, x[:1]]), [x.shape[0], 1])[0],
    "tile": lambda x: dnp.tile(x, (2, 1)),
    "repeat": lambda x: dnp.repeat(x, 3, axis=0),
    "dynamic slice": lambda x: lax.dynamic_slice(x, (0, 2), (x.shape[0], 3)),
    "dynamic slice of some": lambda x: lax.dynamic_slice_in_dim(x, 1, (x.shape[0] + 1) // 2, 0),
    "dynamic update": lambda x: lax.dynamic_update_slice(x, x[:, :2] * 0, (0, 3)),
    "transpose": lambda x: x.T @ x,
    "einsum": lambda x: dnp.einsum("bi,bj->bij", x, x).sum((1, 2)),
    "where": lambda x: dnp.where(dnp.arange(x.shape[0])[:, None] < 3, x, 0.0),
    "take": lambda x: x[dnp.array([0, -1, 0])] + x[:, dnp.array([1, 2, 5])].sum(),
    "gather by rows": lambda x: dnp.take_along_axis(x, dnp.argsort(x, 1), 1),
    "sort": lambda x: dnp.sort(x, 0) + dnp.sort(x, 1),
    "cumsum": lambda x: dnp.cumsum(x, 0) + dnp.cumsum(x, 1),
    "argmax": lambda x: dnp.argmax(x, 0) + dnp.argmax(x),
    "logsumexp": lambda x: dt.scipy.special.logsumexp(x, 0) + dnp.linalg.norm(x),
    "one hot": lambda x: nn.one_hot(dnp.argmax(x, 1), 6) * x,
    "tril": lambda x: dnp.tril(x @ x.T) + dnp.eye(x.shape[0]),
    "outer": lambda x: dnp.outer(x[:, 0], x[:, 1]),
    "expand and squeeze": lambda x: dnp.squeeze(x[None, :, None], (0, 2)),
    "meshgrid": lambda x: dnp.meshgrid(x[:, 0], x[0])[0],
    "vmap": lambda x: dt.vmap(lambda row: row.sum() * row)(x),
    "vmap by columns": lambda x: dt.vmap(lambda c: c / c.shape[0], in_axes=1, out_axes=1)(x),
    "psum": lambda x: dt.vmap(lambda r: r - lax.pmean(r, "i") + lax.psum(1, "i"), axis_name="i")(x),
    "grad": lambda x: dt.grad(lambda x: (x * x).mean())(x),
    "grad of a shape": lambda x: dt.grad(lambda x: (x.reshape(-1, 3)[1:] ** 3).sum())(x),
    "grad by size alone": lambda x: dt.grad(lambda w: w**2 * x.shape[0])(x[0, 0]),
    "vmap of grad": lambda x: dt.vmap(dt.grad(lambda r: dnp.sin(r).sum() / x.shape[0]))(x),
    "jvp": lambda x: dt.jvp(lambda x: dnp.pad(x, ((0, x.shape[0]), (0, 0))), (x,), (x,))[1],
    "vjp": lambda x: dt.vjp(lambda x: x / x.shape[0] + x[::-1], x)[1](x)[0],
    "hessian": lambda x: dt.hessian(lambda v: (v**3).sum() * x.shape[0])(x[0]),
    "scan": lambda x: lax.scan(lambda c, r: (c + r, c * r), dnp.zeros(6), x),
    "scan of a size": lambda x: lax.scan(lambda c, _: (c * 0.5, c), x, None, 3)[0],
    "fori": lambda x: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + x, x),
    "map": lambda x: lax.map(lambda r: r * 2, x),
    "cond": lambda x: lax.cond(x[0, 0] > 0, lambda: x * 2, lambda: x / x.shape[0]),
    "inner jit": lambda x: dt.jit(lambda y: y * y.shape[0])(x),
    "quantile": lambda x: dnp.quantile(x, 0.3, axis=0) + dnp.median(x),
    "roll": lambda x: dnp.roll(x, 1, 0) + dnp.diff(x, axis=0, prepend=0),
    "random": lambda x: dt.random.normal(dt.random.key(1), x.shape) + x,
    "random of words": lambda x: dt.random.bits(dt.random.key(2), (2, x.shape[0])),
    "dropout": lambda x: x * dt.random.bernoulli(dt.random.key(0), 0.3, x.shape),
    "at set": lambda x: dnp.asarray(x).at[0].set(1).at[:, 2].add(x[:, 1]),
    "segments": lambda x: dnp.zeros((3, 6)).at[dnp.argmax(x, 1) % 3].add(x),
    "batch norm": lambda x: (x - x.mean(0)) / dnp.sqrt(x.var(0) + 1e-3),
    "solve": lambda x: dnp.linalg.solve(x @ x.T + dnp.eye(x.shape[0]), x),
    "conv": lambda x: lax.conv(x[:, None], dnp.ones((2, 1, 3)), (1,), "SAME"),
    "windows": lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "SAME"),
    "checkpoint": lambda x: dt.grad(lambda x: dt.checkpoint(lambda y: dnp.sin(y).mean())(x))(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    check(FUNCTIONS[name], ["b, 6"], lambda b: [array(b, 6)], sizes=(1, 4, 7))


# Functions with few dispatches each, as results of one program.
COMPILED = [
    *("reshape by product", "arange of floats", "divided by size", "softmax", "slice to the end"),
    *("slice of the middle", "backwards", "pad by size", "concatenate", "tile", "transpose"),
    *("vmap of grad", "grad of a shape", "scan", "size as array"),
]


def test_compiled_functions() -> None:
    functions = [FUNCTIONS[name] for name in COMPILED]
    check(lambda x: [f(x) for f in functions], ["b, 6"], lambda b: [array(b, 6)], "now")


def mlp(params: Any, x: Any) -> Any:
    for w, b in params[:-1]:
        x = nn.relu(x @ w + b)
    return x @ params[-1][0] + params[-1][1]


def parameters() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(array(12, 16) / 4, array(16)), (array(16, 5) / 4, array(5))]


def loss(params: Any, x: Any, labels: Any) -> Any:
    chosen = nn.log_softmax(mlp(params, x)) * nn.one_hot(labels, 5)
    return -chosen.sum() / x.shape[0]


def step(params: Any, x: Any, labels: Any) -> Any:
    value, grads = dt.value_and_grad(loss)(params, x, labels)
    return dt.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


def labels(b: int) -> np.ndarray:
    return (np.arange(b) * 3 % 5).astype(np.int32)


def test_mlp() -> None:
    check(mlp, [None, "b, 12"], lambda b: [parameters(), array(b, 12)], "now")


def test_training_step() -> None:
    arguments = lambda b: [parameters(), array(b, 12), labels(b)]  # noqa: E731
    check(step, [None, "b, 12", "b"], arguments, "now", constraints=["b <= 512"])


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = dnp.einsum("bqhd,bkhd->bhqk", q, k) / dnp.sqrt(q.shape[-1])
    mask = dnp.arange(q.shape[1])[:, None] >= dnp.arange(k.shape[1])
    weights = nn.softmax(dnp.where(mask, scores, -1e9), -1)
    return dnp.einsum("bhqk,bkhd->bqhd", weights, v)


def test_attention_of_any_batch_and_length() -> None:
    shapes = ["b, s, 2, 8"] * 3
    check(attention, shapes, lambda n: [array(n % 4 + 1, n, 2, 8)] * 3, "now")


def test_names_of_several_arguments() -> None:
    def f(x: Any, tree: Any) -> Any:
        return tree["a"] @ x.T + x.shape[0], tree["b"][: x.shape[0] // 2]

    tree = lambda b: {"a": array(4, 3), "b": array(2 * b)}  # noqa: E731
    check(f, ["b, 3", {"a": None, "b": "2*b"}], lambda b: [array(b, 3), tree(b)])


def test_constraints_decide() -> None:
    def f(x: Any) -> Any:
        assert x.shape[0] >= 4
        assert x.shape[0] % 4 == 0
        return x[:3].sum() + x.reshape(4, -1).sum(0)[0], x[3]

    constraints = ["b % 4 == 0", "b <= 64"]
    check(f, ["b"], lambda b: [array(b)], sizes=(4, 8, 64), constraints=constraints)


def test_further_dimensions_are_as_they_are() -> None:
    traced = []

    def f(x: Any) -> Any:
        traced.append(x.shape)
        return x * 2

    program = dynamic(f, "b, ...")
    for b in SIZES:
        assert program(array(b, 3)).shape == (b, 3)
    program(array(2, 4))
    assert [str(shape) for shape in traced] == ["(b, 3)", "(b, 4)"]


def test_calls_that_do_not_fit() -> None:
    program = dynamic(lambda x, y: x + y[1:], "b", "b + 1", dynamic_constraints="b <= 8")
    assert program(array(2), array(3)).shape == (2,)
    with pytest.raises(ValueError, match=r"dimension 0 of `y` of .* must be b \+ 1 = 3"):
        program(array(2), array(4))
    with pytest.raises(ValueError, match="must satisfy b <= 8"):
        program(array(9), array(10))
    with pytest.raises(ValueError, match="one size for each dimension"):
        program(array(2, 2), array(3))
    with pytest.raises(ValueError, match=r"dynamic_shapes of .* must have one text"):
        dynamic(lambda x: x, ("b", "c"))(array(2))


def test_within_other_functions_sizes_are_known() -> None:
    program = dynamic(lambda x: (x**2).mean(), "b")
    x = array(4)
    np.testing.assert_allclose(dt.grad(program)(x), x / 2, rtol=1e-6)
    assert "tensor<4xf32>" in dt.jit(lambda x: program(x)).lower(x).as_text()


def test_undecided_comparisons_are_errors() -> None:
    (b,) = dt.export.symbolic_shape("b")
    struct = dt.ShapeDtypeStruct((b, 3), np.float32)

    def branch(x: Any) -> Any:
        return x if x.shape[0] > 2 else -x

    with pytest.raises(InconclusiveDimensionOperation, match=r"test_dynamic_shapes.py.*b > 2"):
        dt.jit(branch).lower(struct)
    for f in (
        lambda x: dnp.fft.fft(x, axis=0),
        lambda x: list(x),
        lambda x: np.zeros(x.shape),
    ):
        with pytest.raises(NotImplementedError):
            dt.jit(f).lower(struct)
    with pytest.raises(TypeError, match="incompatible shapes for broadcasting"):
        dt.jit(lambda x: x + dnp.zeros((4, 3))).lower(struct)
    with pytest.raises(ValueError, match=r"sections must be equal.*'b % 2 == 0'"):
        dt.jit(lambda x: dnp.split(x, 2)).lower(struct)


def test_shapes_of_results() -> None:
    b, s = dt.export.symbolic_shape("b, s", constraints=["b % 2 == 0"])
    struct = dt.ShapeDtypeStruct((b, s), np.float32)
    shape = lambda f: str(dt.eval_shape(f, struct).shape)  # noqa: E731
    assert shape(lambda x: x.reshape(2, -1)) == "(2, (b//2)*s)"
    assert shape(lambda x: dnp.concatenate([x, x[:, 1:]], 1)) == "(b, 2*s - 1)"
    assert shape(lambda x: x[:, : s // 2].T @ x) == "(s//2, s)"
    program: DynamicJitted = dynamic(lambda x: dnp.tile(x, 3), "n")
    assert str(program.eval_shape(dt.ShapeDtypeStruct((4,), np.float32)).shape) == "(3*n,)"


def test_export() -> None:
    scope = dt.export.SymbolicScope(["b <= 1024"])
    specs = dt.export.symbolic_args_specs((parameters(), array(4, 12)), (None, "b, _"), scope=scope)
    exported = dt.export.export(dt.jit(mlp))(*specs)
    again = dt.export.deserialize(exported.serialize())
    for b in SIZES:
        args = parameters(), array(b, 12)
        np.testing.assert_allclose(again.call(*args), mlp(*args), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="b <= 1024"):
        again.call(parameters(), array(1025, 12))
    args = parameters(), array(33, 12)
    grads = dt.grad(lambda p, x: (again.call(p, x) ** 2).sum())(*args)
    expected = dt.grad(lambda p, x: (mlp(p, x) ** 2).sum())(*args)
    for x, y in zip(dt.tree.leaves(grads), dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4)


def test_module_file(tmp_path: Any) -> None:
    (b,) = dt.export.symbolic_shape("b", constraints=["b <= 1024"])
    path = tmp_path / "rows.vmfb"
    struct = dt.ShapeDtypeStruct((b, 3), np.float32)
    dt.export(lambda x: dnp.concatenate([x, x * x.shape[0]], 0), struct, path=path)
    main = dt.runtime.load(path).main
    for size in SIZES:
        x = array(size, 3)
        np.testing.assert_allclose(main(x).numpy(), np.concatenate([x, x * size]), rtol=1e-6)


@pytest.mark.parametrize("mode", ["never", "now"])
def test_slices_of_arrays_that_may_be_empty(mode: Any) -> None:
    def slices(np_: Any, x: Any) -> list[Any]:
        rest = x[1:]
        return [rest[::-1], rest[:-1:2], x[::-2], rest[::-1] * rest]

    program = dt.jit(lambda x: slices(dnp, x), dynamic_shapes=("n",), compile=mode)
    for size in (1, 2, 5):
        x = np.arange(1, size + 1, dtype=np.float32)
        for actual, expected in zip(program(x), slices(np, x), strict=True):
            np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("mode", ["never", "now"])
def test_indices_of_arrays_that_may_be_empty(mode: Any) -> None:
    """Nothing is selected, or something is: where nothing is, zeros are read, and nothing is
    written.
    """
    none, twice = np.zeros(0, np.int32), np.array([0, 0])

    def pieces(x: Any) -> list[Any]:
        rest = x[1:]
        grad = dt.grad(lambda x: (x[1:][twice] * 3).sum())(x)
        return [rest[none], rest[twice], rest.at[twice].add(2.0), rest.at[none].set(9.0), grad]

    program = dt.jit(pieces, dynamic_shapes=("n",), compile=mode)
    expected = {
        1: [[], [0, 0], [], [], [0]],
        2: [[], [2, 2], [6], [2], [0, 6]],
        4: [[], [2, 2], [6, 3, 4], [2, 3, 4], [0, 6, 0, 0]],
    }
    for size, wanted in expected.items():
        results = program(np.arange(1.0, size + 1, dtype=np.float32))
        for actual, values in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(actual, values)
