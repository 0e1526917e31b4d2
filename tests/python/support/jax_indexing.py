"""Random index expressions, as text that both libraries evaluate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Shape = tuple[int, ...]
MODES = [None, "clip", "fill", "drop", "promise_in_bounds"]
KINDS = ["float32", "float32", "int32", "uint8", "bool", "complex64", "int8"]
UPDATES = ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]


class Case(NamedTuple):
    """An expression, and the arrays that it names."""

    expression: str
    arrays: dict[str, np.ndarray]


class Index:
    """A random index for an array of a shape: its text, and the arrays in it."""

    def __init__(self, rng: np.random.Generator, shape: Shape, masks: bool, beyond: bool) -> None:
        self.rng, self.shape, self.masks = rng, shape, masks
        self.beyond = 3 if beyond else 0
        self.arrays: dict[str, np.ndarray] = {}
        self.common = tuple(map(int, rng.integers(0 if rng.random() < 0.05 else 1, 4, 2)))
        entries, used, dots = [], 0, False
        while used < len(shape):
            kind = rng.choice(["int", "slice", "array", "new", "dots", "mask", "stop"], p=WEIGHTS)
            if kind == "stop" or (kind == "dots" and dots):
                break
            if kind == "dots":
                dots = True
                entries.append("...")
                shape = shape[: used + int(rng.integers(len(shape) - used + 1))]
            elif kind == "mask":
                rank = min(int(rng.integers(1, 3)), len(shape) - used)
                # After `...` the mask's dimensions are others.
                if self.rng.random() < 0.15 and masks and beyond:
                    entries.append(str(bool(self.rng.integers(3))))
                elif self.masks and not dots:
                    entries.append(self.mask(shape[used : used + rank]))
                    used += rank
            else:
                entries.append(self.entry(kind, self.shape[used]))
                used += kind != "new"
        self.text = ", ".join(entries) or "()"
        if len(entries) == 1 and rng.integers(2):
            self.text += ","

    def entry(self, kind: str, size: int) -> str:
        if kind == "new":
            return "None"
        if kind == "int":
            return str(self.number(size))
        if kind == "array":
            return self.array(size)
        bounds = [
            "" if self.rng.random() < 0.4 else str(int(self.rng.integers(-size - 2, size + 3)))
            for _ in range(2)
        ]
        step = int(self.rng.choice([1, 1, 2, 3, -1, -1, -2]))
        return f"{bounds[0]}:{bounds[1]}" + ("" if step == 1 else f":{step}")

    def number(self, size: int) -> int:
        beyond = self.beyond if self.rng.random() < 0.2 else 0
        return int(self.rng.integers(-size - beyond, max(size + beyond, 1 - size)))

    def name(self, array: np.ndarray) -> str:
        name = f"i{len(self.arrays)}"
        self.arrays[name] = array
        return name

    def array(self, size: int) -> str:
        rank = int(self.rng.integers(len(self.common) + 1))
        shape = [n if self.rng.random() < 0.8 else 1 for n in self.common[2 - rank :]]
        beyond = self.beyond if self.rng.random() < 0.4 else 0
        dtype = self.rng.choice(["int32", "int32", "int8", "uint8", "uint32"])
        low = 0 if dtype[0] == "u" else -size - beyond
        values = self.rng.integers(low, max(size + beyond, low + 1), shape)
        return self.name(np.asarray(values, dtype))

    def mask(self, shape: Shape) -> str:
        return self.name(self.rng.random(shape) < 0.5)


WEIGHTS = [0.2, 0.3, 0.25, 0.06, 0.06, 0.08, 0.05]


def sample(rng: np.random.Generator, shape: Shape, dtype: str) -> np.ndarray:
    """Small numbers without zeros, so that all results are exact."""
    values = rng.integers(1, 4, shape)
    if dtype == "bool":
        return values > 1
    if dtype[0] != "u":
        values = values * rng.choice([-1, 1], shape)
    return values.astype(dtype)


def operand(rng: np.random.Generator, kinds: list[str]) -> np.ndarray:
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 5, rank))
    return sample(rng, shape, str(rng.choice(kinds)))


def read(seed: int, masks: bool = True, beyond: bool = True, kinds: list[str] = KINDS) -> Case:
    """Elements read by `x[...]` or `x.at[...].get`."""
    rng = np.random.default_rng(seed)
    x = operand(rng, kinds)
    index = Index(rng, x.shape, masks, beyond)
    arrays = {"x": x, **index.arrays}
    if rng.random() < 0.4:
        return Case(f"x[{index.text}]", arrays)
    options = [f"mode={mode!r}" for mode in [rng.choice(np.array(MODES, object))]]
    if rng.random() < 0.4:
        options.append(f"fill_value={'7' if x.dtype != bool else 'False'}")
    if rng.random() < 0.2:
        options.append("wrap_negative_indices=False")
    return Case(f"x.at[{index.text}].get({', '.join(options)})", arrays)


def write(seed: int, masks: bool = True, beyond: bool = True, kinds: list[str] = KINDS) -> Case:
    """Elements changed by a method of `x.at[...]`."""
    rng = np.random.default_rng(seed)
    method = str(rng.choice([*UPDATES, "apply"]))
    x = operand(rng, kinds)
    if x.dtype.kind == "c" and method in ("min", "max"):
        x = np.real(x)
    if x.dtype == bool and method not in ("min", "max"):
        method = "set"
    index = Index(rng, x.shape, masks, beyond)
    arrays = {"x": x, **index.arrays}
    options = [f"mode={mode!r}" for mode in [rng.choice(np.array(MODES, object))]]
    if rng.random() < 0.2:
        options.append("wrap_negative_indices=False")
    rest = "".join(f", {option}" for option in options)
    if method == "apply":
        return Case(f"x.at[{index.text}].apply(lambda v: v * v + v{rest})", arrays)
    if rng.random() < 0.3 or method == "power":
        return Case(f"x.at[{index.text}].{method}({rng.choice([1, 2, 3])}{rest})", arrays)
    arrays["v"] = sample(rng, selected_shape(x, index, rng), str(x.dtype))
    if rng.random() < 0.2 and kinds is KINDS:
        # A type other than the array's; JAX drops imaginary parts with a warning.
        other = "int8" if x.dtype == bool else str(rng.choice(["float32", "int8"]))
        arrays["v"] = np.real(arrays["v"]).astype(other)
    return Case(f"x.at[{index.text}].{method}(v{rest})", arrays)


def selected_shape(x: np.ndarray, index: Index, rng: np.random.Generator) -> Shape:
    """The shape selected by an index, or one that broadcasts to it; () for a wrong index."""
    inside = {name: a if a.dtype == bool else np.zeros_like(a) for name, a in index.arrays.items()}
    try:
        # Numbers out of bounds are an error in NumPy, and are not needed for the shape.
        text = ", ".join(
            "0" if e.lstrip("-").isdigit() else e for e in index.text.rstrip(",").split(", ")
        )
        shape = eval(f"x[{text}]" if text != "()" else "x", {"x": x, **inside}).shape
    except IndexError:
        return ()
    return tuple(n if rng.random() < 0.8 else 1 for n in shape[int(rng.integers(2)) :])
