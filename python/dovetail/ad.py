"""What a pullback of `vjp` does with each cotangent: see `vjp(…)[1].with_refs`."""

from dovetail.transforms.wanted_cotangents import DidntWant as DidntWant
from dovetail.transforms.wanted_cotangents import DontWant as DontWant
from dovetail.transforms.wanted_cotangents import GradRef as GradRef
from dovetail.transforms.wanted_cotangents import GradValue as GradValue

__all__ = ["DidntWant", "DontWant", "GradRef", "GradValue"]
