"""Work in the background: what it keeps alive, and what happens if threads fail."""

from __future__ import annotations

import contextvars
import gc
import os
import threading
import weakref
from typing import Any

import pytest

import dovetail as dt
from dovetail import config
from dovetail.base import background
from dovetail.base.background import Job


class Thing:
    """Something that only a context or a piece of work refers to."""


def test_nothing_is_kept_of_finished_work() -> None:
    current: contextvars.ContextVar[Thing] = contextvars.ContextVar("current")
    of_context, of_work = Thing(), Thing()
    kept = [weakref.ref(of_context), weakref.ref(of_work)]

    def make(context: Thing, work: Thing) -> Job[int]:
        current.set(context)
        return Job(lambda: 0 if work is None else 7)

    jobs = [contextvars.copy_context().run(make, of_context, of_work) for _ in range(2)]
    jobs[0].start()
    jobs[1].finish()
    background.wait()
    assert [job.result() for job in jobs] == [7, 7]
    del of_context, of_work
    gc.collect()
    assert [reference() for reference in kept] == [None, None]


def test_the_background_works_in_the_context_of_the_caller() -> None:
    with config.numpy_rank_promotion("raise"):
        job = Job(lambda: (config.numpy_rank_promotion.value, threading.current_thread().name))
    job.start()
    background.wait()
    assert job.result() == ("raise", "dovetail-compile")


def test_a_fork_redoes_the_work_of_a_thread() -> None:
    parent, started, go_on = os.getpid(), threading.Event(), threading.Event()

    def work() -> int:
        if os.getpid() == parent:
            started.set()
            with background.outside():
                go_on.wait()
        return 7

    job = Job(work)
    job.start()
    started.wait()
    child = os.fork()
    if child == 0:
        job.start()
        background.wait()
        os._exit(0 if job.is_done and job.result() == 7 else 1)
    go_on.set()
    assert os.waitpid(child, 0)[1] == 0
    assert job.result() == 7


def test_what_is_needed_next_is_done_first(monkeypatch: pytest.MonkeyPatch) -> None:
    background.wait()
    monkeypatch.setattr(background, "_MOST_THREADS", 1)
    order: list[int] = []
    started, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        with background.outside():
            go_on.wait()

    def noted(number: int) -> Job[None]:
        return Job(lambda: order.append(number))

    jobs = [noted(number) for number in range(5)]
    busy = Job(wait)
    busy.start()
    started.wait()
    for job in jobs[:3]:
        job.start()
    jobs[3].start(is_next=True)
    jobs[1].start(is_next=True)
    jobs[4].start()
    go_on.set()
    background.wait()
    assert order == [1, 3, 0, 2, 4]


def test_without_threads_there_are_results(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    background.wait()
    # The tests' own setting is "now".
    program = dt.jit(lambda x: x * 4.25 + 1, compile="auto")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert float(program(1.0)) == 5.25
        assert not background._threads
        assert not background._queue
    assert float(program(2.0)) == 9.5
    background.wait()
    assert float(program(3.0)) == 13.75
    [execution] = program._executions.values()
    assert execution.is_compiled


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_ends_early_is_replaced() -> None:
    def end() -> Any:
        raise SystemExit

    for _ in range(background._MOST_THREADS + 1):
        job = Job(end)
        job.start()
        background.wait()
        assert not job.is_done
    job = Job(lambda: 7)
    job.start()
    background.wait()
    assert job.is_done


def test_jobs_may_wait_for_jobs() -> None:
    inner = Job(lambda: 7)
    outer = [Job(lambda: inner.result() + 1) for _ in range(2 * background._MOST_THREADS)]
    for job in outer:
        job.start()
    background.wait()
    assert [job.is_done for job in outer] == [True] * len(outer)
    assert {job.result() for job in outer} == {8}
