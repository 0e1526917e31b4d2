"""Writes the API reference: a page for each namespace, and for each group of a large one."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from docstrings import inline, rst
from pages import write
from public_names import ONE_PAGE, Name, is_data, namespaces, public_names, summary

_INTRODUCTION = (
    "Every public name, by namespace. Names and semantics are those of JAX, NumPy and SciPy; "
    ":doc:`../differences_from_jax` lists the exceptions. The examples are run as tests. "
    "The ops of the dialect are in :doc:`../dialect/index`, with a function in ``dovetail.ops`` "
    "for each."
)

# Folders of the package, for a reader who does not know them.
_TITLES = {
    "base": "Settings and scopes",
    "compiler": "Compilation cache",
    "diagnostics": "The environment",
    "lax": "Loops and constraints",
    "placement": "Devices and shardings",
    "programs": "Jitted functions",
    "tracing": "Tracers",
    "transforms": "Derivatives and batches",
}


def make(site: Path) -> set[Path]:
    """Writes the pages; returns their files."""
    written = set[Path]()

    def page(name: str, text: str) -> None:
        path = site / "api" / f"{name}.rst"
        write(path, text)
        written.add(path)

    spaces = namespaces()
    rows = []
    for space in spaces:
        module = importlib.import_module(space)
        names = public_names(space)
        rows.append((f":doc:`{space} <{space}>`", inline(_line(module)), str(len(names))))
        for name, text in _pages(space, module, names):
            page(name, text)
    table = _table(("Namespace", "Contents", "Names"), (36, 56, 8), rows)
    tree = _toctree(spaces)
    page("index", _heading("API reference", "=") + _INTRODUCTION + "\n\n" + table + tree)
    return written


def _pages(space: str, module: ModuleType, names: list[Name]) -> Iterable[tuple[str, str]]:
    """The names of a namespace's pages, and their text."""
    own = rst(inspect.getdoc(module) or "")
    head = _heading(space, "=") + f".. py:module:: {space}\n\n{own}\n\n"
    groups = [
        (key, list(group))
        for key, group in groupby(sorted(names, key=lambda n: (n.group == "", n.group)), _group_of)
    ]
    if len(names) <= ONE_PAGE or len(groups) <= 3:
        entries = "".join(_entry(name, space) for name in names)
        several = len(names) > 3
        yield space, head + (_names_table(space, names) if several else "") + entries
        return
    text = head
    for key, group in groups:
        title, about = _group_title(space, key)
        text += _heading(f":doc:`{title} <{space}-{key or 'data'}>`", "-") + about
        text += _names_table(space, group)
    yield space, text + _toctree(f"{space}-{key or 'data'}" for key, _ in groups)
    for key, group in groups:
        title, about = _group_title(space, key)
        head = (
            _heading(title, "=") + f".. py:currentmodule:: {space}\n\nIn :py:mod:`{space}`. {about}"
        )
        entries = "".join(_entry(name, space) for name in group)
        yield f"{space}-{key or 'data'}", head + entries


def _group_of(name: Name) -> str:
    return name.group


def _group_title(space: str, key: str) -> tuple[str, str]:
    """The title of a group and a sentence about it."""
    if not key:
        return "Constants and types", "Values that are not functions.\n\n"
    title = _TITLES.get(key) if space == "dovetail" else None
    title = title or key.replace("_", " ").capitalize()
    for prefix in (space, "dovetail"):
        try:
            module = importlib.import_module(f"{prefix}.{key}")
        except ModuleNotFoundError:
            continue
        return title, inline(_line(module)) + "\n\n"
    return title, ""


def _line(module: ModuleType) -> str:
    return summary(module)


def _heading(text: str, mark: str) -> str:
    return f"{text}\n{mark * max(len(text), 3)}\n\n"


def _toctree(pages: Iterable[str]) -> str:
    return "\n.. toctree::\n   :hidden:\n\n" + textwrap.indent("\n".join(pages), "   ") + "\n"


def _names_table(space: str, names: list[Name]) -> str:
    rows = []
    for name in names:
        shown = f":py:obj:`{name.name} <{space}.{name.name}>`"
        if name.alias:
            text = f"Another name of :py:obj:`{name.alias} <{space}.{name.alias}>`."
        elif is_data(name.value):
            text = f"``{_value(name.value)}``"
        else:
            text = inline(summary(name.value), _arguments(name.value))
        rows.append((shown, text))
    return _table((), (30, 70), rows)


def _table(head: tuple[str, ...], widths: tuple[int, ...], rows: Iterable[tuple[str, ...]]) -> str:
    text = f".. list-table::\n   :widths: {' '.join(map(str, widths))}\n"
    text += "   :class: names\n" + ("   :header-rows: 1\n" if head else "") + "\n"
    for row in [head, *rows] if head else rows:
        text += "   * - " + "\n     - ".join(cell or " " for cell in row) + "\n"
    return text + "\n"


def _entry(name: Name, space: str) -> str:
    """The description of a name."""
    value = name.value
    if is_data(value):
        return f".. py:data:: {name.name}\n   :value: {_value(value)}\n\n" + _data_text(value)
    if name.alias:
        signature = _signature(value)
        text = f"Another name of :py:obj:`{name.alias} <{space}.{name.alias}>`."
        return f".. py:function:: {name.name}{signature}\n\n   {text}\n\n"
    body = textwrap.indent(rst(inspect.getdoc(value) or "", _arguments(value)), "   ")
    if isinstance(value, type):
        kind = "exception" if issubclass(value, BaseException) else "class"
        members = textwrap.indent("".join(_members(value)), "   ")
        return f".. py:{kind}:: {name.name}{_signature(value)}\n\n{body}\n\n{members}\n"
    return f".. py:function:: {name.name}{_signature(value)}\n\n{body}\n\n"


def _data_text(value: Any) -> str:
    if getattr(type(value), "__module__", "").startswith("dovetail") and inspect.getdoc(value):
        return textwrap.indent(rst(inspect.getdoc(value) or ""), "   ") + "\n\n"
    return ""


def _members(cls: type) -> Iterable[str]:
    """The public methods and properties that Dovetail documents."""
    for name in sorted(dir(cls)):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if name.startswith("_") or not str(getattr(owner, "__module__", "")).startswith("dovetail"):
            continue
        raw = vars(owner)[name]
        value = getattr(cls, name, raw)
        text = inspect.getdoc(raw) or inspect.getdoc(value) or ""
        own = str(getattr(type(raw), "__module__", ""))
        if not text or (not callable(value) and own == "builtins" and not _is_descriptor(raw)):
            continue
        body = textwrap.indent(rst(text, _arguments(value)), "   ")
        if isinstance(raw, property) or not callable(value):
            yield f".. py:property:: {name}\n\n{body}\n\n"
        else:
            mark = {staticmethod: "   :staticmethod:\n", classmethod: "   :classmethod:\n"}
            kind = mark.get(type(raw), "")
            drop = not kind
            yield f".. py:method:: {name}{_signature(value, drop)}\n{kind}\n{body}\n\n"


def _is_descriptor(raw: Any) -> bool:
    return isinstance(raw, property) or inspect.isdatadescriptor(raw)


class _Source(str):
    """An annotation that is shown as it is written."""

    def __repr__(self) -> str:
        return str(self)


def _arguments(value: Any) -> list[str]:
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []


def _signature(value: Any, is_method: bool = False) -> str:
    """The parameters, with annotations as written and defaults that can be parsed."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    parameters = list(signature.parameters.values())[1 if is_method else 0 :]
    shown = []
    for parameter in parameters:
        default = parameter.default
        if default is not parameter.empty:
            default = _Source(_value(default))
        annotation = parameter.annotation
        if annotation is not parameter.empty:
            annotation = _Source(_annotation(annotation))
        shown.append(parameter.replace(default=default, annotation=annotation))
    result = signature.return_annotation
    if result is not signature.empty:
        result = _Source(_annotation(result))
    if isinstance(value, type):
        result = signature.empty
    try:
        return str(signature.replace(parameters=shown, return_annotation=result))
    except ValueError:
        return "(...)"


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:typing|collections\.abc|dovetail(?:\.\w+)+)\.(?=\w)", "", text)


def _value(value: Any) -> str:
    """A value's text, or an ellipsis if it is long or no expression."""
    text = getattr(value, "__name__", "") if callable(value) and not is_data(value) else repr(value)
    if isinstance(value, type):
        text = f"{value.__module__}.{value.__qualname__}"
    usable = text and len(text) < 60 and not re.search(r"[<`\n]", text)
    return text if usable else "..."
