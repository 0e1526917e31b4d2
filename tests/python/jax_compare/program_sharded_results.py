"""Calls on arrays that are divided among eight devices, by Dovetail and by JAX; run by
`test_sharded_results`.

usage: program_sharded_results.py COUNT PART SEED

Every COUNT-th call from PART on. Prints one line for each call whose results are divided otherwise
than JAX's, and how many were compared.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import sys

import jax

import dovetail as dt
from support.sharded_calls import Placed, are_same, cases, outcome


def shown(results: list[Placed | None] | None) -> str:
    return ", ".join(x.spec if x else "-" for x in results or [])


def main(count: int, part: int, seed: int) -> None:
    compared = 0
    for case in cases()[part::count]:
        with dt.config.compile("never"):
            ours = outcome(dt, case, seed)
        if ours is None:
            continue
        theirs = outcome(jax, case, seed)
        compared += theirs is not None
        if not are_same(ours, theirs):
            print(f"{case}\t{shown(ours)}\t{shown(theirs)}", flush=True)
    print(compared)


main(*map(int, sys.argv[1:]))
