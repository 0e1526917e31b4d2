"""Names for functions in object files, by which other object files call them.

Object files are ELF for 64-bit little-endian machines, as the System V ABI describes it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2  # SHT_SYMTAB
_FUNCTION, _GLOBAL, _HIDDEN = 2, 1, 2  # STT_FUNC, STB_GLOBAL, STV_HIDDEN


def functions_of(data: bytes) -> set[str]:
    """The names of the functions in an object file."""
    tables = _tables(bytearray(data))
    return set() if tables is None else set(tables.functions)


def with_names(data: bytes, names: Mapping[str, str]) -> tuple[bytes, set[str]]:
    """Give functions of an object file additional names, which other object files see.

    Args:
      data: the file.
      names: the functions' names by their additional names.

    Returns:
      The file with those that it has, and their additional names.
    """
    file = bytearray(data)
    tables = _tables(file)
    if tables is None:
        return data, set()
    symbols, texts = tables.symbols, tables.texts
    found = {new for new, old in names.items() if old in tables.functions}
    # Relocations refer to symbols by position, and local ones come first: these are the last.
    for new in sorted(found):
        where = tables.functions[names[new]]
        symbols += _SYMBOL.pack(len(texts), _GLOBAL << 4 | _FUNCTION, _HIDDEN, *where)
        texts += new.encode() + b"\0"
    for (place, section), content in zip(tables.sections, (symbols, texts), strict=True):
        file += bytes(-len(file) % 8)
        section[4:6] = len(file), len(content)
        file += content
        _SECTION.pack_into(file, place, *section)
    return bytes(file), found


class _Tables(NamedTuple):
    """The names of an object file.

    Attributes:
      sections: the places and the fields of the sections of symbols and of their names.
      symbols: the symbols.
      texts: their names.
      functions: the section, the place and the size of each function, by its name.
    """

    sections: list[tuple[int, list[int]]]
    symbols: bytearray
    texts: bytearray
    functions: dict[str, tuple[int, int, int]]


def _tables(file: bytearray) -> _Tables | None:
    """The names of an object file, if it is one."""
    if file[:6] != b"\x7fELF\x02\x01":
        return None
    (sections_at,) = struct.unpack_from("<Q", file, 0x28)
    number = struct.unpack_from("<H", file, 0x3C)[0]
    places = [sections_at + i * _SECTION.size for i in range(number)]
    sections = [(place, list(_SECTION.unpack_from(file, place))) for place in places]
    table = next((each for each in sections if each[1][1] == _SYMBOL_TABLE), None)
    if table is None:
        return None
    strings = sections[table[1][6]]
    symbols, texts = (file[at[4] : at[4] + at[5]] for _, at in (table, strings))
    functions = {}
    for name, info, _, *where in _SYMBOL.iter_unpack(symbols):
        if info & 15 == _FUNCTION and where[0]:
            functions[texts[name : texts.index(0, name)].decode()] = tuple(where)
    return _Tables([table, strings], symbols, texts, functions)
