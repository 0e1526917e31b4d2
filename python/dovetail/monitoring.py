"""Events of the process, and their listeners."""

from __future__ import annotations

from dovetail.base.monitoring import clear_event_listeners as clear_event_listeners
from dovetail.base.monitoring import record_event as record_event
from dovetail.base.monitoring import record_event_duration_secs as record_event_duration_secs
from dovetail.base.monitoring import record_event_time_span as record_event_time_span
from dovetail.base.monitoring import record_scalar as record_scalar
from dovetail.base.monitoring import (
    register_event_duration_secs_listener as register_event_duration_secs_listener,
)
from dovetail.base.monitoring import register_event_listener as register_event_listener
from dovetail.base.monitoring import (
    register_event_time_span_listener as register_event_time_span_listener,
)
from dovetail.base.monitoring import register_scalar_listener as register_scalar_listener
from dovetail.base.monitoring import (
    unregister_event_duration_listener as unregister_event_duration_listener,
)
from dovetail.base.monitoring import unregister_event_listener as unregister_event_listener
from dovetail.base.monitoring import (
    unregister_event_time_span_listener as unregister_event_time_span_listener,
)
from dovetail.base.monitoring import unregister_scalar_listener as unregister_scalar_listener
