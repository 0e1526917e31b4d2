"""Hand-written modules for tests of the runtime, compiled by IREE."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dovetail.compiler.module_files import compile_module
from dovetail.runtime import Buffer, Signature
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE

HOST_DEVICES = ("local-sync", "local-task")

# The types of compiled code, without signs.
STORAGE = {
    "bool": "i1",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2": "f8E5M2",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
DTYPES = list(ELEMENT_OF_DTYPE)

# The program's host reads the scalars.
PAD_TWICE = """
func.func @pad_twice(%x: tensor<3xi32>, %a: tensor<i32>, %b: tensor<i32>)
    -> (tensor<6xi32>, tensor<4xi32>) {
  %p = tensor.extract %a[] : tensor<i32>
  %q = tensor.extract %b[] : tensor<i32>
  %0 = tensor.pad %x low[2] high[1] {
  ^bb0(%i: index):
    tensor.yield %p : i32
  } : tensor<3xi32> to tensor<6xi32>
  %1 = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %q : i32
  } : tensor<3xi32> to tensor<4xi32>
  return %0, %1 : tensor<6xi32>, tensor<4xi32>
}
"""


def element(dtype: np.dtype) -> str:
    return STORAGE.get(dtype.name, f"i{8 * dtype.itemsize}")


def reflection(signature: Signature | None) -> str:
    if signature is None:
        return ""
    text = json.dumps(signature.to_json())  # a JSON string is a valid MLIR string here
    return f"attributes {{iree.reflection = {{dovetail.signature = {text}}}}}"


def select(
    name: str, shape: tuple[int | None, ...], element: str, signature: Signature | None = None
) -> str:
    """A function that returns its second or third argument, as a separate computation."""
    tensor = f"tensor<{''.join('?x' if dim is None else f'{dim}x' for dim in shape)}{element}>"
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    identity = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join(['"parallel"'] * len(shape))
    dynamic = [i for i, dim in enumerate(shape) if dim is None]
    sizes = "\n".join(
        f"%c{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a, %c{i} : {tensor}"
        for i in dynamic
    )
    return f"""
    func.func @{name}(%p: tensor<i1>, %a: {tensor}, %b: {tensor}) -> {tensor}
        {reflection(signature)} {{
      %c = tensor.extract %p[] : tensor<i1>
      {sizes}
      %e = tensor.empty({", ".join(f"%n{i}" for i in dynamic)}) : {tensor}
      %r = linalg.generic {{indexing_maps = [{identity}, {identity}, {identity}],
          iterator_types = [{kinds}]}}
          ins(%a, %b : {tensor}, {tensor}) outs(%e : {tensor}) {{
      ^bb0(%x: {element}, %y: {element}, %z: {element}):
        %s = arith.select %c, %x, %y : {element}
        linalg.yield %s : {element}
      }} -> {tensor}
      return %r : {tensor}
    }}"""


def module(*functions: str, **options: Any) -> bytes:
    return compile_module("module @m {" + "\n".join(functions) + "}", **options)


ADD = """
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

LARGE = 1 << 20
ALIASES = f"""
func.func @identity(%a: tensor<{LARGE}xf32>) -> tensor<{LARGE}xf32> {{
  return %a : tensor<{LARGE}xf32>
}}
func.func @reshape(%a: tensor<{LARGE}xf32>) -> tensor<1024x1024xf32> {{
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [1024, 1024]
      : tensor<{LARGE}xf32> into tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}}"""


def aligned(shape: tuple[int, ...], dtype: Any, offset: int = 0) -> np.ndarray:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + size].view(dtype).reshape(shape)


def address(buffer: Buffer) -> int:
    return buffer.numpy().ctypes.data
