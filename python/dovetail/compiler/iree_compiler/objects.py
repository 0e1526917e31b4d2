"""Names for functions in object files, by which other object files call them.

Object files are ELF for 64-bit little-endian machines, as the System V ABI describes it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2  # SHT_SYMTAB
_FUNCTION, _GLOBAL, _HIDDEN = 2, 1, 2  # STT_FUNC, STB_GLOBAL, STV_HIDDEN


def with_names(data: bytes, names: Mapping[str, str]) -> tuple[bytes, set[str]]:
    """Give functions of an object file additional names, which other object files see.

    Args:
      data: the file.
      names: the functions' names by their additional names.

    Returns:
      The file with those that it has, and their additional names.
    """
    file = bytearray(data)
    if file[:6] != b"\x7fELF\x02\x01":
        return data, set()
    (sections_at,) = struct.unpack_from("<Q", file, 0x28)
    number = struct.unpack_from("<H", file, 0x3C)[0]
    places = [sections_at + i * _SECTION.size for i in range(number)]
    sections = [list(_SECTION.unpack_from(file, place)) for place in places]
    table = next((i for i, section in enumerate(sections) if section[1] == _SYMBOL_TABLE), None)
    if table is None:
        return data, set()
    strings = sections[table][6]
    symbols, texts = _content(file, sections[table]), _content(file, sections[strings])
    functions = {}
    for name, info, _, *where in _SYMBOL.iter_unpack(symbols):
        if info & 15 == _FUNCTION:
            functions[texts[name : texts.index(0, name)].decode()] = where
    found = {new for new, old in names.items() if old in functions}
    # Relocations refer to symbols by position, and local ones come first: these are the last.
    for new in sorted(found):
        symbols += _SYMBOL.pack(
            len(texts), _GLOBAL << 4 | _FUNCTION, _HIDDEN, *functions[names[new]]
        )
        texts += new.encode() + b"\0"
    for index, content in ((table, symbols), (strings, texts)):
        file += bytes(-len(file) % 8)
        sections[index][4:6] = len(file), len(content)
        file += content
        _SECTION.pack_into(file, places[index], *sections[index])
    return bytes(file), found


def _content(file: bytearray, section: list[int]) -> bytearray:
    return file[section[4] : section[4] + section[5]]
