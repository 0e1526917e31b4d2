"""Programs of several processes, connected by TCP and, where it is installed, by MPI."""

from __future__ import annotations

import pytest

from support.ranks import HAS_MPI, SHAPES, by_mpi, by_tcp, check_done, check_done_by_mpi

PROGRAMS = ["devices", "arrays", "utilities", "programs"]


@pytest.mark.parametrize(("count", "local"), SHAPES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_by_tcp(program: str, count: int, local: int) -> None:
    check_done(by_tcp(count, local, program))


@pytest.mark.skipif(not HAS_MPI, reason="needs mpi4py and mpiexec")
@pytest.mark.parametrize(("count", "local"), SHAPES)
@pytest.mark.parametrize(
    ("program", "transport"),
    [("devices", "tcp"), ("programs", "tcp"), ("arrays", "mpi"), ("programs", "mpi")],
)
def test_under_mpiexec(program: str, count: int, local: int, transport: str) -> None:
    environment = {"DOVETAIL_CPU_COLLECTIVES_IMPLEMENTATION": transport}
    check_done_by_mpi(by_mpi(count, local, program, environment=environment), count)
