"""Probability distributions, one module each, and statistics of samples."""

from types import ModuleType

from dovetail.eager import cache as _eager
from dovetail.scipy.stats import bernoulli as bernoulli
from dovetail.scipy.stats import beta as beta
from dovetail.scipy.stats import betabinom as betabinom
from dovetail.scipy.stats import binom as binom
from dovetail.scipy.stats import cauchy as cauchy
from dovetail.scipy.stats import chi2 as chi2
from dovetail.scipy.stats import dirichlet as dirichlet
from dovetail.scipy.stats import expon as expon
from dovetail.scipy.stats import gamma as gamma
from dovetail.scipy.stats import gennorm as gennorm
from dovetail.scipy.stats import geom as geom
from dovetail.scipy.stats import gumbel_l as gumbel_l
from dovetail.scipy.stats import gumbel_r as gumbel_r
from dovetail.scipy.stats import laplace as laplace
from dovetail.scipy.stats import logistic as logistic
from dovetail.scipy.stats import multinomial as multinomial
from dovetail.scipy.stats import multivariate_normal as multivariate_normal
from dovetail.scipy.stats import nbinom as nbinom
from dovetail.scipy.stats import norm as norm
from dovetail.scipy.stats import pareto as pareto
from dovetail.scipy.stats import poisson as poisson
from dovetail.scipy.stats import t as t
from dovetail.scipy.stats import truncnorm as truncnorm
from dovetail.scipy.stats import uniform as uniform
from dovetail.scipy.stats import vonmises as vonmises
from dovetail.scipy.stats import wrapcauchy as wrapcauchy
from dovetail.scipy.stats.density_estimation import gaussian_kde as gaussian_kde
from dovetail.scipy.stats.samples import mode as mode
from dovetail.scipy.stats.samples import rankdata as rankdata
from dovetail.scipy.stats.samples import sem as sem


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
