"""The meaning of the dialect: one NumPy function per op, and an evaluator of whole programs.

It computes eager calls and is the oracle of the tests. A function takes the op's operands as NumPy
arrays and its attributes as keywords, with the result's `shape` and `dtype` where these are stated.
It returns an array, which may share memory with an operand.
"""

from dovetail.reference.program import Evaluator as Evaluator
from dovetail.reference.program import evaluate as evaluate
from dovetail.reference.table import FUNCTIONS as FUNCTIONS
