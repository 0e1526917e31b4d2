"""Sets the code of executables that a program comes with aside while IREE plans the host's work."""

from __future__ import annotations

from typing import Any

from .native import StringRef, library_of, module_of, ops_in, put_in_place, symbol_of

SOURCE = "hal.executable.source"


class Bodies:
    """The modules of a program's executables, set aside while IREE forms and schedules dispatches:
    none of its hundreds of passes changes them, and each would visit all of their ops.

    Args:
      invocation: an invocation of the compiler, with a module that is parsed.
    """

    def __init__(self, invocation: Any) -> None:
        self._library, _ = library_of(invocation)
        # By the symbols of their executables, which stay the same.
        self._each: dict[str, Any] = {}
        with module_of(invocation) as module:
            for kind, executable in ops_in(self._library, module):
                for body in self._modules(executable) if kind == SOURCE else ():
                    put_in_place(self._library, body, self._stand_in(body))
                    self._each[symbol_of(self._library, executable)] = body

    def put_back(self, module: Any) -> None:
        """Put the modules back into their executables, each into all variants."""
        library = self._library
        for kind, executable in ops_in(library, module):
            body = None
            if kind == "hal.executable":
                body = self._each.get(symbol_of(library, executable))
            if body is None:
                continue
            for part, variant in ops_in(library, executable):
                for stand_in in self._modules(variant) if part == "hal.executable.variant" else ():
                    put_in_place(library, stand_in, library.mlirOperationClone(body))
                    library.mlirOperationDestroy(stand_in)
        self.destroy()

    def destroy(self) -> None:
        """Destroy the modules, before the session ends."""
        for body in self._each.values():
            self._library.mlirOperationDestroy(body)
        self._each.clear()

    def _modules(self, op: Any) -> list[Any]:
        return [each for kind, each in ops_in(self._library, op) if kind == "builtin.module"]

    def _stand_in(self, body: Any) -> Any:
        """A module to put in the place of one."""
        library = self._library
        # IREE merges executables that are equal, which these are not.
        text = f"builtin.module attributes {{dovetail.body = {len(self._each)}}} {{}}"
        context = library.mlirOperationGetContext(body)
        return library.mlirOperationCreateParse(context, StringRef.of(text), StringRef.of("body"))
