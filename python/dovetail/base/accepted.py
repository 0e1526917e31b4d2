"""Settings of JAX that change neither results nor speed here: any value is accepted."""

from __future__ import annotations

from typing import Any

from dovetail.base.setting import Option

array_garbage_collection_guard = Option(
    "array_garbage_collection_guard",
    "allow",
    "What JAX does about arrays that only the garbage collector frees. Accepted without effect.",
    choices=("allow", "log", "fatal"),
)
auto_pcast = Option(
    "auto_pcast",
    True,
    "Let values that vary along other axes of a mesh meet in one op. Accepted without effect: they "
    "always may.",
)
enable_checks = Option(
    "enable_checks",
    False,
    "Check JAX's internals. Accepted without effect: the compiler always verifies its programs.",
)
jax2tf_associative_scan_reductions = Option(
    "jax2tf_associative_scan_reductions",
    False,
    "How running reductions are converted for TensorFlow. Accepted without effect.",
)
remove_size_one_mesh_axis_from_type = Option(
    "remove_size_one_mesh_axis_from_type",
    False,
    "Leave axes of size 1 of a mesh out of the types of arrays. Accepted without effect.",
)
softmax_custom_jvp = Option(
    "softmax_custom_jvp",
    True,
    "Differentiate `nn.softmax` by a rule of its own. Accepted without effect: its derivative is "
    "always computed from the result.",
)


def _only_false(value: Any) -> bool:
    if value:
        raise NotImplementedError(
            "thread_guard: Dovetail does not check which thread starts work of several processes: "
            f"it must be False, got: {value!r}"
        )
    return False


thread_guard = Option(
    "thread_guard",
    False,
    "Raise where another thread than the one that entered it starts work of several processes. It "
    "can only be false.",
    choices=(False,),
    check=_only_false,
    accepts="False",
    example=False,
)
