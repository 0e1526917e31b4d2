"""The table of ops: one row for each op of the dialect that a Python function applies."""

from __future__ import annotations

import op_indexing
import op_pointwise
import op_sorted
import op_special
import op_structured
import op_windows

OPS = [
    *op_pointwise.ROWS,
    *op_special.ROWS,
    *op_structured.ROWS,
    *op_sorted.ROWS,
    *op_indexing.ROWS,
    *op_windows.ROWS,
]

# Ops that only programs have, and what checks them instead.
WITHOUT_ROW = {
    "constant": "made by tracing; test_tracer.py and the round trips of tests/lit/dialect",
    "dim": "arises from dynamic shapes; tests of dynamic shapes",
    "call": "not an op on arrays; tests of jit",
    "jvp": "a request; every test of derivatives",
    "vjp": "a request; every test of derivatives",
    "vmap": "a request; every test of batching",
}
