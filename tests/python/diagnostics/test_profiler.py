"""Traces: their spans, with names and places; and the events of `monitoring`."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import profiler
from dovetail.base import config, monitoring, spans

NO_DISPATCHES = profiler.ProfileOptions(device_tracer_level=0)


def events_in(folder: Path, pattern: str = "*.trace.json.gz") -> list[dict[str, Any]]:
    [path] = folder.glob(f"plugins/profile/*/{pattern}")
    return json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def names_of(events: list[dict[str, Any]], category: str) -> Counter[str]:
    return Counter(event["name"] for event in events if event.get("cat") == category)


def layer(w: Any, x: Any) -> Any:
    with dt.named_scope("hidden"):
        return dnp.tanh(x @ w)


def test_a_trace_of_a_compiled_function(tmp_path: Path) -> None:
    f = dt.jit(layer, compile="now")
    w, x = np.ones((48, 48), np.float32), np.ones((16, 48), np.float32)
    with profiler.trace(tmp_path, create_perfetto_trace=True):
        for step in range(3):
            with profiler.StepTraceAnnotation("train", step_num=step):
                f(w, x)
    events = events_in(tmp_path)
    assert events == events_in(tmp_path, "perfetto_trace.json.gz")
    # Compilers that other tests left in the background may appear too.
    assert names_of(events, "trace")["trace layer"] == 1
    assert names_of(events, "compile")["compile layer"] == 1
    # Including calls that run without Dovetail's Python.
    assert names_of(events, "call") == {"call layer": 3}
    assert names_of(events, "user") == {"train": 3}
    phases = names_of(events, "phase")
    assert set(phases) >= {"phase expand", "phase simplify", "phase lower"}
    steps = [event["args"]["step_num"] for event in events if event["name"] == "train"]
    assert steps == [0, 1, 2]
    dispatches = [event for event in events if event.get("cat") == "dispatch"]
    assert any("dot_general" in event["name"] for event in dispatches)
    places = [place for event in dispatches for place in event["args"]["places"]]
    assert any("test_profiler.py" in place and "(hidden/layer)" in place for place in places)
    assert all(event["dur"] >= 0 and event["args"]["workgroups"] for event in dispatches)
    titles = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert titles == ["dovetail", "dispatches of layer, in another run"]


def test_spans_lie_within_each_other(tmp_path: Path) -> None:
    @dt.jit(compile="now")
    def grown(x: Any) -> Any:
        return dnp.exp(x) + 1

    with profiler.trace(tmp_path, profiler_options=NO_DISPATCHES):
        grown(np.ones(5, np.float32))
    events = [event for event in events_in(tmp_path) if event["ph"] == "X"]
    [compiling] = [event for event in events if event["name"] == "compile grown"]
    [lower] = [
        event
        for event in events
        if event["name"] == "phase lower" and event["args"] == {"function": "grown"}
    ]
    assert compiling["ts"] <= lower["ts"]
    assert lower["ts"] + lower["dur"] <= compiling["ts"] + compiling["dur"]
    assert not names_of(events, "dispatch")


def test_a_trace_of_an_evaluated_function(tmp_path: Path) -> None:
    f = dt.jit(layer, compile="never")
    before = dt.cache_statistics()
    with profiler.trace(tmp_path):
        f(np.ones((4, 4), np.float32), np.ones((2, 4), np.float32))
    # Nor is it because of the trace.
    assert dt.cache_statistics() == before
    events = events_in(tmp_path)
    assert names_of(events, "op") == {"dot_general": 1, "tanh": 1}
    [tanh] = [event for event in events if event["name"] == "tanh"]
    assert "test_profiler.py" in tanh["args"]["place"]
    [call] = [event for event in events if event.get("cat") == "call"]
    assert call["args"]["ran"] == "evaluated op by op"
    [title] = [e["args"]["name"] for e in events if "dispatches of" in str(e["args"].get("name"))]
    assert title == "dispatches of layer: none, it was not compiled while the trace was recorded"


def test_programs_that_call_this_process_are_not_run_again(tmp_path: Path) -> None:
    seen: list[float] = []

    def f(x: Any) -> Any:
        dt.debug.callback(lambda v: seen.append(float(v)), x)
        return x + 1

    with profiler.trace(tmp_path):
        dt.block_until_ready(dt.jit(f, compile="now")(np.float32(2)))
        dt.effects_barrier()
    assert seen == [2.0]
    titles = [str(e["args"].get("name")) for e in events_in(tmp_path) if e["ph"] == "M"]
    assert "dispatches of f: none, it calls functions of this process" in titles


def test_arguments_of_other_types_are_replayed(tmp_path: Path) -> None:
    def f(a: Any, b: Any, c: Any) -> Any:
        return a + a, dnp.logical_not(b), c * c

    arrays = dnp.ones((2, 3), "bfloat16"), np.array([True]), np.ones(2, np.complex64)
    with profiler.trace(tmp_path):
        dt.jit(f, compile="now")(*arrays)
    events = events_in(tmp_path)
    ops = {op for name in names_of(events, "dispatch") for op in name.split("+")}
    assert {"add", "mul"} <= ops


def test_donated_arguments_are_copied_first(tmp_path: Path) -> None:
    f = dt.jit(lambda x: x * 2 + 1, donate_argnums=0, compile="now")
    x = dnp.arange(64.0)
    with profiler.trace(tmp_path):
        for _ in range(2):
            x = f(x)
    np.testing.assert_array_equal(x, (np.arange(64.0) * 2 + 1) * 2 + 1)
    assert names_of(events_in(tmp_path), "dispatch")


def test_nothing_is_recorded_without_a_trace(tmp_path: Path) -> None:
    f = dt.jit(lambda x: x + 1, compile="now")
    assert not profiler.TraceAnnotation.is_enabled()
    f(1.0)
    f(1.0)
    with profiler.trace(tmp_path, profiler_options=NO_DISPATCHES):
        assert profiler.TraceAnnotation.is_enabled()
        assert config.snapshot().recording
        f(1.0)
    assert spans.recorder is None
    assert not config.snapshot().recording
    f(1.0)
    assert names_of(events_in(tmp_path), "call") == {"call <lambda>": 1}
    assert spans.span("user", "a") is spans.span("user", "b")


def test_functions_are_annotated(tmp_path: Path) -> None:
    @profiler.annotate_function
    def load() -> int:
        return 1

    @profiler.TraceAnnotation("again", depth=1)
    def again(times: int) -> int:
        return again(times - 1) if times else 0

    store = profiler.annotate_function(lambda: 2, name="store", kind="fast")
    options = profiler.ProfileOptions(host_tracer_level=0)
    with profiler.trace(tmp_path, profiler_options=options):
        assert (load(), store(), again(2)) == (1, 2, 0)
    events = events_in(tmp_path)
    user = names_of(events, "user")
    assert user["store"] == 1
    assert user["again"] == 3
    assert sum(user.values()) == 5
    assert [event["args"] for event in events if event["name"] == "store"] == [{"kind": "fast"}]


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no trace in progress; call"):
        profiler.stop_trace()
    profiler.start_trace(tmp_path)
    try:
        with pytest.raises(RuntimeError, match="only one trace may be in progress"):
            profiler.start_trace(tmp_path)
    finally:
        profiler.stop_trace()
    with pytest.raises(NotImplementedError, match=r"ui\.perfetto\.dev"):
        profiler.start_trace(tmp_path, create_perfetto_link=True)
    with pytest.raises(NotImplementedError, match="no profiler server, got: port 9999"):
        profiler.start_server(9999)
    with pytest.raises(ValueError, match="no profiler server to stop"):
        profiler.stop_server()


def test_two_traces_in_a_second_are_two_files(tmp_path: Path) -> None:
    for _ in range(2):
        with profiler.trace(tmp_path, profiler_options=NO_DISPATCHES):
            pass
    assert len(list(tmp_path.rglob("*.trace.json.gz"))) == 2


def test_a_profile_of_memory(tmp_path: Path) -> None:
    kept = [dnp.zeros((3, 17)) for _ in range(2)]
    path = tmp_path / "memory.prof"
    profiler.save_device_memory_profile(path)
    profile = gzip.decompress(path.read_bytes())
    for text in (b"allocations", b"space", b"float32[3,17] on cpu:0"):
        assert text in profile
    # A field's number and type, its length, and so on: it can be parsed to the end.
    at, fields = 0, Counter[int]()
    while at < len(profile):
        tag, at = _varint(profile, at)
        assert tag & 7 == 2
        length, at = _varint(profile, at)
        fields[tag >> 3] += 1
        at += length
    assert at == len(profile)
    assert fields[1] == 2
    assert fields[4] == fields[5]
    del kept


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def test_events_of_compilation() -> None:
    durations: list[tuple[str, Any]] = []
    counted: list[str] = []

    def on_duration(event: str, duration: float, **kwargs: Any) -> None:
        assert duration >= 0
        if kwargs["fun_name"] == "cube":
            durations.append((event, "cube"))

    def on_event(event: str, **_: Any) -> None:
        counted.append(event)

    def cube(x: Any) -> Any:
        return x * x * x

    monitoring.register_event_duration_secs_listener(on_duration)
    monitoring.register_event_listener(on_event)
    try:
        f = dt.jit(cube, compile="now")
        f(2.0)
        f(3.0)
    finally:
        monitoring.unregister_event_duration_listener(on_duration)
        monitoring.unregister_event_listener(on_event)
    f(np.ones(7, np.float32))
    assert Counter(durations) == {
        (monitoring.TRACE_EVENT, "cube"): 1,
        (monitoring.TRANSFORM_EVENT, "cube"): 1,
        (monitoring.COMPILE_EVENT, "cube"): 1,
    }
    assert any(event.endswith(("/hits", "/misses")) for event in counted)


def test_listeners_are_called_and_removed() -> None:
    seen: list[Any] = []

    def note(event: str, *values: float, **kwargs: Any) -> None:
        seen.append((event, *values, kwargs))

    monitoring.register_event_listener(note)
    monitoring.register_event_duration_secs_listener(note)
    monitoring.register_event_time_span_listener(note)
    monitoring.register_scalar_listener(note)
    monitoring.record_event("/a", kind="b")
    monitoring.record_event_duration_secs("/a", 1.5)
    monitoring.record_event_time_span("/a", 1.0, 2.0)
    monitoring.record_scalar("/a", 3)
    assert seen == [("/a", {"kind": "b"}), ("/a", 1.5, {}), ("/a", 1.0, 2.0, {}), ("/a", 3, {})]
    for unregister in (
        monitoring.unregister_event_listener,
        monitoring.unregister_event_duration_listener,
        monitoring.unregister_event_time_span_listener,
        monitoring.unregister_scalar_listener,
    ):
        unregister(note)
        with pytest.raises(ValueError, match="must be a listener that is registered, got: "):
            unregister(note)
    monitoring.record_event("/a")
    assert len(seen) == 4
