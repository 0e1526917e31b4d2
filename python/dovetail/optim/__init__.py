"""Optimizers, in the manner of Optax: gradient transformations, their combinations, and schedules.

States and updates are trees of arrays: a step can be jitted, batched, and be the body of a loop.
"""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.optim.clipping import clip, clip_by_block_rms, clip_by_global_norm, clip_by_norm
from dovetail.optim.moments import (
    ScaleByAdadeltaState,
    ScaleByAdamState,
    ScaleByAmsgradState,
    ScaleByRmsState,
    ScaleByRssState,
    ScaleByRStdDevState,
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
from dovetail.optim.optimizers import (
    adadelta,
    adagrad,
    adam,
    adamax,
    adamw,
    amsgrad,
    lamb,
    lars,
    lion,
    nadam,
    radam,
    rmsprop,
    sgd,
)
from dovetail.optim.scaling import (
    EmaState,
    ScaleByLionState,
    ScaleByScheduleState,
    TraceState,
    add_decayed_weights,
    ema,
    scale,
    scale_by_learning_rate,
    scale_by_lion,
    scale_by_schedule,
    trace,
)
from dovetail.optim.schedules import (
    constant_schedule,
    cosine_decay_schedule,
    exponential_decay,
    join_schedules,
    linear_schedule,
    piecewise_constant_schedule,
    polynomial_schedule,
    warmup_constant_schedule,
    warmup_cosine_decay_schedule,
    warmup_exponential_decay_schedule,
)
from dovetail.optim.transformation import (
    EmptyState,
    GradientTransformation,
    MaskedNode,
    Schedule,
    chain,
    identity,
    set_to_zero,
    stateless,
)
from dovetail.optim.updates import apply_updates, global_norm, incremental_update
from dovetail.optim.wrappers import (
    InjectHyperparamsState,
    MaskedState,
    PartitionState,
    inject_hyperparams,
    masked,
    multi_transform,
)
