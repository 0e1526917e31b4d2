"""Attention: averages of values, weighted by how well keys match queries."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.nn.normalization import logsumexp, softmax
from dovetail.ops.operands import ArrayLike

_NAME = "dot_product_attention"
_LAYOUT = {
    "query": "(batch, queries, heads, features)",
    "key": "(batch, keys, heads, features)",
    "value": "(batch, keys, heads, features)",
    "bias": "(batch, heads, queries, keys)",
    "mask": "(batch, heads, queries, keys)",
}


class _Limits(NamedTuple):
    """Limits on the keys that a query attends to, in addition to a mask."""

    is_causal: bool
    window: tuple[int, int] | None
    query_lengths: Array | None
    key_lengths: Array | None


def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> Any:
    """softmax(query · key / sqrt(features)) · value, for each head.

    A query for which all keys are masked gets the mean of all values.

    Args:
      query: floats (batch, queries, heads, features); the batch may be missing everywhere.
      key, value: floats (batch, keys, heads of keys, features); their number of heads divides that
        of the queries, and neighbouring query heads share one.
      bias: an array added to the products, which broadcasts to (batch, heads, queries, keys).
      mask: bools that broadcast to that shape: the keys that a query sees.
      scale: the factor of the products; by default 1 / sqrt(features).
      is_causal: whether query i sees only the keys up to number i.
      query_seq_lengths: int32 (batch,): the results of queries from this number on are zeros.
      key_value_seq_lengths: int32 (batch,): keys from this number on are not seen.
      local_window_size: (left, right): query i sees the keys from i - left to i + right; or one
        number for both.
      implementation: None, "xla" or "cudnn", which compute the same.
      return_residual: whether to return the `logsumexp` of the products over the keys too.

    Returns:
      An array like `query`; with `return_residual` also one of shape (batch, queries, heads).

    Raises:
      ValueError: shapes or element types do not match, or there is no such implementation.
      TypeError: the elements are not floats.

    Source: Vaswani et al., arXiv:1706.03762; Ainslie et al., arXiv:2305.13245, for shared heads.

    Example:
      >>> x = np.ones((3, 1, 2), np.float32)
      >>> dnp.ravel(dot_product_attention(x, x, np.float32([[[1, 2]], [[3, 4]], [[5, 6]]])))
      Array([3., 4., 3., 4., 3., 4.], dtype=float32)
    """
    if implementation not in (None, "xla", "cudnn"):
        raise value_error(
            f"{_NAME}: implementation must be None, 'xla' or 'cudnn', got: {implementation!r}"
        )
    given = dnp.asarray(query)
    q, k, v = (_of_rank_4(n, x) for n, x in (("query", given), ("key", key), ("value", value)))
    added, seen = (
        None if x is None else _of_rank_4(n, x) for n, x in (("bias", bias), ("mask", mask))
    )
    _check(q, k, v, added, seen)
    limits = _Limits(
        is_causal,
        _window(local_window_size),
        _lengths("query_seq_lengths", query_seq_lengths, q.shape[0]),
        _lengths("key_value_seq_lengths", key_value_seq_lengths, q.shape[0]),
    )
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    result, products = _attend(q, k, v, added, seen, factor, limits)
    if not return_residual:
        return dnp.reshape(result, given.shape)
    # (batch, heads of keys, queries that share one, queries) with the queries before the heads.
    residual = dnp.moveaxis(logsumexp(products, -1).astype(k.dtype), 3, 1)
    residual = lax.stop_gradient(dnp.reshape(residual, given.shape[:-1]))
    return dnp.reshape(result, given.shape), residual


def _attend(
    q: Array,
    k: Array,
    v: Array,
    bias: Array | None,
    mask: Array | None,
    factor: Any,
    limits: _Limits,
) -> tuple[Array, Array]:
    """The weighted values (batch, queries, heads of keys, sharers, features), and the logits
    (batch, heads of keys, sharers, queries, keys).
    """
    batch, queries, heads, features = q.shape
    keys, shared = k.shape[1:3]
    grouped = dnp.reshape(q, (batch, queries, shared, heads // shared, features))
    wide = dtypes.promote_types(q.dtype, dtypes.float32)
    products = dnp.einsum("btkgh,bskh->bkgts", grouped, k, preferred_element_type=wide)
    products = products * dnp.asarray(factor, wide)
    if bias is not None:
        products = (products + _grouped(bias, shared, heads)).astype(wide)
    visible = _visible(
        None if mask is None else _grouped(mask, shared, heads), queries, keys, limits
    )
    if visible is not None:
        # Finite, so that a query that sees no key has no NaN.
        least = -0.7 * min(float(dtypes.finfo(wide).max), float(np.finfo(np.float32).max))
        products = dnp.where(visible, products, np.asarray(least, wide))
    products = products.astype(dtypes.float32)
    weights = softmax(products).astype(k.dtype)
    result = dnp.einsum("bkgts,bskh->btkgh", weights, v)
    if limits.query_lengths is not None:
        real = _below(limits.query_lengths, queries)
        result = result * dnp.reshape(real, (batch, queries, 1, 1, 1)).astype(result.dtype)
    return result, products


def _visible(mask: Array | None, queries: int, keys: int, limits: _Limits) -> Array | None:
    """The mask of the keys that each query attends to, broadcastable to (batch, heads, sharers,
    queries, keys).
    """
    parts = [] if mask is None else [mask]
    rows = lax.broadcasted_iota(dtypes.int32, (queries, keys), 0)
    columns = lax.broadcasted_iota(dtypes.int32, (queries, keys), 1)
    if limits.is_causal:
        parts.append(columns <= rows)
    if limits.window is not None:
        left, right = limits.window
        parts.append((rows - left <= columns) & (columns <= rows + right))
    if limits.query_lengths is not None:
        parts.append(_below(limits.query_lengths, queries)[:, None, None, :, None])
    if limits.key_lengths is not None:
        parts.append(_below(limits.key_lengths, keys)[:, None, None, None, :])
    if not parts:
        return None
    visible = parts[0]
    for part in parts[1:]:
        visible = visible & part
    return visible


def _below(lengths: Array, count: int) -> Array:
    """For each sequence of a batch, which of `count` positions are within its length."""
    return dnp.arange(count, dtype=dtypes.int32) < lengths[:, None]


def _grouped(x: Array, shared: int, heads: int) -> Array:
    """(batch, heads, queries, keys) with the heads as (heads of keys, queries that share one)."""
    batch, given, queries, keys = x.shape
    split = (1, 1) if given == 1 else (shared, heads // shared)
    return dnp.reshape(x, (batch, *split, queries, keys))


# Arguments ----------------------------------------------------------------------------------------


def _of_rank_4(what: str, x: Any) -> Array:
    array = dnp.asarray(x)
    if array.ndim > 4:
        raise value_error(f"{_NAME}: {what} must be {_LAYOUT[what]}, got: shape {array.shape}")
    return dnp.reshape(array, (1,) * (4 - array.ndim) + array.shape)


def _check(q: Array, k: Array, v: Array, bias: Array | None, mask: Array | None) -> None:
    for what, x in (("value", v), ("query", q)):
        if x.dtype != k.dtype:
            raise value_error(
                f"{_NAME}: {what} must have the key's element type {k.dtype.name}, got: "
                f"{x.dtype.name}; convert it with astype"
            )
    if dtypes.KINDS[k.dtype] != "f":
        raise type_error(f"{_NAME}: the element type must be float, got: {k.dtype.name}")
    if v.shape != k.shape:
        raise value_error(f"{_NAME}: value must have the key's shape {k.shape}, got: {v.shape}")
    if (q.shape[0], q.shape[3]) != (k.shape[0], k.shape[3]):
        raise value_error(
            f"{_NAME}: query must be {_LAYOUT['query']} with batch and features of the key's "
            f"shape {k.shape}, got: {q.shape}"
        )
    heads, shared = q.shape[2], k.shape[2]
    if not shared or heads % shared:
        raise value_error(
            f"{_NAME}: the number of the query's heads must be a multiple of that of the key's, "
            f"{shared}, got: {heads}"
        )
    if mask is not None and mask.dtype != dtypes.bool_:
        raise value_error(f"{_NAME}: mask must be bools, got: {mask.dtype.name}")
    full = (q.shape[0], heads, q.shape[1], k.shape[1])
    for what, x in (("bias", bias), ("mask", mask)):
        if x is not None and any(n not in (1, m) for n, m in zip(x.shape, full, strict=True)):
            raise value_error(
                f"{_NAME}: {what} must broadcast to {_LAYOUT[what]}, {full}, got: {x.shape}"
            )


def _lengths(what: str, x: Any, batch: int) -> Array | None:
    if x is None:
        return None
    array = dnp.asarray(x)
    if array.shape != (batch,) or array.dtype != dtypes.int32:
        raise value_error(
            f"{_NAME}: {what} must be int32 of shape {(batch,)}, got: {array.dtype.name} of shape "
            f"{array.shape}"
        )
    return array


def _window(size: int | tuple[int, int] | None) -> tuple[int, int] | None:
    return (size, size) if isinstance(size, int) else size
