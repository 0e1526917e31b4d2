"""Watches a program while it runs: its traces, warnings, conversions, keys and values.

Nothing here costs anything outside of the block. Within it, settings make the package look for NaN
and for keys used twice, and a few of its functions are replaced by others that note what they see.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes, locations, monitoring
from dovetail.base.errors import KeyReuseError
from dovetail.base.locations import Location
from dovetail.diagnostics.checking.findings import Report
from dovetail.eager import cache as eager
from dovetail.numpy import creation
from dovetail.ops import operands
from dovetail.programs import execution as executions
from dovetail.programs import log
from dovetail.programs.execution import Execution
from dovetail.programs.jitted import Jitted
from dovetail.reference import checks
from dovetail.reference.checks import UnwantedValueError
from dovetail.tracing import evaluation, key_reuse

# A constant of more bytes is large, a loop of more copies unrolled.
_LARGE = 1_000_000
_UNROLLED = 100
# So many programs of one function, conversions in as many steps, are a habit.
_RETRACED = 4
_ROUND_TRIPS = 10

_CONVERSIONS = {
    "__float__": "float(x)",
    "__int__": "int(x)",
    "__bool__": "bool(x)",
    "__complex__": "complex(x)",
    "__index__": "an index",
    "__array__": "np.asarray(x)",
    "item": "x.item()",
    "tolist": "x.tolist()",
}
_PLACE = re.compile(r"^(.*?):(\d+) \((.*)\)$", re.DOTALL)


@contextlib.contextmanager
def watched(report: Report) -> Iterator[None]:
    """Adds to a report what happens within the block."""
    watch = _Watch(report)
    with contextlib.ExitStack() as stack:
        # Of the two, debug_nans needs its own hooks in place first.
        for setting in (config.debug_key_reuse, config.debug_nans, config.explain_cache_misses):
            stack.enter_context(setting(True))
        watch.install(stack)
        try:
            yield
        finally:
            watch.finish()


class _Watch:
    """What is seen of a program."""

    def __init__(self, report: Report) -> None:
        self._report = report
        # Of each function that is traced: where, and why each time.
        self._misses: dict[tuple[str, Location], list[str]] = {}
        self._executions: list[Execution] = []
        # The number of calls of jitted functions, that at the last conversion on each line, and the
        # conversions that followed a call.
        self._calls = 0
        self._converted_at: dict[Location, int] = {}
        self._round_trips: Counter[tuple[Location, str]] = Counter()
        self._converting = False

    def install(self, stack: contextlib.ExitStack) -> None:
        """Replaces functions until the stack is closed."""

        def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
            original = getattr(owner, name)
            had = name in vars(owner)
            setattr(owner, name, make(original))
            stack.callback(setattr, owner, name, original) if had else stack.callback(
                delattr, owner, name
            )

        replace(Jitted, "_execution_of", self._tracing)
        replace(Jitted, "_call", self._calling)
        # Calls in C++ would not be seen.
        replace(Jitted, "_cache_call", lambda _: lambda *_args: None)
        # Three ways in which a NumPy array becomes one of Dovetail.
        replace(dtypes, "dtype_and_weakness", self._narrowing)
        replace(operands, "copied", self._narrowing)
        replace(creation, "from_data", self._narrowing)
        replace(key_reuse.State, "check", self._checking_keys)
        for module in (executions, evaluation):
            replace(module, "accepted", self._accepting)
        replace(checks, "check", self._checking_values)
        # It would find again what the check of the function's ops has found.
        _core.set_checker(lambda *_args, **_kwargs: None)
        stack.callback(_core.set_checker, eager._check)
        for name, shown in _CONVERSIONS.items():
            replace(Array, name, lambda original, shown=shown: self._converting_by(original, shown))
        self._listen(stack)

    def _listen(self, stack: contextlib.ExitStack) -> None:
        """Receives log records, warnings and events."""
        handler = _Handler(self._missed)
        log.logger.addHandler(handler)
        stack.callback(log.logger.removeHandler, handler)
        propagated, log.logger.propagate = log.logger.propagate, False
        stack.callback(setattr, log.logger, "propagate", propagated)

        def on_event(event: str, /, **kwargs: str | int) -> None:
            if event == monitoring.REJECTION_EVENT:
                what = f"`{kwargs['fun_name']}` is compiled to slower code: {kwargs['reason']}"
                self._report.add("slow-code", self._place_of(str(kwargs["fun_name"])), what)

        monitoring.register_event_listener(on_event)
        stack.callback(monitoring.unregister_event_listener, on_event)
        stack.enter_context(warnings.catch_warnings())
        shown = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any) -> None:
            if not self._warned(str(message), category, rest[0], rest[1]):
                shown(message, category, *rest)

        warnings.showwarning = show
        warnings.filterwarnings("always", message="Some donated buffers were not usable")
        warnings.filterwarnings("always", message=".*could not be compiled and is evaluated")
        warnings.filterwarnings("always", message=".*requested dtype.*is not available")

    def finish(self) -> None:
        """Adds what only the whole run shows."""
        for execution in self._executions:
            job = execution._job
            if execution._may_be_evaluated and config.compile.value != "never":
                with contextlib.suppress(Exception):
                    job.finish()
                if job.error is not None:
                    name = execution.program.name
                    text = f"`{name}` could not be compiled, and is evaluated op by op: {job.error}"
                    self._report.add("not-compiled", self._place_of(name), _first_line(text))
        for (name, place), reasons in self._misses.items():
            again = [reason for reason in reasons if not reason.startswith("never seen function")]
            anew = [reason for reason in reasons if "another function" in reason]
            if anew:
                what = f"`{name}` is made, and therefore traced, {len(anew) + 1} times"
                self._report.add("jit-in-loop", place, what, len(anew) + 1)
            elif len(again) + 1 >= _RETRACED:
                what = f"`{name}` is traced {len(again) + 1} times; the last time, {again[-1]}"
                self._report.add("retracing", place, what, len(again) + 1)
        for (place, shown), count in self._round_trips.items():
            if count >= _ROUND_TRIPS:
                what = f"{shown} waits for the device, in each of {count} steps"
                self._report.add("host-round-trip", place, what, count)

    # What is noted ------------------------------------------------------------------------------

    def _missed(self, place: str, name: str, reason: str) -> None:
        self._misses.setdefault((name, _parsed(place)), []).append(reason)

    def _place_of(self, name: str) -> Location:
        """Where a function was traced."""
        return next((place for known, place in self._misses if known == name), ("", 0, ""))

    def _warned(self, text: str, category: type[Warning], file: str, line: int) -> bool:
        """Notes a warning; False for those that are the user's."""
        place = (file, line, "")
        if text.startswith("Some donated buffers were not usable"):
            what, _, where = text.partition("; they are")[0].rpartition(", at ")
            self._report.add("donation", _parsed(where), what)
        elif "could not be compiled and is evaluated" in text:
            return True  # noted at the end
        elif "requested dtype" in text and "is not available" in text:
            self._report.add("float64", place, _first_line(text))
        else:
            return False
        return True

    def _tracing(self, original: Any) -> Any:
        def execution_of(jitted: Any, call: Any) -> Execution:
            execution = original(jitted, call)
            program = execution.program
            place = locations.location()
            for captured in program.captured:
                size = getattr(captured._data, "nbytes", 0)
                if size > _LARGE:
                    what = f"`{program.name}` closes over an array of {size / 1e6:.1f} MB"
                    self._report.add("large-constant", place, what)
            for where, count in _copies(program.after("trace")).items():
                what = f"a loop in `{program.name}` is unrolled: {count} copies of one op"
                self._report.add("unrolled-loop", where, what)
            self._executions.append(execution)
            return execution

        return execution_of

    def _calling(self, original: Any) -> Any:
        def call(jitted: Any, *args: Any, **kwargs: Any) -> Any:
            self._calls += 1
            return original(jitted, *args, **kwargs)

        return call

    def _narrowing(self, original: Any) -> Any:
        def convert(value: Any, *dtype: Any) -> Any:
            is_wide = isinstance(value, np.ndarray) and value.dtype in _WIDE and value.ndim > 0
            # Unless another element type is asked for.
            is_asked = original.__name__ == "from_data" and dtype[0] is not None
            if is_wide and not is_asked and not config.enable_x64.value:
                what = f"an array {value.dtype}{list(value.shape)} is cut to 32 bits"
                self._report.add("float64", locations.location(), what)
            return original(value, *dtype)

        return convert

    def _checking_keys(self, original: Any) -> Any:
        def check(state: Any, uses: Any, loop: str = "") -> None:
            try:
                original(state, uses, loop)
            except KeyReuseError as error:
                text = str(error).partition("; make new ones")[0].partition("; split a key")[0]
                self._report.add("key-reuse", locations.location(), text)

        return check

    def _accepting(self, original: Any) -> Any:
        def accepted(results: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(results, *args, **kwargs)
            except UnwantedValueError as error:
                self._unwanted(error)
                return results[:-1]

        return accepted

    def _checking_values(self, original: Any) -> Any:
        def check(*args: Any, **kwargs: Any) -> None:
            try:
                original(*args, **kwargs)
            except UnwantedValueError as error:
                self._unwanted(error)

        return check

    def _unwanted(self, error: UnwantedValueError) -> None:
        text, _, place = str(error).rpartition(", at ")
        what = re.sub(r": results must have no .*?, got: ", ": ", text).partition("; keep")[0]
        self._report.add("nan", _parsed(place), what)

    def _converting_by(self, original: Any, shown: str) -> Any:
        def convert(array: Any, *args: Any, **kwargs: Any) -> Any:
            # Conversions call each other, and Dovetail converts, too.
            if not self._converting and not _is_called_by_dovetail():
                place = locations.location()
                last = self._converted_at.get(place, self._calls)
                if self._calls > last:
                    self._round_trips[place, shown] += 1
                self._converted_at[place] = self._calls
            before, self._converting = self._converting, True
            try:
                return original(array, *args, **kwargs)
            finally:
                self._converting = before

        return convert


_WIDE = (np.dtype(np.float64), np.dtype(np.complex128))


def _is_called_by_dovetail() -> bool:
    return locations.is_internal(sys._getframe(2).f_code.co_filename)


class _Handler(logging.Handler):
    """Passes on where, what and why a function is traced again."""

    def __init__(self, note: Callable[[str, str, str], None]) -> None:
        super().__init__()
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record; others than cache misses are dropped."""
        if "TRACING CACHE MISS" in str(record.msg) and isinstance(record.args, tuple):
            self._note(*map(str, record.args))


def _copies(module: _core.Module) -> dict[Location, int]:
    """The lines of the user's program of which a module has many copies of one op."""
    text = module.text(True)
    aliases = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.MULTILINE))
    counts: Counter[tuple[str, str]] = Counter()
    for op, location in re.findall(r"= (dovetail\.\w+)\b.* loc\((.*?)\)$", text, re.MULTILINE):
        if op != "dovetail.constant":
            counts[op, location] += 1
    found: dict[Location, int] = {}
    for (_, location), count in counts.items():
        if count > _UNROLLED:
            place = _resolved(location, aliases)
            found[place] = max(count, found.get(place, 0))
    return found


def _resolved(location: str, aliases: dict[str, str]) -> Location:
    """The file and line that a location of MLIR's text names."""
    name = ""
    for _ in range(8):
        if match := re.search(r'"([^"]*)":(\d+):\d+', location):
            outer = re.match(r'"([^"]*)"\(', location)
            return match[1], int(match[2]), name or (outer[1] if outer else "")
        outer = re.match(r'"([^"]*)"\(', location)
        name = name or (outer[1] if outer else "")
        alias = re.search(r"#loc\d*", location)
        if alias is None or alias[0] not in aliases:
            break
        location = aliases[alias[0]]
    return "", 0, name


def _parsed(place: str) -> Location:
    match = _PLACE.match(place)
    return (match[1], int(match[2]), match[3]) if match else ("", 0, "")


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
