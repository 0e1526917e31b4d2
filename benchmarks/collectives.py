"""Collectives among participants of one process, beside copies of as many bytes and JAX.

Usage: collectives.py [--repeat N] [--most BYTES]

Each program is one collective on float32 arrays, in a call for all participants whose arguments are
there. "Copy" is the same call of threads that copy what the participants must at least read and
write: the bound. JAX, where it is installed, has eight devices of the host, of which as many are
used. Times are the best of N rounds in which the ways take turns; compare the ratios.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.runtime import Participants, SpmdExecutable, put

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

COUNTS = (2, 4, 8)
# Of all participants together.
MOST_COPIED = 1 << 30
SIZES = tuple(1 << bits for bits in range(10, 27, 4))
# The op, and what it does to an array of `count` rows in the lines after it; the bytes that all
# participants together copy at least, of an operand of one byte.
OPS: dict[str, tuple[str, str, Callable[[int], float]]] = {
    "nothing": ("dovetail.neg %x", "{0}", lambda count: count),
    "all_reduce_sum": ('dovetail.all_reduce_sum %x over ["i"]', "{0}", lambda count: count),
    "all_gather": (
        'dovetail.all_gather %x over ["i"] sizes [{n}] dimension 0',
        "tensor<{n}x{n}x{m}xf32>",
        lambda count: count * count,
    ),
    "reduce_scatter": (
        'dovetail.reduce_scatter %x over ["i"] sizes [{n}] dimension 0',
        "tensor<{m}xf32>",
        lambda count: (count + 1) / 2,
    ),
    "all_to_all": (
        'dovetail.all_to_all %x over ["i"] sizes [{n}] from 0 to 0',
        "{0}",
        lambda count: count,
    ),
    "permute": (
        'dovetail.permute %x over ["i"] sizes [{n}] from {sources} to {targets}',
        "{0}",
        lambda count: count,
    ),
}


def _program(op: str, participants: Participants, columns: int) -> SpmdExecutable:
    """The collective on an array of as many rows as there are participants."""
    count = participants.count
    argument = f"tensor<{count}x{columns}xf32>"
    call, result, _ = OPS[op]
    names = {
        "n": count,
        "m": columns,
        "sources": list(range(count)),
        "targets": [(i + 1) % count for i in range(count)],
    }
    result = result.format(argument, **names)
    module = _core.Module.parse(
        f"""
        module attributes {{dovetail.mesh = #dovetail.mesh<["i" = {count}]>}} {{
          func.func @main(%x: {argument}) -> {result} {{
            %0 = {call.format(**names)} : {argument}
            return %0 : {result}
          }}
        }}"""
    )
    phases.run(module, "lower", start="check")
    vmfb = compile_lowered(module)
    return SpmdExecutable(vmfb, "main", participants, turns=_core.run_by_turns)


def _jax(op: str, count: int, x: np.ndarray) -> Callable[[], Any] | None:
    """The same for JAX."""
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        return None
    lax, spec = jax.lax, jax.sharding.PartitionSpec("i")
    functions: dict[str, Callable[[Any], Any]] = {
        "nothing": lambda a: -a,
        "all_reduce_sum": lambda a: lax.psum(a, "i"),
        "all_gather": lambda a: lax.all_gather(a, "i"),
        "reduce_scatter": lambda a: lax.psum_scatter(a, "i"),
        "all_to_all": lambda a: lax.all_to_all(a, "i", 0, 0),
        "permute": lambda a: lax.ppermute(a, "i", [(i, (i + 1) % count) for i in range(count)]),
    }
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:count]), ("i",))

    def part(a: Any) -> Any:
        return functions[op](a[0])[None]

    mapped = jax.jit(jax.shard_map(part, mesh=mesh, in_specs=spec, out_specs=spec))
    array = jax.device_put(x, jax.sharding.NamedSharding(mesh, spec))
    return lambda: jax.block_until_ready(mapped(array))


def _ways(op: str, participants: Participants, size: int) -> dict[str, Callable[[], Any]]:
    count = participants.count
    columns = size // (4 * count)
    x = np.random.default_rng(0).normal(size=(count, count, columns)).astype(np.float32)
    program = _program(op, participants, columns)
    arguments = [[put(part, device)] for part, device in zip(x, participants.devices, strict=True)]
    copied = int(size * OPS[op][2](count) / count)
    sources, targets = (np.ones((2, count, copied), np.uint8)[i] for i in (0, 1))

    def copy(number: int) -> None:
        np.copyto(targets[number], sources[number])

    calls: dict[str, Callable[[], Any]] = {
        "Dovetail": functools.partial(program, arguments),
        "copy": functools.partial(participants.run, copy),
    }
    if peer := _jax(op, count, x):
        calls["JAX"] = peer
        own = np.stack([one[0].numpy() for one in program(arguments)])
        np.testing.assert_allclose(own, np.asarray(peer()).reshape(own.shape), rtol=1e-5, atol=1e-5)
    return calls


def _measure(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of each call in so many rounds, in seconds; as many calls in a turn as take
    20 ms, so that short and long ones find their memory in the caches alike.
    """
    best = {way: timeit.timeit(call, number=1) for way, call in calls.items()}
    for _ in range(repeat):
        for way, call in calls.items():
            number = max(1, int(0.02 / best[way]))
            best[way] = min(best[way], timeit.timeit(call, number=number) / number)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures collectives.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="bytes of an operand")
    options = parser.parse_args()
    print("| µs | bytes | participants | Dovetail | copy | JAX | over copy | over JAX |")
    print("|---" * 8 + "|")
    for op in OPS:
        for count in COUNTS:
            participants = Participants(count)
            for size in SIZES:
                if size > options.most or (op == "nothing" and size > SIZES[0]):
                    continue
                if size * OPS[op][2](count) > MOST_COPIED:
                    continue
                best = _measure(_ways(op, participants, size), options.repeat)
                own, copy, jax = (
                    best.get(way, float("nan")) for way in ("Dovetail", "copy", "JAX")
                )
                numbers = [f"{1e6 * t:.0f}" for t in (own, copy, jax)]
                numbers += [f"{own / copy:.2f}", f"{own / jax:.2f}"]
                print(f"| `{op}` | {size} | {count} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
