"""JAX's `random`: keys, and samples that depend only on keys and parameters."""

from typing import Any as _Any

from dovetail.base import late as _late
from dovetail.random import hashes as _hashes  # noqa: F401 (it registers generators)
from dovetail.random.categorical import categorical as categorical
from dovetail.random.categorical import gumbel as gumbel
from dovetail.random.continuous import cauchy as cauchy
from dovetail.random.continuous import double_sided_maxwell as double_sided_maxwell
from dovetail.random.continuous import exponential as exponential
from dovetail.random.continuous import laplace as laplace
from dovetail.random.continuous import logistic as logistic
from dovetail.random.continuous import maxwell as maxwell
from dovetail.random.continuous import pareto as pareto
from dovetail.random.continuous import rayleigh as rayleigh
from dovetail.random.continuous import triangular as triangular
from dovetail.random.continuous import wald as wald
from dovetail.random.continuous import weibull_min as weibull_min
from dovetail.random.counts import binomial as binomial
from dovetail.random.counts import geometric as geometric
from dovetail.random.counts import multinomial as multinomial
from dovetail.random.counts import poisson as poisson
from dovetail.random.creation import PRNGKey as PRNGKey
from dovetail.random.creation import clone as clone
from dovetail.random.creation import fold_in as fold_in
from dovetail.random.creation import key as key
from dovetail.random.creation import key_data as key_data
from dovetail.random.creation import key_dtype as key_dtype
from dovetail.random.creation import key_impl as key_impl
from dovetail.random.creation import split as split
from dovetail.random.creation import wrap_key_data as wrap_key_data
from dovetail.random.gamma import ball as ball
from dovetail.random.gamma import beta as beta
from dovetail.random.gamma import chisquare as chisquare
from dovetail.random.gamma import dirichlet as dirichlet
from dovetail.random.gamma import f as f
from dovetail.random.gamma import gamma as gamma
from dovetail.random.gamma import generalized_normal as generalized_normal
from dovetail.random.gamma import loggamma as loggamma
from dovetail.random.gamma import t as t
from dovetail.random.matrices import multivariate_normal as multivariate_normal
from dovetail.random.matrices import orthogonal as orthogonal
from dovetail.random.normal import lognormal as lognormal
from dovetail.random.normal import normal as normal
from dovetail.random.normal import truncated_normal as truncated_normal
from dovetail.random.order import choice as choice
from dovetail.random.order import permutation as permutation
from dovetail.random.uniform import bernoulli as bernoulli
from dovetail.random.uniform import bits as bits
from dovetail.random.uniform import rademacher as rademacher
from dovetail.random.uniform import randint as randint
from dovetail.random.uniform import uniform as uniform


def __getattr__(name: str) -> _Any:
    # Primitives, such as `random_gamma_p`.
    return _late.jaxprs.find(__name__, name)
