"""The undocumented parts of IREE's compiler that are used here: functions of its C library that its
Python API does not wrap. They hold for IREE 3.13; tests/python/compiler/test_iree_internals.py has
a test for each.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator
from typing import Any

pointer = ctypes.c_void_p


class StringRef(ctypes.Structure):
    """MlirStringRef, of a string of ours."""

    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))

    @classmethod
    def of(cls, text: str) -> StringRef:
        """That of a string, which it keeps."""
        encoded = text.encode()
        return cls(encoded, len(encoded))


class _Chunk(ctypes.Structure):
    """MlirStringRef, of bytes of the library, which need not end with zero."""

    _fields_ = (("data", pointer), ("length", ctypes.c_size_t))

    def bytes(self) -> bytes:
        return ctypes.string_at(self.data, self.length)


class OperationState(ctypes.Structure):
    """MlirOperationState"""

    _fields_ = (
        ("name", StringRef),
        ("location", pointer),
        ("num_results", ctypes.c_ssize_t),
        ("results", ctypes.POINTER(pointer)),
        ("num_operands", ctypes.c_ssize_t),
        ("operands", ctypes.POINTER(pointer)),
        ("num_regions", ctypes.c_ssize_t),
        ("regions", ctypes.POINTER(pointer)),
        ("num_successors", ctypes.c_ssize_t),
        ("successors", ctypes.POINTER(pointer)),
        ("num_attributes", ctypes.c_ssize_t),
        ("attributes", pointer),
        ("enable_result_type_inference", ctypes.c_bool),
    )


class NamedAttribute(ctypes.Structure):
    """MlirNamedAttribute"""

    _fields_ = (("name", pointer), ("attribute", pointer))


# iree_compiler_diagnostic_severity_t
_SEVERITIES = ("note", "warning", "error", "remark")

_DiagnosticCallback = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
)
# MlirOperationWalkCallback, MlirStringCallback
Visitor = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)
_Printer = ctypes.CFUNCTYPE(None, _Chunk, pointer)

# The name of the attribute of what an op is called by others.
SYMBOL = "sym_name"

# The name of the capsules by which the Python API takes an op.
_OP_CAPSULE = b"iree.compiler.ir.Operation._CAPIPtr"
ctypes.pythonapi.PyCapsule_New.argtypes = pointer, ctypes.c_char_p, pointer
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object

# The arguments and the result of C functions that the Python API does not wrap; invocations, ops
# and their parts are pointers.
C_FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "ireeCompilerInvocationEnableCallbackDiagnostics": (
        (pointer, ctypes.c_int, _DiagnosticCallback, pointer),
        None,
    ),
    "ireeCompilerInvocationSetVerifyIR": ((pointer, ctypes.c_bool), None),
    "ireeCompilerInvocationSetCompileFromPhase": ((pointer, ctypes.c_char_p), None),
    "ireeCompilerInvocationSetCompileToPhase": ((pointer, ctypes.c_char_p), None),
    "ireeCompilerInvocationExportStealModule": ((pointer,), pointer),
    "ireeCompilerInvocationImportStealModule": ((pointer, pointer), ctypes.c_bool),
    "ireeCompilerInvocationRunPassPipeline": ((pointer, ctypes.c_char_p), ctypes.c_bool),
    "mlirArrayAttrGet": ((pointer, ctypes.c_ssize_t, ctypes.POINTER(pointer)), pointer),
    "mlirArrayAttrGetElement": ((pointer, ctypes.c_ssize_t), pointer),
    "mlirArrayAttrGetNumElements": ((pointer,), ctypes.c_ssize_t),
    "mlirAttributeParseGet": ((pointer, StringRef), pointer),
    "mlirAttributePrint": ((pointer, _Printer, pointer), None),
    "mlirBlockAppendOwnedOperation": ((pointer, pointer), None),
    "mlirBlockGetArgument": ((pointer, ctypes.c_ssize_t), pointer),
    "mlirBlockGetFirstOperation": ((pointer,), pointer),
    "mlirBlockGetNumArguments": ((pointer,), ctypes.c_ssize_t),
    "mlirBlockGetTerminator": ((pointer,), pointer),
    "mlirBlockInsertOwnedOperationBefore": ((pointer, pointer, pointer), None),
    "mlirContextGetOrLoadDialect": ((pointer, StringRef), pointer),
    "mlirDenseI32ArrayGet": (
        (pointer, ctypes.c_ssize_t, ctypes.POINTER(ctypes.c_int32)),
        pointer,
    ),
    "mlirDenseI32ArrayGetElement": ((pointer, ctypes.c_ssize_t), ctypes.c_int32),
    "mlirIdentifierGet": ((pointer, StringRef), pointer),
    "mlirIdentifierStr": ((pointer,), _Chunk),
    "mlirIRMappingCreate": ((), pointer),
    "mlirIRMappingDestroy": ((pointer,), None),
    "mlirIRMappingLookupOrDefaultValue": ((pointer, pointer), pointer),
    "mlirIRMappingMapValue": ((pointer, pointer, pointer), None),
    "mlirIntegerAttrGetValueInt": ((pointer,), ctypes.c_int64),
    "mlirOpResultGetOwner": ((pointer,), pointer),
    "mlirOperationClone": ((pointer,), pointer),
    "mlirOperationCloneWithMapping": ((pointer, pointer), pointer),
    "mlirOperationCreate": ((pointer,), pointer),
    "mlirOperationCreateParse": ((pointer, StringRef, StringRef), pointer),
    "mlirOperationDestroy": ((pointer,), None),
    "mlirOperationGetAttributeByName": ((pointer, StringRef), pointer),
    "mlirOperationGetBlock": ((pointer,), pointer),
    "mlirOperationGetContext": ((pointer,), pointer),
    "mlirOperationGetDiscardableAttribute": ((pointer, ctypes.c_ssize_t), NamedAttribute),
    "mlirOperationGetDiscardableAttributeByName": ((pointer, StringRef), pointer),
    "mlirOperationGetLocation": ((pointer,), pointer),
    "mlirOperationGetName": ((pointer,), pointer),
    "mlirOperationGetNextInBlock": ((pointer,), pointer),
    "mlirOperationGetNumDiscardableAttributes": ((pointer,), ctypes.c_ssize_t),
    "mlirOperationGetNumOperands": ((pointer,), ctypes.c_ssize_t),
    "mlirOperationGetNumRegions": ((pointer,), ctypes.c_ssize_t),
    "mlirOperationGetOperand": ((pointer, ctypes.c_ssize_t), pointer),
    "mlirOperationGetParentOperation": ((pointer,), pointer),
    "mlirOperationGetRegion": ((pointer, ctypes.c_ssize_t), pointer),
    "mlirOperationGetResult": ((pointer, ctypes.c_ssize_t), pointer),
    "mlirOperationRemoveAttributeByName": ((pointer, StringRef), ctypes.c_bool),
    "mlirOperationRemoveFromParent": ((pointer,), None),
    "mlirOperationSetAttributeByName": ((pointer, StringRef, pointer), None),
    "mlirOperationSetDiscardableAttributeByName": ((pointer, StringRef, pointer), None),
    "mlirOperationStateAddAttributes": (
        (pointer, ctypes.c_ssize_t, ctypes.POINTER(NamedAttribute)),
        None,
    ),
    "mlirOperationStateAddOperands": ((pointer, ctypes.c_ssize_t, ctypes.POINTER(pointer)), None),
    "mlirOperationStateAddResults": ((pointer, ctypes.c_ssize_t, ctypes.POINTER(pointer)), None),
    "mlirOperationStateGet": ((StringRef, pointer), OperationState),
    "mlirOperationVerify": ((pointer,), ctypes.c_bool),
    "mlirOperationWalk": ((pointer, Visitor, pointer, ctypes.c_int), None),
    "mlirRegionGetFirstBlock": ((pointer,), pointer),
    "mlirStringAttrGet": ((pointer, StringRef), pointer),
    "mlirStringAttrGetValue": ((pointer,), _Chunk),
    "mlirSymbolRefAttrGetRootReference": ((pointer,), _Chunk),
    "mlirTypeIsAInteger": ((pointer,), ctypes.c_bool),
    "mlirValueGetType": ((pointer,), pointer),
    "mlirValueIsAOpResult": ((pointer,), ctypes.c_bool),
    "mlirValueReplaceAllUsesOfWith": ((pointer, pointer), None),
}


def library_of(invocation: Any) -> tuple[Any, Any]:
    """The C library of an invocation of the compiler, with typed functions, and its pointer."""
    library = invocation._local_dylib
    for name, (arguments, result) in C_FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library, invocation._inv_p


@contextlib.contextmanager
def module_of(invocation: Any) -> Iterator[Any]:
    """The module of an invocation, to look at or to change."""
    library, this = library_of(invocation)
    module = library.ireeCompilerInvocationExportStealModule(this)
    try:
        yield module
    finally:
        library.ireeCompilerInvocationImportStealModule(this, module)


def block_of(library: Any, op: Any) -> Any:
    """The first block of the first region of an op."""
    return library.mlirRegionGetFirstBlock(library.mlirOperationGetRegion(op, 0))


def name_of(library: Any, op: Any) -> str:
    """The name of an op."""
    return library.mlirIdentifierStr(library.mlirOperationGetName(op)).bytes().decode()


def symbol_of(library: Any, op: Any) -> str:
    """The symbol that an op defines."""
    symbol = library.mlirOperationGetAttributeByName(op, StringRef.of(SYMBOL))
    return library.mlirStringAttrGetValue(symbol).bytes().decode()


def elements_of(library: Any, op: Any, name: str) -> list[Any]:
    """The elements of an attribute of an op that is an array."""
    array = library.mlirOperationGetAttributeByName(op, StringRef.of(name))
    count = library.mlirArrayAttrGetNumElements(array)
    return [library.mlirArrayAttrGetElement(array, i) for i in range(count)]


def ops_in(library: Any, op: Any) -> list[tuple[str, Any]]:
    """The ops of the first block of the first region of an op, with their names."""
    found = []
    each = library.mlirBlockGetFirstOperation(block_of(library, op))
    while each:
        found.append((name_of(library, each), each))
        each = library.mlirOperationGetNextInBlock(each)
    return found


def put_in_place(library: Any, op: Any, new: Any) -> None:
    """Put an op into the place of another, which is in no block then."""
    library.mlirBlockInsertOwnedOperationBefore(library.mlirOperationGetBlock(op), op, new)
    library.mlirOperationRemoveFromParent(op)


def text_of(op: Any) -> str:
    """The text of an op, without locations, and without names for types and attributes.

    The Python API writes it eight times as fast as the C library with a callback in Python.
    """
    from iree.compiler import ir

    # It does not own the op, or its context.
    capsule = ctypes.pythonapi.PyCapsule_New(op, _OP_CAPSULE, None)
    operation = ir.Operation._CAPICreate(capsule)  # pyright: ignore[reportAttributeAccessIssue]
    return operation.get_asm(use_local_scope=True)


def attributes_of(library: Any, op: Any) -> dict[str, str]:
    """The discardable attributes of an op, by name, as text."""
    found = {}
    for i in range(library.mlirOperationGetNumDiscardableAttributes(op)):
        each = library.mlirOperationGetDiscardableAttribute(op, i)
        name = library.mlirIdentifierStr(each.name).bytes().decode()
        found[name] = printed(library, each.attribute)
    return found


def printed(library: Any, attribute: Any) -> str:
    """The text of an attribute."""
    chunks: list[bytes] = []
    printer = _Printer(lambda chunk, _: chunks.append(chunk.bytes()))
    library.mlirAttributePrint(attribute, printer, None)
    return b"".join(chunks).decode()


def collect_diagnostics(invocation: Any, diagnostics: list[str]) -> Callable[..., None]:
    """Make IREE append its messages to `diagnostics`; the Python API only connects the console.

    Returns:
      The callback, which must outlive the invocation.
    """
    library, this = library_of(invocation)
    # IREE's verifier may report from worker threads.
    lock = threading.Lock()

    def on_diagnostic(severity: int, message: int, size: int, _: Any) -> None:
        text = ctypes.string_at(message, size).decode(errors="replace")
        with lock:
            diagnostics.append(f"{_SEVERITIES[severity]}: {text}")

    callback = _DiagnosticCallback(on_diagnostic)
    library.ireeCompilerInvocationEnableCallbackDiagnostics(this, 0, callback, None)
    return callback
