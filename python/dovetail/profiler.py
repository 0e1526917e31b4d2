"""Profiles and traces of the process."""

from __future__ import annotations

from dovetail.diagnostics.profiler import ProfileOptions as ProfileOptions
from dovetail.diagnostics.profiler import StepTraceAnnotation as StepTraceAnnotation
from dovetail.diagnostics.profiler import TraceAnnotation as TraceAnnotation
from dovetail.diagnostics.profiler import annotate_function as annotate_function
from dovetail.diagnostics.profiler import device_memory_profile as device_memory_profile
from dovetail.diagnostics.profiler import save_device_memory_profile as save_device_memory_profile
from dovetail.diagnostics.profiler import start_server as start_server
from dovetail.diagnostics.profiler import start_trace as start_trace
from dovetail.diagnostics.profiler import stop_server as stop_server
from dovetail.diagnostics.profiler import stop_trace as stop_trace
from dovetail.diagnostics.profiler import trace as trace
