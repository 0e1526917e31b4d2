"""Exported functions: programs of the dialect that are stored, sent, and called again."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import config, dtypes, errors
from dovetail.base.errors import value_error
from dovetail.base.trace_stack import current, differentiated_later
from dovetail.exporting.serialization import (
    FIRST_VERSION,
    LAST_VERSION,
    Payload,
    decode_avals,
    encode_avals,
    encode_tree,
    pack,
    spec_of,
    unpack,
)
from dovetail.exporting.shardings import Layout, constrained_all, layout_of, over_mesh
from dovetail.placement import platforms
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.programs.dynamic import DynamicJitted
from dovetail.programs.jit import jit
from dovetail.programs.jitted import Jitted
from dovetail.programs.options import Options
from dovetail.programs.program import Program, Signature
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import has_sizes
from dovetail.symbolic.solve import check_shapes, scope_of
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import LeafNames, as_operand
from dovetail.tracing.functions import call
from dovetail.tracing.sizes import call_at
from dovetail.transforms.callbacks import calls_in
from dovetail.transforms.linearization import vjp
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten, unflatten
from dovetail.trees.treedef import public

# The number of derivatives for which programs have the rules of `custom_jvp` and `custom_vjp`;
# further ones are derivatives of these rules.
_ORDER = 2
PLATFORMS = ("cpu", "cuda", "rocm", "vulkan", "metal")

# The versions of the serialized form that can be read.
minimum_supported_calling_convention_version = FIRST_VERSION
maximum_supported_calling_convention_version = LAST_VERSION


class DisabledSafetyCheck:
    """A check that is disabled.

    Example:
      >>> from dovetail import export
      >>> export.DisabledSafetyCheck.platform()
      platform
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @classmethod
    def platform(cls) -> DisabledSafetyCheck:
        """Allow calls on platforms that the function was not exported for."""
        return cls("platform")

    @classmethod
    def custom_call(cls, target_name: str) -> DisabledSafetyCheck:
        """Accepted for compatibility with JAX: programs have no custom calls."""
        return cls(f"custom_call:{target_name}")

    def is_custom_call(self) -> str | None:
        """The allowed custom call, if this is for one."""
        match = re.fullmatch("custom_call:(.+)", self._text)
        return match[1] if match else None

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisabledSafetyCheck) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


class Exported:
    """A function as a program, with everything needed to call it; returned by `export`.

    Rules of `custom_jvp` and `custom_vjp` are part of the program, for two derivatives; further
    derivatives are derivatives of the rules. Rules of `custom_vmap`, which are Python functions,
    are not serialized.

    Attributes:
      fun_name: the function's name.
      in_tree: the structure of (args, kwargs), without static arguments.
      in_avals: the types of the arguments' leaves.
      out_tree: the structure of the result.
      out_avals: the types of its leaves.
      nr_devices: the number of devices that it was exported for; if there are several, calls run on
        as many.
      platforms: the platforms on which it may be called.
      disabled_safety_checks: the checks that are disabled.
      calling_convention_version: the version of its serialized form.
      uses_global_constants: whether the types have symbolic sizes, whose values calls give.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> exported = dt.export.export(dt.jit(dnp.sin))(dt.ShapeDtypeStruct((4,), "float32"))
      >>> exported.in_avals
      (ShapedArray(float32[4]),)
      >>> again = dt.export.deserialize(exported.serialize())
      >>> again.call(dnp.zeros(4))
      Array([0., 0., 0., 0.], dtype=float32)
    """

    ordered_effects: tuple[Any, ...] = ()
    unordered_effects: tuple[Any, ...] = ()

    def __init__(
        self,
        program: Program,
        platforms: tuple[str, ...],
        disabled_checks: Sequence[DisabledSafetyCheck] = (),
        layout: Layout | None = None,
    ) -> None:
        self._program = program
        self._layout = layout_of(program) if layout is None else layout
        self.nr_devices = self._layout.devices
        self.fun_name = program.name
        self.in_tree = public(program.signature.spec)
        self.in_avals: tuple[ShapedArray, ...] = tuple(program.signature.avals)
        self.out_tree = public(program.out_spec)
        self.out_avals: tuple[ShapedArray, ...] = tuple(program.avals)
        self.platforms = platforms
        self.disabled_safety_checks = tuple(disabled_checks)
        self.calling_convention_version = LAST_VERSION
        self.module_kept_var_idx = tuple(range(len(self.in_avals)))
        self.in_shardings_hlo = (None,) * len(self.in_avals)
        self.out_shardings_hlo = (None,) * len(self.out_avals)

        # The name `main` is reserved for the program that calls this one.
        self._callee_name = f"{program.name}.exported"
        # Not the function of it: only through the module cycles of Python objects are found.
        self._module = program.module.clone()
        _core.publish(self._module.function("main"), self._callee_name)

        def called(*args: Any, **kwargs: Any) -> Any:
            return self._traced(*args, **kwargs)

        called.__name__ = program.name
        self._function = called
        shapes = [aval.shape for aval in self.in_avals]
        scope = scope_of(shapes)
        self.uses_global_constants = scope is not None
        self._jitted = (
            jit(called) if scope is None else DynamicJitted(called, Options(), None, scope, shapes)
        )

    def __repr__(self) -> str:
        return f"Exported(fun_name={self.fun_name}, ...)"

    def mlir_module(self) -> str:
        """The program's text."""
        return self._program.module.text()

    @property
    def mlir_module_serialized(self) -> bytes:
        """The program's text as bytes."""
        return self.mlir_module().encode()

    def in_shardings_jax(
        self, mesh: Mesh | AbstractMesh | None
    ) -> tuple[NamedSharding | None, ...]:
        """How the leaves of the arguments are sharded in calls.

        Args:
          mesh: the mesh to state it for, with the axes of the one that the function was exported
            for; None for the shardings over axes without devices.

        Returns:
          A sharding for each leaf; None for one that may be sharded in any way.

        Raises:
          ValueError: the mesh has other axes.

        Example:
          >>> import dovetail as dt, dovetail.numpy as dnp
          >>> exported = dt.export.export(dt.jit(dnp.sin))(dt.ShapeDtypeStruct((4,), "float32"))
          >>> exported.nr_devices, exported.in_shardings_jax(dt.make_mesh((1,), ("x",)))
          (1, (None,))
        """
        return over_mesh(self._layout.arguments, mesh)

    def out_shardings_jax(
        self, mesh: Mesh | AbstractMesh | None
    ) -> tuple[NamedSharding | None, ...]:
        """How the leaves of the result are sharded, as by `in_shardings_jax`.

        Raises:
          ValueError: the mesh has other axes.
        """
        return over_mesh(self._layout.results, mesh)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; it can be traced and transformed like the one that was exported.

        Raises:
          ValueError: structure, shapes or element types are not those that it was exported for,
            this is none of its platforms, or the number of devices is another one.
        """
        check = DisabledSafetyCheck.platform()
        if check not in self.disabled_safety_checks:
            here = default_export_platform()
            if here not in self.platforms:
                raise value_error(
                    f"`{self.fun_name}` must be called on a platform that it was exported for, "
                    f"{', '.join(self.platforms)}, got: {here}"
                )
        # Unlike a jitted function, this has no Python to run instead.
        with config.disable_jit(False):
            return self._jitted(*args, **kwargs)

    def _traced(self, *args: Any, **kwargs: Any) -> Any:
        in_progress = current()
        assert in_progress is not None
        place = in_progress.root.place or in_progress.root.given
        return self._laid_out(self._layout.over(place, self.fun_name), args, kwargs)

    def _laid_out(self, layout: Layout, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call with arguments, and itself, sharded in a stated way."""
        leaves, spec = set_float0_aside(*flatten((args, kwargs)))
        if spec != self._program.signature.spec:
            raise value_error(
                f"arguments of the exported `{self.fun_name}` must have the structure "
                f"{self.in_tree}, got: {public(spec)}"
            )
        names = LeafNames(self._function, args, kwargs)
        operands = []
        for i, (leaf, aval) in enumerate(zip(leaves, self.in_avals, strict=True)):
            operand = as_operand(leaf, names.at(i))
            is_like = operand.shape == aval.shape or (
                has_sizes(aval.shape) and operand.ndim == aval.ndim
            )
            if not is_like or operand.dtype != aval.dtype:
                raise value_error(
                    f"{names.at(i)} must be {aval}, for which it was exported, got: {operand.aval}"
                )
            operands.append(operand)
        in_progress = current()
        assert in_progress is not None
        operands = constrained_all(operands, layout.arguments)
        # Once in each module of functions that are traced together.
        known = in_progress.root.jitted
        callee = known.get(self)
        if callee is None:
            callee = known[self] = evaluation.Callee(
                _core.adopt(in_progress.module, self._module.function(self._callee_name))
            )
        operands += self._program.captured
        if all(map(lambda operand, aval: operand.shape == aval.shape, operands, self.in_avals)):
            outs = call(callee, operands, self.out_avals)
        else:
            sizes = check_shapes(
                [aval.shape for aval in self.in_avals],
                [operand.shape for operand in operands[: len(self.in_avals)]],
                list(names),
            )
            outs = call_at(callee, operands, self.in_avals, self.out_avals, sizes)
        return unflatten(self._program.out_spec, constrained_all(outs, layout.results))

    def has_vjp(self) -> bool:
        """True: programs can be differentiated, to any order."""
        return True

    def vjp(self) -> Exported:
        """The exported function that takes the leaves of the arguments and the cotangents of the
        result's leaves, and returns a tuple of cotangents of the arguments' leaves.
        """
        count = len(self.in_avals)

        def backward(*leaves: Any) -> tuple[Any, ...]:
            def flat(*primals: Any) -> list[Any]:
                args, kwargs = unflatten(self._program.signature.spec, primals)
                # Its own calls say how it is sharded.
                result = self._laid_out(Layout(1, (), ()), args, kwargs)
                return set_float0_aside(*flatten(result))[0]

            _, pull_back = vjp(flat, *leaves[:count])
            return tuple(pull_back(list(leaves[count:])))

        backward.__name__ = f"{self.fun_name}_vjp"
        specs = [ShapeDtypeStruct(a.shape, a.dtype) for a in self.in_avals]
        cotangents = [_cotangent_spec(aval) for aval in self.out_avals]
        made = export(
            jit(backward), platforms=self.platforms, disabled_checks=self.disabled_safety_checks
        )
        exported = made(*specs, *cotangents)
        return Exported(
            exported._program,
            exported.platforms,
            exported.disabled_safety_checks,
            self._layout.of_vjp(self.in_avals, self.out_avals),
        )

    def serialize(self, vjp_order: int = 0) -> bytearray:
        """The function as bytes, for `deserialize` in this or another process.

        Args:
          vjp_order: the number of times it will be differentiated. Accepted for compatibility with
            JAX: deserialized functions can be differentiated to any order.

        Raises:
          ValueError: arguments or results have nodes of a class that is not registered for it, or
            the function calls functions of this Python program.
        """
        if not isinstance(vjp_order, int) or vjp_order < 0:
            raise ValueError(f"vjp_order must be an int of 0 or more, got: {vjp_order!r}")
        program = self._program
        scope = scope_of([aval.shape for aval in self.in_avals])
        notes = {
            "fun_name": self.fun_name,
            "in_tree": encode_tree(
                unflatten(self._program.signature.spec, range(len(self.in_avals)))
            ),
            "in_avals": encode_avals(self.in_avals),
            "out_tree": encode_tree(unflatten(self._program.out_spec, range(len(self.out_avals)))),
            "out_avals": encode_avals(self.out_avals),
            "parameters": program.parameters,
            "platforms": self.platforms,
            "disabled_checks": [repr(check) for check in self.disabled_safety_checks],
            **self._layout.encoded(),
            "weak": [operand.weak_type for operand in program.captured],
            "constraints": list(scope.constraints) if scope is not None else None,
        }
        module = program.module.clone()
        _core.forget_rules(module)
        text = module.text()
        calls = calls_in(text)
        if calls:
            raise value_error(
                "a serialized function must not call functions of this Python program, got: "
                f"{'; '.join(calls[:3])}, in `{self.fun_name}`; compute the same with "
                "dovetail.numpy, or leave the call out"
            )
        arrays = [operand._value() for operand in program.captured]
        return pack(Payload(notes, text, arrays))


def _cotangent_spec(aval: ShapedArray) -> Any:
    if dtypes.issubdtype(aval.dtype, np.inexact):
        return ShapeDtypeStruct(aval.shape, aval.dtype)
    return np.zeros(aval.shape, dtypes.float0)


def default_export_platform() -> str:
    """The platform that functions are exported for by default: that of the default device.

    Example:
      >>> from dovetail import export
      >>> export.default_export_platform()
      'cpu'
    """
    return platforms.default().platform


def export(
    fun_jit: Callable[..., Any],
    *,
    platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[DisabledSafetyCheck] = (),
) -> Callable[..., Exported]:
    """Turn a function into programs that can be stored, sent and called again.

    The programs are in the dialect, not compiled: they can be differentiated and batched.
    `dovetail.export(f, …)` makes compiled ones, which run without Python.

    Args:
      fun_jit: the function, jitted or any other callable.
      platforms: the platforms on which it may be called, some of `cpu`, `cuda`, `rocm`, `vulkan`,
        `metal`; by default the one on which this process runs programs.
      disabled_checks: the checks to disable.

    Returns:
      A function of the arguments, or of `ShapeDtypeStruct`s, that returns the `Exported`.

    Raises:
      ValueError: the function cannot be called, or there is no such platform.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> exported = dt.export.export(dt.jit(dnp.square))(np.float32(2))
      >>> float(dt.grad(exported.call)(3.0))
      6.0
    """
    if not callable(fun_jit):
        raise ValueError(f"Function to be exported must be callable, got: {fun_jit!r}")
    jitted = fun_jit if isinstance(fun_jit, Jitted) else jit(fun_jit)
    chosen = (default_export_platform(),) if platforms is None else tuple(platforms)
    for platform in chosen:
        if platform not in PLATFORMS:
            raise ValueError(f"platforms must be of {', '.join(PLATFORMS)}, got: {platform!r}")

    @functools.wraps(jitted)
    def made(*args: Any, **kwargs: Any) -> Exported:
        with differentiated_later(_ORDER):
            program = jitted.lower(*args, **kwargs).program
        return Exported(_without_statics(program), chosen, disabled_checks)

    return made


def _without_statics(program: Program) -> Program:
    """The program without static arguments, and with its own copies of arrays."""
    program.check_leaks()
    signature = program.signature
    static = {n for n, _ in signature.statics if isinstance(n, int)}
    args, kwargs = unflatten(signature.spec, range(len(signature.avals)))
    kept = [i for i in range(len(args)) if i not in static]
    _, spec = set_float0_aside(*flatten((tuple(args[i] for i in kept), kwargs)))
    return replace(
        program,
        signature=Signature(spec, (), signature.avals),
        parameters=[program.parameters[i] for i in kept],
        captured=[
            Array(operand._value().copy(), operand.weak_type) for operand in program.captured
        ],
        donated=(),
    )


def deserialize(blob: bytes | bytearray | memoryview) -> Exported:
    """The function serialized by `Exported.serialize`.

    Args:
      blob: the bytes.

    Returns:
      The function, which can be called, compiled, differentiated and batched.

    Raises:
      ValueError: the bytes are something else, are damaged or of an unknown version, or have nodes
        of a class that is not registered.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> blob = dt.export.export(dt.jit(dnp.square))(np.float32(2)).serialize()
      >>> dt.export.deserialize(blob).call(4.0)
      Array(16., dtype=float32)
    """
    payload = unpack(blob)
    notes = payload.notes
    constraints = notes.get("constraints")
    scope = None if constraints is None else SymbolicScope(constraints)
    avals = decode_avals(notes["in_avals"], scope)
    arrays = [
        Array(array, bool(weak)) for array, weak in zip(payload.arrays, notes["weak"], strict=True)
    ]
    try:
        module = _core.Module.parse(payload.text)
    except _core.CompilerError as error:
        raise errors.explained(error) from None
    spec = spec_of(notes["in_tree"])
    args, kwargs = unflatten(spec, range(len(avals)))
    program = Program(
        name=notes["fun_name"],
        module=module,
        signature=Signature(spec, (), tuple(avals)),
        names=LeafNames(None, args, kwargs),
        parameters=list(notes["parameters"]),
        captured=arrays,
        avals=decode_avals(notes["out_avals"], scope),
        out_spec=spec_of(notes["out_tree"]),
    )
    checks = [DisabledSafetyCheck(text) for text in notes["disabled_checks"]]
    return Exported(program, tuple(notes["platforms"]), checks, Layout.decoded(notes))
