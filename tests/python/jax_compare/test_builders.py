"""Builders of StableHLO's ops take the parameters that JAX's take."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import pytest

import dovetail

stablehlo = pytest.importorskip("jaxlib.mlir.dialects.stablehlo")
chlo = pytest.importorskip("jaxlib.mlir.dialects.chlo")

# By its file: the package takes JAX's place.
FILE = Path(dovetail.__file__).parent / "as_jax" / "mlir" / "op_table.py"
SPEC: Any = importlib.util.spec_from_file_location("op_table", FILE)
TABLE: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(TABLE)

SPECS = [
    pytest.param(module, TABLE.parsed(dialect, line), id=f"{dialect}.{line.split()[0]}")
    for module, dialect, lines in (
        (stablehlo, "stablehlo", TABLE.STABLEHLO),
        (chlo, "chlo", TABLE.CHLO),
    )
    for line in lines
]
# Of asynchronous calls, channels of hosts, tuples, quantization, and forms that have others.
LEFT_OUT = set(
    """
    after_all async_done async_start create_token cross_replica_sum einsum get_tuple_element infeed
    outfeed recv send torch_index_select tuple unary_einsum uniform_dequantize uniform_quantize
    """.split()  # noqa: SIM905
)


@pytest.mark.parametrize(("module", "spec"), SPECS)
def test_parameters(module: Any, spec: Any) -> None:
    builder, of = getattr(module, spec.name), getattr(module, spec.class_name)
    assert spec.op == of.OPERATION_NAME
    num_regions = 0 if spec.has_counted_regions else len(spec.regions)
    assert (num_regions, not spec.has_counted_regions) == of._ODS_REGIONS
    theirs = {
        name: parameter.kind is parameter.KEYWORD_ONLY
        for name, parameter in inspect.signature(builder).parameters.items()
        if name not in ("loc", "ip", "results", "num_branches", "num_composite_regions")
    }
    ours = {
        each.name: each.is_optional
        for each in spec.parameters
        if each.kind not in ("type", "types")
    }
    types = [name for name in theirs if name in ("result", "output", "output_state")]
    assert len(types) == len(spec.parameters) - len(ours)
    assert ours == {name: is_named for name, is_named in theirs.items() if name not in types}
    required = [each.name for each in spec.parameters if not each.is_optional]
    assert [name for name in required if name != "result"] == [
        name for name, is_named in theirs.items() if not is_named and name not in types
    ]


def test_all_builders() -> None:
    theirs = {
        name
        for name, value in vars(stablehlo).items()
        if inspect.isfunction(value) and "loc" in inspect.signature(value).parameters
    }
    ours = {TABLE.parsed("stablehlo", line).name for line in TABLE.STABLEHLO}
    assert theirs - ours == LEFT_OUT
    assert ours <= theirs
