"""Launchers of processes, and what they say: `mpiexec` of Open MPI and MPICH, and Slurm."""

from __future__ import annotations

import abc
import atexit
import importlib
import importlib.util
import os
import re
import socket
import sys
from collections.abc import Mapping
from typing import Any

# Ports that a number of the job chooses one of, as JAX does.
_PORTS = 1 << 12


def _port(job: int) -> int:
    return job % _PORTS + (1 << 16) - _PORTS


def _host() -> str:
    """An address of this machine that others reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Sends nothing, but chooses a network.
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _free_address(is_alone: bool) -> str:
    """An address of this machine where nobody listens, which only processes of this machine need to
    reach if all are here.
    """
    host = "127.0.0.1" if is_alone else _host()
    with socket.create_server((host, 0)) as server:
        return f"{host}:{server.getsockname()[1]}"


class Cluster(abc.ABC):
    """The processes that a launcher has started.

    Attributes:
      process: the number of this one.
      processes: how many there are.
      local_process: its number among those of this machine; None if unknown.
    """

    process: int
    processes: int
    local_process: int | None

    @abc.abstractmethod
    def coordinator(self) -> str:
        """The address where process 0 is to listen; all processes may have to ask for it."""


class Slurm(Cluster):
    """Started by Slurm's `srun`.

    Example:
      >>> environment = {
      ...     "SLURM_JOB_ID": "17", "SLURM_STEP_NODELIST": "gpu[08-09,12]", "SLURM_NTASKS": "4",
      ...     "SLURM_PROCID": "2", "SLURM_LOCALID": "0",
      ... }
      >>> found = Slurm(environment)
      >>> found.coordinator(), found.process, found.processes
      ('gpu08:61457', 2, 4)
    """

    variables = (
        "SLURM_JOB_ID",
        "SLURM_STEP_NODELIST",
        "SLURM_NTASKS",
        "SLURM_PROCID",
        "SLURM_LOCALID",
    )

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._job, self._nodes, count, number, local = (environment[n] for n in self.variables)
        self.processes, self.process, self.local_process = int(count), int(number), int(local)

    def coordinator(self) -> str:
        """The first node of the step, and a port that the number of the job chooses."""
        first = re.match(r"([^,\[]+)(?:\[([^,\-\]]+))?", self._nodes)
        if first is None:
            raise ValueError(f"SLURM_STEP_NODELIST must name nodes, got: {self._nodes!r}")
        return f"{first[1]}{first[2] or ''}:{_port(int(self._job))}"


class OpenMpi(Cluster):
    """Started by Open MPI's `mpiexec`.

    Example:
      >>> environment = {
      ...     "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2",
      ...     "OMPI_COMM_WORLD_LOCAL_RANK": "1",
      ...     "OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911",
      ... }
      >>> OpenMpi(environment).coordinator()
      '10.96.0.1:61440'
    """

    variables = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK")

    def __init__(self, environment: Mapping[str, str]) -> None:
        number, count, local = (environment[name] for name in self.variables)
        self.processes, self.process, self.local_process = int(count), int(number), int(local)
        self._is_alone = environment.get("OMPI_COMM_WORLD_LOCAL_SIZE") == count
        self._launcher = environment.get("OMPI_MCA_orte_hnp_uri", "")
        self._job = environment.get("PMIX_NAMESPACE", "")

    def coordinator(self) -> str:
        """The launcher's machine, where the first process is, and a port that the job chooses."""
        found = re.match(r"(\d+)\..*?;tcp(?:://([^,:]+)|6://\[([^,\]]+))", self._launcher)
        if found is not None:
            host = found[2] or f"[{found[3]}]"
            return f"{host}:{_port(int(found[1]))}"
        if self._is_alone and self._job:
            return f"127.0.0.1:{_port(int.from_bytes(self._job.encode()[-8:], 'little'))}"
        return Mpi4py().coordinator()


class Hydra(Cluster):
    """Started by the `mpiexec` of MPICH and Intel MPI, whose processes ask it for values that
    others have put there, by lines of text.
    """

    variables = ("PMI_RANK", "PMI_SIZE", "PMI_FD")

    def __init__(self, environment: Mapping[str, str]) -> None:
        number, count, connection = (environment[name] for name in self.variables)
        self.processes, self.process = int(count), int(number)
        local = environment.get("MPI_LOCALRANKID")
        self.local_process = None if local is None else int(local)
        self._is_alone = environment.get("MPI_LOCALNRANKS") == count
        self._connection = int(connection)

    def coordinator(self) -> str:
        """What process 0 has put there."""
        if _is_mpi_running():
            # It has the connection.
            return Mpi4py().coordinator()
        self._ask("init", pmi_version=1, pmi_subversion=1)
        space = self._ask("get_my_kvsname")["kvsname"]
        if self.process == 0:
            address = _free_address(self._is_alone)
            self._ask("put", kvsname=space, key="dovetail", value=address)
        self._ask("barrier_in")
        # A process that has begun and does not say that it has finished counts as failed. Once it
        # has, it cannot initialize MPI.
        atexit.register(self._finish)
        return self._ask("get", kvsname=space, key="dovetail")["value"]

    def _finish(self) -> None:
        if not _is_mpi_running():
            self._ask("finalize")

    def _ask(self, command: str, **values: Any) -> dict[str, str]:
        words = [f"cmd={command}", *(f"{name}={value}" for name, value in values.items())]
        os.write(self._connection, (" ".join(words) + "\n").encode())
        line = b""
        while not line.endswith(b"\n"):
            part = os.read(self._connection, 1)
            if not part:
                raise RuntimeError(f"mpiexec must answer {command!r}, got: the end of its answers")
            line += part
        answer = dict(word.split("=", 1) for word in line.decode().split())
        if answer.get("rc", "0") != "0":
            raise RuntimeError(f"mpiexec must answer {command!r}, got: {line.decode().strip()}")
        return answer


class Mpi4py(Cluster):
    """Any processes of MPI, by `mpi4py`, which must be installed."""

    def __init__(self) -> None:
        if importlib.util.find_spec("mpi4py") is None:
            raise ValueError(
                "coordinator_address should be defined. The launcher does not tell it, and mpi4py, "
                "by which the processes could, must be installed, got: no such module"
            )
        self._mpi = importlib.import_module("mpi4py.MPI")
        world = self._world = self._mpi.COMM_WORLD
        self.process, self.processes = world.Get_rank(), world.Get_size()
        self.local_process = world.Split_type(self._mpi.COMM_TYPE_SHARED).Get_rank()

    def coordinator(self) -> str:
        """What process 0 tells the others."""
        here = self._world.Split_type(self._mpi.COMM_TYPE_SHARED).Get_size()
        is_alone = here == self.processes
        address = _free_address(is_alone) if self.process == 0 else None
        return self._world.bcast(address, root=0)


def _is_mpi_running() -> bool:
    """Whether this process has initialized MPI."""
    return "mpi4py.MPI" in sys.modules and sys.modules["mpi4py.MPI"].Is_initialized()


_KINDS: dict[str, Any] = {"ompi": OpenMpi, "hydra": Hydra, "slurm": Slurm}


def find(method: str | None = None) -> Cluster | None:
    """The processes that this one was started with.

    Args:
      method: the launcher: "ompi", "hydra", "slurm", "mpi4py" or "deactivate"; None for any.

    Returns:
      The cluster; None if no launcher has started this process.

    Raises:
      ValueError: there is no such method.

    >>> find("deactivate") is None
    True
    """
    if method == "deactivate":
        return None
    if method == "mpi4py":
        return Mpi4py()
    if method is not None and method not in _KINDS:
        raise ValueError(
            f"cluster_detection_method must be one of {', '.join((*_KINDS, 'mpi4py'))}, "
            f"'deactivate' or None, got: {method!r}"
        )
    for kind in _KINDS.values() if method is None else [_KINDS[method]]:
        if {*kind.variables} <= {*os.environ}:
            return kind(os.environ)
    return None
