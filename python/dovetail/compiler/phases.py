"""The phases that turn a traced module into the input of IREE's compiler."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dovetail import _core
from dovetail.base import config, locations, spans
from dovetail.base.errors import explained
from dovetail.base.mlir_types import encode_array
from dovetail.compiler import progress
from dovetail.reference.program import evaluate

_logger = logging.getLogger("dovetail")

# All phases, in order.
NAMES: list[str] = [name for name, _ in _core.phases()]
# The last phase that runs in this process: what tracing and evaluation need.
_LAST_HERE = "check"


def run(
    module: _core.Module,
    to: str,
    *,
    start: str = "",
    target: str = "cpu",
    host_functions: bool = False,
    form: str = "",
    name: str = "",
) -> None:
    """Run the phases on a module, in place; the later ones in a separate process.

    Args:
      start: the last phase that it has gone through.
      name: the program's name in a profiler trace.
      target: the target.
      host_functions: whether the result may call functions of this process.
      form: the form to produce, by default the first of `_core.forms()`.

    Raises:
      ValueError: a phase rejected the program.
      CompileError: the process died.
    """
    # One at a time if each is observed.
    steps = [to] if spans.recorder is None else between(start, to)
    try:
        for phase in steps:
            with spans.span("phase", phase, function=name):
                for first, last, run in _parts(start, phase):
                    progress.enter(name, "transforms" if run is _run_here else "lowering")
                    run(module, first, last, target, host_functions, form, name)
            start = phase
    except _core.CompilerError as error:
        raise explained(error) from None


def _parts(start: str, to: str) -> list[tuple[str, str, Callable[..., None]]]:
    """The phases after one up to another: those for this process, and those for another process."""
    border, last = NAMES.index(_LAST_HERE), NAMES.index(to)
    if last <= border:
        return [(start, to, _run_here)]
    if start and NAMES.index(start) >= border:
        return [(start, to, _run_apart)]
    return [(start, _LAST_HERE, _run_here), (_LAST_HERE, to, _run_apart)]


def _run_here(
    module: _core.Module,
    start: str,
    to: str,
    target: str,
    host_functions: bool,
    form: str,
    name: str,
) -> None:
    wanted = config.explain_sharding.value
    for remark, place in module.run(start, to, target, host_functions, form, remarks=wanted):
        what = f"`{name}`" if name else "a program"
        _logger.warning("%s: %s, at %s", what, remark, locations.describe(place))


def _run_apart(
    module: _core.Module,
    start: str,
    to: str,
    target: str,
    host_functions: bool,
    form: str,
    name: str,
) -> None:
    from dovetail.compiler import pass_process  # lazy

    if start == _LAST_HERE:
        _compute_ahead(module)
    pass_process.run(
        module,
        [f"--dovetail-pipeline={options(start, to, form)}"],
        lambda: module.run(start, to, target, host_functions, form),
        target=target,
        host_functions=host_functions,
        name=name,
    )


def _compute_ahead(module: _core.Module) -> None:
    """Replace what a module computes of constants alone by its elements, as evaluated."""
    constants = module.take_computed_ahead()
    if constants is not None:
        results = evaluate(constants.program("main"), ())
        module.bind_arguments([encode_array(result) for result in results])


def options(start: str, to: str, form: str) -> str:
    """The options of `--dovetail-pipeline` for the phases after one up to another."""
    given = {"from": start, "to": to, "form": form}
    return " ".join(f"{name}={value}" for name, value in given.items() if value)


def between(start: str, to: str) -> list[str]:
    """The phases after one, or from the first on, up to another."""
    first = NAMES.index(start) + 1 if start else 0
    return NAMES[first : NAMES.index(to) + 1]
