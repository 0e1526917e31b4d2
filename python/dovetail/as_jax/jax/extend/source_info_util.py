"""`jax.extend.source_info_util`: where in a program something is traced."""

from dovetail.base.locations import exclude as register_exclusion
from dovetail.base.locations import location as _location
from dovetail.base.scopes import named_scope as extend_name_stack
from dovetail.jaxprs.structure import SourceInfo as _SourceInfo

__all__ = ["current", "extend_name_stack", "register_exclusion", "summarize"]


def current() -> _SourceInfo:
    """The place in the program that is being traced.

    Example:
      >>> from dovetail.as_jax.jax.extend import source_info_util
      >>> "source_info" in str(source_info_util.current())
      True
    """
    return _SourceInfo(_location())


def summarize(source_info: _SourceInfo, num_frames: int = 1) -> str:
    """A place in a program, such as that of an equation, as text.

    Args:
      source_info: the place.
      num_frames: ignored: places have one frame.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.as_jax.jax.extend import source_info_util
      >>> (equation,) = dt.make_jaxpr(lambda x: 2 * x)(1.0).eqns
      >>> source_info_util.summarize(equation.source_info).endswith("(<lambda>)")
      True
    """
    return str(source_info)
