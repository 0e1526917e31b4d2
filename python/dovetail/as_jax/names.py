"""The names of JAX: its version, its modules, and the names that Dovetail lacks."""

from __future__ import annotations

import re
from pathlib import Path

VERSION_INFO = (0, 10, 2)
VERSION = ".".join(map(str, VERSION_INFO))

# Names that modules here lack, by JAX's module: all public ones, and internal ones that libraries
# know.
MISSING: dict[str, frozenset[str]] = {}
for _line in re.split(
    r"\n(?! )", (Path(__file__).parent / "missing_names.txt").read_text().strip()
):
    _module, *_names = _line.split()
    if _module != "#":
        MISSING[_module] = frozenset(_names)

# All public modules, also those that are not here.
MODULES = frozenset(name for name in MISSING if not name.startswith("jax._src.")) | {"jaxlib"}

# Internal modules that libraries import, and of which nothing is here.
INTERNAL = ("jax._src.ad_util", "jax._src.cudnn", "jax._src.earray", "jax._src.pretty_printer")

# Folders all of whose modules are taken to exist, for suites of tests.
FOLDERS: tuple[str, ...] = ()

# Internal modules of which libraries import what a module here has.
ALIASES = {
    "jax._src.api": "dovetail",
    "jax._src.callback": "dovetail.transforms.callbacks",
    "jax._src.checkify": "dovetail.experimental.checkify",
    "jax._src.custom_batching": "dovetail.custom_batching",
    "jax._src.custom_derivatives": "dovetail.custom_derivatives",
    "jax._src.debugger": "dovetail.debug",
    "jax._src.debugging": "dovetail.debug",
    "jax._src.dlpack": "dovetail.dlpack",
    "jax._src.errors": "dovetail.errors",
    "jax._src.export": "dovetail.export",
    "jax._src.flatten_util": "dovetail.flatten_util",
    "jax._src.image": "dovetail.image",
    "jax._src.interpreters.batching": "dovetail.as_jax.jax.interpreters.batching",
    "jax._src.interpreters.mlir": "dovetail.as_jax.jax.interpreters.mlir",
    "jax._src.interpreters.partial_eval": "dovetail.as_jax.jax.interpreters.partial_eval",
    "jax._src.interpreters.pxla": "dovetail.as_jax.jax.interpreters.pxla",
    "jax._src.interpreters.xla": "dovetail.as_jax.jax.interpreters.xla",
    "jax._src.lax": "dovetail.lax",
    "jax._src.random.threefry2x32": "dovetail.as_jax.jax._src.threefry2x32",
    "jax._src.lax.control_flow": "dovetail.lax",
    "jax._src.lax.lax": "dovetail.lax",
    "jax._src.lax.linalg": "dovetail.lax.linalg",
    "jax._src.lax.parallel": "dovetail.lax",
    "jax._src.lax.slicing": "dovetail.lax",
    "jax._src.lax.windowed_reductions": "dovetail.lax",
    "jax._src.lib": "dovetail.as_jax.jaxlib",
    "jax._src.lib.xla_client": "dovetail.as_jax.jaxlib.xla_client",
    "jax._src.mesh_utils": "dovetail.experimental.mesh_utils",
    "jax._src.monitoring": "dovetail.monitoring",
    "jax._src.named_sharding": "dovetail.placement.named_sharding",
    "jax._src.nn": "dovetail.nn",
    "jax._src.nn.functions": "dovetail.nn",
    "jax._src.nn.initializers": "dovetail.as_jax.initializers",
    "jax._src.numpy": "dovetail.numpy",
    "jax._src.numpy.array_constructors": "dovetail.numpy",
    "jax._src.numpy.array_creation": "dovetail.numpy",
    "jax._src.numpy.einsum": "dovetail.numpy",
    "jax._src.numpy.fft": "dovetail.numpy.fft",
    "jax._src.numpy.index_tricks": "dovetail.numpy",
    "jax._src.numpy.lax_numpy": "dovetail.numpy",
    "jax._src.numpy.linalg": "dovetail.numpy.linalg",
    "jax._src.numpy.polynomial": "dovetail.numpy",
    "jax._src.numpy.reductions": "dovetail.numpy",
    "jax._src.numpy.scalar_types": "dovetail.numpy",
    "jax._src.numpy.setops": "dovetail.numpy",
    "jax._src.numpy.sorting": "dovetail.numpy",
    "jax._src.numpy.tensor_contractions": "dovetail.numpy",
    "jax._src.numpy.ufunc_api": "dovetail.numpy",
    "jax._src.numpy.ufuncs": "dovetail.numpy",
    "jax._src.numpy.util": "dovetail.as_jax.promotion",
    "jax._src.numpy.vectorize": "dovetail.numpy",
    "jax._src.numpy.window_functions": "dovetail.numpy",
    "jax._src.ops": "dovetail.ops",
    "jax._src.ops.scatter": "dovetail.ops",
    "jax._src.pallas": "dovetail.experimental.pallas",
    "jax._src.pallas.pallas_call": "dovetail.experimental.pallas",
    "jax._src.partition_spec": "dovetail.placement.partition_spec",
    "jax._src.profiler": "dovetail.profiler",
    "jax._src.random": "dovetail.random",
    "jax._src.random.core": "dovetail.random",
    "jax._src.scipy": "dovetail.scipy",
    "jax._src.scipy.sparse": "dovetail.scipy.sparse",
    "jax._src.scipy.sparse.linalg": "dovetail.scipy.sparse.linalg",
    "jax._src.scipy.special": "dovetail.scipy.special",
    "jax._src.shard_map": "dovetail",
    "jax._src.stages": "dovetail.stages",
    "jax._src.test_util": "dovetail.test_util",
    # Deprecated modules.
    "jax.experimental.pjit": "dovetail.as_jax.deprecated.pjit",
    "jax.experimental.shard_map": "dovetail.as_jax.deprecated.shard_map",
}

# The modules of MLIR's bindings, under the names of the packages that have them.
_OF_MLIR = {
    "": "dovetail.as_jax.mlir",
    ".dialects": "dovetail.as_jax.mlir.dialects",
    ".dialects.chlo": "dovetail.as_jax.mlir.dialects.chlo",
    ".dialects.hlo": "dovetail.as_jax.mlir.dialects.stablehlo",
    ".dialects.stablehlo": "dovetail.as_jax.mlir.dialects.stablehlo",
    ".ir": "iree.compiler.ir",
    ".passmanager": "iree.compiler.passmanager",
    **{
        f".dialects.{name}": f"iree.compiler.dialects.{name}"
        for name in ("arith", "builtin", "func", "math", "memref", "scf", "vector")
    },
}
for _package in ("jax._src.lib.mlir", "jax.extend.mlir", "jaxlib.mlir"):
    ALIASES.update({f"{_package}{name}": module for name, module in _OF_MLIR.items()})

# Parts of names, and what a program can do without them.
REMEDIES = (
    (
        ("_p", "Primitive", "primitive", "axpr", "interpreters", "extend.core", "jax.core", "mlir"),
        "jaxprs are views of the compiler's IR, whose equations are its ops: look at what there is "
        "with jax.make_jaxpr(f)(x), and make operations with jax.extend.core.Primitive",
    ),
    (
        ("pallas", "mosaic"),
        "write the kernel with what jax.experimental.pallas has, or the computation with jax.numpy",
    ),
    (("jax2tf",), "export the function with dovetail.export"),
    (("sparse",), "use the functions of jax.experimental.sparse, which are no primitives"),
)
