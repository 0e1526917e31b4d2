"""Answers requests to compile programs, by pipes. This file is run, not imported."""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import sys
import threading
from collections.abc import Sequence
from typing import Any, BinaryIO

# The folder of these files as a package of its own. It comes last, so that the files next to it
# shadow nothing.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
iree_compiler = importlib.import_module("iree_compiler")


def serve(flags: Sequence[str]) -> None:
    """Answer requests (text, flags, context, executables) from standard input; ends with it,
    even while compiling.

    An answer is an outcome as a tuple, or a message about wrong flags. Before it, if the context is
    not None, there may be lists of keys, each to be answered with what is kept under them.

    Args:
      flags: those of the process.
    """
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Keep the compiler's own output off the pipe of answers.
    os.dup2(2, 1)
    if flags:
        from iree.compiler.api import _initializeGlobalCL

        _initializeGlobalCL("iree-compile", *flags)
    received: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, received), daemon=True).start()

    def send(answer: Any) -> None:
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    def find(keys: Sequence[str]) -> Sequence[bytes | None]:
        send(list(keys))
        return received.get()

    while True:
        text, flags, context, executables = received.get()
        shared = None if context is None else iree_compiler.Shared(context, find)
        try:
            answer: Any = tuple(iree_compiler.compile_text(text, flags, shared, executables))
        except ValueError as error:
            answer = str(error)
        send(answer)


def _receive(requests: BinaryIO, received: queue.SimpleQueue[Any]) -> None:
    while True:
        try:
            request = pickle.load(requests)
        except BaseException:
            # Nobody waits for an answer any more.
            os._exit(0)
        received.put(request)


serve(sys.argv[1:])
