"""Sets the scalar functions of a program aside while IREE forms dispatches."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from .native import StringRef, Visitor, block_of, library_of, module_of, pointer, text_of

# The attribute of functions and calls that `--dovetail-outline-functions` makes.
FUNCTION = "dovetail.function"
# What stands for a call until dispatches are formed. IREE takes it for arithmetic, and fails if it
# is to make code of it.
PLACEHOLDER = "spirv.GL.Fma"

_CALL = re.compile(rf'{re.escape(FUNCTION)} = "([^"]*)"')


class Functions:
    """The scalar functions of a program, set aside while IREE forms dispatches: hundreds of passes
    then visit an op in the place of a hundred, and one more op is all that it fuses.

    Args:
      invocation: an invocation of the compiler, with a module that has functions.
    """

    def __init__(self, invocation: Any) -> None:
        self._library, _ = library_of(invocation)
        # By their attributes, which are unique.
        self._each: dict[int, Any] = {}
        with module_of(invocation) as module:
            context = self._library.mlirOperationGetContext(module)
            dialect = StringRef.of(PLACEHOLDER.partition(".")[0])
            self._library.mlirContextGetOrLoadDialect(context, dialect)
            calls = []
            for op, name in self._named(module):
                if self._library.mlirOperationGetNumRegions(op):
                    self._library.mlirOperationRemoveFromParent(op)
                    self._each[name] = op
                else:
                    calls.append((op, name))
            for call, name in calls:
                self._replace(call, self._placeholder(call, name))

    def put_in_place(self, module: Any) -> None:
        """Replace what stands for calls by the functions' ops."""
        library = self._library
        for op, name in self._named(module):
            block = library.mlirOperationGetBlock(op)
            body = block_of(library, self._each[name])
            mapping = library.mlirIRMappingCreate()
            for i in range(library.mlirBlockGetNumArguments(body)):
                argument = library.mlirBlockGetArgument(body, i)
                library.mlirIRMappingMapValue(
                    mapping, argument, library.mlirOperationGetOperand(op, i)
                )
            each, end = (
                library.mlirBlockGetFirstOperation(body),
                library.mlirBlockGetTerminator(body),
            )
            while each != end:
                copy = library.mlirOperationCloneWithMapping(each, mapping)
                library.mlirBlockInsertOwnedOperationBefore(block, op, copy)
                each = library.mlirOperationGetNextInBlock(each)
            result = library.mlirOperationGetOperand(end, 0)
            result = library.mlirIRMappingLookupOrDefaultValue(mapping, result)
            library.mlirIRMappingDestroy(mapping)
            self._replace(op, result)

    def expanded(self, text: str) -> str:
        """The text of an op with the functions that it calls, whatever their names are."""
        calls = list(dict.fromkeys(_CALL.findall(text)))
        text = _CALL.sub(lambda call: f"function {calls.index(call[1])}", text)
        return "".join((text, *map(self._text, calls)))

    def _text(self, name: str) -> str:
        """The text of the function with a name, without the name."""
        for attribute, function in self._each.items():
            if self._library.mlirStringAttrGetValue(attribute).bytes().decode() == name:
                return _CALL.sub("", text_of(function).partition("(")[2])
        raise AssertionError(f"there is no function {name}")

    def destroy(self) -> None:
        """Destroy the functions, before the session ends."""
        for function in self._each.values():
            self._library.mlirOperationDestroy(function)
        self._each.clear()

    def _named(self, module: Any) -> list[tuple[Any, int]]:
        """The ops with the attribute, and the attribute."""
        found = []
        key = StringRef.of(FUNCTION)

        @Visitor
        def visit(op: Any, _: Any) -> int:
            name = self._library.mlirOperationGetDiscardableAttributeByName(op, key)
            if name:
                found.append((op, name))
            return 0

        self._library.mlirOperationWalk(module, visit, None, 0)
        return found

    def _placeholder(self, call: Any, name: int) -> Any:
        """The result of an op that stands for a call, inserted before it."""
        library = self._library
        operands = [
            library.mlirOperationGetOperand(call, i)
            for i in range(library.mlirOperationGetNumOperands(call))
        ]
        # The op has three: the last one is repeated.
        operands = (pointer * 3)(*(operands + operands[-1:] * 2)[:3])
        result = library.mlirValueGetType(library.mlirOperationGetResult(call, 0))
        place = library.mlirOperationGetLocation(call)
        op_name = StringRef.of(PLACEHOLDER)  # the state refers to its characters
        state = library.mlirOperationStateGet(op_name, place)
        library.mlirOperationStateAddResults(ctypes.byref(state), 1, (pointer * 1)(result))
        library.mlirOperationStateAddOperands(ctypes.byref(state), 3, operands)
        op = library.mlirOperationCreate(ctypes.byref(state))
        library.mlirOperationSetDiscardableAttributeByName(op, StringRef.of(FUNCTION), name)
        block = library.mlirOperationGetBlock(call)
        library.mlirBlockInsertOwnedOperationBefore(block, call, op)
        return library.mlirOperationGetResult(op, 0)

    def _replace(self, op: Any, value: Any) -> None:
        """Replace the result of an op, and destroy it."""
        library = self._library
        library.mlirValueReplaceAllUsesOfWith(library.mlirOperationGetResult(op, 0), value)
        library.mlirOperationRemoveFromParent(op)
        library.mlirOperationDestroy(op)
