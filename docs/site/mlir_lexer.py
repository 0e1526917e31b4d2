"""Highlights MLIR."""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MlirLexer(RegexLexer):
    """Values, symbols, ops, types, attributes and literals."""

    name = "MLIR"
    aliases = ("mlir",)
    filenames = ("*.mlir",)
    tokens = {  # noqa: RUF012 - Pygments' interface
        "root": [
            (r"//[^\n]*", Comment.Single),
            (r'"(\\.|[^"\\])*"', String),
            (r"%[\w$.#-]+(:\d+)?", Name.Variable),
            (r"@[\w$.]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"[#!][\w.]+", Name.Attribute),
            (r"\b(tensor|memref|vector|tuple|complex)(?=<)", Keyword.Type),
            (r"\b([su]?i\d+|b?f\d+\w*|index|none)\b", Keyword.Type),
            # Sizes come before the element type in one word: 4x3xf32.
            (r"(\?|\d+)(x)(?=[\d?a-z])", bygroups(Number, Text)),
            (
                r"\b(module|func|return|private|dense|loc|attributes|affine_map|true|false)\b",
                Keyword,
            ),
            (r"[a-z_]\w*(\.[a-z_]\w*)+", Name.Builtin),
            (r"-?\d+(\.\d*)?([eE][+-]?\d+)?|0x[0-9A-Fa-f]+", Number),
            (r"->|[=:+*/-]", Operator),
            (r"[\[\](){}<>,]", Punctuation),
            (r"[\w$]+", Text),
            (r".|\n", Text),
        ]
    }
