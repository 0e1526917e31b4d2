"""Renders formulas as MathML, which browsers display without a script."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", _NAMESPACE)


def typeset(formula: str, as_block: bool = False) -> str:
    """The MathML of a formula in LaTeX."""
    text = tex2mathml(formula, as_block=as_block)
    # Entities of HTML, which XML does not have.
    text = re.sub(r"&(?!amp;|lt;|gt;)\w+;", lambda entity: html.unescape(entity[0]), text)
    root = ElementTree.fromstring(text)
    # docutils puts the index of a letter with a dot below the letter.
    for both in [*root.iter(f"{{{_NAMESPACE}}}munderover")]:
        letter, index, dot = both
        if dot.text == "˙":
            accented = ElementTree.Element(f"{{{_NAMESPACE}}}mover", {"accent": "true"})
            accented.extend([letter, dot])
            both.tag = f"{{{_NAMESPACE}}}msub"
            both[:] = [accented, index]
    return ElementTree.tostring(root, encoding="unicode")


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(typeset(node.astext()))
    raise SkipNode


def _block(writer: Any, node: Any) -> None:
    formula = typeset(node.astext(), as_block=True)
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Registers the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
