"""What is deprecated, and how its uses are found."""

from __future__ import annotations

from dovetail.base.deprecations import Deprecation as Deprecation
from dovetail.base.deprecations import DeprecationError as DeprecationError
from dovetail.base.deprecations import as_errors as as_errors
from dovetail.base.deprecations import listed as listed
