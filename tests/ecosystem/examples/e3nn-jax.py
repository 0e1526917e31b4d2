"""Tensor products and spherical harmonics of e3nn commute with rotations."""

import e3nn_jax as e3nn
import jax
import numpy as np

x = e3nn.IrrepsArray("1o + 0e", jax.random.normal(jax.random.key(0), (5, 4)))
rotation = e3nn.rand_matrix(jax.random.key(1), ())


def features(x):
    vectors = e3nn.IrrepsArray("1o", x.array[:, :3])
    harmonics = e3nn.spherical_harmonics("0e + 1o + 2e", vectors, normalize=True)
    return e3nn.tensor_product(harmonics, x)


rotated = features(x.transform_by_matrix(rotation))
expected = features(x).transform_by_matrix(rotation)
np.testing.assert_allclose(rotated.array, expected.array, atol=1e-5)
print("irreps", rotated.irreps)
