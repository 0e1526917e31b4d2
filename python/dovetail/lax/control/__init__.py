"""Loops, branches and scans: functions become regions of one op, traced once."""

from dovetail.lax.control.associative import associative_scan as associative_scan
from dovetail.lax.control.branches import cond as cond
from dovetail.lax.control.branches import switch as switch
from dovetail.lax.control.loops import fori_loop as fori_loop
from dovetail.lax.control.loops import while_loop as while_loop
from dovetail.lax.control.mapping import map as map
from dovetail.lax.control.scan import scan as scan
from dovetail.lax.control.solves import custom_linear_solve as custom_linear_solve
from dovetail.lax.control.solves import custom_root as custom_root
