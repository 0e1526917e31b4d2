"""The routines of SciPy that compiled programs call, beside SciPy's own use of them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dovetail.runtime import blas

# Scripts that load them in fresh processes.
LOADED = "from dovetail.runtime import blas\nblas.load()\n"
SCIPY = "import scipy.linalg, scipy.linalg.cython_blas\nfrom scipy import optimize, spatial\n"
TOGETHER = """
from concurrent.futures import ThreadPoolExecutor
from dovetail.runtime import blas

def work(i):
    if i % 3 == 0:
        import scipy.linalg.cython_lapack
    blas.load()
    blas.environment()

with ThreadPoolExecutor(8) as pool:
    list(pool.map(work, range(32)))
"""
# As if SciPy had another BLAS.
MODULES = "from dovetail.runtime import blas\nblas._of_library = lambda: None\n"
PRODUCT = """
import numpy as np, dovetail as dt
x = np.random.default_rng(0).normal(size=(300, 300))
with dt.enable_x64():
    product = dt.jit(lambda x: dt.numpy.linalg.solve(x @ x, x), compile="now")(x)
np.testing.assert_allclose(product, np.linalg.solve(x @ x, x), rtol=1e-6)
"""


@pytest.mark.parametrize(
    "script",
    [LOADED + SCIPY, SCIPY + LOADED, TOGETHER + SCIPY, MODULES + PRODUCT + SCIPY],
    ids=["before", "after", "together", "another library"],
)
def test_beside_scipy(script: str) -> None:
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_library_is_found() -> None:
    routines = blas._routines()
    assert all(routines.addresses)
    assert len(routines.addresses) == 44


FORKS = """
import os, threading
import numpy as np, dovetail as dt
x = np.ones((300, 300), np.float32)
f = dt.jit(lambda a: a @ a, compile="now")
f(x)
is_done = False

def work():
    while not is_done:
        f(x)

thread = threading.Thread(target=work)
thread.start()
statuses = []
for _ in range(40):
    child = os.fork()
    if child == 0:
        os._exit(0 if (np.asarray(f(x)) == 300).all() else 1)
    statuses.append(os.waitpid(child, 0)[1])
is_done = True
thread.join()
assert not any(statuses), statuses
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_that_fork_while_a_thread_computes() -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
