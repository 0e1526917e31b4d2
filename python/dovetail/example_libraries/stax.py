"""Neural networks from functions: a layer is a pair of functions, `init` and `apply`.

`init(key, shape of the input)` returns the shape of the output and the parameters; `apply(params,
inputs, rng=...)` returns the output. The names are JAX's.

Example:
  >>> from dovetail import random
  >>> from dovetail.example_libraries import stax
  >>> init, apply = stax.serial(stax.Dense(16), stax.Tanh, stax.Dense(1))
  >>> _, params = init(random.key(0), (-1, 2))
  >>> apply(params, dnp.ones((3, 2))).shape
  (3, 1)
"""

from dovetail.example_libraries.combinators import FanInConcat as FanInConcat
from dovetail.example_libraries.combinators import FanInSum as FanInSum
from dovetail.example_libraries.combinators import FanOut as FanOut
from dovetail.example_libraries.combinators import parallel as parallel
from dovetail.example_libraries.combinators import serial as serial
from dovetail.example_libraries.combinators import shape_dependent as shape_dependent
from dovetail.example_libraries.layers import AvgPool as AvgPool
from dovetail.example_libraries.layers import BatchNorm as BatchNorm
from dovetail.example_libraries.layers import Conv as Conv
from dovetail.example_libraries.layers import Conv1DTranspose as Conv1DTranspose
from dovetail.example_libraries.layers import ConvTranspose as ConvTranspose
from dovetail.example_libraries.layers import Dense as Dense
from dovetail.example_libraries.layers import Dropout as Dropout
from dovetail.example_libraries.layers import Elu as Elu
from dovetail.example_libraries.layers import Exp as Exp
from dovetail.example_libraries.layers import Flatten as Flatten
from dovetail.example_libraries.layers import Gelu as Gelu
from dovetail.example_libraries.layers import GeneralConv as GeneralConv
from dovetail.example_libraries.layers import GeneralConvTranspose as GeneralConvTranspose
from dovetail.example_libraries.layers import Identity as Identity
from dovetail.example_libraries.layers import LeakyRelu as LeakyRelu
from dovetail.example_libraries.layers import LogSoftmax as LogSoftmax
from dovetail.example_libraries.layers import MaxPool as MaxPool
from dovetail.example_libraries.layers import Relu as Relu
from dovetail.example_libraries.layers import Selu as Selu
from dovetail.example_libraries.layers import Sigmoid as Sigmoid
from dovetail.example_libraries.layers import Softmax as Softmax
from dovetail.example_libraries.layers import Softplus as Softplus
from dovetail.example_libraries.layers import SumPool as SumPool
from dovetail.example_libraries.layers import Tanh as Tanh
from dovetail.example_libraries.layers import elementwise as elementwise
from dovetail.nn import elu as elu
from dovetail.nn import gelu as gelu
from dovetail.nn import leaky_relu as leaky_relu
from dovetail.nn import log_softmax as log_softmax
from dovetail.nn import relu as relu
from dovetail.nn import selu as selu
from dovetail.nn import sigmoid as sigmoid
from dovetail.nn import softmax as softmax
from dovetail.nn import softplus as softplus
from dovetail.nn import standardize as standardize
from dovetail.nn.initializers import glorot_normal as glorot_normal
from dovetail.nn.initializers import normal as normal
from dovetail.nn.initializers import ones as ones
from dovetail.nn.initializers import zeros as zeros

# Older names.
logsoftmax = log_softmax
glorot = glorot_normal
randn = normal
