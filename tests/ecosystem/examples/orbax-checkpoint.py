"""Checkpoints of Orbax: a tree is saved and restored, and the newest steps are kept."""

import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

tree = {"w": jnp.arange(6.0).reshape(2, 3), "b": [jnp.ones(3, jnp.bfloat16), jnp.int32(3)]}
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder)
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path / "one", tree)
        checkpointer.wait_until_finished()
        like = jax.tree.map(ocp.utils.to_shape_dtype_struct, tree)
        restored = checkpointer.restore(path / "one", like)
    options = ocp.CheckpointManagerOptions(max_to_keep=2)
    with ocp.CheckpointManager(path / "steps", options=options) as manager:
        for step in range(4):
            manager.save(step, args=ocp.args.StandardSave(tree))
        manager.wait_until_finished()
        assert manager.all_steps() == [2, 3]
        last = manager.restore(3, args=ocp.args.StandardRestore(tree))
for other in (restored, last):
    for a, b in zip(jax.tree.leaves(tree), jax.tree.leaves(other), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
print("restored", jax.tree.map(jnp.shape, restored))
