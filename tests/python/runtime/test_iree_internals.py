"""Undocumented parts of IREE's runtime that are used exist, and are still needed."""

from __future__ import annotations

import os

import iree.runtime as ireert
import numpy as np
import pytest
from iree.runtime import HalBuffer, HalBufferView, VmRef, VmVariantList

from dovetail import runtime
from dovetail.runtime import iree_internals
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE

ADVICE = "IREE has changed: see dovetail/runtime/iree_internals.py"
X = np.arange(4, dtype=np.float32)


def view_of(x: np.ndarray) -> HalBufferView:
    return runtime.get_device("local-sync").put(x, ELEMENT_OF_DTYPE[X.dtype])


def test_each_call_makes_a_new_driver() -> None:
    assert not hasattr(ireert, "create_hal_driver"), f"{ADVICE}: it has a public name now"
    first, second = (iree_internals.new_driver("local-sync") for _ in range(2))
    assert first is not second, ADVICE
    assert first.create_default_device().allocator, ADVICE
    assert ireert.get_driver("local-sync") is ireert.get_driver("local-sync"), ADVICE


@pytest.mark.parametrize("variable", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"])
def test_mpiexec_is_hidden(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "2")
    with pytest.raises(RuntimeError, match="MPI"):
        iree_internals.new_driver("local-sync").create_default_device()
    with iree_internals.without_mpi():
        assert iree_internals.new_driver("local-sync").create_default_device().allocator
    assert os.environ[variable] == "2"


def test_lists_accept_references_and_views_and_return_references() -> None:
    values = VmVariantList(2)
    view = view_of(X)
    iree_internals.push(values, view)
    iree_internals.push(values, view.ref)
    assert values.size == 2
    for number in range(2):
        reference = iree_internals.get(values, number)
        assert type(reference) is VmRef, ADVICE
        view = reference.deref(HalBufferView)
        assert type(view) is HalBufferView, ADVICE
        np.testing.assert_array_equal(view.map().asarray(X.shape, X.dtype), X, ADVICE)


def test_memory_has_references_of_which_views_are_made() -> None:
    made = iree_internals.reference(view_of(X).get_buffer())
    assert type(made) is VmRef, ADVICE
    memory = made.deref(HalBuffer)
    assert type(memory) is HalBuffer, ADVICE
    view = HalBufferView(memory, X.shape, ELEMENT_OF_DTYPE[X.dtype])
    np.testing.assert_array_equal(view.map().asarray(X.shape, X.dtype), X, ADVICE)


def test_arrays_are_copied_by_position() -> None:
    view = view_of(X)
    assert type(view) is HalBufferView, ADVICE
    assert tuple(view.shape) == X.shape
    assert view.element_type == ELEMENT_OF_DTYPE[X.dtype]
    copied = view.map().asarray(X.shape, X.dtype)
    np.testing.assert_array_equal(copied, X)
    assert not np.may_share_memory(copied, X), ADVICE


def test_programs_are_next_to_the_library() -> None:
    for name in ("iree-run-module", "iree-dump-module", "iree-benchmark-module"):
        assert iree_internals.program(name).exists(), f"{ADVICE}: no {name}"
