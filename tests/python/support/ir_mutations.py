"""Random damage to IR text: seeds that use most of the dialect, and ways of breaking them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, lax
from dovetail.ad_checkpoint import checkpoint_name

_TOKEN = re.compile(r"\s+|[%@#!]?[\w.$]+|->|[^\w\s]")
_TYPES = ["f32", "f64", "i1", "i32", "ui8", "complex<f32>", "bf16", "index", "tensor<f32>"]
_NUMBERS = ["0", "-1", "1", "2", "3", "9223372036854775807", "-9223372036854775808", "1.5", "?"]


# A program for the devices of a mesh: its meaning, and the request for that of one device.
SHARDED = """#mesh = #dovetail.mesh<["x" = 2, "y" = 3]>
#both = #dovetail.sharding<#mesh, [{"y"}, {"x"}]>
#column = #dovetail.sharding<#mesh, [{"y"}]>
#rows = #dovetail.sharding<#mesh, [{"x"}, {}]>
module attributes {dovetail.partition = #mesh} {
  func.func private @part(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = dovetail.all_reduce_sum %x over ["x"] : tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @main(%x: tensor<4x6xf32> {dovetail.sharding = #rows},
                  %w: tensor<6x6xf32> {dovetail.sharding = #both})
      -> (tensor<4x6xf32>, tensor<6xf32> {dovetail.sharding = #column}) {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0]
      : tensor<4x6xf32>, tensor<6x6xf32>
    %1 = dovetail.reshard %0 as <#mesh, [{?}, {"y"}]> : tensor<4x6xf32>
    %2 = dovetail.scan length 2 init(%1) over() consts()
      : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    ^bb0(%carry: tensor<4x6xf32>):
      %4 = dovetail.shard_map @part on #mesh manual ["x"] in [#rows] out [#rows](%carry)
        : (tensor<4x6xf32>) -> tensor<4x6xf32>
      dovetail.yield %4 : tensor<4x6xf32>
    }
    %3 = dovetail.reduce_sum %2 [0] : tensor<4x6xf32>
    return %2, %3 : tensor<4x6xf32>, tensor<6xf32>
  }
}
"""


def seeds() -> list[str]:
    """Programs as text, traced and after `expand`."""

    def network(params: Any, x: Any) -> Any:
        hidden = dnp.tanh(x @ params["w"] + params["b"])
        return dnp.mean(dnp.where(hidden > 0, hidden, dnp.exp(hidden)))

    def shapes(x: Any) -> Any:
        y = dnp.concatenate([x.T.reshape(-1)[::-1], x[0, ::2], dnp.arange(3.0)])
        return dnp.pad(y, 1), dnp.argmax(x, axis=0), (x > 0).any(), x.astype(dnp.int32) << 2

    def loops(x: Any) -> Any:
        def grown(c: Any) -> Any:
            return c[0] + 1, lax.cond(c[0] > 1, dnp.sin, lambda y: y * 2, c[1])

        _, y = lax.while_loop(lambda c: dnp.sum(c[1]) < 9, grown, (0, x))
        last, sums = lax.scan(lambda c, row: (c * row, dnp.sum(c)), dnp.ones(3), y)
        return dnp.sum(last) + dnp.sum(sums)

    def elements(x: Any) -> Any:
        sent = lax.ppermute(x, ("i", "j"), [(0, 3), (2, 1)]) + lax.axis_index(("j", "i"))
        parts = lax.all_to_all(lax.all_gather(sent, ("i", "j")), ("i", "j"), 0, 0)
        return lax.psum_scatter(parts, ("i", "j")) + lax.pmax(x, "i") - lax.psum(x, ("j", "i"))

    @dt.custom_jvp
    def doubled(x: Any) -> Any:
        return 2 * x

    doubled.defjvps(lambda t, ans, x: 2 * t + 0 * ans)

    @dt.custom_vjp
    def scaled(x: Any, y: Any) -> Any:
        return x * y

    scaled.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: (g * r[1], None))

    def rules(x: Any) -> Any:
        policy = dt.checkpoint_policies.save_only_these_names("z")
        again = dt.checkpoint(lambda x: dnp.sin(checkpoint_name(doubled(x), "z")), policy=policy)
        return dnp.sum(scaled(again(x), x))

    over_elements = dt.vmap(dt.vmap(dt.grad(elements), axis_name="j"), axis_name="i")
    x = dt.ShapeDtypeStruct((4, 3), "float32")
    params = {
        "w": dt.ShapeDtypeStruct((3, 2), "float32"),
        "b": dt.ShapeDtypeStruct((2,), "float32"),
    }
    functions = [
        (dt.value_and_grad(network), (params, x)),
        (dt.vmap(dt.grad(network), in_axes=(None, 0)), (params, x)),
        (lambda p, x: dt.jvp(lambda x: network(p, x), (x,), (x,)), (params, x)),
        (shapes, (x,)),
        (over_elements, (x,)),
        (dt.vmap(dt.grad(rules)), (x,)),
        (loops, (x,)),
        (dt.grad(loops), (x,)),
        (dt.vmap(dt.grad(loops)), (dt.ShapeDtypeStruct((2, 4, 3), "float32"),)),
    ]
    lowered = [dt.jit(function).lower(*args) for function, args in functions]
    return [one.as_text(phase) for one in lowered for phase in ("trace", "expand")]


def mutate(text: str, rng: random.Random) -> str:
    """The text with one to three pieces of damage."""
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(_DAMAGE)(text, rng)
    return text


def _change_token(text: str, rng: random.Random) -> str:
    tokens = _TOKEN.findall(text)
    i = rng.randrange(len(tokens))
    tokens[i] = rng.choice(["", tokens[rng.randrange(len(tokens))], tokens[i] * 2])
    return "".join(tokens)


def _replace_one(pattern: str, make: Callable[[random.Random], str]) -> Any:
    def damage(text: str, rng: random.Random) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        start, end = rng.choice(found).span()
        return text[:start] + make(rng) + text[end:]

    return damage


def _move_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    line = lines[rng.randrange(len(lines))]
    if rng.random() < 0.5:
        lines.remove(line)
    lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _drop_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def _exchange_values(text: str, rng: random.Random) -> str:
    values = re.findall(r"%\w+", text)
    return _replace_one(r"%\w+", lambda rng: rng.choice(values))(text, rng) if values else text


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


_DAMAGE: list[Callable[[str, random.Random], str]] = [
    _change_token,
    _replace_one(r"(?<![\w%@#.])-?\d+(?![\w.])", lambda rng: rng.choice(_NUMBERS)),
    _replace_one(
        r"(?<=<)(?:\d+x)+", lambda rng: rng.choice(["", "2x", "0x", "?x", "3x2x", "1x1x"])
    ),
    _replace_one(r"\b[a-z]+\d+(?=>)", lambda rng: rng.choice(_TYPES)),
    _replace_one(r"(?<=dovetail\.)\w+", lambda rng: rng.choice(_core.registered_ops())),
    _replace_one(r"@\S+?(?=[ (\n])", lambda rng: rng.choice(["@main", "@nothing", '@"<lambda>"'])),
    _move_line,
    _drop_line,
    _exchange_values,
    _cut,
]
