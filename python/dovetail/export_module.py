"""Programs as modules for other processes: without host functions, and with their signatures."""

from __future__ import annotations

from typing import Any

from dovetail import ir
from dovetail.lowered import Program
from dovetail.pytree import flatten, unflatten


def export_module(program: Program) -> Any:
    """The program's lowered module, with the arrays that it closes over, and its signature."""
    from dovetail.runtime.signature import REFLECTION_KEY

    module = program.module.clone()
    module.bind_arguments([ir.encode_array(operand._value()) for operand in program.captured])
    module.set_reflection(REFLECTION_KEY, exported_signature(program).to_json())
    ir.run_phases(module, "lower")
    return module


def exported_signature(program: Program) -> Any:
    """What the file says of its function; trees are of plain containers, with leaf numbers."""
    from dovetail.runtime import ArraySpec, Signature

    avals = program.signature.avals
    args, kwargs = unflatten(program.signature.spec, list(range(len(avals))))
    static = {n for n, _ in program.signature.statics}
    names = [name for i, name in enumerate(program.parameters) if i not in static]
    trees = [_plain(arg) for i, arg in enumerate(args) if i not in static]
    for key in sorted(kwargs):
        names.append(key)
        trees.append(_plain(kwargs[key]))
    inputs, outputs = (
        tuple(ArraySpec(aval.shape, aval.dtype) for aval in types)
        for types in (avals, program.avals)
    )
    result = unflatten(program.out_spec, list(range(len(program.avals))))
    return Signature(inputs, outputs, tuple(trees), _plain(result), tuple(names))


def _plain(tree: Any) -> Any:
    """The tree with named tuples and other containers as tuples and dicts, keys as their words."""
    if isinstance(tree, dict):
        return {key: _plain(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        plain = [_plain(value) for value in tree]
        return plain if isinstance(tree, list) else tuple(plain)
    if tree is None or isinstance(tree, int):
        return tree
    if hasattr(type(tree), "is_key_array"):
        return tree._data
    # One level of a registered class.
    children = flatten(tree, lambda node: node is not tree)[0]
    return tuple(_plain(child) for child in children)
