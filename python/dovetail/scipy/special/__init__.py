"""The functions of scipy.special, element by element, with JAX's names."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.nn.normalization import logsumexp
from dovetail.scipy.special.bessel import (
    bessel_jn,
    i0,
    i0e,
    i1,
    i1e,
    sph_harm_y,
)
from dovetail.scipy.special.beta_functions import (
    beta,
    betainc,
    betaln,
    comb,
)
from dovetail.scipy.special.entropy import (
    boxcox,
    boxcox1p,
    entr,
    expit,
    kl_div,
    logit,
    rel_entr,
    xlog1py,
    xlogy,
)
from dovetail.scipy.special.error_functions import (
    dawsn,
    erf,
    erfc,
    erfcx,
    erfinv,
    fresnel,
    wofz,
)
from dovetail.scipy.special.exponential_integrals import (
    exp1,
    expi,
    expn,
    sici,
    spence,
)
from dovetail.scipy.special.gamma_functions import (
    digamma,
    factorial,
    gamma,
    gammainc,
    gammaincc,
    gammaln,
    gammasgn,
    loggamma,
    multigammaln,
    poch,
    polygamma,
)
from dovetail.scipy.special.hypergeometric import (
    hyp1f1,
    hyp2f1,
)
from dovetail.scipy.special.normal import (
    log_ndtr,
    ndtr,
    ndtri,
    owens_t,
)
from dovetail.scipy.special.softmax import (
    log_softmax,
    softmax,
)
from dovetail.scipy.special.zeta_functions import (
    bernoulli,
    zeta,
)

_eager.remember(globals())
