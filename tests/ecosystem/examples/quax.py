"""Arrays with units in functions that know nothing of them, with Quax."""

import jax
import jax.numpy as jnp
import numpy as np
import quax
from quax.examples.unitful import Unitful, kilograms, meters, seconds

mass = Unitful(jnp.array(3.0), {kilograms: 1})
speed = Unitful(jnp.array([2.0, 4.0]), {meters: 1, seconds: -1})


def energy(mass, speed):
    return 0.5 * (mass * speed**2)


found = quax.quaxify(energy)(mass, speed)
assert found.units == {kilograms: 1, meters: 2, seconds: -2}
compiled = quax.quaxify(jax.jit(energy))(mass, speed)
assert compiled.units == found.units
np.testing.assert_allclose(compiled.array, found.array)
try:
    quax.quaxify(lambda a, b: a + b)(mass, speed)
except ValueError as error:
    print(f"{found.array} {found.units}; {error}")
else:
    raise AssertionError("units must be equal in sums")
