"""Translates docstrings to reStructuredText."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

_HEADING = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Warns|Source|Examples?|Notes?):$")
_TITLES = {"Args": "Arguments", "Example": "Examples", "Note": "Notes"}
_ITEM = re.compile(r"^([*\w.]+(?:, [*\w.]+| or [\w.]+)*): (.*)$", flags=re.DOTALL)
_CODE = re.compile(r"(`+)(.+?)\1", flags=re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w.]*$")


def rst(docstring: str, arguments: Iterable[str] = ()) -> str:
    """A docstring of Dovetail as reStructuredText.

    Args:
      docstring: the text without its indentation, as `inspect.getdoc` returns it.
      arguments: names that are no references where they stand in backticks.
    """
    plain = frozenset(arguments)
    parts: list[str] = []
    heading, lines = "", list[str]()
    for line in [*docstring.split("\n"), "Source:"]:
        if match := _HEADING.match(line):
            parts.append(_section(heading, lines, plain))
            heading, lines = match[1], []
        else:
            lines.append(line)
    return "\n\n".join(part for part in parts if part)


def _section(heading: str, lines: list[str], plain: frozenset[str]) -> str:
    body = textwrap.dedent("\n".join(lines)).strip("\n")
    if not body.strip():
        return ""
    if heading in ("Args", "Attributes", "Raises", "Warns"):
        text = _items(body, plain)
    else:
        text = _blocks(body, plain)
    if not heading:
        return text
    return f".. rubric:: {_TITLES.get(heading, heading)}\n\n{text}"


def _items(body: str, plain: frozenset[str]) -> str:
    """`name: description` with continuation lines, as a definition list."""
    entries = re.split(r"\n(?=\S)", body)
    items = []
    for entry in entries:
        first, _, rest = entry.partition("\n")
        text = first + ("\n" + textwrap.dedent(rest) if rest.strip() else "")
        match = _ITEM.match(text)
        if not match:
            return _blocks(body, plain)
        names = ", ".join(f"``{name}``" for name in re.split(r", ", match[1]))
        items.append(f"{names}\n{textwrap.indent(_blocks(match[2], plain), '   ')}")
    return "\n\n".join(items)


def _blocks(body: str, plain: frozenset[str]) -> str:
    """Paragraphs, lists, examples and formulas, which blank lines separate."""
    blocks: list[str] = []
    example: list[str] = []

    def end_example() -> None:
        if example:
            code = "\n\n".join(example)
            blocks.append(".. code-block:: pycon\n\n" + textwrap.indent(code, "   "))
            example.clear()

    for block in re.split(r"\n\s*\n", body.strip("\n")):
        dedented = textwrap.dedent(block)
        if dedented.startswith((">>> ", "... ")):
            example.append(dedented)
            continue
        end_example()
        if re.match(r"(-|\d+\.) ", dedented):
            blocks.append(_list(dedented, plain))
        elif block.startswith("  "):
            blocks.append("::\n\n" + textwrap.indent(dedented, "   "))
        elif "\n>>> " in block:
            text, _, code = dedented.partition("\n>>> ")
            blocks.append(inline(text, plain))
            example.append(">>> " + code)
        elif re.search(r"\n  +\S", dedented) and ":\n  " in dedented:
            text, _, code = dedented.partition(":\n  ")
            blocks.append(inline(text, plain) + "::")
            blocks.append(textwrap.indent(textwrap.dedent("  " + code), "   "))
        else:
            blocks.append(inline(" ".join(dedented.split("\n")), plain))
    end_example()
    return "\n\n".join(blocks)


def _list(block: str, plain: frozenset[str]) -> str:
    """Items, each on one line."""
    items = re.split(r"\n(?=(?:-|\d+\.) )", block)
    return "\n".join(
        marker + " " + inline(" ".join(text.split()), plain)
        for marker, _, text in (item.partition(" ") for item in items)
    )


def inline(text: str, plain: frozenset[str] = frozenset()) -> str:
    """Text with code in backticks; names of Dovetail become references."""
    result, end = "", 0
    for match in _CODE.finditer(text):
        result += _escaped(text[end : match.start()])
        code, end = match[2].strip().replace("\n", " "), match.end()
        if result and not re.match(r"[\s'\"(\[{<\-/:]", result[-1]):
            result += "\\ "
        if _NAME.match(code) and code not in plain:
            result += f":py:obj:`{code}`"
        else:
            result += f"``{code}``"
        if end < len(text) and not re.match(r"[\s'\")\]}>\-/:.,;!?]", text[end]):
            result += "\\ "
    return result + _escaped(text[end:])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*|`]|_(?!\w)|(?<=:)(?=\w+:))", r"\\\1", text)
