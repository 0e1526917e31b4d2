"""Programs of their own for the sizes with which a function of symbolic sizes is called most.

One program serves all sizes, and no call waits for another. But code for known sizes is quicker:
its tiles fit, and small arrays need no dispatch each. So a size whose calls have taken as long as a
compiler would take gets a program for it, made in the background, which answers such calls from
then on. All in all, that takes at most twice the time of knowing in advance how many calls there
will be.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from dovetail.base import config
from dovetail.base.bounded import Bounded
from dovetail.programs.execution import Execution
from dovetail.programs.program import Program

# What a compiler takes for most programs.
COMPILER_SECONDS = 1.0
# How often a size is looked at: after calls that take about this long, but no rarer.
_LOOK_SECONDS, _MOST_CALLS = 0.05, 1024
# The most sizes of one function that have a program of their own.
_MOST_PROGRAMS = 8


@dataclass
class _Size:
    """What is known of a combination of sizes.

    Attributes:
      seconds: what its calls have taken, estimated.
      calls: how many there are between two looks.
      execution: the program for this size, once there is one.
      is_settled: whether nothing will change for it any more.
    """

    seconds: float = 0.0
    calls: int = 1
    execution: Execution | None = None
    is_settled: bool = False


class HotSizes:
    """Those of one jitted function.

    Args:
      mode: when its programs are compiled, as for the setting `compile`; None for the setting at
        each call. Only those that are compiled in the background have others for known sizes.
    """

    def __init__(self, mode: str | None) -> None:
        self._mode = mode
        self._sizes: Bounded[Hashable, _Size] = Bounded()
        self._programs = 0

    def execution(self, key: Hashable) -> Execution | None:
        """The execution of the program for a size, once that is compiled; `key` stands for the call
        and its sizes.
        """
        size = self._sizes.get(key)
        if size is None or size.execution is None:
            return None
        if not size.is_settled:
            try:
                if not size.execution.compile_in_background():
                    return None
            except Exception:
                # The program for all sizes works.
                size.execution = None
            size.is_settled = True
        return size.execution

    def note(
        self,
        key: Hashable,
        seconds: float,
        general: Program,
        shapes: Sequence[tuple[int, ...]],
    ) -> None:
        """Note that a call of the compiled program for all sizes took this long.

        Args:
          key: the call and its sizes.
          seconds: how long it took.
          general: that program.
          shapes: the shapes of the arguments.
        """
        size = self._sizes.get(key)
        if size is None:
            size = self._sizes[key] = _Size()
        if size.is_settled or size.execution is not None or not self._may_specialize:
            return
        size.seconds += seconds * size.calls
        size.calls = min(_MOST_CALLS, 1 + int(_LOOK_SECONDS / max(seconds, 1e-9)))
        if size.seconds < COMPILER_SECONDS:
            return
        self._programs += 1
        size.execution = _specialized(general, shapes, self._mode)
        if size.execution is None or size.execution.compile_in_background():
            size.is_settled = True

    def calls(self, key: Hashable) -> int:
        """How many calls like this one C++ may answer before the next look; -1 for all."""
        size = self._sizes.get(key)
        if size is not None and size.is_settled:
            return -1
        is_compiling = size is not None and size.execution is not None
        if not is_compiling and not self._may_specialize:
            return -1
        # The next call may be the first that only runs compiled code.
        return 0 if size is None else size.calls

    def clear(self) -> None:
        """Forget all sizes."""
        self._sizes.clear()
        self._programs = 0

    @property
    def _may_specialize(self) -> bool:
        return (
            config.specialize_sizes.value
            and self._programs < _MOST_PROGRAMS
            and (self._mode or config.compile.value) == "auto"
            and not config.no_tracing.value
        )


def _specialized(
    general: Program, shapes: Sequence[tuple[int, ...]], mode: str | None
) -> Execution | None:
    """The execution of the program for known shapes; None if there is no such program."""
    try:
        program = general.at_shapes(shapes)
        is_like = program.out_spec == general.out_spec and all(
            (a.dtype, a.weak_type, len(a.shape)) == (b.dtype, b.weak_type, len(b.shape))
            for a, b in zip(program.avals, general.avals, strict=True)
        )
        return Execution(program, mode) if is_like else None
    except Exception:
        # What a function does with known sizes may fail; the program for all sizes did not.
        return None
