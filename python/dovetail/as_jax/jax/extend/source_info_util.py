"""`jax.extend.source_info_util`: where in a program something is traced."""

from dovetail.base.locations import exclude as register_exclusion
from dovetail.base.locations import here as summarize
from dovetail.base.locations import location as current
from dovetail.base.scopes import named_scope as extend_name_stack

__all__ = ["current", "extend_name_stack", "register_exclusion", "summarize"]
