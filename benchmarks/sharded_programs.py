"""Runs the programs of `examples/` on several devices, for `sharding.py`, with Dovetail or JAX.

Usage: sharded_programs.py LIBRARY DEVICES

Each line of the input is a program, "strong" or "weak" to load it, with a problem of one size or of
one that grows with the number of devices; or "run", to time it. Each is answered by a line: a sum
of what the program computes, or the milliseconds of a call.
"""

from __future__ import annotations

import importlib
import os
import sys
import timeit
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# The axes of meshes with two.
GRIDS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2)}
LEARNING_RATE = 0.01
# Of a turn, in seconds.
LEAST_TIME = 0.02

Call = tuple[Any, tuple[Any, ...]]


def prepare(library: str, devices: int) -> None:
    """Set the number of devices, and let the examples import the library as `dovetail`."""
    os.environ["DOVETAIL_NUM_CPU_DEVICES"] = str(devices)
    os.environ["DOVETAIL_COMPILE"] = "now"
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    if library == "JAX":
        modules = ("numpy", "lax", "nn", "random", "sharding", "experimental")
        for name in ("", *(f".{module}" for module in modules)):
            sys.modules[f"dovetail{name}"] = importlib.import_module(f"jax{name}")
        # Optimizers are not part of JAX; what is timed uses none.
        optim: Any = types.ModuleType("optim")
        optim.adam = lambda rate: None
        sys.modules["dovetail.optim"] = sys.modules["dovetail"].optim = optim  # type: ignore


def descent(loss: Any) -> Any:
    """A step of gradient descent."""
    import dovetail as dt

    def step(weights: Any, *data: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(weights, *data)
        return dt.tree.map(lambda w, g: w - LEARNING_RATE * g, weights, gradient), value

    return dt.jit(step)


# Each takes the number of devices and the factor of the problem's size.


def matmul(devices: int, scale: int) -> Call:
    import meshes
    import sharded_matmul

    mesh = meshes.mesh(**dict(zip(("rows", "inner"), GRIDS[devices], strict=True)))
    random = np.random.default_rng(0)
    a, b = random.normal(size=(384 * scale, 384)), random.normal(size=(384, 384))
    a, b = a.astype(np.float32), b.astype(np.float32)
    placed = meshes.put(mesh, a, "rows", "inner"), meshes.put(mesh, b, "inner")
    return sharded_matmul.by_parts(mesh), placed


def data_parallel(devices: int, scale: int) -> Call:
    import digits
    import meshes

    import dovetail as dt

    mesh = meshes.mesh(data=devices)
    random = np.random.default_rng(0)
    rows = 512 * scale
    params = digits.init_params(0)
    state = digits.init_optimizer(params)
    images = random.uniform(size=(rows, 64)).astype(np.float32)
    labels = random.integers(0, 10, rows).astype(np.int32)
    weights = dt.tree.map(lambda x: meshes.put(mesh, x), (params, state))
    batch = meshes.put(mesh, images, "data"), meshes.put(mesh, labels, "data")
    return dt.jit(digits.train_step), (*weights, *batch)


def halo_exchange(devices: int, scale: int) -> Call:
    import halo_exchange
    import meshes

    mesh = meshes.mesh(**dict(zip(("rows", "columns"), GRIDS[devices], strict=True)))
    plate = np.tile(halo_exchange.heated(256), (scale, 1))
    return halo_exchange.solver(mesh, 20), (meshes.put(mesh, plate, "rows", "columns"),)


def pipeline(devices: int, scale: int) -> Call:
    import meshes
    import pipeline

    mesh = meshes.mesh(stage=devices)
    weights, *data = pipeline.problem(8 * scale, 16, 32, 64)
    placed = meshes.put(mesh, weights, "stage"), *(meshes.put(mesh, x) for x in data)
    return pipeline.training_step(pipeline.in_stages(mesh)), placed


def ring_attention(devices: int, scale: int) -> Call:
    import meshes
    import ring_attention

    mesh = meshes.mesh(sequence=devices)
    # Work grows with the square of the length, so the batch grows instead.
    random = np.random.default_rng(0)
    arrays = random.normal(size=(4, scale, 512, 2, 32)).astype(np.float32)
    blocks = tuple(meshes.put(mesh, x, None, "sequence") for x in arrays)
    return ring_attention.with_gradients(ring_attention.on_ring(mesh)), blocks


def expert_parallel(devices: int, scale: int) -> Call:
    import expert_parallel
    import meshes

    mesh = meshes.mesh(expert=devices)
    params, *data = expert_parallel.problem(512 * scale, 64, 128)
    if devices == 1:
        return expert_parallel.training_step(expert_parallel.on_one_device), (params, *data)
    experts = {name: meshes.put(mesh, w, "expert") for name, w in params["experts"].items()}
    placed = {"router": meshes.put(mesh, params["router"]), "experts": experts}
    divided = [meshes.put(mesh, x, "expert") for x in data]
    return expert_parallel.training_step(expert_parallel.on_devices(mesh)), (placed, *divided)


def tensor_parallel(devices: int, scale: int) -> Call:
    import meshes
    import tensor_parallel

    mesh = meshes.mesh(**dict(zip(("model", "data"), GRIDS[devices], strict=True)))
    weights, *data = tensor_parallel.problem(4 * scale, 64, 128)
    placed = tensor_parallel.placed(mesh, weights)
    return tensor_parallel.step, (placed, *(meshes.put(mesh, x, "data") for x in data))


def _fully_sharded(devices: int, scale: int, loss_on: Callable[[Any], Any]) -> Call:
    import fully_sharded
    import meshes

    mesh = meshes.mesh(data=devices)
    weights, *data = fully_sharded.problem(4, 256 * scale, 128)
    placed = {name: meshes.put(mesh, w, None, "data") for name, w in weights.items()}
    divided = [meshes.put(mesh, x, "data") for x in data]
    return descent(loss_on(mesh)), (placed, *divided)


def fully_sharded(devices: int, scale: int) -> Call:
    import fully_sharded

    return _fully_sharded(devices, scale, fully_sharded.fully_sharded)


def fully_sharded_jit(devices: int, scale: int) -> Call:
    import fully_sharded

    return _fully_sharded(devices, scale, lambda mesh: fully_sharded.loss)


PROGRAMS: dict[str, Callable[[int, int], Call]] = {
    "matmul": matmul,
    "data parallel": data_parallel,
    "halo exchange": halo_exchange,
    "pipeline": pipeline,
    "ring attention": ring_attention,
    "expert parallel": expert_parallel,
    "tensor parallel": tensor_parallel,
    "fully sharded, shard_map": fully_sharded,
    "fully sharded, jit": fully_sharded_jit,
}


def main() -> None:
    """Answers each line."""
    library, devices = sys.argv[1], int(sys.argv[2])
    prepare(library, devices)
    import dovetail as dt

    call: Callable[[], Any] = lambda: None  # noqa: E731
    number = 1
    for line in sys.stdin:
        if line.strip() == "run":
            seconds = timeit.timeit(call, number=number) / number
            number = max(1, int(LEAST_TIME / seconds))
            answer = 1e3 * seconds
        else:
            name, scaling = line.strip().rsplit(" ", 1)
            function, arguments = PROGRAMS[name](devices, devices if scaling == "weak" else 1)
            call = lambda f=function, a=arguments: dt.block_until_ready(f(*a))  # noqa: E731
            number = 1
            answer = sum(float(np.abs(np.asarray(x)).sum()) for x in dt.tree.leaves(call()))
        print(answer, flush=True)


if __name__ == "__main__":
    main()
