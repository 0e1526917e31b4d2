"""A lowered module to a module file: in the forms that the code generator may take, best first."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dovetail import _core
from dovetail.base import config, monitoring, spans
from dovetail.compiler import pass_process, phases
from dovetail.compiler.errors import CompileError
from dovetail.compiler.host_functions import host_functions_of
from dovetail.compiler.iree_compiler import KILLED
from dovetail.compiler.module_files import (
    DATA_TILING,
    DATA_TILING_SIZE,
    compile_module,
)
from dovetail.compiler.targets import Target, Targets

if TYPE_CHECKING:
    from dovetail.runtime import HostFunction

# What is refused, where arrays of a barrier are in memory of different kinds.
_BARRIER = "'util.optimization_barrier' op"


class Compilation(NamedTuple):
    """A compiled program, and what it was compiled from.

    Attributes:
      vmfb: the module file's bytes.
      module: the module that the code generator took.
      target, flags: what for, and with which flags beside those of the target.
      host_functions: the functions of this process that it calls.
    """

    vmfb: bytes
    module: _core.Module
    target: Target | Targets
    flags: tuple[str, ...]
    host_functions: list[HostFunction]


def compile_lowered(
    module: _core.Module,
    target: Target | Targets | str = "cpu",
    *,
    tiles: bool = True,
    name: str = "",
) -> bytes:
    """The module file of a module after the phase `lower`; see `compilation`."""
    return compilation(Lowering(module, "lower", name=name), target, tiles=tiles).vmfb


def compilation(
    lowering: Lowering, target: Target | Targets | str = "cpu", *, tiles: bool = True
) -> Compilation:
    """Compile a module, which is left as it is.

    Args:
      lowering: the module.
      target: what to compile for.
      tiles: whether large contractions get their operands laid out in tiles.
    """
    if isinstance(target, str):
        target = Target.parse(target)
    # By their texts: without such loops, forms are alike.
    refused: dict[str, CompileError] = {}
    for form in lowering.forms(target):
        functions = host_functions_of(form)
        is_large = tiles and form.largest_contraction() >= DATA_TILING_SIZE
        flags = (DATA_TILING,) if is_large else ()
        text = form.text()
        while text not in refused:
            try:
                vmfb = compile_module(text, target=target, flags=flags, name=lowering.name)
            except CompileError as error:
                refused[text] = error
                if any(_BARRIER in diagnostic for diagnostic in error.diagnostics):
                    form = form.clone()
                    lowering.run_pass(form, "separate_barriers")
                    text = form.text()
            else:
                _forget(refused.values())
                return Compilation(vmfb, form, target, flags, functions)
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


class Lowering:
    """A module on its way to the code generator.

    Args:
      module: the module, which stays as it is.
      after: the phase that it has gone through.
      platform: what it is lowered for.
      host_functions: whether it may call functions of this process.
      name: what messages call the program.
    """

    def __init__(
        self,
        module: _core.Module,
        after: str,
        *,
        platform: str = "cpu",
        host_functions: bool = False,
        name: str = "",
    ) -> None:
        self._module = module
        self._after = after
        self._platform = platform
        self._host_functions = host_functions
        self.name = name

    @functools.cached_property
    def lowered(self) -> _core.Module:
        """The module after the phase `lower`."""
        return self._module if self._after == "lower" else self._first("lower")

    def forms(self, target: Target | Targets) -> Iterator[_core.Module]:
        """The module with small ops merged, and its loops on references; the latter alone; as it
        is, and with barriers behind its loops. IREE 3.13 has wrong results where a loop carries
        several arrays of unknown size as they are.
        """
        each = target.each if isinstance(target, Targets) else (target,)
        if config.merge_small_ops.value and all(one.is_cpu for one in each):
            # At once from where it is: in most cases nothing else is asked for.
            yield self._first("carry")
        lowered = self.lowered
        yield self._run(lowered, "merge", "carry")
        if lowered.carries_unknown_sizes():
            return
        for passes in (["keep_read"], ["separate_loops", "keep_read"]):
            form = lowered.clone()
            for method in passes:
                self.run_pass(form, method)
            yield form

    def run_pass(self, module: _core.Module, method: str) -> None:
        """Run one pass on a module, by the name of the method."""
        arguments = [f"--dovetail-{method.replace('_', '-')}"]
        pass_process.run(module, arguments, getattr(module, method), name=self.name)

    def _first(self, to: str) -> _core.Module:
        """The module after a phase, from where it is."""
        if self._after == "lower":
            return self._run(self._module, "lower", to)
        with spans.step("lower", monitoring.TRANSFORM_EVENT, self.name):
            return self._run(self._module, self._after, to)

    def _run(self, module: _core.Module, start: str, to: str) -> _core.Module:
        module, host = module.clone(), self._host_functions
        phases.run(
            module, to, start=start, target=self._platform, host_functions=host, name=self.name
        )
        return module
