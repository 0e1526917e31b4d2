"""Computes attention over a sequence that is divided over eight devices.

Each device has a block of queries, keys and values. Blocks of keys and values go around a ring
(`ppermute`) until every query has met every key; the softmax is rescaled at each step (Liu,
Zaharia, Abbeel, 2023). No device ever has more than two blocks of keys, or a whole row of scores.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax, nn


def ring_attention(query: Any, key: Any, value: Any) -> Any:
    """Causal attention, for the blocks of one device: float[batch, block, heads, n] to the same."""
    device, devices = lax.axis_index("sequence"), lax.axis_size("sequence")
    batch, block, heads, width = query.shape
    places = dnp.arange(block)
    to_next = [(i, (i + 1) % devices) for i in range(devices)]

    def meet(carry: Any, number: Any) -> Any:
        key, value, result, total, largest = carry
        # The block has come so many devices far.
        source = (device - number) % devices
        is_earlier = device * block + places[:, None] >= source * block + places
        scores = dnp.einsum("bqhn,bkhn->bhqk", query, key) / math.sqrt(width)
        # Not infinite: of a block that is all later, exp must not get infinity minus infinity.
        scores = dnp.where(is_earlier, scores, -1e30)
        new_largest = dnp.maximum(largest, dnp.max(scores, -1))
        shares = dnp.exp(scores - new_largest[..., None])
        scale = dnp.exp(largest - new_largest)
        result = result * scale[..., None] + dnp.einsum("bhqk,bkhn->bhqn", shares, value)
        total = total * scale + dnp.sum(shares, -1)
        key, value = (lax.ppermute(x, "sequence", to_next) for x in (key, value))
        return (key, value, result, total, new_largest), None

    # What a device accumulates differs from device to device.
    zeros = lax.pcast(dnp.zeros((batch, heads, block, width)), "sequence", to="varying")
    start = key, value, zeros, zeros[..., 0], zeros[..., 0] - 1e30
    (_, _, result, total, _), _ = lax.scan(meet, start, dnp.arange(devices))
    return dnp.moveaxis(result / total[..., None], 1, 2)


def on_ring(mesh: Any) -> Any:
    """Attention over sequences that are divided over the axis "sequence"."""
    spec = P(None, "sequence")
    return dt.shard_map(ring_attention, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec)


def plain_attention(query: Any, key: Any, value: Any) -> Any:
    """The same on one device."""
    return nn.dot_product_attention(query, key, value, is_causal=True)


def with_gradients(attention: Any) -> Any:
    """The weighted sum of results, and its gradients."""

    def total(query: Any, key: Any, value: Any, weights: Any) -> Any:
        return dnp.sum(attention(query, key, value) * weights)

    return dt.jit(dt.value_and_grad(total, argnums=(0, 1, 2)))


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Compares with attention on one device."""
    mesh = meshes.mesh(sequence=8)
    length, width = (64, 8) if quick else (2048, 64)
    random = np.random.default_rng(0)
    arrays = random.normal(size=(4, 1, length, 2, width)).astype(np.float32)
    blocks = [meshes.put(mesh, x, None, "sequence") for x in arrays]
    ring = dt.jit(on_ring(mesh))
    results = [ring(*blocks[:3]), *with_gradients(on_ring(mesh))(*blocks)[1]]
    expected = [
        dt.jit(plain_attention)(*arrays[:3]),
        *with_gradients(plain_attention)(*arrays)[1],
    ]
    errors = {
        name: float(
            abs(meshes.gathered(a) - meshes.gathered(b)).max() / abs(meshes.gathered(b)).max()
        )
        for name, a, b in zip(("value", "query", "key", "v"), results, expected, strict=True)
    }
    times = {
        "ring": meshes.milliseconds(ring, *blocks[:3]),
        "one device": meshes.milliseconds(dt.jit(plain_attention), *arrays[:3]),
    }

    def panels(left: Any, right: Any) -> None:
        devices = np.arange(mesh.size)
        steps = (devices[:, None] - devices) % mesh.size
        left.imshow(np.ma.masked_where(devices > devices[:, None], steps), cmap="viridis_r")
        for i, j in np.ndindex(steps.shape):
            left.text(j, i, steps[i, j], ha="center", va="center", color="w" if j <= i else "0.7")
        left.set(xlabel="block of keys", ylabel="device", title="The step at which a block arrives")
        right.bar(list(times), list(times.values()))
        right.set(ylabel="ms", title=f"Attention over {length} places")

    common.figure(output / "ring_attention.png", 2, panels)
    return {"errors": errors, "milliseconds": times}


if __name__ == "__main__":
    common.run(main, __doc__)
