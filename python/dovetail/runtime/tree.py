"""Arguments to arrays and results to pytrees, checked against a signature."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .buffer import Buffer, as_host_array
from .parts import Parts
from .signature import ArraySpec, Signature, Tree, fields_of
from .sizes import formula, names_in

Path = tuple[Any, ...]


class Arguments:
    """The arguments of one function.

    Args:
      name: the function's name, for errors.
      signature: its signature.
    """

    def __init__(self, name: str, signature: Signature) -> None:
        self._name = name
        self._specs = signature.inputs
        self._names = signature.arg_names
        flat = tuple(range(len(self._specs)))
        self._tree = flat if signature.in_tree is None else signature.in_tree
        self._is_flat = self._tree == flat
        self._dtypes = [None if s is None else _accepted(s, signature) for s in self._specs]
        self._sizes = signature.sizes
        # Dimensions computed from names.
        self._computed = [
            (leaf, d, dim)
            for leaf, spec in enumerate(self._specs)
            for d, dim in enumerate(() if spec is None else spec.shape)
            if type(dim) is str and not dim.isidentifier()
        ]

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns the arrays, in the order and of the types that the function was compiled for.

        Raises:
          TypeError: the number or structure of the arguments, a shape or a dtype is wrong.
        """
        if kwargs:
            args = self._bind(args, kwargs)
        if len(args) != len(self._tree):
            names = f" ({', '.join(self._names)})" if self._names else ""
            count = f"{len(self._tree)} argument{'s' if len(self._tree) != 1 else ''}"
            raise TypeError(f"{self._name} takes {count}{names}, got: {len(args)}")
        arrays: list[Any]
        if self._is_flat:
            arrays = list(args)
        else:
            arrays = [None] * len(self._specs)
            for i, (tree, value) in enumerate(zip(self._tree, args, strict=True)):
                self._fill(tree, value, arrays, (i,))
        sizes: dict[str, int] = {}
        for leaf, spec in enumerate(self._specs):
            if spec is not None:
                arrays[leaf] = self._check(leaf, spec, arrays[leaf], sizes)
        if self._computed or self._sizes.constraints:
            self._check_sizes([array.shape for array in arrays], sizes)
        return arrays

    def _check_sizes(self, shapes: Sequence[tuple[int, ...]], sizes: dict[str, int]) -> None:
        """Checks dimensions computed from names, and the constraints on names."""
        for name, leaf, d, factor, rest in self._sizes.names:
            size = shapes[leaf][d]
            value, remainder = divmod(size - formula(rest)(sizes), factor)
            if remainder:
                raise TypeError(
                    f"dimension {d} of {self._leaf_name(leaf)} must be {self._dim(leaf, d)}, got: "
                    f"{size}, for which {name} is no integer"
                )
            sizes[name] = value
        for leaf, d, text in self._computed:
            if sizes.keys() >= names_in(text) and formula(text)(sizes) != shapes[leaf][d]:
                raise TypeError(
                    f"dimension {d} of {self._leaf_name(leaf)} must be {text} = "
                    f"{formula(text)(sizes)} where {_listed(sizes, names_in(text))}, got: "
                    f"{shapes[leaf][d]}"
                )
        broken = self._sizes.broken(sizes)
        if broken:
            used = frozenset[str]().union(*map(names_in, broken))
            origin = [
                f"{name} = {sizes[name]} from dimension {d} of {self._leaf_name(leaf)}"
                for name, leaf, d, *_ in self._sizes.names
                if name in used
            ]
            raise TypeError(
                f"sizes must satisfy {', '.join(broken)}, for which {self._name} was exported, "
                f"got: {', '.join(origin)}; pass other arrays, or export it with other constraints"
            )

    def _dim(self, leaf: int, d: int) -> Any:
        spec = self._specs[leaf]
        return None if spec is None else spec.shape[d]

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Puts arguments given by name into their places."""
        names = self._names
        rest = names[len(args) :]
        for name in kwargs:
            if name not in rest:
                raise TypeError(
                    f"{self._name} got argument {name!r} twice"
                    if name in names
                    else f"{self._name} has no argument {name!r}; it has: "
                    f"{', '.join(names) or 'arguments by position only'}"
                )
        missing = [name for name in rest if name not in kwargs]
        if missing:
            raise TypeError(f"{self._name} needs {', '.join(missing)}, got: {', '.join(kwargs)}")
        return [*args, *(kwargs[name] for name in rest)]

    def _fill(self, tree: Tree, value: Any, arrays: list[Any], path: Path) -> None:
        """Stores the leaves of `value`, which must have the structure of `tree`."""
        if type(tree) is int:
            arrays[tree] = value
        elif tree is None:
            if value is not None:
                raise self._structure_error(path, "None", _type_name(value))
        elif type(tree) is dict:
            if not isinstance(value, Mapping):
                raise self._structure_error(path, "a dict", _type_name(value))
            if tree.keys() != value.keys():
                raise self._structure_error(
                    path, f"a dict with the keys {list(tree)}", f"the keys {list(value)}"
                )
            for key, child in tree.items():
                self._fill(child, value[key], arrays, (*path, key))
        elif fields_of(tree) and not isinstance(value, tuple):
            # The argument may be an object of the class that the function was exported with instead
            # of a tuple.
            for field, child in zip(fields_of(tree), tree, strict=True):
                if not hasattr(value, field):
                    raise self._structure_error(
                        path,
                        f"an object with {', '.join(fields_of(tree))}",
                        f"{_type_name(value)} without {field}",
                    )
                self._fill(child, getattr(value, field), arrays, (*path, field))
        else:
            kind = tuple if fields_of(tree) else type(tree)
            if not isinstance(value, kind):
                raise self._structure_error(path, f"a {kind.__name__}", _type_name(value))
            if len(value) != len(tree):
                raise self._structure_error(
                    path, f"a {kind.__name__} of {len(tree)} elements", f"{len(value)} elements"
                )
            for i, child in enumerate(tree):
                self._fill(child, value[i], arrays, (*path, i))

    def _check(self, leaf: int, spec: ArraySpec, value: Any, sizes: dict[str, int]) -> Any:
        """Returns the array, converted if that loses nothing; binds the names of dimensions."""
        if type(value) not in (Buffer, np.ndarray, Parts):
            value = self._convert(leaf, spec, value)
        accepted = self._dtypes[leaf]
        assert accepted is not None
        if value.dtype not in accepted:
            raise TypeError(
                f"{self._leaf_name(leaf)} must have dtype {spec.dtype}, got: {value.dtype}; "
                f"pass x.astype({spec.dtype.name!r})"
            )
        shape = value.shape
        if shape != spec.shape and not _fits(shape, spec.shape, sizes):
            bound = ", ".join(
                f"{dim} = {sizes[dim]}" for dim in spec.shape if type(dim) is str and dim in sizes
            )
            raise TypeError(
                f"{self._leaf_name(leaf)} must be {spec}{f' where {bound}' if bound else ''}, "
                f"got: {ArraySpec(shape, value.dtype)}"
            )
        return value

    def _convert(self, leaf: int, spec: ArraySpec, value: Any) -> np.ndarray:
        """Makes an array of something else; Python's numbers and lists get the wanted dtype."""
        typed = hasattr(value, "dtype") or hasattr(value, "__dlpack__")
        try:
            array = as_host_array(value)
            if not typed and _kind(array.dtype) <= _kind(spec.dtype):
                array = np.asarray(value, dtype=spec.dtype, order="C")
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(
                f"{self._leaf_name(leaf)} must be an array {spec}, got: {_type_name(value)}; "
                "pass a NumPy array, a Buffer, or what numpy.asarray makes a numeric array of"
            ) from error
        return array

    def _structure_error(self, path: Path, expected: str, found: str) -> TypeError:
        return TypeError(
            f"{self._path_name(path)} must be {expected}, got: {found}; "
            f"{self._name} takes what it was exported with"
        )

    def _leaf_name(self, leaf: int) -> str:
        path = _path_to(self._tree, leaf)
        assert path is not None
        return self._path_name(path)

    def _path_name(self, path: Path) -> str:
        text = self._names[path[0]] if self._names else f"args[{path[0]}]"
        tree = self._tree[path[0]]
        for key in path[1:]:
            fields = fields_of(tree)
            if fields:
                key = fields.index(key) if key in fields else key
                text += f".{fields[key]}"
            else:
                text += f"[{key!r}]"
            tree = tree[key]
        return text


def unflatten(tree: Tree, leaves: Sequence[Any]) -> Any:
    """Returns the tree with each index replaced by that element of `leaves`."""
    kind = type(tree)
    if kind is int:
        return leaves[tree]
    if tree is None:
        return None
    if kind is dict:
        return {key: unflatten(child, leaves) for key, child in tree.items()}
    children = [unflatten(child, leaves) for child in tree]
    return kind(*children) if fields_of(tree) else kind(children)


def _accepted(spec: ArraySpec, signature: Signature) -> frozenset[np.dtype]:
    if signature.signless and spec.dtype.kind == "i":
        return frozenset((spec.dtype, np.dtype(f"u{spec.dtype.name}")))
    return frozenset((spec.dtype,))


def _fits(shape: tuple[int, ...], wanted: tuple[Any, ...], sizes: dict[str, int]) -> bool:
    if len(shape) != len(wanted):
        return False
    bound = dict(sizes)
    for size, dim in zip(shape, wanted, strict=True):
        if type(dim) is str:
            dim = bound.setdefault(dim, size) if dim.isidentifier() else None
        if dim is not None and size != dim:
            return False
    sizes.update(bound)
    return True


def _listed(sizes: Mapping[str, int], names: Collection[str]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items() if name in names)


def _kind(dtype: np.dtype) -> int:
    """Returns the rank of a dtype in bool < integer < float < complex."""
    return {"b": 0, "i": 1, "u": 1, "c": 3}.get(dtype.kind, 2)


def _path_to(tree: Tree, leaf: int) -> Path | None:
    if type(tree) is int:
        return () if tree == leaf else None
    children = tree.items() if type(tree) is dict else enumerate(tree or ())
    for key, child in children:
        path = _path_to(child, leaf)
        if path is not None:
            return (key, *path)
    return None


def _type_name(value: Any) -> str:
    return "None" if value is None else type(value).__name__
