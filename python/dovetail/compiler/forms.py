"""Compiles a module to a module file, in the first form that IREE accepts."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dovetail import _core
from dovetail.base import config, monitoring, spans
from dovetail.compiler import phases, progress
from dovetail.compiler.errors import CompileError
from dovetail.compiler.host_functions import host_functions_of
from dovetail.compiler.iree_compiler import KILLED
from dovetail.compiler.module_files import (
    DATA_TILING,
    DATA_TILING_SIZE,
    NOT_AHEAD,
    WITHOUT_LIBRARY,
    compile_module,
    keep_refusal,
    report_rejection,
)
from dovetail.compiler.targets import Target, Targets

if TYPE_CHECKING:
    from dovetail.runtime import HostFunction


class Compilation(NamedTuple):
    """A compiled program, and the input from which it was compiled.

    Attributes:
      vmfb: the module file's bytes.
      module: the input of the code generator.
      form: its form.
      target, flags: the target, and additional flags.
      host_functions: the functions of this process that it calls.
    """

    vmfb: bytes
    module: _core.Module
    form: _core.Form
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
    if isinstance(target, str):
        target = Target.parse(target)
    each = target.each if isinstance(target, Targets) else (target,)
    # One module for all: what only one of them needs costs the others time at most.
    others = sorted((one for one in each if not one.is_cpu), key=lambda one: not one.is_spirv)
    platform = str(others[0]) if others else "cpu"
    lowering = Lowering(module, "lower", platform=platform, name=name)
    return compilation(lowering, target, tiles=tiles, hurries=False).vmfb


def compilation(
    lowering: Lowering,
    target: Target | Targets | str = "cpu",
    *,
    tiles: bool = True,
    hurries: bool = True,
) -> Compilation:
    """Compile a module, which is not modified.

    Args:
      lowering: the module.
      target: the target.
      tiles: whether large contractions get their operands laid out in tiles.
      hurries: whether code may come from other programs, and how much is made at once depends on
        the machine; see `compile_module`.
    """
    if isinstance(target, str):
        target = Target.parse(target)
    # By their texts: if there is nothing to merge, carry or separate, forms are identical.
    refused: dict[str, CompileError] = {}
    flags_of: dict[str, tuple[str, ...]] = {}
    for form in lowering.forms(target):
        if form.after and not _was_said(form.after, refused):
            continue
        module = lowering.in_form(form)
        text = module.text()
        if text in refused:
            continue
        functions = host_functions_of(module)
        is_large = tiles and module.largest_contraction() >= DATA_TILING_SIZE
        ahead = () if module.computes_ahead() else (NOT_AHEAD,)
        flags = flags_of[text] = (DATA_TILING if is_large else WITHOUT_LIBRARY, *ahead)
        progress.enter(lowering.name, "code generation")
        try:
            vmfb = compile_module(
                text, target=target, flags=flags, name=lowering.name, hurries=hurries
            )
        except CompileError as error:
            refused[text] = error
            # Another form would run out of memory, too.
            if KILLED in error.diagnostics:
                break
        else:
            for each, error in refused.items():
                keep_refusal(each, target, flags_of[each], error)
                report_rejection(lowering.name, "in another form", error)
            _forget(refused.values())
            return Compilation(vmfb, module, form, target, flags, functions)
    *others, told = refused.values()
    _forget(others)
    raise told


def _was_said(text: str, refused: dict[str, CompileError]) -> bool:
    """Whether the last rejection has this message."""
    *_, last = refused.values()
    return any(text in diagnostic for diagnostic in last.diagnostics)


def _forget(errors: Iterable[CompileError]) -> None:
    """Remove the texts of programs that no message refers to."""
    for error in errors:
        error.path.unlink(missing_ok=True)


class Lowering:
    """A module on its way to the code generator.

    Args:
      module: the module, which is not modified.
      after: the last phase that it has gone through.
      platform: the platform for which it is lowered.
      host_functions: whether it may call functions of this process.
      name: the program's name in messages.
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
        self.module = module
        self._after = after
        self._platform = platform
        self._host_functions = host_functions
        self.name = name

    @functools.cached_property
    def lowered(self) -> _core.Module:
        """The module after the phase `lower`."""
        return self.module if self._after == "lower" else self._first("lower")

    def forms(self, target: Target | Targets) -> Iterator[_core.Form]:
        """The forms that may be compiled for a target, best first."""
        each = target.each if isinstance(target, Targets) else (target,)
        is_alike = len(each) == 1 or all(one.is_cpu for one in each)
        merges = config.merge_small_ops.value and is_alike
        for form in _core.forms():
            # The first suits every program, which need not be lowered yet.
            if (merges or not form.merges_ops) and (form.merges_ops or form.suits(self.lowered)):
                yield form

    def in_form(self, form: _core.Form) -> _core.Module:
        """The module as input of the code generator."""
        if "lowered" in self.__dict__:
            return self._run(self.lowered, "lower", "carry", form.name)
        # Directly from the initial phase: in most cases nothing else is requested.
        return self._first("carry", form.name)

    def _first(self, to: str, form: str = "") -> _core.Module:
        """The module after a phase, from the initial phase."""
        if self._after == "lower":
            return self._run(self.module, "lower", to, form)
        with spans.step("lower", monitoring.TRANSFORM_EVENT, self.name):
            return self._run(self.module, self._after, to, form)

    def _run(self, module: _core.Module, start: str, to: str, form: str) -> _core.Module:
        module = module.clone()
        phases.run(
            module,
            to,
            start=start,
            target=self._platform,
            host_functions=self._host_functions,
            form=form,
            name=self.name,
        )
        return module
