"""The programs of the suite, by family."""

from . import calls as calls
from . import contractions as contractions
from . import convolutions as convolutions
from . import finance as finance
from . import fourier as fourier
from . import indexing as indexing
from . import inference as inference
from . import linear_algebra as linear_algebra
from . import loops as loops
from . import memory as memory
from . import odes as odes
from . import ordering as ordering
from . import physics as physics
from . import random_numbers as random_numbers
from . import reductions as reductions
from . import training as training
from .registry import PROGRAMS as PROGRAMS
