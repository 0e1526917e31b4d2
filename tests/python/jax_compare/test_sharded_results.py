"""Results of eager functions of arrays that are divided at random are divided as JAX's are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.breadth import IS_NIGHTLY

pytest.importorskip("jax", minversion="0.10")

PROGRAM = Path(__file__).parent / "program_sharded_results.py"
# Of so many parts of the table, by day the first is compared: JAX compiles each op.
PARTS = 80

# Functions of which results differ for some of three seeds, by the reason.
DIFFERS: dict[str, set[str]] = {
    "operands that are divided otherwise, in several ops": {
        *("betainc", "convolve", "divmod", "gammaincc", "heaviside", "piecewise", "place"),
        *("rel_entr", "select", "take_along_axis"),
    },
    "computed by other ops": {
        *("argpartition", "dct", "gradient", "intersect1d", "linspace", "partition", "polyfit"),
        *("put", "setdiff1d", "trim_zeros"),
    },
    "arrays of fewer elements than devices in between": {"ediff1d", "unwrap"},
    # There, the derivative of each function of jax.numpy is a program that takes the array as well.
    "a derivative that depends on no array": {"jacfwd"},
}
# With arrays without elements, JAX's functions return constants, which are on no mesh, where these
# compute with what is on all devices. The first group is what `where` returns there.
EMPTY = re.compile(r"\bz\b|v\[:0\]")
OF_NOTHING = {
    *("heaviside", "hypot", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanprod"),
    *("nanstd", "nansum", "nanvar", "spacing"),
    *("compress", "intersect1d", "isin", "resize", "searchsorted", "setdiff1d", "unique_all"),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS if IS_NIGHTLY else 1))
def test_as_in_jax(part: int) -> None:
    environment = {
        **os.environ,
        "DOVETAIL_NUM_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        "PYTHONPATH": os.pathsep.join([str(PROGRAM.parent.parent), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(PARTS), str(part), "0"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lines, compared = done.stdout.splitlines()
    known = set().union(*DIFFERS.values())
    differing = [
        line
        for line in lines
        if (name := line.split("|")[1].split("(")[0]) not in known
        and not (name in OF_NOTHING and EMPTY.search(line))
    ]
    assert not differing, "\n".join(differing)
    assert int(compared) > 30
