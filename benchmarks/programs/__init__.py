"""The programs of the suite, by family."""

from . import contractions as contractions
from . import indexing as indexing
from . import memory as memory
from . import ordering as ordering
from . import reductions as reductions
