"""Programs of several processes, connected by TCP and, where it is installed, by MPI."""

from __future__ import annotations

import pytest

from support.ranks import (
    HAS_MPI,
    SHAPES,
    by_mpi,
    by_slurm,
    by_tcp,
    check_done,
    check_done_by_launcher,
    slurm_nodes,
)

pytestmark = pytest.mark.slow

# One after the other in the same processes, which take longer to start than the programs do.
PROGRAMS = "devices,arrays,utilities,programs,callbacks,shutdown"


@pytest.mark.parametrize(("count", "local"), SHAPES)
def test_by_tcp(count: int, local: int) -> None:
    check_done(by_tcp(count, local, PROGRAMS))


@pytest.mark.skipif(not HAS_MPI, reason="needs mpi4py and mpiexec")
@pytest.mark.parametrize(("count", "local"), SHAPES)
@pytest.mark.parametrize("transport", ["tcp", "mpi"])
def test_under_mpiexec(count: int, local: int, transport: str) -> None:
    environment = {"DOVETAIL_CPU_COLLECTIVES_IMPLEMENTATION": transport}
    check_done_by_launcher(by_mpi(count, local, PROGRAMS, environment=environment), count)


@pytest.mark.skipif(not slurm_nodes(), reason="needs Slurm with idle nodes")
@pytest.mark.parametrize(("count", "local"), SHAPES)
def test_under_srun(count: int, local: int) -> None:
    check_done_by_launcher(by_slurm(count, local, PROGRAMS), count)
