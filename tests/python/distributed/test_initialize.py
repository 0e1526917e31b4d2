"""Arguments of `initialize`, launchers, and processes that are alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

import dovetail as dt
from dovetail.runtime import clusters, processes, rendezvous
from support.ranks import free_address

LAUNCHERS = [
    name for kind in (clusters.Hydra, clusters.OpenMpi, clusters.Slurm) for name in kind.variables
]


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*LAUNCHERS, "DOVETAIL_COORDINATOR_ADDRESS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "coordinator_address should be defined"),
        ({"coordinator_address": "localhost:1"}, "Number of processes must be defined"),
        (
            {"coordinator_address": "localhost:1", "num_processes": 2},
            "The process id of the current process must be defined",
        ),
        (
            {"coordinator_address": "localhost:1", "num_processes": 2, "process_id": 2},
            "process_id must be from 0 to 1, got: 2",
        ),
        (
            {"coordinator_address": "localhost", "num_processes": 2, "process_id": 1},
            "coordinator_address must be host:port, got: 'localhost'",
        ),
        ({"cluster_detection_method": "pbs"}, "cluster_detection_method must be one of ompi, "),
    ],
)
def test_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        processes.initialize(**given)
    assert not dt.distributed.is_initialized()


def test_after_devices_are_in_use() -> None:
    dt.devices()
    with pytest.raises(RuntimeError, match=r"initialize\(\) must be called before any calls that"):
        dt.distributed.initialize(free_address(), 1, 0)
    dt.distributed.shutdown()


def test_one_process() -> None:
    command = (
        "import dovetail as dt, dovetail.numpy as dnp;"
        f"dt.distributed.initialize({free_address()!r}, 1, 0);"
        "print(dt.process_count(), dt.devices(), float(dt.jit(dnp.sum)(dnp.ones(3))))"
    )
    run = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("1 [CpuDevice(id=0)] 3.0\n", "")


def test_an_address_in_use() -> None:
    where = free_address()
    message = f"process 0 must listen at {where}, got: "
    with (
        rendezvous._listening(rendezvous.address_of(where)),
        pytest.raises(RuntimeError, match=message),
    ):
        processes.initialize(where, 2, 0, initialization_timeout=1)


SLURM = {
    "SLURM_JOB_ID": "4099",
    "SLURM_STEP_NODELIST": "node[3-7,9]",
    "SLURM_NTASKS": "6",
    "SLURM_PROCID": "4",
    "SLURM_LOCALID": "1",
}
OMPI = {
    "OMPI_COMM_WORLD_RANK": "1",
    "OMPI_COMM_WORLD_SIZE": "2",
    "OMPI_COMM_WORLD_LOCAL_RANK": "0",
}


@pytest.mark.parametrize(
    ("environment", "address", "place"),
    [
        (SLURM, "node3:61443", (4, 6, 1)),
        (SLURM | {"SLURM_STEP_NODELIST": "a-1,b"}, "a-1:61443", (4, 6, 1)),
        (SLURM | {"SLURM_STEP_NODELIST": "one"}, "one:61443", (4, 6, 1)),
        (
            OMPI | {"OMPI_MCA_orte_hnp_uri": "17.0;tcp://10.9.0.1,10.1.0.1:349"},
            "10.9.0.1:61457",
            (1, 2, 0),
        ),
        (
            OMPI | {"OMPI_MCA_orte_hnp_uri": "17.0;tcp6://[fd00::1]:349"},
            "[fd00::1]:61457",
            (1, 2, 0),
        ),
        (
            OMPI | {"PMIX_NAMESPACE": "prterun-1@1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"},
            "127.0.0.1:62053",
            (1, 2, 0),
        ),
    ],
)
def test_launchers(
    environment: Mapping[str, str],
    address: str,
    place: tuple[int, int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = clusters.find()
    assert found is not None
    assert found.coordinator() == address
    assert (found.process, found.processes, found.local_process) == place
    assert clusters.find("deactivate") is None


def test_a_mesh_of_more_devices_than_there_are() -> None:
    with pytest.raises(ValueError, match=r"initialize adds those of other processes"):
        dt.make_mesh((len(dt.devices()) + 1,), ("data",))
