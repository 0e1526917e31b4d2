"""HTML for notebooks: IR with its colours, and tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

# Colours that can be read on light and dark ground alike.
_COLOURS = {
    "comment": "#8a8a8a",
    "string": "#3f7fbf",
    "value": "#c0702a",
    "symbol": "#9a6ad6",
    "type": "#3c9a5f",
    "op": "#3b82d0",
}
_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")|(?P<value>%[\w$.-]+(?:[#:]\d+)?)'
    r"|(?P<symbol>@[\w$.-]+)|(?P<type>\b(?:tensor|memref|vector|complex)\b(?=<)|[#!][\w.]+)"
    r"|(?P<op>\b[a-z_]\w*(?:\.\w+)+|\b(?:module|func|return|private)\b)"
)
_MOST_LINES = 400


def ir(text: str) -> str:
    """IR as HTML; of a long one, the beginning and the end."""
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        left_out = f"// {len(lines) - 2 * half} lines are left out here"
        lines = [*lines[:half], left_out, *lines[-half:]]
    parts, last = [], 0
    text = "\n".join(lines)
    for token in _TOKEN.finditer(text):
        parts.append(html.escape(text[last : token.start()]))
        colour = _COLOURS[token.lastgroup or ""]
        parts.append(f'<span style="color: {colour}">{html.escape(token[0])}</span>')
        last = token.end()
    parts.append(html.escape(text[last:]))
    return (
        '<pre style="max-height: 32em; overflow: auto; line-height: 1.35">'
        + "".join(parts)
        + "</pre>"
    )


def caption(text: str) -> str:
    """A line of small text."""
    return f'<div style="opacity: 0.75; font-size: 90%">{html.escape(text)}</div>'


def plain(text: str) -> str:
    """Text as it is."""
    return f"<pre>{html.escape(text)}</pre>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, align: str = "left") -> str:
    """A table of texts."""
    style = f'style="text-align: {align}"'

    def row(cells: Sequence[str], tag: str) -> str:
        each = "".join(f"<{tag} {style}>{html.escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{each}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table>{row(head, 'th') if head else ''}{body}</table>"
