"""`debug_key_reuse`: which keys were used, and how traced functions use keys.

The arrays of keys record for each key the use that it had. While a function is traced, uses of
outer keys are recorded separately (`Watch`); whatever calls, repeats or selects the function
derives a summary from these records (`Uses`), and applies it.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import locations
from dovetail.base.errors import ConcretizationTypeError, KeyReuseError, LeakedTracerError
from dovetail.base.locations import here
from dovetail.base.trace_stack import current, outside_of_traces
from dovetail.tracing.trace import Trace
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten

# The functions that used keys, and their locations; uses are numbered from 1 in this list.
_uses: list[tuple[str, locations.Location]] = []
_numbers: dict[tuple[str, locations.Location], int] = {}

# Uses of keys captured by the innermost traced function: the state, its uses before, and the new
# ones. None if uses are not counted.
_Events = MutableSequence[tuple["State", np.ndarray, np.ndarray]]
_NOWHERE: _Events = deque(maxlen=0)
_events: ContextVar[_Events | None] = ContextVar("events", default=_NOWHERE)


def _number(name: str) -> int:
    """The number of a use at the present location."""
    use = name, locations.location()
    number = _numbers.get(use)
    if number is None:
        _uses.append(use)
        number = _numbers[use] = len(_uses)
    return number


@contextmanager
def uncounted() -> Iterator[None]:
    """Do not count uses within the block, because they were counted before."""
    token = _events.set(None)
    try:
        yield
    finally:
        _events.reset(token)


class State:
    """The uses of the keys of an array; arrays with common keys share them.

    Args:
      uses: the numbers of the uses of some keys, 0 for none.
      places: the positions of the array's keys among them.
      trace: the trace in which the keys were made, None if outside of all traces.
    """

    __slots__ = ("_uses", "places", "trace")

    def __init__(self, uses: np.ndarray, places: np.ndarray, trace: Trace | None) -> None:
        self._uses = uses
        self.places = places
        self.trace = trace

    @staticmethod
    def new(shape: tuple[int, ...], trace: Trace | None, uses: Any = 0) -> State:
        """The state of fresh keys of a shape."""
        size = int(np.prod(shape))
        numbers = np.array(np.broadcast_to(uses, shape), np.int32).reshape(size)
        return State(numbers, np.arange(size, dtype=np.int32).reshape(shape), trace)

    @property
    def uses(self) -> np.ndarray:
        """The number of each key's use, 0 for none."""
        return np.asarray(self._uses[self.places])

    def rearranged(self, function: Callable[[np.ndarray], np.ndarray]) -> State | None:
        """The state after a function that only moves elements; None if the move depends on unknown
        values.
        """
        try:
            with outside_of_traces():
                places = function(self.places)
        except (ConcretizationTypeError, LeakedTracerError):
            return None
        return State(self._uses, np.clip(places, 0, max(len(self._uses) - 1, 0)), self.trace)

    def check(self, uses: Any, loop: str = "") -> None:
        """Check that keys that will be used were not used before.

        Args:
          uses: the number of the use of each key, 0 for none.
          loop: a loop that uses them in every iteration.

        Raises:
          KeyReuseError: one of them was.
        """
        before, uses = self.uses, np.broadcast_to(uses, self.places.shape)
        twice = (before != 0) & (uses != 0)
        if twice.any():
            raise _reused(int(before[twice][0]), int(uses[twice][0]), loop)

    def use(self, uses: Any, loop: str = "") -> None:
        """Record uses, which must be the first ones."""
        events = _events.get()
        if events is None:
            return
        self.check(uses, loop)
        uses = np.broadcast_to(uses, self.places.shape)
        events.append((self, self.uses, uses))
        self._uses[self.places[uses != 0]] = uses[uses != 0]

    def undo(self, before: np.ndarray) -> None:
        """Restore earlier uses."""
        self._uses[self.places] = before


def _reused(first: int, second: int, loop: str) -> KeyReuseError:
    name, place = _uses[second - 1]
    now, before = locations.location(), _uses[first - 1]
    where = f"at {locations.describe(place)}"
    if place != now:
        where += f", called {here()}"
    if loop and first == second:
        what = f"is used at every step of `{loop}`, {where}; split a key that the loop carries"
    else:
        again = f"was used before, by {before[0]} at {locations.describe(before[1])}, {where}"
        what = f"{again}; make new ones with dovetail.random.split"
    return KeyReuseError(
        f"{name}: a key must be used once, got: one that {what}, or say that it is meant with "
        "dovetail.random.clone"
    )


# The states of arrays -----------------------------------------------------------------------------


def find(data: Any) -> State | None:
    """The uses of the keys with the words of an array, if it is known to hold keys."""
    return getattr(data, "_keys", None)


def of(data: Any, shape: tuple[int, ...]) -> State:
    """The uses of keys.

    Args:
      data: the array of their words.
      shape: the shape of the key array.
    """
    state = find(data)
    if state is None or state.places.shape != shape:
        state = State.new(shape, getattr(data, "_trace", None))
        put(data, state)
    return state


def put(data: Any, state: State | None) -> None:
    """Attach the use state of keys to the array of their words."""
    # Placeholder arrays of a recorded call have no use state.
    if state is not None and hasattr(type(data), "_keys"):
        data._keys = state


def are_known(shape: tuple[Any, ...]) -> bool:
    """True if the keys of a shape can be distinguished: all of its sizes are known."""
    return all(type(size) is int for size in shape)


def begin(keys: Any) -> None:
    """Track the uses of keys, unless a placeholder holds their words."""
    if hasattr(type(keys._data), "_keys") and are_known(keys.shape):
        of(keys._data, keys.shape)


def rearranged(keys: Any, function: Callable[[np.ndarray], np.ndarray]) -> State | None:
    """Propagate use states through a function that only moves elements."""
    return of(keys._data, keys.shape).rearranged(function) if are_known(keys.shape) else None


def another(data: Any, shape: tuple[Any, ...]) -> Any:
    """The same words, as those of other keys."""
    copy = data.renumbered(data.number) if hasattr(data, "_trace") else data.with_weakness(False)
    if are_known(shape):
        put(copy, State.new(shape, current()))
    return copy


def use(keys: Any, name: str) -> None:
    """Record that a function uses keys.

    Raises:
      KeyReuseError: some of them were used before.
    """
    if are_known(keys.shape):
        of(keys._data, keys.shape).use(_number(name))


# Use summaries of functions ----------------------------------------------------------------------


class Uses(NamedTuple):
    """Summary of a traced function's uses of keys.

    Attributes:
      arguments: for each argument, the uses of its keys; None for none.
      captured: uses of keys that it closes over.
      results: for each result, the index of the argument that it equals, or the uses of captured
        keys, or uses of its own keys; None for new keys, and for values that are not keys.
    """

    arguments: list[np.ndarray | None]
    captured: list[tuple[State, np.ndarray]]
    results: list[int | State | np.ndarray | None]

    def check(self, operands: Sequence[Any]) -> None:
        """Check that a call does not reuse keys.

        Raises:
          KeyReuseError: it reuses some.
        """
        for state, uses in self._on(operands):
            state.check(uses)

    def apply(self, operands: Sequence[Any], results: Sequence[Any] = ()) -> None:
        """Record the uses of a call.

        Args:
          operands: its arguments.
          results: its results, if they are used further.

        Raises:
          KeyReuseError: some of the keys that it uses were used before.
        """
        for state, uses in self._on(operands):
            state.use(uses)
        for result, origin in zip(results, self.results, strict=False):
            if isinstance(origin, int):
                origin = find(operands[origin])
            elif isinstance(origin, np.ndarray):
                origin = State.new(origin.shape, current(), origin)
            put(result, origin)

    def call(self, run: Callable[[Sequence[Any]], Any], leaves: Sequence[Any]) -> Any:
        """Run a compiled function on leaves, with its uses recorded; returns a tree.

        Raises:
          KeyReuseError: some of the keys that it uses were used before.
        """
        self.check(leaves)
        result = run(leaves)
        self.apply(leaves, set_float0_aside(*flatten(result))[0])
        return result

    def _on(self, operands: Sequence[Any]) -> Iterator[tuple[State, np.ndarray]]:
        for operand, uses in zip(operands, self.arguments, strict=False):
            if uses is not None:
                yield of(operand, uses.shape), uses
        yield from self.captured

    def batched(self, in_dims: Sequence[int], out_dims: Sequence[int], size: Any) -> Uses:
        """The summary of the batched function; dimensions are negative where there is no batch."""

        def spread(uses: Any, dim: int) -> Any:
            if uses is None or dim < 0:
                return uses
            if not are_known((size,)):
                return None
            return np.repeat(np.expand_dims(uses, dim), size, dim)

        def result(origin: Any, dim: int) -> Any:
            if isinstance(origin, int):
                return origin if in_dims[origin] == dim else spread(self.arguments[origin], dim)
            return spread(origin.uses if isinstance(origin, State) else origin, dim)

        return Uses(
            [spread(*pair) for pair in zip(self.arguments, in_dims, strict=False)],
            self.captured,
            [result(*pair) for pair in zip(self.results, out_dims, strict=True)],
        )

    def followed_by(self, second: Uses) -> Uses:
        """The summary of a function that calls this one, then `second` with the same arguments, and
        returns the results of the second.

        Raises:
          KeyReuseError: the second one uses keys that this one uses.
        """
        pairs = list(zip(self.arguments, second.arguments, strict=True))
        for one, other in pairs:
            if one is not None and other is not None:
                State.new(one.shape, None, one).check(other)
        arguments = [_either(*pair) for pair in pairs]
        return Uses(arguments, [*self.captured, *second.captured], second.results)

    def repeated(self, what: str, carried: int, length: Any = -1) -> Uses:
        """The summary of a loop with this body.

        Args:
          what: the loop, for messages.
          carried: the number of arguments, and results, that are the carry; others are elements of
            arrays.
          length: the number of iterations, negative if unknown.

        Raises:
          KeyReuseError: an iteration uses a key that an earlier one used.
        """
        length = length if are_known((length,)) else -1
        first = [None if uses is None else State.new(uses.shape, None) for uses in self.arguments]
        closed = {id(state): State.new(state.places.shape, None) for state, _ in self.captured}
        carry, outs = first[:carried], list[Any](range(carried))

        def after(origin: Any) -> Any:
            if isinstance(origin, int):
                return carry[origin] if origin < carried else self.arguments[origin]
            return closed.get(id(origin), origin)

        with _counted_apart():
            # A key returns to its position in the carry after at most this many iterations, if
            # ever.
            for _ in range(carried + 2 if length < 0 else min(length, carried + 2)):
                for state, uses in zip(carry, self.arguments, strict=False):
                    if state is not None:
                        state.use(uses, what)
                for state, uses in self.captured:
                    closed[id(state)].use(uses, what)
                outs = [after(origin) for origin in self.results]
                carry = [_as_state(*pair) for pair in zip(outs, self.arguments, strict=False)]

        def rows(uses: Any) -> Any:
            uses = uses.uses if isinstance(uses, State) else uses
            return None if uses is None or length < 0 else np.repeat(uses[None], length, 0)

        def last(out: Any) -> Any:
            if not isinstance(out, State):
                return out
            return next((i for i, state in enumerate(first) if state is out), out.uses)

        return Uses(
            [
                *(None if state is None else state.uses for state in first[:carried]),
                *map(rows, self.arguments[carried:]),
            ],
            self.captured if length else [],
            [*map(last, outs[:carried]), *map(rows, outs[carried:])],
        )


def _as_state(out: Any, like: np.ndarray | None) -> State | None:
    """The state of keys with the given uses; of fresh keys shaped like an argument's if `out` is
    None.
    """
    if isinstance(out, State):
        return out
    if isinstance(out, np.ndarray):
        return State.new(out.shape, None, out)
    return None if like is None else State.new(like.shape, None)


def _either(first: np.ndarray | None, second: np.ndarray | None) -> np.ndarray | None:
    if first is None or second is None:
        return second if first is None else first
    return np.where(first != 0, first, second)


def chosen(functions: Iterable[Uses | None]) -> Uses:
    """The summary of a function that calls one of several with the same arguments."""
    known = [uses for uses in functions if uses is not None]
    captured: dict[int, tuple[State, Any]] = {}
    for uses in known:
        for state, numbers in uses.captured:
            captured[id(state)] = state, _either(captured.get(id(state), (state, None))[1], numbers)

    def result(origins: Sequence[Any]) -> Any:
        if isinstance(origins[0], int) and all(origin is origins[0] for origin in origins):
            return origins[0]
        numbers = None
        for origin, uses in zip(origins, known, strict=True):
            found = uses.arguments[origin] if isinstance(origin, int) else origin
            numbers = _either(numbers, found.uses if isinstance(found, State) else found)
        return numbers

    return Uses(
        [functools.reduce(_either, row) for row in zip(*(x.arguments for x in known), strict=True)],
        list(captured.values()),
        [result(row) for row in zip(*(x.results for x in known), strict=True)],
    )


class Watch:
    """Records a function's uses of keys while it is traced, then restores the keys' states.

    Args:
      trace: the trace of the function.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.uses: Uses | None = None

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function to trace instead of `function`, which takes tracers and returns arrays and
        anything else."""

        def watched(*tracers: Any) -> Any:
            with _counted_apart() as events:
                try:
                    outs, extra = function(*tracers)
                finally:
                    outside = [event for event in events if event[0].trace is not self._trace]
                    for state, before, _ in reversed(outside):
                        state.undo(before)
            found = [find(tracer) for tracer in tracers]
            self.uses = Uses(
                [None if state is None else state.uses for state in found],
                [(state, uses) for state, _, uses in outside],
                [self._origin(out, tracers) for out in outs],
            )
            return outs, extra

        return watched

    def _origin(self, out: Any, tracers: Sequence[Any]) -> Any:
        for i, tracer in enumerate(tracers):
            if out is tracer:
                return i
        state = find(out)
        return state if state is None or state.trace is not self._trace else state.uses


@contextmanager
def _counted_apart() -> Iterator[_Events]:
    """Uses are recorded separately here, unless they do not count."""
    events: _Events = []
    token = _events.set(None if _events.get() is None else events)
    try:
        yield events
    finally:
        _events.reset(token)
