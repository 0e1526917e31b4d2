"""A neural ODE of Diffrax learns a spiral: its gradient goes through the solver."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from library_programs import neural_ode

step = neural_ode()
losses = [float(step()) for _ in range(60)]
print("losses", *(f"{value:.4f}" for value in losses[::10]), f"{losses[-1]:.4f}")
assert losses[-1] < 0.3 * losses[0]
