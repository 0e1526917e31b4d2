"""Prints docs/architecture.md: its template with the real IR of one function after each phase."""

import re
from pathlib import Path

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp


def loss(w, x, y):
    """The mean squared error of one layer: f32[3, 2], f32[4, 3] and f32[4, 2] to f32."""
    return dnp.mean((dnp.tanh(x @ w) - y) ** 2)


def main() -> None:
    """Prints the document."""
    shapes = (3, 2), (4, 3), (4, 2)
    specs = [dt.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    lowered = dt.jit(dt.grad(loss)).lower(*specs)
    template = Path(__file__).with_suffix(".template.md").read_text()
    # A phase in braces alone on a line stands for the IR after it.
    text = re.sub(r"^\{(\w+)\}$", lambda match: lowered.as_text(match[1]), template, flags=re.M)
    print(text, end="")


if __name__ == "__main__":
    main()
