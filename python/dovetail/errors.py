"""Errors that tracing and transforms raise."""

from __future__ import annotations

from dovetail.base.errors import ClosedOverError as ClosedOverError
from dovetail.base.errors import ConcretizationTypeError as ConcretizationTypeError
from dovetail.base.errors import InconclusiveDimensionOperation as InconclusiveDimensionOperation
from dovetail.base.errors import JAXIndexError as JAXIndexError
from dovetail.base.errors import JaxprTypeError as JaxprTypeError
from dovetail.base.errors import JaxRuntimeError as JaxRuntimeError
from dovetail.base.errors import JAXTypeError as JAXTypeError
from dovetail.base.errors import KeyReuseError as KeyReuseError
from dovetail.base.errors import LeakedTracerError as LeakedTracerError
from dovetail.base.errors import MismatchError as MismatchError
from dovetail.base.errors import NonConcreteBooleanIndexError as NonConcreteBooleanIndexError
from dovetail.base.errors import ShardingTypeError as ShardingTypeError
from dovetail.base.errors import TracerArrayConversionError as TracerArrayConversionError
from dovetail.base.errors import TracerBoolConversionError as TracerBoolConversionError
from dovetail.base.errors import TracerError as TracerError
from dovetail.base.errors import TracerIntegerConversionError as TracerIntegerConversionError
from dovetail.base.errors import TransformError as TransformError
from dovetail.base.errors import UnexpectedTracerError as UnexpectedTracerError
from dovetail.base.errors import UnknownSizeError as UnknownSizeError
