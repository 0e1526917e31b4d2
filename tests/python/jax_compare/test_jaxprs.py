"""The equations of `make_jaxpr` against JAX's: primitives, and all their parameters."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import dovetail as dt  # noqa: E402
from support.jaxpr_functions import FUNCTIONS  # noqa: E402
from support.jaxpr_programs import (  # noqa: E402
    JITTED,
    PROGRAMS,
    TRANSFORMED,
    UNROLLED,
    V,
    arguments,
    equations,
)


@pytest.mark.parametrize(("name", "make", "args"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_equations(name: str, make: Any, args: Any) -> None:
    ours, theirs = (
        list(equations(lib.make_jaxpr(make(lib))(*arguments(lib, args)).jaxpr)) for lib in (dt, jax)
    )
    assert ours == theirs


def types(jaxpr: Any) -> Iterator[list[str]]:
    """The types of each equation's results; calls are inlined."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "jit":
            yield from types(eqn.params["jaxpr"].jaxpr)
        else:
            yield [str(var.aval) for var in eqn.outvars]


@pytest.mark.parametrize(("name", "make", "args"), FUNCTIONS, ids=[name for name, *_ in FUNCTIONS])
def test_equations_and_types(name: str, make: Any, args: Any) -> None:
    ours, theirs = (lib.make_jaxpr(make(lib))(*arguments(lib, args)).jaxpr for lib in (dt, jax))
    assert list(equations(ours)) == list(equations(theirs))
    assert list(types(ours)) == list(types(theirs))


def calls(jaxpr: Any) -> list[Any]:
    """The equations of `jit`, with their parameters as text, and the inner ones."""
    return [
        (
            {key: str(value) for key, value in eqn.params.items() if key != "jaxpr"},
            len(eqn.invars),
            len(eqn.outvars),
            calls(eqn.params["jaxpr"].jaxpr),
        )
        if eqn.primitive.name == "jit"
        else eqn.primitive.name
        for eqn in jaxpr.eqns
    ]


@pytest.mark.parametrize("name", JITTED)
def test_calls(name: str) -> None:
    ours, theirs = (
        calls(lib.make_jaxpr(JITTED[name](lib))(*arguments(lib, (V,))).jaxpr) for lib in (dt, jax)
    )
    assert ours == theirs


def names_of_calls(jaxpr: Any) -> list[Any]:
    """The names of jitted functions, each with those that it calls."""
    return [
        (eqn.params["name"], names_of_calls(eqn.params["jaxpr"].jaxpr))
        for eqn in jaxpr.eqns
        if eqn.primitive.name == "jit"
    ]


@pytest.mark.parametrize("name", TRANSFORMED)
def test_calls_under_transforms_of_transforms(name: str) -> None:
    ours, theirs = (
        names_of_calls(lib.make_jaxpr(TRANSFORMED[name](lib))(*arguments(lib, (V,))).jaxpr)
        for lib in (dt, jax)
    )
    assert ours
    assert ours == theirs


@pytest.mark.parametrize("name", UNROLLED)
def test_steps_per_iteration(name: str) -> None:
    def loops(lib: Any) -> list[Any]:
        eqns = lib.make_jaxpr(UNROLLED[name](lib))(*arguments(lib, (V,))).jaxpr.eqns
        keys = ("length", "reverse", "unroll")
        return [
            [each.params[key] for key in keys] for each in eqns if each.primitive.name == "scan"
        ]

    assert loops(dt)
    assert loops(dt) == loops(jax)


def derived(jax: Any, how: str) -> Any:
    P = jax.sharding.PartitionSpec
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))

    def body(x: Any) -> Any:
        return jax.numpy.sin(jax.lax.all_gather(x, "i", tiled=True))

    over = jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    return {
        "grad": jax.grad(lambda x: over(x).sum()),
        "jvp": lambda x: jax.jvp(over, (x,), (x,)),
        "vmap": lambda x: jax.vmap(over)(x[None]),
    }[how]


@pytest.mark.parametrize("how", ["grad", "jvp", "vmap"])
def test_derived_functions_of_parts(how: str) -> None:
    def parts(lib: Any) -> list[Any]:
        eqns = lib.make_jaxpr(derived(lib, how))(*arguments(lib, (V,))).jaxpr.eqns
        return [
            (
                sorted(eqn.params),
                {key: str(eqn.params[key]) for key in ("check_vma", "newly_manual_axes")},
                sorted(map(str, eqn.params["in_specs"])),
                sorted(map(str, eqn.params["out_specs"])),
                {each.primitive.name for each in eqn.params["jaxpr"].eqns} - {"reshape"},
            )
            for eqn in eqns
            if eqn.primitive.name == "shard_map"
        ]

    assert parts(dt) == parts(jax)


def test_names_of_primitives() -> None:
    for module in (
        "extend.core",
        "experimental.sparse",
        "experimental.pallas",
        "image",
        "ops",
        "random",
        "scipy",
    ):
        importlib.import_module(f"jax.{module}")
    found = {each.name for each in gc.get_objects() if isinstance(each, jax.extend.core.Primitive)}
    path = Path(dt.__file__).with_name("jaxprs") / "jax_primitives.txt"
    assert set(path.read_text().split()) <= found
