"""Optimizers, in the manner of Optax: gradient transformations, their combinations, and schedules.

States and updates are trees of arrays: a step can be jitted, batched, and be the body of a loop.
"""

from dovetail.optim.clipping import clip as clip
from dovetail.optim.clipping import clip_by_block_rms as clip_by_block_rms
from dovetail.optim.clipping import clip_by_global_norm as clip_by_global_norm
from dovetail.optim.clipping import clip_by_norm as clip_by_norm
from dovetail.optim.moments import ScaleByAdadeltaState as ScaleByAdadeltaState
from dovetail.optim.moments import ScaleByAdamState as ScaleByAdamState
from dovetail.optim.moments import ScaleByAmsgradState as ScaleByAmsgradState
from dovetail.optim.moments import ScaleByRmsState as ScaleByRmsState
from dovetail.optim.moments import ScaleByRssState as ScaleByRssState
from dovetail.optim.moments import ScaleByRStdDevState as ScaleByRStdDevState
from dovetail.optim.moments import scale_by_adadelta as scale_by_adadelta
from dovetail.optim.moments import scale_by_adam as scale_by_adam
from dovetail.optim.moments import scale_by_adamax as scale_by_adamax
from dovetail.optim.moments import scale_by_amsgrad as scale_by_amsgrad
from dovetail.optim.moments import scale_by_radam as scale_by_radam
from dovetail.optim.moments import scale_by_rms as scale_by_rms
from dovetail.optim.moments import scale_by_rss as scale_by_rss
from dovetail.optim.moments import scale_by_stddev as scale_by_stddev
from dovetail.optim.moments import scale_by_trust_ratio as scale_by_trust_ratio
from dovetail.optim.optimizers import adadelta as adadelta
from dovetail.optim.optimizers import adagrad as adagrad
from dovetail.optim.optimizers import adam as adam
from dovetail.optim.optimizers import adamax as adamax
from dovetail.optim.optimizers import adamw as adamw
from dovetail.optim.optimizers import amsgrad as amsgrad
from dovetail.optim.optimizers import lamb as lamb
from dovetail.optim.optimizers import lars as lars
from dovetail.optim.optimizers import lion as lion
from dovetail.optim.optimizers import nadam as nadam
from dovetail.optim.optimizers import radam as radam
from dovetail.optim.optimizers import rmsprop as rmsprop
from dovetail.optim.optimizers import sgd as sgd
from dovetail.optim.scaling import EmaState as EmaState
from dovetail.optim.scaling import ScaleByLionState as ScaleByLionState
from dovetail.optim.scaling import ScaleByScheduleState as ScaleByScheduleState
from dovetail.optim.scaling import TraceState as TraceState
from dovetail.optim.scaling import add_decayed_weights as add_decayed_weights
from dovetail.optim.scaling import ema as ema
from dovetail.optim.scaling import scale as scale
from dovetail.optim.scaling import scale_by_learning_rate as scale_by_learning_rate
from dovetail.optim.scaling import scale_by_lion as scale_by_lion
from dovetail.optim.scaling import scale_by_schedule as scale_by_schedule
from dovetail.optim.scaling import trace as trace
from dovetail.optim.schedules import constant_schedule as constant_schedule
from dovetail.optim.schedules import cosine_decay_schedule as cosine_decay_schedule
from dovetail.optim.schedules import exponential_decay as exponential_decay
from dovetail.optim.schedules import join_schedules as join_schedules
from dovetail.optim.schedules import linear_schedule as linear_schedule
from dovetail.optim.schedules import piecewise_constant_schedule as piecewise_constant_schedule
from dovetail.optim.schedules import polynomial_schedule as polynomial_schedule
from dovetail.optim.schedules import warmup_constant_schedule as warmup_constant_schedule
from dovetail.optim.schedules import warmup_cosine_decay_schedule as warmup_cosine_decay_schedule
from dovetail.optim.schedules import (
    warmup_exponential_decay_schedule as warmup_exponential_decay_schedule,
)
from dovetail.optim.transformation import EmptyState as EmptyState
from dovetail.optim.transformation import GradientTransformation as GradientTransformation
from dovetail.optim.transformation import MaskedNode as MaskedNode
from dovetail.optim.transformation import Schedule as Schedule
from dovetail.optim.transformation import chain as chain
from dovetail.optim.transformation import identity as identity
from dovetail.optim.transformation import set_to_zero as set_to_zero
from dovetail.optim.transformation import stateless as stateless
from dovetail.optim.updates import apply_updates as apply_updates
from dovetail.optim.updates import global_norm as global_norm
from dovetail.optim.updates import incremental_update as incremental_update
from dovetail.optim.wrappers import InjectHyperparamsState as InjectHyperparamsState
from dovetail.optim.wrappers import MaskedState as MaskedState
from dovetail.optim.wrappers import PartitionState as PartitionState
from dovetail.optim.wrappers import inject_hyperparams as inject_hyperparams
from dovetail.optim.wrappers import masked as masked
from dovetail.optim.wrappers import multi_transform as multi_transform
