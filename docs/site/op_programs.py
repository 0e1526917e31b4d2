"""Programs with each op: an example, its derivative and its lowering, as the compiler has them."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from contents import ROOT
from pages import RUNS, environment_of_runs, implementation, used

# Longer text is cut.
_MOST_LINES = 60
_SUPPORT = ROOT / "tests" / "python"


@functools.cache
def programs() -> dict[str, dict[str, str]]:
    """By op, the IR of an "example", of its "derivative" and of its "lowering", as far as they are
    known.
    """
    digest = hashlib.sha256(implementation())
    for path in (Path(__file__), *sorted(_SUPPORT.glob("support/op_*.py"))):
        digest.update(path.read_bytes())
    folder = RUNS / f"op_programs-{digest.hexdigest()[:16]}"
    used.add(folder)
    if not (folder / "programs.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        environment = environment_of_runs() | {"DOVETAIL_OPS": "", "DOVETAIL_ENABLE_X64": "1"}
        command = [sys.executable, Path(__file__), folder / "programs.json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"site: the programs with each op fail:\n{done.stderr}")
    return json.loads((folder / "programs.json").read_text())


def _of_rows() -> Iterator[tuple[str, dict[str, str]]]:
    """For the ops of the table that tests use."""
    import numpy as np

    from dovetail import ops
    from support.op_calls import calls_of, types_of
    from support.op_table import FAMILIES, OPS

    preferred = [np.dtype("float32"), np.dtype("complex64"), np.dtype("int32")]
    for row in OPS:
        known = types_of(row)
        dtype = next((each for each in preferred if each in known), known[0])
        call = next(calls_of(row, dtype))
        apply = functools.partial(row.call or getattr(ops, row.name), **call.attributes)
        operands = call.ordinary()
        found = _texts(apply, *operands)
        if row in FAMILIES["linalg"]:
            found["lowering"] = _decomposed(lambda *xs, apply=apply: apply(*xs), *operands)
        if not row.no_derivative:
            part, values = _differentiable(apply, operands, call.case.wrt)
            found["derivative"] = _text(_tangents(part), "simplify", values, values)
        yield row.name, found


def _differentiable(
    apply: Callable[..., Any], operands: tuple[Any, ...], wrt: tuple[int, ...] | None
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function of the operands by which an op has derivatives, and these operands."""
    from dovetail import dtypes
    from dovetail.arrays.array import Array

    every = range(len(operands)) if wrt is None else wrt
    places = [i for i in every if dtypes.kind(operands[i].dtype) in "fc"]

    def part(*values: Any) -> Any:
        given: list[Any] = [Array(x) for x in operands]
        for i, value in zip(places, values, strict=True):
            given[i] = value
        return apply(*given)

    return part, tuple(operands[i] for i in places)


def _tangents(apply: Callable[..., Any]) -> Callable[..., Any]:
    """The tangents of a function's results, from operands and their tangents."""
    import dovetail as dt

    def tangents(primals: Any, tangents: Any) -> Any:
        return dt.jvp(apply, tuple(primals), tuple(tangents))[1]

    return tangents


def _texts(apply: Callable[..., Any], *operands: Any) -> dict[str, str]:
    return {
        "example": _text(apply, "trace", *operands),
        "lowering": _text(apply, "lower", *operands),
    }


def _text(apply: Callable[..., Any], phase: str, *operands: Any) -> str:
    import dovetail as dt

    def main(*arrays: Any) -> Any:
        return apply(*arrays)

    return _plain(dt.jit(main).lower(*operands).as_text(phase))


def _plain(text: str) -> str:
    """The functions of a module, without long constants, and cut if there are many lines."""
    lines = text.rstrip().splitlines()
    if "module {" in lines:
        lines.remove("module {")
        lines = [line.removeprefix("  ") for line in lines[:-1]]
    lines = [re.sub(r'dense<"0x[0-9A-F]+">', 'dense<"…">', line) for line in lines]
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"// … and {rest} more lines"]
    return "\n".join(lines)


def _decomposed(apply: Callable[..., Any], *operands: Any) -> str:
    """The loops and products that an op on matrices becomes where there is no LAPACK."""
    import dovetail as dt

    text = dt.jit(apply).lower(*operands).as_text("simplify")
    command = ["dovetail-opt", "-", "--dovetail-pipeline=to=decompose"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return _plain(done.stdout)


def _of_programs() -> Iterator[tuple[str, dict[str, str]]]:
    """For ops that only programs have."""
    import numpy as np

    import dovetail as dt
    import dovetail.numpy as dnp
    from dovetail import lax
    from dovetail.experimental.custom_partitioning import custom_partitioning

    x = np.ones(3, np.float32)
    matrix = np.ones((4, 4), np.float32)

    def double(x: Any) -> Any:
        return 2 * x

    def over_batch(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x: dt.vmap(function, axis_name="i")(x)

    def collective(function: Callable[..., Any]) -> dict[str, str]:
        return _texts(over_batch(function), matrix)

    custom_vmap = dt.custom_batching.custom_vmap(double)
    custom_vmap.def_vmap(lambda size, batched, x: (double(x), batched[0]))
    custom_partition = custom_partitioning(double)
    custom_partition.def_partition(
        partition=lambda mesh, arguments, result: (
            mesh,
            double,
            result.sharding,
            (result.sharding,),
        ),
        sharding_rule="i -> i",
    )
    mesh = dt.make_mesh((1,), ("i",))
    auto = dt.make_mesh((1,), ("i",), (dt.sharding.AxisType.Auto,))

    found: dict[str, Callable[[], dict[str, str]]] = {
        "call": lambda: _texts(dt.jit(double), x),
        "jvp": lambda: _texts(lambda x: dt.jvp(dnp.sin, (x,), (x,))[1], x),
        "vjp": lambda: _texts(lambda x: dt.grad(lambda x: dnp.sin(x).sum())(x), x),
        "vmap": lambda: _texts(
            lambda x: dt.vmap(lambda y: dnp.flip(y))(x), np.ones((4, 3), np.float32)
        ),
        "callback": lambda: _texts(
            lambda x: dt.pure_callback(np.sin, dt.ShapeDtypeStruct((3,), "float32"), x), x
        ),
        "all_reduce_sum": lambda: collective(lambda x: lax.psum(x, "i")),
        "all_reduce_max": lambda: collective(lambda x: lax.pmax(x, "i")),
        "all_reduce_min": lambda: collective(lambda x: lax.pmin(x, "i")),
        "all_gather": lambda: collective(lambda x: lax.all_gather(x, "i")),
        "reduce_scatter": lambda: collective(lambda x: lax.psum_scatter(x, "i")),
        "all_to_all": lambda: collective(lambda x: lax.all_to_all(x, "i", 0, 0)),
        "permute": lambda: collective(lambda x: lax.ppermute(x, "i", [(0, 1)])),
        "axis_index": lambda: collective(lambda x: x + lax.axis_index("i")),
        "scan": lambda: _texts(lambda x: lax.scan(lambda c, x: (c + x, c), 0.0, x), x),
        "while": lambda: _texts(lambda x: lax.while_loop(lambda x: x[0] < 9, double, x), x),
        "case": lambda: _texts(lambda x: lax.cond(x[0] > 0, double, dnp.sin, x), x),
        "yield": lambda: _texts(lambda x: lax.fori_loop(0, 3, lambda i, x: x * 2, x), x),
        "constant": lambda: _texts(lambda x: x + 1, x),
        "custom_vmap": lambda: _texts(custom_vmap, x),
        "custom_partition": lambda: _texts(custom_partition, x),
        "linear_solve": lambda: _texts(
            lambda x: lax.custom_linear_solve(double, x, lambda _, b: b / 2, symmetric=True), x
        ),
        "reshard": lambda: _texts(
            lambda x: lax.with_sharding_constraint(x, dt.NamedSharding(auto, dt.P("i"))), x
        ),
        "shard_map": lambda: _texts(
            dt.shard_map(double, mesh=mesh, in_specs=dt.P("i"), out_specs=dt.P("i")), x
        ),
    }
    with dt.enable_x64(False):
        for name, texts in found.items():
            yield name, texts()


def _write(output: Path) -> None:
    sys.path.insert(0, str(_SUPPORT))
    output.write_text(json.dumps(dict([*_of_rows(), *_of_programs()]), indent=1))


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
