"""The table of ops: one row for each op of the dialect that a Python function applies."""

from __future__ import annotations

import os

from support import (
    op_fourier,
    op_indexing,
    op_linalg,
    op_pointwise,
    op_sorted,
    op_special,
    op_structured,
    op_windows,
)

FAMILIES = {
    "pointwise": op_pointwise.ROWS,
    "special": op_special.ROWS,
    "structured": op_structured.ROWS,
    "sorted": op_sorted.ROWS,
    "fourier": op_fourier.ROWS,
    "indexing": op_indexing.ROWS,
    "windows": op_windows.ROWS,
    "linalg": op_linalg.ROWS,
}
# `DOVETAIL_OPS="add mul"` tests only these.
_NAMES = os.environ.get("DOVETAIL_OPS", "").split()
OPS = [row for rows in FAMILIES.values() for row in rows if not _NAMES or row.name in _NAMES]

# Ops that only programs have, and their tests.
WITHOUT_ROW = {
    "constant": "made by tracing; tracing/test_tracer.py and the round trips of tests/lit/dialect",
    "dim": "arises from dynamic shapes; tests of dynamic shapes",
    "call": "not an op on arrays; tests of jit",
    "new_ref": "not an op on arrays; transforms/test_references.py",
    "ref_get": "not an op on arrays; transforms/test_references.py",
    "ref_set": "not an op on arrays; transforms/test_references.py",
    "freeze": "not an op on arrays; transforms/test_references.py",
    "ref_echo": "not an op on arrays; transforms/test_references_in_rules.py",
    "ref_set_echo": "not an op on arrays; transforms/test_references_in_rules.py",
    "echo_end": "arises in derivatives; transforms/test_references_in_rules.py",
    "primitive": "not an op on arrays; as_jax/test_as_jax.py",
    "check": "has no results; experimental/test_checkify.py",
    "callback": "calls what a test gives it; transforms/test_callbacks.py",
    "ffi_call": "calls functions of libraries; ffi/",
    "host_step": "arises in recordings of eager calls; eager/test_recordings.py",
    "late_call": "arises in loops that are lowered; lowering/test_suspended_loops.py",
    "jvp": "a request; every test of derivatives",
    "vjp": "a request; every test of derivatives",
    "vmap": "a request; every test of batching",
    "custom_jvp": "not an op on arrays; transforms/test_custom_derivatives.py",
    "custom_vmap": "not an op on arrays; transforms/test_custom_batching.py",
    "custom_partition": "not an op on arrays; placement/eight_partition_rules.py",
    "linear_solve": "not an op on arrays; lax/test_solves.py",
    "custom_vjp": "not an op on arrays; transforms/test_custom_derivatives.py",
    "custom_tangent": "arises in derivatives; transforms/test_custom_derivatives.py",
    "checkpoint": "not an op on arrays; transforms/test_checkpointing.py",
    "name": "means something to checkpoints only; transforms/test_checkpointing.py",
    **dict.fromkeys(
        (
            *("all_reduce_sum", "all_reduce_max", "all_reduce_min", "all_gather", "reduce_scatter"),
            *("all_to_all", "permute", "axis_index"),
        ),
        "over elements of a batch; lax/test_collectives.py",
    ),
    **dict.fromkeys(
        ("shard_map", "vary", "reshard"),
        "on parts of arrays, replaced by ops on whole ones; transforms/test_shard_map.py",
    ),
    "scan": "a loop, whose body is a program; lax/test_control.py, symbolic/test_control.py",
    "while": "a loop, whose body is a program; lax/test_control.py, symbolic/test_control.py",
    "case": "branches, which are programs; lax/test_control.py, symbolic/test_control.py",
    "yield": "the end of a body; tests of loops and branches",
    "from_index": "arises from symbolic shapes; symbolic/test_dynamic_shapes.py",
    "assume": "arises from symbolic shapes; symbolic/test_dynamic_shapes.py",
    "with_sizes": "arises from symbolic shapes; symbolic/test_dynamic_shapes.py",
    "index": "arises from loops whose length is counted; symbolic/test_dynamic_control.py",
}
