"""Checkpoints: recomputing values in reverse mode instead of keeping them."""

from __future__ import annotations

from dovetail.transforms.checkpointing import OpKind as OpKind
from dovetail.transforms.checkpointing import Policy as Policy
from dovetail.transforms.checkpointing import checkpoint as checkpoint
from dovetail.transforms.checkpointing import checkpoint_name as checkpoint_name
from dovetail.transforms.checkpointing import checkpoint_policies as checkpoint_policies
from dovetail.transforms.checkpointing import print_saved_residuals as print_saved_residuals
