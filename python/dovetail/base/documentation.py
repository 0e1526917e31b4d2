"""Docstrings of families of functions, whose common sections are written once."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])
# Descriptions of arguments, by name: "x, y: arrays" is for two.
_Arguments = dict[tuple[str, ...], str]

_HEADINGS = ("Args", "Returns", "Raises", "Source", "Example")
_HEADING = re.compile(rf"\n\n *({'|'.join(_HEADINGS)}):")


@functools.cache
def documented(*shared: str) -> Callable[[_F], _F]:
    """Complete a function's docstring with sections that it shares with others of its family.

    The docstring itself has the summary, the example, and the arguments and sections in which the
    function differs from the family; they replace the shared ones.

    Args:
      shared: texts with the sections `Args`, `Returns` and `Raises`, indented by four spaces. A
        later text replaces sections of an earlier one, but adds to its arguments. Arguments that
        are not parameters of the function are omitted.

    Returns:
      A decorator, which changes `__doc__` alone.

    Example:
      >>> FAMILY = '''
      ...     Args:
      ...       x: an array of floats.
      ...       y: another one.
      ...
      ...     Returns:
      ...       An array like `x`.
      ... '''
      >>> @documented(FAMILY)
      ... def negative(x):
      ...     '''-x.'''
      ...     return -x
      >>> print(negative.__doc__)
      -x.
      <BLANKLINE>
      Args:
        x: an array of floats.
      <BLANKLINE>
      Returns:
        An array like `x`.
    """

    @functools.cache
    def family(indent: str) -> tuple[dict[str, str], _Arguments]:
        sections: dict[str, str] = {}
        arguments: _Arguments = {}
        for text in shared:
            sections |= _sections("\n" + text.replace("\n    ", "\n" + indent))
            arguments |= _arguments(sections.pop("Args", ""), indent)
        # "x, y: arrays" for functions of both, "x: an array" for the others.
        return sections, dict(sorted(arguments.items(), key=lambda item: -len(item[0])))

    def complete(function: _F) -> _F:
        docstring = function.__doc__
        # There are no docstrings under -OO.
        if docstring:
            # The indentation of the closing quotes; Python 3.13 removes it.
            indent = docstring[len(docstring.rstrip(" ")) :]
            names = _parameters(inspect.unwrap(function).__code__)
            function.__doc__ = _completed(docstring, names, indent, *family(indent))
        return function

    return complete


def _completed(
    docstring: str, parameters: list[str], indent: str, sections: dict[str, str], shared: _Arguments
) -> str:
    """The docstring with shared sections, and with the shared arguments that are parameters."""
    own = _sections(docstring)
    arguments = _arguments(own["Args"], indent) if "Args" in own else {}
    missing = set(parameters).difference(*arguments)
    for names, text in shared.items():
        if missing.issuperset(names):
            arguments[names] = text
            missing.difference_update(names)
    order = sorted(arguments, key=lambda names: parameters.index(names[0].lstrip("*")))
    texts = sections | own | {"Args": "".join("\n" + arguments[names] for names in order)}
    found = [f"{indent}{name}:{texts[name]}" for name in _HEADINGS if texts.get(name)]
    return "\n\n".join([texts[""], *found]) + "\n" + indent


def _sections(text: str) -> dict[str, str]:
    """The text below each heading; before the first one, under the empty name."""
    parts = ["", *_HEADING.split(text)]
    return {name: body.rstrip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


def _arguments(section: str, indent: str) -> _Arguments:
    entries = re.split(rf"\n(?={indent}  \S)", section)[1:]
    return {tuple(e.lstrip().partition(":")[0].split(", ")): e for e in entries}


def _parameters(code: CodeType) -> list[str]:
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars])
