"""Optimizers: gradient transformations whose updates are added to parameters."""

from __future__ import annotations

from typing import Any

from dovetail.base.documentation import documented
from dovetail.optim.moments import (
    scale_by_adadelta,
    scale_by_adam,
    scale_by_adamax,
    scale_by_amsgrad,
    scale_by_radam,
    scale_by_rms,
    scale_by_rss,
    scale_by_stddev,
    scale_by_trust_ratio,
)
from dovetail.optim.scaling import (
    add_decayed_weights,
    scale_by_learning_rate,
    scale_by_lion,
    trace,
)
from dovetail.optim.transformation import GradientTransformation, ScalarOrSchedule, chain
from dovetail.optim.wrappers import masked

_OPTIMIZER = """
    Args:
      learning_rate: a number, or a function of the number of steps taken.
      b1, b2, eps, eps_root, mu_dtype: as for `scale_by_adam`.
      b1, b2, eps, eps_root, mu_dtype, nesterov: as for `scale_by_adam`.
      weight_decay, mask: as for `adamw`.

    Returns:
      A gradient transformation.
"""
_DECAYING = """
    Returns:
      A gradient transformation, whose `update` needs the parameters.
"""


@documented(_OPTIMIZER)
def sgd(
    learning_rate: ScalarOrSchedule,
    momentum: Any = None,
    nesterov: bool = False,
    accumulator_dtype: Any = None,
) -> GradientTransformation:
    """Gradient descent, with momentum if it is given.

    Args:
      momentum: the factor of the sum of past gradients at each step.
      nesterov: whether the sum looks one step ahead.
      accumulator_dtype: the type of the sum; by default that of the parameters.

    Source: Sutskever, Martens, Dahl, Hinton, On the importance of initialization and momentum in
      deep learning, 2013.

    Example:
      >>> from dovetail import optim
      >>> sgd = optim.sgd(0.5)
      >>> sgd.update(dnp.ones(1), sgd.init(dnp.zeros(1)))[0]
      Array([-0.5], dtype=float32)
    """
    parts = [] if momentum is None else [trace(momentum, nesterov, accumulator_dtype)]
    return chain(*parts, scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER)
def adam(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam: steps by the ratio of moving averages, of gradients and of their squares.

    Source: Kingma, Ba, arXiv:1412.6980.

    Example:
      >>> from dovetail import optim
      >>> adam = optim.adam(0.1)
      >>> params = dnp.array([1.0])
      >>> state = adam.init(params)
      >>> for _ in range(100):
      ...     updates, state = adam.update(dt.grad(lambda x: (x**2).sum())(params), state)
      ...     params = optim.apply_updates(params, updates)
      >>> bool(abs(params[0]) < 0.02)
      True
    """
    scaling = scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov)
    return chain(scaling, scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER)
def nadam(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
) -> GradientTransformation:
    """Adam with Nesterov momentum.

    Source: Dozat, Incorporating Nesterov momentum into Adam, 2016.

    Example:
      >>> from dovetail import optim
      >>> nadam = optim.nadam(0.5, b1=0.0, eps=0.0)
      >>> nadam.update(dnp.ones(1), nadam.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    return adam(learning_rate, b1, b2, eps, eps_root, mu_dtype, nesterov=True)


@documented(_OPTIMIZER, _DECAYING)
def adamw(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    weight_decay: Any = 1e-4,
    mask: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam with decoupled weight decay: each step also shrinks the parameters by a fraction.

    Args:
      weight_decay: the fraction, which is multiplied by the learning rate.
      mask: the parameters to decay, as for `masked`; by default all.

    Source: Loshchilov, Hutter, arXiv:1711.05101.

    Example:
      >>> from dovetail import optim
      >>> adamw = optim.adamw(0.5, weight_decay=0.1)
      >>> adamw.update(dnp.zeros(1), adamw.init(dnp.ones(1)), dnp.ones(1))[0]
      Array([-0.05], dtype=float32)
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


@documented(_OPTIMIZER)
def adamax(
    learning_rate: ScalarOrSchedule, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8
) -> GradientTransformation:
    """Adam with a decaying maximum in place of the average of squares.

    Args:
      b1, b2, eps: as for `scale_by_adamax`.

    Source: Kingma, Ba, arXiv:1412.6980, section 7.1.

    Example:
      >>> from dovetail import optim
      >>> adamax = optim.adamax(0.5)
      >>> adamax.update(dnp.ones(1), adamax.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    return chain(scale_by_adamax(b1, b2, eps), scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER)
def amsgrad(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
) -> GradientTransformation:
    """Adam with the largest average of squares so far.

    Source: Reddi, Kale, Kumar, On the convergence of Adam and beyond, arXiv:1904.09237.

    Example:
      >>> from dovetail import optim
      >>> amsgrad = optim.amsgrad(0.5)
      >>> amsgrad.update(dnp.ones(1), amsgrad.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    scaling = scale_by_amsgrad(b1, b2, eps, eps_root, mu_dtype)
    return chain(scaling, scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER)
def radam(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    threshold: Any = 5.0,
) -> GradientTransformation:
    """Adam with smaller steps at the beginning.

    Args:
      b1, b2, eps, eps_root, threshold: as for `scale_by_radam`.

    Source: Liu et al., On the variance of the adaptive learning rate, arXiv:1908.03265.

    Example:
      >>> from dovetail import optim
      >>> radam = optim.radam(0.5)
      >>> radam.update(dnp.ones(1), radam.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    scaling = scale_by_radam(b1, b2, eps, eps_root, threshold)
    return chain(scaling, scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER)
def adagrad(
    learning_rate: ScalarOrSchedule, initial_accumulator_value: Any = 0.1, eps: Any = 1e-7
) -> GradientTransformation:
    """Steps by gradients over the root of the sum of their squares so far.

    Args:
      initial_accumulator_value, eps: as for `scale_by_rss`.

    Source: Duchi, Hazan, Singer, Adaptive subgradient methods, 2011.

    Example:
      >>> from dovetail import optim
      >>> adagrad = optim.adagrad(0.5, initial_accumulator_value=0.0)
      >>> adagrad.update(dnp.ones(1), adagrad.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    scaling = scale_by_rss(initial_accumulator_value, eps)
    return chain(scaling, scale_by_learning_rate(learning_rate))


@documented(_OPTIMIZER, _DECAYING)
def adadelta(
    learning_rate: ScalarOrSchedule = 1.0,
    rho: Any = 0.9,
    eps: Any = 1e-6,
    weight_decay: Any = 0.0,
    mask: Any = None,
) -> GradientTransformation:
    """Steps scaled by the size of previous steps.

    Args:
      rho, eps: as for `scale_by_adadelta`.

    Source: Zeiler, ADADELTA: an adaptive learning rate method, arXiv:1212.5701.

    Example:
      >>> from dovetail import optim
      >>> adadelta = optim.adadelta()
      >>> bool(adadelta.update(dnp.ones(1), adadelta.init(dnp.zeros(1)), dnp.zeros(1))[0] < 0)
      True
    """
    return chain(
        add_decayed_weights(weight_decay, mask),
        scale_by_adadelta(rho, eps),
        scale_by_learning_rate(learning_rate),
    )


@documented(_OPTIMIZER)
def rmsprop(
    learning_rate: ScalarOrSchedule,
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    centered: bool = False,
    momentum: Any = None,
    nesterov: bool = False,
    bias_correction: bool = False,
) -> GradientTransformation:
    """Steps by gradients over the root of a moving average of their squares.

    Args:
      decay, eps, initial_scale, eps_in_sqrt, bias_correction: as for `scale_by_rms`.
      centered: whether to subtract the square of the average of gradients.
      momentum, nesterov: as for `trace`, of the steps.

    Source: Tieleman, Hinton, Neural networks for machine learning, lecture 6.5, 2012; Graves,
      arXiv:1308.0850.

    Example:
      >>> from dovetail import optim
      >>> rmsprop = optim.rmsprop(0.5, decay=0.0)
      >>> rmsprop.update(dnp.ones(1), rmsprop.init(dnp.zeros(1)))[0].round(5)
      Array([-0.5], dtype=float32)
    """
    scaling = (scale_by_stddev if centered else scale_by_rms)(
        decay, eps, initial_scale, eps_in_sqrt, bias_correction
    )
    parts = [] if momentum is None else [trace(momentum, nesterov)]
    return chain(scaling, scale_by_learning_rate(learning_rate), *parts)


@documented(_OPTIMIZER, _DECAYING)
def lion(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.99,
    mu_dtype: Any = None,
    weight_decay: Any = 1e-3,
    mask: Any = None,
) -> GradientTransformation:
    """Steps by the sign of an average of gradients, with weight decay.

    Args:
      b1, b2, mu_dtype: as for `scale_by_lion`.

    Source: Chen et al., Symbolic discovery of optimization algorithms, arXiv:2302.06675.

    Example:
      >>> from dovetail import optim
      >>> lion = optim.lion(0.5, weight_decay=0.0)
      >>> lion.update(dnp.ones(1), lion.init(dnp.zeros(1)), dnp.zeros(1))[0]
      Array([-0.5], dtype=float32)
    """
    return chain(
        scale_by_lion(b1, b2, mu_dtype),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


@documented(_OPTIMIZER, _DECAYING)
def lamb(
    learning_rate: ScalarOrSchedule,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-6,
    eps_root: Any = 0.0,
    weight_decay: Any = 0.0,
    mask: Any = None,
) -> GradientTransformation:
    """Adam with each array's step scaled to the norm of the array, times the learning rate.

    Args:
      b1, b2, eps, eps_root: as for `scale_by_adam`.

    Source: You et al., Large batch optimization for deep learning, arXiv:1904.00962.

    Example:
      >>> from dovetail import optim
      >>> lamb = optim.lamb(0.5)
      >>> lamb.update(dnp.ones(1), lamb.init(dnp.ones(1)), 3 * dnp.ones(1))[0].round(4)
      Array([-1.5], dtype=float32)
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root),
        add_decayed_weights(weight_decay, mask),
        scale_by_trust_ratio(),
        scale_by_learning_rate(learning_rate),
    )


@documented(_OPTIMIZER, _DECAYING)
def lars(
    learning_rate: ScalarOrSchedule,
    weight_decay: Any = 0.0,
    weight_decay_mask: Any = True,
    trust_coefficient: Any = 0.001,
    eps: Any = 0.0,
    trust_ratio_mask: Any = True,
    momentum: Any = 0.9,
    nesterov: bool = False,
) -> GradientTransformation:
    """Gradient descent with each array's step in proportion to the norm of the array.

    Args:
      weight_decay, weight_decay_mask: as for `add_decayed_weights`.
      trust_coefficient, eps: as for `scale_by_trust_ratio`.
      trust_ratio_mask: the parameters to which the ratio applies, as for `masked`.
      momentum, nesterov: as for `trace`, of the steps.

    Source: You, Gitman, Ginsburg, arXiv:1708.03888.

    Example:
      >>> from dovetail import optim
      >>> lars = optim.lars(0.5, trust_coefficient=1.0)
      >>> lars.update(dnp.ones(1), lars.init(dnp.ones(1)), 3 * dnp.ones(1))[0]
      Array([-1.5], dtype=float32)
    """
    return chain(
        add_decayed_weights(weight_decay, weight_decay_mask),
        masked(
            scale_by_trust_ratio(trust_coefficient=trust_coefficient, eps=eps), trust_ratio_mask
        ),
        scale_by_learning_rate(learning_rate),
        trace(momentum, nesterov),
    )
