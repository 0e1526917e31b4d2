"""Probability distributions, one module each, and statistics of samples."""

# ruff: noqa: F401 - the names are the package's interface.

from types import ModuleType

from dovetail.eager import cache as _eager
from dovetail.scipy.stats import (
    bernoulli,
    beta,
    betabinom,
    binom,
    cauchy,
    chi2,
    dirichlet,
    expon,
    gamma,
    gennorm,
    geom,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    multinomial,
    multivariate_normal,
    nbinom,
    norm,
    pareto,
    poisson,
    t,
    truncnorm,
    uniform,
    vonmises,
    wrapcauchy,
)
from dovetail.scipy.stats.density_estimation import gaussian_kde
from dovetail.scipy.stats.samples import mode, rankdata, sem


def _remember(module: ModuleType) -> None:
    """Cache eager calls of a module's own functions, not of those that it imports."""
    names = vars(module)
    own = {n: f for n, f in names.items() if getattr(f, "__module__", "") == module.__name__}
    own["__name__"] = module.__name__
    _eager.remember(own)
    names.update(own)


for _module in (
    bernoulli,
    beta,
    betabinom,
    binom,
    cauchy,
    chi2,
    dirichlet,
    expon,
    gamma,
    gennorm,
    geom,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    multinomial,
    multivariate_normal,
    nbinom,
    norm,
    pareto,
    poisson,
    t,
    truncnorm,
    uniform,
    vonmises,
    wrapcauchy,
):
    _remember(_module)
_eager.remember(globals())
