"""Functions on several devices in module files: the program of one device, and how arrays are
divided among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail import _core
from dovetail.base.errors import value_error
from dovetail.base.locations import describe
from dovetail.compiler import phases
from dovetail.compiler.targets import Target
from dovetail.placement import partitioning
from dovetail.placement.attributes import axis_texts
from dovetail.programs import partitions
from dovetail.runtime.signature import REFLECTION_KEY, Signature
from dovetail.runtime.spmd import SPMD_KEY, Partitioning

if TYPE_CHECKING:
    from dovetail.exporting.module import Function


def build_partitioned(
    function: Function,
    target: Target,
    signature: Signature,
    constants: list[tuple[int, tuple[bytes, str, tuple[int, ...]]]],
) -> _core.Module:
    """The lowered module of a function on the devices of a mesh.

    Args:
      function: the function.
      target: the target, a CPU.
      signature: the types of whole arguments and results.
      constants: the numbers and values of arguments that are constants.

    Raises:
      ValueError: the target is none, or the function cannot be partitioned.
    """
    program, mesh = function.program, function.program.mesh
    assert mesh is not None
    if not target.is_cpu:
        raise value_error(
            f"export: a function on several devices must be for CPUs, got: target {target} for "
            f"{program.name!r}; export it with arguments on one device"
        )
    module = _core.module()
    adopted = _core.adopt(module, program.module.function("main"))
    _core.publish(adopted, "main")
    numbers = [number for number, _ in constants]
    _core.bind_constants(adopted, numbers, [value for _, value in constants])
    shardings = [s for i, s in enumerate(program.shardings) if i not in numbers]
    partitioning.request(module, mesh, shardings)
    phases.run(module, "check", target=str(target))
    partition = partitioning.partition(module, mesh)
    if partition is None:
        raise value_error(
            f"export: {program.name!r} must be a program that can be partitioned, got: one of "
            "symbolic shapes or several meshes"
        )
    digest = partitions.digest_of(partition)
    found = module.shardings()
    assert found is not None
    for sharding in (*partition.arguments, *partition.results):
        if sharding.has_terms:
            raise value_error(
                f"export: values of {program.name!r} outside of it must be whole or in parts, got: "
                f"terms of a sum, {sharding}; use dovetail.reshard in the function"
            )
    main = module.function("main")
    _core.publish(main, function.name)
    phases.run(module, "lower", start="check", target=str(target))
    main = module.function(function.name)
    axes = tuple(zip(axis_texts(mesh), mesh.axis_sizes, strict=True))
    arguments, results = (tuple(dims for dims, *_ in each) for each in found)
    described = Partitioning(
        axes,
        arguments,
        results,
        tuple(describe(place) for place in module.collective_places()),
        partitions.shown(program.name, program.signature.avals),
        digest.hex(),
    )
    texts = {REFLECTION_KEY: signature.to_json(), SPMD_KEY: described.to_json()}
    _core.reflect(main, texts)
    return module
