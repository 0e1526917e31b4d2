"""JAX's `random`: keys, and samples that depend only on keys and parameters."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.random import hashes as _hashes
from dovetail.random.categorical import (
    categorical,
    gumbel,
)
from dovetail.random.continuous import (
    cauchy,
    double_sided_maxwell,
    exponential,
    laplace,
    logistic,
    maxwell,
    pareto,
    rayleigh,
    triangular,
    wald,
    weibull_min,
)
from dovetail.random.counts import (
    binomial,
    geometric,
    multinomial,
    poisson,
)
from dovetail.random.creation import (
    PRNGKey,
    clone,
    fold_in,
    key,
    key_data,
    key_dtype,
    key_impl,
    split,
    wrap_key_data,
)
from dovetail.random.gamma import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    gamma,
    generalized_normal,
    loggamma,
    t,
)
from dovetail.random.matrices import multivariate_normal, orthogonal
from dovetail.random.normal import (
    lognormal,
    normal,
    truncated_normal,
)
from dovetail.random.order import (
    choice,
    permutation,
)
from dovetail.random.uniform import (
    bernoulli,
    bits,
    rademacher,
    randint,
    uniform,
)
