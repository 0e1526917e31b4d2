"""Exports the network called by the C program in this folder, and prints the expected output.

python export_mlp.py mlp.vmfb                          parameters inside of the module
python export_mlp.py mlp.vmfb --parameters=mlp.irpa    parameters in a file of their own
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp

# Such numbers are exact in float32, so that every machine prints the same.
PARAMS = [
    {"w": np.arange(12, dtype=np.float32).reshape(3, 4) / 4 - 1, "b": np.ones(4, np.float32) / 2},
    {"w": np.arange(8, dtype=np.float32).reshape(4, 2) / 2 - 1, "b": np.ones(2, np.float32)},
]
X = np.array([[1, 2, 3], [-1, 0, 0.5]], np.float32)


def predict(params: Any, x: dt.Array) -> dt.Array:
    first, last = params
    hidden = dnp.maximum(x @ first["w"] + first["b"], 0)
    return hidden @ last["w"] + last["b"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--parameters")
    options = parser.parse_args()
    dt.export(
        predict,
        PARAMS,
        dt.ShapeDtypeStruct(X.shape, X.dtype),
        path=options.path,
        name="predict",
        parameter_argnames="params",
        parameters=options.parameters,
    )
    result = np.asarray(predict(PARAMS, dnp.array(X)))
    for array in (X, result):
        print("x".join(map(str, array.shape)), ",".join(f"{v:.9g}" for v in array.flat), sep="=")
