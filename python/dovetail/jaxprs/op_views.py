"""Ops whose equations are of primitives that are more general."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.jaxprs.structure import Var
from dovetail.lax.arithmetic import RoundingMethod
from dovetail.lax.conv_dimensions import ConvDimensionNumbers
from dovetail.lax.fourier import FftType
from dovetail.lax.indexing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
    update_program,
)

Params = dict[str, Any]


def _sizes(keywords: Params, shape: Sequence[int]) -> tuple[int, ...]:
    """The sizes of a window of an array of that shape."""
    sizes = list(shape)
    for dim, size in zip(keywords["dims"], keywords["window"], strict=True):
        sizes[dim] = size
    return tuple(sizes)


def _of_windows(ins: Sequence[ShapedArray]) -> tuple[int, ...]:
    """The dimensions of windows in an array of them: the last ones."""
    batch = len(ins[1].shape) - 1
    return tuple(range(batch, batch + len(ins[0].shape)))


def _gather(keywords: Params, ins: Sequence[ShapedArray]) -> Params:
    numbers = GatherDimensionNumbers(_of_windows(ins), (), tuple(keywords["dims"]))
    return {
        "dimension_numbers": numbers,
        "slice_sizes": _sizes(keywords, ins[0].shape),
        "indices_are_sorted": False,
        "unique_indices": False,
        "mode": GatherScatterMode.FILL_OR_DROP,
        "fill_value": 0,
    }


def _scatter(name: str) -> Callable[..., Params]:
    def params(keywords: Params, ins: Sequence[ShapedArray]) -> Params:
        numbers = ScatterDimensionNumbers(_of_windows(ins), (), tuple(keywords["dims"]))
        return {
            "dimension_numbers": numbers,
            "indices_are_sorted": False,
            "unique_indices": bool(keywords["unique"]),
            "mode": GatherScatterMode.FILL_OR_DROP,
            "update_jaxpr": update_program(name, ins[0].dtype),
            "update_consts": (),
        }

    return params


def _window(keywords: Params, ins: Sequence[ShapedArray]) -> Params:
    rank = len(ins[0].shape)
    return {
        "base_dilation": (1,) * rank,
        "padding": ((0, 0),) * rank,
        "window_dilation": tuple(keywords["dilations"]),
        "window_dimensions": tuple(keywords["window"]),
        "window_strides": tuple(keywords["strides"]),
    }


def fft_params(name: str, keywords: Params) -> Params:
    """The parameters of a Fourier transform along the last dimension.

    Args:
      name: the op.
      keywords: its keywords.
    """
    kinds = {"fft": FftType.FFT, "irfft": FftType.IRFFT, "rfft": FftType.RFFT}
    is_inverse = name == "fft" and keywords["inverse"]
    of = FftType.IFFT if is_inverse else kinds[name]
    return {"fft_type": of, "fft_lengths": (keywords["length"],)}


def _fft(name: str) -> Callable[..., Params | None]:
    def params(keywords: Params, ins: Sequence[ShapedArray]) -> Params | None:
        is_last = keywords["dimension"] == len(ins[0].shape) - 1
        return fft_params(name, keywords) if is_last else None

    return params


def conv_params(keywords: Params, numbers: ConvDimensionNumbers, num_groups: int = 1) -> Params:
    """The parameters of a convolution.

    Args:
      keywords: the op's keywords.
      numbers: the dimensions of the operands and the result.
      num_groups: the number of groups of features.
    """
    rank = len(keywords["windows"])
    return {
        "window_strides": tuple(keywords["strides"]),
        "padding": ((0, 0),) * rank,
        "lhs_dilation": (1,) * rank,
        "rhs_dilation": tuple(keywords["dilations"]),
        "dimension_numbers": numbers,
        "feature_group_count": num_groups,
        "batch_group_count": 1,
        "precision": None,
        "preferred_element_type": keywords.get("element"),
        "out_sharding": None,
    }


def _conv(keywords: Params, ins: Sequence[ShapedArray]) -> Params | None:
    """Those of a convolution without groups."""
    lhs, rhs, ans = (keywords[f"{name}_dims"] for name in ("lhs", "rhs", "ans"))
    spatial = keywords["windows"]
    batch, inner, outer = (
        [label for label in first if label in second and label not in (*third, *spatial)]
        for first, second, third in ((lhs, ans, rhs), (lhs, rhs, ans), (rhs, ans, lhs))
    )
    if not len(batch) == len(inner) == len(outer) == 1 or len(spatial) + 2 != len(lhs):
        return None
    specs = ((lhs, batch + inner), (rhs, outer + inner), (ans, batch + outer))
    numbers = ConvDimensionNumbers(
        *(tuple(map(labels.index, (*first, *spatial))) for labels, first in specs)
    )
    return conv_params(keywords, numbers)


def _svd(keywords: Params, ins: Sequence[ShapedArray]) -> Params:
    return {
        "full_matrices": keywords["full_matrices"],
        "compute_uv": keywords["vectors"],
        "subset_by_index": None,
        "algorithm": None,
    }


def _eigh(keywords: Params, ins: Sequence[ShapedArray]) -> Params:
    return {"lower": True, "sort_eigenvalues": True, "subset_by_index": None, "algorithm": None}


def _vectors_first(outs: Sequence[Any], ins: Sequence[ShapedArray]) -> list[Any]:
    """The results of `eigh`, of which the op has the values first, or alone."""
    values, *vectors = outs
    return [*(vectors or [Var(ins[0])]), values]


def _rounded(method: RoundingMethod) -> Callable[..., Params]:
    return lambda keywords, ins: {"rounding_method": method}


class OpView(NamedTuple):
    """How an op is an equation.

    Attributes:
      primitive: the name of the primitive, or what makes it of the op's keywords.
      params: its parameters, for the op's keywords and the types of its operands; None if it has
        none.
      outs: its results, from those of the op and the types of the operands, if they are others.
    """

    primitive: str | Callable[[Params], str]
    params: Callable[[Params, Sequence[ShapedArray]], Params | None]
    outs: Callable[[Sequence[Any], Sequence[ShapedArray]], list[Any]] | None = None

    def name(self, keywords: Params) -> str:
        """The name of the primitive."""
        return self.primitive if isinstance(self.primitive, str) else self.primitive(keywords)


# By the names of ops.
VIEWS: dict[str, OpView] = {
    "gather": OpView("gather", _gather),
    **{
        name: OpView(name, _scatter(name))
        for name in ("scatter", *(f"scatter_{how}" for how in ("add", "mul", "min", "max")))
    },
    **{
        f"reduce_window_{how}": OpView(f"reduce_window_{how}", _window)
        for how in ("sum", "max", "min")
    },
    "conv": OpView("conv_general_dilated", _conv),
    "eigh": OpView("eigh", _eigh, _vectors_first),
    **{name: OpView("fft", _fft(name)) for name in ("fft", "irfft", "rfft")},
    "round_away": OpView("round", _rounded(RoundingMethod.AWAY_FROM_ZERO)),
    "round_even": OpView("round", _rounded(RoundingMethod.TO_NEAREST_EVEN)),
    "svd": OpView("svd", _svd),
}
