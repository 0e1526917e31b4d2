"""Reuses the code of dispatches that other programs have, too.

IREE makes one object file of a program's dispatches. Each of their functions gets a name that
follows from what determines its code, and the file is kept under its digest. A dispatch of another
program that is the same becomes a call of that name, the file is linked, and only the functions
that are called are in the result. What the host needs to know of a dispatch, its number of
workgroups in the first place, is kept with the name.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .bindings import Sites, split
from .functions import Functions
from .library import library_in, linker_flag
from .native import (
    StringRef,
    attributes_of,
    block_of,
    library_of,
    ops_in,
    put_in_place,
    symbol_of,
    text_of,
)
from .objects import with_names

# With this flag, object files stay where the environment says that temporary files go.
_KEEP = "--iree-llvmcpu-keep-linker-artifacts"
_KEPT = re.compile(r"remark: .*linker artifacts for ")

# The attribute of the position of a function that an executable gets when it is loaded.
_IMPORT = "hal.executable.import.key"

# What programs with fewer dispatches share is not worth the search.
_LEAST = 2

# The C library of executables, compressed, by key; for programs whose cache has none.
_libraries: dict[str, bytes] = {}


class Shared(NamedTuple):
    """Where code that programs share is found.

    Attributes:
      context: what determines code beside text and flags.
      find: returns what is kept under each of some keys, or None.
    """

    context: str
    find: Callable[[Sequence[str]], Sequence[bytes | None]]


class _Dispatch(NamedTuple):
    """A dispatch that can be shared.

    Attributes:
      op: its executable.
      own: its name.
      head: the first lines of its text.
      name: the name of its function.
      key: the digest of what determines its code.
    """

    op: Any
    own: str
    head: str
    name: str
    key: str

    @property
    def symbol(self) -> str:
        """The name of its code."""
        return f"dovetail_{self.key[:32]}"


class _Code(NamedTuple):
    """What is kept of a dispatch.

    Attributes:
      export: the text of its export after its name.
      attributes: those of the module of its code.
      object: the key of the object file.
    """

    export: str
    attributes: dict[str, str]
    object: str


_HEAD = re.compile(
    r"(?P<head>hal\.executable private @(?P<own>\S+) \{\n"
    r"  hal\.executable\.variant public @\S+ target\(.*\)) \{\n"
    r"    hal\.executable\.export public @(?P<name>\S+) ordinal\(0\) "
)
_EXPORT = re.compile(r"hal\.executable\.export public @\S+ ordinal\(0\) ")


class Dispatches:
    """The dispatches of a program that is compiled, of which some have been before.

    For a process that compiles one program at a time: its temporary files go elsewhere meanwhile.

    Args:
      shared: where code is found.
      flags: the compiler's.
      lld: the path of the linker.
    """

    def __init__(self, shared: Shared, flags: Sequence[str], lld: str) -> None:
        self._shared = shared
        self._flags = flags
        self._known: list[tuple[_Dispatch, _Code]] = []
        self._new: dict[str, _Dispatch] = {}
        self._exports: dict[str, tuple[str, dict[str, str]]] = {}
        key = self._key("library")
        (library,) = shared.find([key])
        self._kept: dict[str, bytes] = {}
        if library is not None:
            _libraries[key] = library
        elif (library := _libraries.get(key)) is not None:
            self._kept[key] = library
        self.has_library = library is not None
        self.changes = self.has_library  # whether the program is not compiled as it was
        content = None if library is None else zlib.decompress(library)
        # Nothing fails from here on that would leave the environment changed.
        self._folder = Path(tempfile.mkdtemp(prefix="dovetail-"))
        self._outer = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = str(self._folder)
        self.flags = [_KEEP]
        if content is not None:
            self.flags.append(linker_flag(self._folder, lld, content))

    def close(self) -> None:
        """Remove the temporary files."""
        if self._outer is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = self._outer
        shutil.rmtree(self._folder, ignore_errors=True)

    def take_known(self, invocation: Any, module: Any, functions: Functions | None) -> None:
        """Remove the dispatches whose code is known."""
        library, _ = library_of(invocation)
        executables = [op for name, op in ops_in(library, module) if name == "hal.executable"]
        if len(executables) < _LEAST:
            return
        sites = Sites(invocation, module)
        each = []
        for op in executables:
            if dispatch := self._dispatch(library, op, functions, sites):
                each.append(dispatch)
        codes = self._codes([dispatch.key for dispatch in each])
        for dispatch in each:
            code = codes.get(dispatch.key)
            if code is None:
                self._new[dispatch.own] = dispatch
            else:
                self.changes = True
                self._known.append((dispatch, code))
                library.mlirOperationRemoveFromParent(dispatch.op)
                library.mlirOperationDestroy(dispatch.op)

    def put_back(self, invocation: Any, module: Any) -> bool:
        """Insert the dispatches that were removed, as calls of their code, once code was made of
        the others; False if what is kept of them cannot be parsed.
        """
        library, _ = library_of(invocation)
        for name, op in ops_in(library, module):
            if name == "hal.executable":
                self._note(library, op)
        context = library.mlirOperationGetContext(module)
        block = block_of(library, module)
        for dispatch, code in self._known:
            text = StringRef.of(self._call(dispatch, code))
            op = library.mlirOperationCreateParse(context, text, StringRef.of("dispatch"))
            if not op:
                return False
            library.mlirBlockAppendOwnedOperation(block, op)
        return True

    @property
    def known(self) -> int:
        """The number of dispatches whose code was known."""
        return len(self._known)

    @staticmethod
    def without_own(diagnostics: Sequence[str]) -> list[str]:
        """Messages but those about files that are kept for this."""
        return [each for each in diagnostics if not _KEPT.match(each)]

    def made(self) -> dict[str, bytes]:
        """What is to be kept, by key, once the program is compiled."""
        kept = self._kept
        wanted = {one.symbol: one.name for one in self._new.values() if one.own in self._exports}
        for path in self._folder.glob("*.o"):
            content = path.read_bytes()
            if not self.has_library and (library := library_in(content)):
                key = self._key("library")
                kept[key] = _libraries[key] = zlib.compress(library, 1)
            content, found = with_names(content, wanted)
            if not found:
                continue
            digest = hashlib.sha256(content).hexdigest()
            kept[digest] = zlib.compress(content, 1)
            for one in self._new.values():
                if one.symbol in found:
                    code = _Code(*self._exports[one.own], digest)
                    kept[one.key] = json.dumps(code).encode()
        return kept

    def _dispatch(
        self, library: Any, op: Any, functions: Functions | None, sites: Sites
    ) -> _Dispatch | None:
        """An executable as a dispatch, if it can be shared; its arrays get bindings."""
        if _contents(library, op) is None:
            return None
        text = text_of(op)
        head = _HEAD.match(text)
        # The text of a resource does not have its contents.
        if head is None or "dense_resource<" in text:
            return None
        own, name = head["own"], head["name"]
        # The target, which is long, is only in the head.
        start, body = text[: head.end("head")], text[head.end("head") :]
        found = split(body)
        if found is not None and (new := self._parsed(library, op, start + found.text)):
            if sites.rebind(own, found):
                self.changes = True
                put_in_place(library, op, new)
                library.mlirOperationDestroy(op)
                # Other values have other numbers without operands.
                op, text = new, text_of(new) if found.drops_operands else start + found.text
            else:
                library.mlirOperationDestroy(new)
        # Programs number their dispatches.
        text = re.sub(rf"@({re.escape(name)}|{re.escape(own)})(?![\w.$-])", "@", text)
        if functions is not None:
            text = functions.expanded(text)
        return _Dispatch(op, own, head["head"], name, self._key(text))

    @staticmethod
    def _parsed(library: Any, op: Any, text: str) -> Any:
        """The op of a text, for the program of another op; None if IREE cannot read it."""
        context = library.mlirOperationGetContext(op)
        return library.mlirOperationCreateParse(
            context, StringRef.of(text), StringRef.of("dispatch")
        )

    def _key(self, text: str) -> str:
        """The digest of what determines code."""
        parts = self._shared.context, *self._flags, text
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _codes(self, keys: Sequence[str]) -> dict[str, _Code]:
        """The known code of dispatches, whose object files are there."""
        found = zip(keys, self._shared.find(keys), strict=True)
        codes = {key: _Code(*json.loads(content)) for key, content in found if content is not None}
        objects = list(dict.fromkeys(code.object for code in codes.values()))
        present = set()
        for key, content in zip(objects, self._shared.find(objects), strict=True):
            if content is not None:
                self._object(key).write_bytes(zlib.decompress(content))
                present.add(key)
        return {key: code for key, code in codes.items() if code.object in present}

    def _object(self, key: str) -> Path:
        """The path of a known object file; its folder's name is no name of one that IREE makes."""
        folder = self._folder / "known"
        folder.mkdir(exist_ok=True)
        return folder / f"{key}.o"

    def _note(self, library: Any, op: Any) -> None:
        """Note what the host needs to know of a dispatch of which code was made."""
        own = symbol_of(library, op)
        if own in self._new and (contents := _contents(library, op)):
            export, module = contents
            text = _EXPORT.sub("", text_of(export), count=1)
            self._exports[own] = text, attributes_of(library, module)

    def _call(self, dispatch: _Dispatch, code: _Code) -> str:
        """The text of an executable that calls known code."""
        types = "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32"
        attributes = ", ".join(f"{name} = {value}" for name, value in code.attributes.items())
        return f"""{dispatch.head}
    objects([#hal.executable.object<{{path = "{self._object(code.object)}"}}>]) {{
    hal.executable.export public @{dispatch.name} ordinal(0) {code.export}
    builtin.module attributes {{{attributes}}} {{
      llvm.func @{dispatch.symbol}{types}
      llvm.func @{dispatch.name}(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr) -> i32 {{
        %3 = llvm.call tail @{dispatch.symbol}(%0, %1, %2) : {types}
        llvm.return %3 : i32
      }}
    }}
  }}
}}"""


def _contents(library: Any, executable: Any) -> tuple[Any, Any] | None:
    """The export and the module of an executable that has one of each and nothing else, and calls
    no function that is found when it is loaded: calls have positions in the list of all of them.
    """
    variants = _without_ends(ops_in(library, executable))
    if [name for name, _ in variants] != ["hal.executable.variant"]:
        return None
    variant = variants[0][1]
    parts = _without_ends(ops_in(library, variant))
    if [name for name, _ in parts] != ["hal.executable.export", "builtin.module"]:
        return None
    export, module = (op for _, op in parts)
    key = StringRef.of(_IMPORT)
    for _, op in ops_in(library, module):
        if library.mlirOperationGetDiscardableAttributeByName(op, key):
            return None
    return export, module


def _without_ends(ops: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(name, op) for name, op in ops if not name.endswith("_end")]
