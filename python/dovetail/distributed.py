"""Several processes that run one program, each with devices of its own, under JAX's names."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.base import config
from dovetail.placement import devices
from dovetail.runtime import processes

__all__ = ["initialize", "is_initialized", "shutdown"]


def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    local_device_ids: int | Sequence[int] | None = None,
    cluster_detection_method: str | None = None,
    initialization_timeout: float = 300,
    heartbeat_timeout_seconds: float = 10,
    shutdown_timeout_seconds: float = 300,
    coordinator_bind_address: str | None = None,
    partition_index: int | None = None,
    *,
    collective_timeout_seconds: float = 300,
) -> None:
    """Connect this process with the others that run the same program.

    Then `devices` lists the CPU devices of all of them, and meshes may span processes. All must
    call the same functions of arrays on such meshes, in the same order. Under `mpiexec` of MPICH
    and Open MPI, and Slurm's `srun`, no arguments are needed.

    Args:
      coordinator_address: where process 0 listens, as "host:port"; by default what the environment
        variable DOVETAIL_COORDINATOR_ADDRESS or the launcher says.
      num_processes: how many processes there are; by default what the launcher says.
      process_id: the number of this one, from 0; by default what the launcher says.
      local_device_ids: the numbers of the devices of platforms other than CPUs that this process
        uses; by default all.
      cluster_detection_method: which launcher to ask: "hydra" (MPICH), "ompi" (Open MPI), "slurm",
        "mpi4py" for any MPI, or "deactivate" for none; by default the one that started this
        process.
      initialization_timeout: how long to wait for the others, in seconds.
      heartbeat_timeout_seconds: after which silence a machine counts as lost. A process that ends
        on a machine that lives is noticed at once.
      shutdown_timeout_seconds: accepted for JAX's sake: at the end nobody waits.
      coordinator_bind_address: where process 0 listens, if that is not `coordinator_address`.
      partition_index: accepted for JAX's sake: it is about the network of TPUs.
      collective_timeout_seconds: how long to wait in a collective for a process that lives.

    Raises:
      ValueError: an argument is missing, and no launcher says it.
      RuntimeError: it is called twice, or after something has asked for devices; or a process does
        not come in time.

    Example:
      >>> import dovetail as dt
      >>> dt.distributed.is_initialized()
      False
    """
    if processes.current() is None and devices.are_in_use():
        raise RuntimeError(
            "distributed.initialize() must be called before any calls that ask for devices: "
            "computations, `devices`, `device_put` and others, got: devices that are in use"
        )
    if isinstance(local_device_ids, int):
        local_device_ids = [local_device_ids]
    group = processes.initialize(
        coordinator_address,
        num_processes,
        process_id,
        devices=config.num_cpu_devices.use(),
        cluster_detection_method=cluster_detection_method,
        initialization_timeout=initialization_timeout,
        collective_timeout=collective_timeout_seconds,
        silence=heartbeat_timeout_seconds,
        coordinator_bind_address=coordinator_bind_address,
        transport=config.cpu_collectives_implementation.value,
    )
    devices.spread_over_processes(group.index, group.devices, local_device_ids)


def is_initialized() -> bool:
    """True between `initialize` and `shutdown`.

    Example:
      >>> is_initialized()
      False
    """
    return processes.current() is not None


def shutdown() -> None:
    """Disconnect from the other processes; what they wait for from this one is an error there.
    Arrays on their devices are of no more use. The end of the process does this, too.

    Example:
      >>> shutdown()
    """
    processes.shutdown()
