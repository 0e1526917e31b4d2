"""Equations with JAX's primitives: gathers, keys, references, windows, factorizations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random
from dovetail.jaxprs.evaluation import eval_jaxpr, interpret
from support.jaxpr_programs import PROGRAMS, arguments, equations

# What JAX 0.10.2 makes of these programs.
EXPECTED = {
    "row": "slice squeeze",
    "last": "slice squeeze",
    "elements": "lt add select_n broadcast_in_dim gather",
    "columns": "lt add select_n broadcast_in_dim gather",
    "two_indices": "lt add select_n lt add select_n broadcast_in_dim broadcast_in_dim concatenate gather",  # noqa: E501
    "take": "lt add select_n broadcast_in_dim gather",
    "take_clip": "broadcast_in_dim gather",
    "take_axis": "lt add select_n broadcast_in_dim gather",
    "get_fill": "lt add select_n broadcast_in_dim gather",
    "get_promised": "lt add select_n broadcast_in_dim gather",
    "gather": "gather",
    "set_static": "broadcast_in_dim scatter",
    "at_set": "lt add select_n broadcast_in_dim broadcast_in_dim scatter",
    "at_add": "lt add select_n broadcast_in_dim broadcast_in_dim scatter-add",
    "at_subtract": "lt add select_n broadcast_in_dim broadcast_in_dim scatter-sub",
    "at_multiply": "lt add select_n broadcast_in_dim broadcast_in_dim scatter-mul",
    "at_min": "lt add select_n broadcast_in_dim broadcast_in_dim scatter-min",
    "at_max": "lt add select_n broadcast_in_dim broadcast_in_dim scatter-max",
    "scatter_add": "scatter-add",
    "key": "random_seed",
    "raw_key": "random_seed random_unwrap",
    "split": "random_split slice squeeze",
    "split_raw": "random_wrap random_split random_unwrap",
    "fold_in": "random_fold_in",
    "bits": "random_bits",
    "key_data": "random_unwrap",
    "wrapped": "random_wrap",
    "clone": "random_clone",
    "pooled": "reduce_window_max",
    "pooled_gradient": "reduce_window_max reduce_sum broadcast_in_dim select_and_scatter_add",
    "pooled_tangent": "reduce_window_max select_and_gather_add",
    "references": "new_ref get add swap broadcast_in_dim swap swap addupdate mul swap get freeze",
    "passed_reference": "new_ref scan get add swap convert_element_type add get",
    "conv": "conv_general_dilated",
    "fft": "fft",
    "svd": "svd",
    "eigh": "eigh",
    "qr": "qr",
    "sort": "neg sort",
    "elementary": "sin exp round mul",
    "approx_max_k": "approx_top_k",
    "remat": "remat2 sin",
    "callback": "pure_callback",
    "psum_over_mesh": "shard_map psum_invariant",
    "pmax_over_mesh": "shard_map pmax pmin add",
    "all_gather_over_mesh": "shard_map all_gather",
    "all_gather_tiled_over_mesh": "shard_map all_gather",
    "psum_scatter_over_mesh": "shard_map reduce_scatter",
    "ppermute_over_mesh": "shard_map ppermute",
    "all_to_all_over_mesh": "shard_map all_to_all",
    "exchange_after_over_mesh": "shard_map broadcast_in_dim broadcast_in_dim all_to_all squeeze",
    "exchange_before_over_mesh": "shard_map broadcast_in_dim broadcast_in_dim all_to_all squeeze",
    "groups_gather_over_mesh": "shard_map all_gather",
    "groups_scatter_over_mesh": "shard_map reduce_scatter",
    "groups_exchange_over_mesh": "shard_map all_to_all",
    "debugged": "debug_callback",
    "debugged_in_order": "debug_callback",
    "pbroadcast_over_mesh": "shard_map pbroadcast",
    "index_over_mesh": "shard_map axis_index broadcast_in_dim",
    "both_over_mesh": "shard_map psum_invariant pvary mul",
    "put": "mul device_put",
    "put_on_device": "device_put",
    "copies": "copy copy add copy add",
    "print": "mul debug_print",
    "empty": "empty",
}


def words(x: Any) -> Any:
    return random.key_data(x) if hasattr(x.dtype, "generator") else x


@pytest.mark.parametrize(("name", "make", "args"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_equations(name: str, make: Any, args: Any) -> None:
    function, given = make(dt), arguments(dt, args)
    closed = dt.make_jaxpr(function)(*given)
    assert [primitive for primitive, _ in equations(closed.jaxpr)] == EXPECTED[name].split()
    expected = list(map(words, dt.tree.leaves(function(*given))))

    def again(*args: Any) -> Any:
        return interpret(closed.jaxpr, closed.consts, args)

    remade = dt.make_jaxpr(again)(*given)
    for made in (
        eval_jaxpr(closed.jaxpr, closed.consts, *given),
        again(*given),
        interpret(remade.jaxpr, remade.consts, given),
        dt.jit(again)(*given),
    ):
        for got, wanted in zip(map(words, made), expected, strict=True):
            assert got.dtype == wanted.dtype
            if name == "svd":
                # The signs of vectors are the algorithm's choice.
                got, wanted = abs(got), abs(wanted)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_text_of_references() -> None:
    def function(x: Any, i: Any) -> Any:
        ref = dt.new_ref(x)
        ref[0] += 2.0
        ref[1:3] = x[:2]
        dt.ref.addupdate(ref, i, x[0])
        return dt.ref.swap(ref, ..., 2 * x)

    x = dnp.ones(4)
    jaxpr = dt.make_jaxpr(function)(x, 1).jaxpr
    assert [line.strip() for line in str(jaxpr).splitlines()[1:-1]] == [
        "c:Ref{f32[4]} = new_ref[kind=None memory_space=None] a",
        "d:f32[] <- c[0]",
        "e:f32[] = add d 2.0:f32[]",
        "c[0] <- e",
        "f:f32[2] = slice[limit_indices=(2,) start_indices=(0,) strides=None] a",
        "c[1:3] <- f",
        "g:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=None] a",
        "h:f32[] = squeeze[dimensions=(0,)] g",
        "c[b] += h",
        "i:f32[4] = mul 2.0:f32[] a",
        "j:f32[4], c[...] <- c[...], i",
    ]
    assert [type(effect).__name__ for eqn in jaxpr.eqns for effect in eqn.effects] == [
        *("InternalMutableArrayEffect", "ReadEffect", "WriteEffect", "WriteEffect"),
        *("AccumEffect", "WriteEffect"),
    ]


def test_references_from_outside() -> None:
    outer = dt.new_ref(dnp.zeros(3))

    def function(ref: Any, x: Any) -> Any:
        ref[0] = x
        outer[1] += ref[0]
        return outer[1]

    given = dt.new_ref(dnp.zeros(2))
    closed = dt.make_jaxpr(function)(given, np.float32(3))
    assert str(closed.jaxpr.constvars[0].aval.inner_aval) == "float32[3]"
    # A read, and then a write, of the argument; both of the constant.
    assert sorted(
        (type(effect).__name__, effect.input_index) for effect in closed.jaxpr.effects
    ) == [("ReadEffect", 0), ("ReadEffect", 2), ("WriteEffect", 0), ("WriteEffect", 2)]
    for count in (1, 2):
        (out,) = eval_jaxpr(closed.jaxpr, closed.consts, given, np.float32(3))
        np.testing.assert_array_equal(out, 3 * count)
    np.testing.assert_array_equal(outer[...], [0, 6, 0])
    np.testing.assert_array_equal(given[...], [3, 0])


def test_keys_in_batches() -> None:
    keys = random.split(random.key(0), 3)
    closed = dt.make_jaxpr(dt.vmap(lambda k: random.uniform(random.fold_in(k, 1), (2,))))(keys)
    assert str(closed.jaxpr.invars[0].aval) == "key<fry>[3]"
    expected = dt.vmap(lambda k: random.uniform(random.fold_in(k, 1), (2,)))(keys)
    (made,) = interpret(closed.jaxpr, closed.consts, [keys])
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("transform", ["grad", "vmap", "jit"])
def test_scatters_in_transforms(transform: str) -> None:
    def function(x: Any) -> Any:
        i = dnp.array([0, 2, 2])
        return dnp.sum(x.at[i].add(x[i] ** 2) * x.at[i].max(1.0))

    x = dnp.arange(4, dtype="float32")
    transformed = {
        "grad": dt.grad(function),
        "vmap": lambda x: dt.vmap(function)(dnp.stack([x, 2 * x])),
        "jit": dt.jit(function),
    }[transform]
    closed = dt.make_jaxpr(transformed)(x)
    names = {name for name, _ in equations(closed.jaxpr)}
    assert {"gather", "scatter-add"} <= names
    np.testing.assert_allclose(
        interpret(closed.jaxpr, closed.consts, [x])[0], transformed(x), rtol=1e-6
    )


def _effects(function: Any, *args: Any) -> list[str]:
    """The classes of the effects of a function's program."""
    return sorted(type(effect).__name__ for effect in dt.make_jaxpr(function)(*args).effects)


def test_effects_of_callbacks() -> None:
    def shown(x: Any) -> Any:
        dt.debug.print("{}", x)
        return x + 1

    def read(x: Any, ordered: bool) -> Any:
        result = dt.ShapeDtypeStruct((), np.float32)
        return dt.experimental.io_callback(np.asarray, result, x, ordered=ordered)

    x = np.float32(1)
    assert _effects(shown, x) == ["DebugEffect"]
    assert _effects(lambda x: dt.debug.print("{}", x, ordered=True), x) == ["OrderedDebugEffect"]
    assert _effects(lambda x: read(x, False), x) == ["IOEffect"]
    assert _effects(lambda x: read(x, True), x) == ["OrderedIOEffect"]
    assert _effects(lambda x: dt.pure_callback(np.asarray, x, x), x) == []
    # Those of programs in parameters are the equation's.
    for function in (
        dt.jit(shown),
        dt.checkpoint(shown),
        lambda x: lax.scan(lambda c, y: (shown(c), y), x, dnp.ones(3)),
        lambda x: lax.cond(x > 0, shown, lambda x: x, x),
        lambda x: lax.while_loop(lambda x: x < 3, shown, x),
    ):
        assert _effects(function, x) == ["DebugEffect"]


def test_effects_over_axes_end_where_they_are_bound() -> None:
    mesh, spec = dt.make_mesh((1,), ("x",)), dt.P("x")
    mapped = dt.shard_map(lambda x: lax.psum(x, "x"), mesh=mesh, in_specs=spec, out_specs=dt.P())
    closed = dt.make_jaxpr(mapped)(dnp.ones(2))
    inner = closed.eqns[0].params["jaxpr"]
    assert closed.effects == frozenset()
    assert [effect.name for effect in inner.effects] == ["x"]
