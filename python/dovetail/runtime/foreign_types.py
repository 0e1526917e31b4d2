"""The structures of `dovetail/ffi.h`, for functions that Python makes with ctypes."""

from __future__ import annotations

import ctypes


class CArray(ctypes.Structure):
    """`dovetail_array`: an array of a call.

    Attributes:
      type: XLA's number of its element type, which `dovetail/ffi.h` lists.
      rank: the number of its dimensions.
      sizes: their sizes.
      data: the address of its elements.

    Example:
      >>> from dovetail import ffi
      >>> [name for name, _ in ffi.CArray._fields_]
      ['type', 'rank', 'sizes', 'data']
    """

    _fields_ = (
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    )


class CAttribute(ctypes.Structure):
    """`dovetail_attribute`: a keyword argument of a call.

    Attributes:
      name: its name.
      kind: whether it is a number, an array or text, as `dovetail/ffi.h` numbers them.
      type: XLA's number of its element type.
      count: the number of its elements, or bytes of text.
      data: their address.

    Example:
      >>> from dovetail import ffi
      >>> [name for name, _ in ffi.CAttribute._fields_]
      ['name', 'kind', 'type', 'count', 'data']
    """

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("type", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("data", ctypes.c_void_p),
    )


class CCall(ctypes.Structure):
    """`dovetail_call`: one call.

    Attributes:
      target: the function's name.
      num_arguments, num_results: the numbers of arrays.
      arrays: the arguments, then the results.
      num_attributes, attributes: keyword arguments, sorted by name.
      fail: takes a pointer to the call and a message; its result is to be returned.

    Example:
      >>> from dovetail import ffi
      >>> [name for name, _ in ffi.CCall._fields_][1:4]
      ['target', 'num_arguments', 'num_results']
    """


CCall._fields_ = (
    ("struct_size", ctypes.c_int64),
    ("target", ctypes.c_char_p),
    ("num_arguments", ctypes.c_int32),
    ("num_results", ctypes.c_int32),
    ("arrays", ctypes.POINTER(CArray)),
    ("num_attributes", ctypes.c_int64),
    ("attributes", ctypes.POINTER(CAttribute)),
    ("fail", ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(CCall), ctypes.c_char_p)),
)

# `dovetail_function`: takes the addresses of the arrays, their sizes, and the call.
CFunction = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(CCall),
)
