"""Printing, callbacks, breakpoints and sharding diagrams within traced functions."""

from __future__ import annotations

from dovetail.diagnostics.breakpoints import breakpoint as breakpoint
from dovetail.diagnostics.debug import callback as callback
from dovetail.diagnostics.debug import inspect_array_sharding as inspect_array_sharding
from dovetail.diagnostics.debug import log as log
from dovetail.diagnostics.debug import print as print
from dovetail.diagnostics.debug import visualize_array_sharding as visualize_array_sharding
from dovetail.diagnostics.debug import visualize_sharding as visualize_sharding
