"""Programs of several processes of which one fails: `python rank_faults.py FAULT`."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P
from dovetail.experimental import multihost_utils
from support.rank_programs import auto_mesh, initialize, say


def total(x: Any) -> Any:
    return dnp.sum(x * 2)


def largest(x: Any) -> Any:
    return dnp.max(x * 3)


def main() -> None:
    fault = sys.argv[1]
    initialize(collective_timeout_seconds=3 if fault == "stalls" else 60)
    is_odd = dt.process_index() == 1
    mesh = auto_mesh(dt.device_count())
    rows = dt.NamedSharding(mesh, P("data"))
    x = dt.device_put(np.ones((dt.device_count(), 2), np.float32), rows)
    first, second = dt.jit(total), dt.jit(largest)
    if fault in ("known programs", "killed", "raises", "stalls"):
        # Later, no process waits to compare programs.
        first(x)
        second(x)
    say("ready")
    if is_odd and fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if is_odd and fault == "raises":
        raise KeyError("no more data")
    if is_odd and fault == "stalls":
        time.sleep(6)
    if is_odd and fault in ("new programs", "known programs"):
        second(x)
    elif fault == "no program":
        if is_odd:
            multihost_utils.sync_global_devices("the end")
        else:
            first(x)
    else:
        first(x)
    if not (is_odd and fault == "stalls"):
        say("not noticed")


if __name__ == "__main__":
    main()
