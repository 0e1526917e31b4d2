"""Loops: stencils, fixed points, dynamic programming, and loops of unknown length."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program


def field(draw: Draw, n: int, steps: int) -> tuple[Any, ...]:
    return (draw.uniform(n, n),)


def heat_step(u: Any) -> Any:
    """Works on arrays of NumPy and PyTorch; the boundary stays."""
    inner = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return inner + 0.2 * (around - 4 * inner)


def heat_numpy(u: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    u = u.copy()
    for _ in range(size[1]):
        u[1:-1, 1:-1] = heat_step(u)
    return u


def heat_torch(torch: Any, u: Any, size: tuple[int, ...]) -> Any:
    u = u.clone()
    for _ in range(size[1]):
        u[1:-1, 1:-1] = heat_step(u)
    return u


@program(
    "loops",
    sizes=((64, 200), (512, 200), (4096, 5)),
    arguments=field,
    bytes=lambda n, steps: 8 * n * n * steps,
    flops=lambda n, steps: 7 * n * n * steps,
    numpy=heat_numpy,
    torch=heat_torch,
)
def heat_equation(lib: Any, u: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, u: Any) -> Any:
        return u.at[1:-1, 1:-1].set(heat_step(u))

    return lib.lax.fori_loop(0, size[1], step, u)


# Where the points of two colours begin, whose neighbours have the other colour.
COLOURED = ((1, 1), (2, 2), (1, 2), (2, 1))


def relaxed(u: Any, i: int, j: int) -> Any:
    """The means of the neighbours of every other point from one on."""
    n = u.shape[0]
    rows, columns = slice(i, n - 1, 2), slice(j, n - 1, 2)
    vertical = u[i - 1 : n - 2 : 2, columns] + u[i + 1 : n : 2, columns]
    return 0.25 * (vertical + u[rows, j - 1 : n - 2 : 2] + u[rows, j + 1 : n : 2])


def relaxation_in_place(u: Any, steps: int) -> Any:
    for _ in range(steps):
        for i, j in COLOURED:
            u[i:-1:2, j:-1:2] = relaxed(u, i, j)
    return u


@program(
    "loops",
    sizes=((64, 100), (512, 50), (2048, 5)),
    arguments=field,
    bytes=lambda n, steps: 8 * n * n * steps,
    flops=lambda n, steps: 4 * n * n * steps,
    numpy=lambda u, size: relaxation_in_place(u.copy(), size[1]),
    torch=lambda torch, u, size: relaxation_in_place(u.clone(), size[1]),
)
def relaxation(lib: Any, u: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, u: Any) -> Any:
        for i, j in COLOURED:
            u = u.at[i:-1:2, j:-1:2].set(relaxed(u, i, j))
        return u

    return lib.lax.fori_loop(0, size[1], step, u)


def euler_step(roll: Any, state: Any) -> Any:
    """Moves density and momenta of an isothermal fluid by the Lax-Friedrichs scheme."""
    rho, mx, my = state
    u, v = mx / rho, my / rho
    fluxes = ((mx, mx * u + rho, mx * v), (my, my * u, my * v + rho))
    new = []
    for i, q in enumerate(state):
        f, g = fluxes[0][i], fluxes[1][i]
        mean = (roll(q, 1, 0) + roll(q, -1, 0) + roll(q, 1, 1) + roll(q, -1, 1)) / 4
        out = roll(f, -1, 0) - roll(f, 1, 0) + roll(g, -1, 1) - roll(g, 1, 1)
        new.append(mean - 0.05 * out)
    return tuple(new)


def looped(roll: Any, state: Any, steps: int) -> Any:
    for _ in range(steps):
        state = euler_step(roll, state)
    return state


@program(
    "loops",
    sizes=((64, 50), (512, 20), (2048, 4)),
    arguments=lambda draw, n, steps: (
        draw.uniform(n, n, low=1, high=1.2),
        draw.uniform(n, n, low=-0.1, high=0.1),
        draw.uniform(n, n, low=-0.1, high=0.1),
    ),
    bytes=lambda n, steps: 24 * n * n * steps,
    flops=lambda n, steps: 45 * n * n * steps,
    numpy=lambda *state, size: looped(np.roll, state, size[1]),
    torch=lambda torch, *state, size: looped(torch.roll, state, size[1]),
)
def euler_fluid_by_rolls(lib: Any, *state: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, state: Any) -> Any:
        return euler_step(lib.numpy.roll, state)

    return lib.lax.fori_loop(0, size[1], step, state)


def life_step(roll: Any, board: Any) -> Any:
    rows = roll(board, 1, 0) + board + roll(board, -1, 0)
    count = roll(rows, 1, 1) + rows + roll(rows, -1, 1)
    return (count == 3) | ((board == 1) & (count == 4))


def life_numpy(board: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    for _ in range(size[1]):
        board = life_step(np.roll, board).astype(np.int32)
    return board


@program(
    "loops",
    sizes=((64, 200), (512, 50), (4096, 2)),
    arguments=lambda draw, n, steps: (draw.integers(2, n, n),),
    bytes=lambda n, steps: 8 * n * n * steps,
    flops=lambda n, steps: 8 * n * n * steps,
    numpy=life_numpy,
)
def game_of_life(lib: Any, board: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, board: Any) -> Any:
        return life_step(lib.numpy.roll, board).astype("int32")

    return lib.lax.fori_loop(0, size[1], step, board)


def wave_step(u: Any, before: Any, padded: Any) -> Any:
    along = padded[1:-1, :-2, 1:-1] + padded[1:-1, 2:, 1:-1]
    along = along + padded[1:-1, 1:-1, :-2] + padded[1:-1, 1:-1, 2:]
    laplacian = along + padded[:-2, 1:-1, 1:-1] + padded[2:, 1:-1, 1:-1]
    return 2 * u - before + 0.1 * (laplacian - 6 * u)


def wave_numpy(u: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    before = u
    for _ in range(size[1]):
        u, before = wave_step(u, before, np.pad(u, 1)), u
    return u


@program(
    "loops",
    sizes=((24, 50), (96, 20), (256, 2)),
    arguments=lambda draw, n, steps: (draw.normal(n, n, n),),
    bytes=lambda n, steps: 12 * n**3 * steps,
    flops=lambda n, steps: 10 * n**3 * steps,
    numpy=wave_numpy,
)
def wave_equation_in_space(lib: Any, u: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, state: Any) -> Any:
        u, before = state
        return wave_step(u, before, lib.numpy.pad(u, 1)), u

    return lib.lax.fori_loop(0, size[1], step, (u, u))[0]


def escape_torch(torch: Any, x: Any, y: Any) -> Any:
    a, b, count = torch.zeros_like(x), torch.zeros_like(y), torch.zeros_like(x)
    for _ in range(50):
        inside = a * a + b * b <= 4
        a, b = (
            torch.where(inside, a * a - b * b + x, a),
            torch.where(inside, 2 * a * b + y, b),
        )
        count = count + inside
    return count


def escape_numpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, b, count = np.zeros_like(x), np.zeros_like(y), np.zeros_like(x)
    for _ in range(50):
        inside = a * a + b * b <= 4
        a, b = (
            np.where(inside, a * a - b * b + x, a),
            np.where(inside, 2 * a * b + y, b),
        )
        count += inside
    return count


@program(
    "loops",
    sizes=(64, 400, 2000),
    arguments=lambda draw, n: tuple(
        part.ravel().astype(np.float32)
        for part in np.meshgrid(np.linspace(-2, 0.6, n), np.linspace(-1.2, 1.2, n))
    ),
    bytes=lambda n: 12 * n * n,
    flops=lambda n: 200 * n * n,
    numpy=escape_numpy,
    torch=escape_torch,
    # A few points leave one step earlier or later by rounding.
    compares=lambda arrays: np.mean(arrays[0]),
)
def mandelbrot_by_vmapped_while(lib: Any, x: Any, y: Any) -> Any:
    def escape(x: Any, y: Any) -> Any:
        def step(state: Any) -> Any:
            a, b, count = state
            return a * a - b * b + x, 2 * a * b + y, count + 1

        def goes_on(state: Any) -> Any:
            a, b, count = state
            return (a * a + b * b <= 4) & (count < 50)

        zero = lib.numpy.zeros_like(x)
        return lib.lax.while_loop(goes_on, step, (zero, zero, zero))[2]

    return lib.vmap(escape)(x, y)


def fixed_point_numpy(w: np.ndarray, x: np.ndarray, b: np.ndarray, size: Any) -> np.ndarray:
    for _ in range(size[1]):
        x = np.tanh(w @ x + b) + np.float32(0.1) * x
    return x


def fixed_point_torch(torch: Any, w: Any, x: Any, b: Any, size: Any) -> Any:
    for _ in range(size[1]):
        x = torch.tanh(torch.addmv(b, w, x)) + 0.1 * x
    return x


@program(
    "loops",
    sizes=((256, 200), (1024, 200), (4096, 20)),
    arguments=lambda draw, n, steps: (
        draw.normal(n, n, scale=0.5 * n**-0.5),
        draw.normal(n),
        draw.normal(n),
    ),
    bytes=lambda n, steps: 4 * n * n * steps,
    flops=lambda n, steps: 2 * n * n * steps,
    numpy=fixed_point_numpy,
    torch=fixed_point_torch,
)
def products_with_a_vector_in_a_loop(lib: Any, w: Any, x: Any, b: Any, size: Any) -> Any:
    return lib.lax.fori_loop(0, size[1], lambda _, x: lib.numpy.tanh(w @ x + b) + 0.1 * x, x)


def gradients_numpy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    x, r, p, rr = np.zeros_like(b), b, b, b @ b
    for _ in range(30):
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        p, rr = r + new / rr * p, new
    return x


@program(
    "loops",
    sizes=(128, 1024, 4096),
    arguments=lambda draw, n: (draw.definite(n, n), draw.normal(n)),
    bytes=lambda n: 120 * n * n,
    flops=lambda n: 60 * n * n,
    numpy=gradients_numpy,
    torch=lambda torch, a, b: conjugate_gradients_torch(torch, a, b),
    tolerance=1e-2,
)
def conjugate_gradients(lib: Any, a: Any, b: Any) -> Any:
    def step(state: Any) -> Any:
        x, r, p, rr, i = state
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + new / rr * p, new, i + 1

    start = (lib.numpy.zeros_like(b), b, b, b @ b, 0)
    return lib.lax.while_loop(lambda s: (s[4] < 30) & (s[3] > 0), step, start)[0]


def conjugate_gradients_torch(torch: Any, a: Any, b: Any) -> Any:
    x, r, p, rr = torch.zeros_like(b), b, b, b @ b
    for _ in range(30):
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        p, rr = r + new / rr * p, new
    return x


def viterbi_numpy(changes: np.ndarray, emissions: np.ndarray) -> Any:
    score, pointers = emissions[0], []
    for emission in emissions[1:]:
        scores = score[:, None] + changes
        pointers.append(scores.argmax(0))
        score = scores.max(0) + emission
    return score, np.stack(pointers)


@program(
    "loops",
    sizes=((16, 200), (128, 500), (512, 200)),
    arguments=lambda draw, n, steps: (draw.normal(n, n), draw.normal(steps, n)),
    bytes=lambda n, steps: 4 * n * n * steps,
    flops=lambda n, steps: 3 * n * n * steps,
    numpy=viterbi_numpy,
)
def viterbi(lib: Any, changes: Any, emissions: Any) -> Any:
    xp = lib.numpy

    def step(score: Any, emission: Any) -> Any:
        scores = score[:, None] + changes
        return xp.max(scores, 0) + emission, xp.argmax(scores, 0)

    return lib.lax.scan(step, emissions[0], emissions[1:])


@program(
    "loops",
    sizes=(64, 512, 1024),
    arguments=lambda draw, n: (draw.integers(4, n), draw.integers(4, n)),
    bytes=lambda n: 8 * n,
    flops=lambda n: 5 * n * n,
)
def edit_distance(lib: Any, a: Any, b: Any) -> Any:
    xp, n = lib.numpy, a.shape[0]

    def row(above: Any, given: Any) -> Any:
        i, letter = given
        fixed = xp.minimum(above[1:] + 1, above[:-1] + (b != letter))

        def element(left: Any, least: Any) -> Any:
            now = xp.minimum(left + 1, least)
            return now, now

        _, rest = lib.lax.scan(element, i + 1, fixed)
        return xp.concatenate([xp.reshape(i + 1, (1,)), rest]), None

    start = xp.arange(n + 1, dtype="int32")
    return lib.lax.scan(row, start, (xp.arange(n, dtype="int32"), a))[0][-1]


def kalman_numpy(seen: np.ndarray, f: np.ndarray, h: np.ndarray, noise: np.ndarray) -> np.ndarray:
    x, p, found = np.zeros(f.shape[0], np.float32), np.eye(f.shape[0], dtype=np.float32), []
    for z in seen:
        x, p = f @ x, f @ p @ f.T + noise
        s = h @ p @ h.T + np.float32(0.5) * np.eye(h.shape[0], dtype=np.float32)
        gain = np.linalg.solve(s, h @ p).T
        x, p = x + gain @ (z - h @ x), p - gain @ h @ p
        found.append(x)
    return np.stack(found)


@program(
    "loops",
    sizes=((4, 2, 200), (16, 8, 200), (64, 16, 100)),
    arguments=lambda draw, n, m, steps: (
        draw.normal(steps, m),
        draw.normal(n, n, scale=0.5 * n**-0.5),
        draw.normal(m, n),
        0.1 * np.eye(n, dtype=np.float32),
    ),
    bytes=lambda n, m, steps: 4 * steps * (n + m),
    flops=lambda n, m, steps: steps * (4 * n**3 + 8 * n * n * m),
    numpy=kalman_numpy,
    tolerance=1e-3,
)
def kalman_filter(lib: Any, seen: Any, f: Any, h: Any, noise: Any) -> Any:
    xp, n = lib.numpy, f.shape[0]

    def step(carry: Any, z: Any) -> Any:
        x, p = carry
        x, p = f @ x, f @ p @ f.T + noise
        s = h @ p @ h.T + xp.eye(h.shape[0]) * 0.5
        gain = xp.linalg.solve(s, h @ p).T
        x, p = x + gain @ (z - h @ x), p - gain @ h @ p
        return (x, p), x

    return lib.lax.scan(step, (xp.zeros(n), xp.eye(n)), seen)[1]
