"""A lowered module to a module file: in the forms that the code generator may take, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dovetail import config
from dovetail.compile import DATA_TILING, DATA_TILING_SIZE, CompileError, compile_module
from dovetail.iree_compiler import KILLED
from dovetail.targets import Target, Targets

# What is refused, where arrays of a barrier are in memory of different kinds.
_BARRIER = "'util.optimization_barrier' op"


class Compilation(NamedTuple):
    """A compiled program, and what it was compiled from.

    Attributes:
      vmfb: the module file's bytes.
      module: the module that the code generator took.
      target, flags: what for, and with which flags beside those of the target.
    """

    vmfb: bytes
    module: Any
    target: Target | Targets
    flags: tuple[str, ...]


def compile_lowered(
    module: Any, target: Target | Targets | str = "cpu", *, tiles: bool = True, name: str = ""
) -> bytes:
    """The module file of a module after the phase `lower`; see `compilation`."""
    return compilation(module, target, tiles=tiles, name=name).vmfb


def compilation(
    module: Any, target: Target | Targets | str = "cpu", *, tiles: bool = True, name: str = ""
) -> Compilation:
    """Compile a module after the phase `lower`, which is left as it is.

    Args:
      target: what to compile for.
      tiles: whether large contractions get their operands laid out in tiles.
      name: what messages call the program.
    """
    if isinstance(target, str):
        target = Target.parse(target)
    is_large = tiles and module.largest_contraction() >= DATA_TILING_SIZE
    flags = (DATA_TILING,) if is_large else ()
    # By their texts: without such loops, forms are alike.
    refused: dict[str, CompileError] = {}
    for form in _forms(module, target):
        text = form.text()
        while text not in refused:
            try:
                vmfb = compile_module(text, target=target, flags=flags, name=name)
            except CompileError as error:
                refused[text] = error
                if any(_BARRIER in diagnostic for diagnostic in error.diagnostics):
                    form = form.clone()
                    form.separate_barriers()
                    text = form.text()
            else:
                _forget(refused.values())
                return Compilation(vmfb, form, target, flags)
        # Another form would be killed for want of memory as well.
        if KILLED in refused[text].diagnostics:
            break
    *others, told = refused.values()
    _forget(others)
    raise told


def _forget(errors: Iterable[CompileError]) -> None:
    """Remove the texts of programs of which nobody is told."""
    for error in errors:
        error.path.unlink(missing_ok=True)


def _forms(module: Any, target: Target | Targets) -> Iterator[Any]:
    """The module with small ops merged, and its loops on references; the latter alone; as it is,
    and with barriers behind its loops. IREE 3.13 has wrong results where a loop carries several
    arrays of unknown size as they are.
    """
    each = target.each if isinstance(target, Targets) else (target,)
    if config.merge_small_ops.value and all(one.is_cpu for one in each):
        merged = module.clone()
        merged.run("lower", "carry")
        yield merged
    carried = module.clone()
    carried.run("merge", "carry")
    yield carried
    if module.carries_unknown_sizes():
        return
    yield module
    separated = module.clone()
    separated.separate_loops()
    yield separated
