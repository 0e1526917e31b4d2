"""Errors of programs as values: functions that say which of their checks failed."""

from dovetail.experimental.checkify.checks import check as check
from dovetail.experimental.checkify.checks import check_error as check_error
from dovetail.experimental.checkify.checks import debug_check as debug_check
from dovetail.experimental.checkify.errors import DivisionByZeroError as DivisionByZeroError
from dovetail.experimental.checkify.errors import Error as Error
from dovetail.experimental.checkify.errors import ErrorCategory as ErrorCategory
from dovetail.experimental.checkify.errors import FailedCheckError as FailedCheckError
from dovetail.experimental.checkify.errors import JaxException as JaxException
from dovetail.experimental.checkify.errors import JaxRuntimeError as JaxRuntimeError
from dovetail.experimental.checkify.errors import NaNError as NaNError
from dovetail.experimental.checkify.errors import OOBError as OOBError
from dovetail.experimental.checkify.errors import init_error as init_error
from dovetail.experimental.checkify.functions import all_checks as all_checks
from dovetail.experimental.checkify.functions import automatic_checks as automatic_checks
from dovetail.experimental.checkify.functions import checkify as checkify
from dovetail.experimental.checkify.functions import div_checks as div_checks
from dovetail.experimental.checkify.functions import float_checks as float_checks
from dovetail.experimental.checkify.functions import index_checks as index_checks
from dovetail.experimental.checkify.functions import nan_checks as nan_checks
from dovetail.experimental.checkify.functions import user_checks as user_checks
