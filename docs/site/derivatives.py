r"""The derivatives of structured ops as formulas; those of pointwise ops are in their descriptions.

f stands for the result, or the names of the results, and a dot for tangents. Their rules are in
`dialects/*.cpp`; the page of an op shows what its rule makes of an example.
"""

from __future__ import annotations

# Linear in all arrays: the tangent is the op of the tangents.
_LINEAR = {
    "all_gather": "x",
    "all_reduce_sum": "x",
    "all_to_all": "x",
    "broadcast": "x",
    "convert": "x",
    "cumsum": "x",
    "fft": "x",
    "irfft": "x",
    "name": "x",
    "optimization_barrier": "xs",
    "permute": "x",
    "reduce_scatter": "x",
    "reduce_sum": "x",
    "reduce_window_sum": "x",
    "reshape": "x",
    "reshard": "x",
    "reverse": "x",
    "roll": "x",
    "rfft": "x",
    "slice": "x",
    "transpose": "x",
    "vary": "x",
}
_EXTREME = (
    r"\dot f = \frac{\sum_k [x_k = f]\,\dot x_k}{\sum_k [x_k = f]}",
    "Elements that share the extreme share the derivative.",
)
_OF_WINDOW = (
    r"\dot f_i = \dot x_{k(i)}",
    "k(i) is the first place in window i where x is the extreme.",
)
_RUNNING_EXTREME = (
    r"\dot f_i = (1 - s_i)\,\dot f_{i-1} + s_i\,\dot x_i, "
    r"\quad s_i = \frac{[x_i = f_i]}{[x_i = f_i] + [f_{i-1} = f_i]}",
    "Elements that share the extreme share the derivative.",
)
_EXTREME_OF_SCATTER = (
    r"\dot f_i = \frac{[x_i = f_i]\,\dot x_i + \sum_{k \to i} [u_k = f_i]\,\dot u_k}"
    r"{[x_i = f_i] + \sum_{k \to i} [u_k = f_i]}",
    "The sums run over the updates u that are written to i.",
)
_EQUATION = r"A\,\dot f = \dot b - \dot A\,f"
# Op: the formula, and what is to be said about it.
_FORMULAS: dict[str, tuple[str, str]] = {
    name: (rf"\dot f = \mathrm{{{name}}}\left(\dot{{{x}}}\right)", "The op is linear.")
    for name, x in _LINEAR.items()
} | {
    "all_reduce_max": _EXTREME,
    "all_reduce_min": _EXTREME,
    "reduce_max": _EXTREME,
    "reduce_min": _EXTREME,
    "reduce_window_max": _OF_WINDOW,
    "reduce_window_min": _OF_WINDOW,
    "cummax": _RUNNING_EXTREME,
    "cummin": _RUNNING_EXTREME,
    "scatter_max": _EXTREME_OF_SCATTER,
    "scatter_min": _EXTREME_OF_SCATTER,
    "betainc": (r"\dot f = \frac{x^{a-1}\,(1 - x)^{b-1}}{B(a, b)}\,\dot x", ""),
    "call": (
        r"(f, \dot f) = \left(g(x),\; \partial g(x)\,\dot x\right)",
        "The derivative of the callee g, which is made once for all calls.",
    ),
    "case": (
        r"\dot f = \partial g_i(x)\,\dot x",
        "i is the index of the branch; each branch also computes its tangents.",
    ),
    "checkpoint": (
        r"\dot f = \partial g(x)\,\dot x",
        "In reverse mode, g(x) is computed again, but for what the policy saves.",
    ),
    "cholesky": (
        r"\dot L = L\,\Phi\left(L^{-1}\,\dot A\,L^{-H}\right)",
        "Φ takes the lower triangle, with half of the diagonal.",
    ),
    "concatenate": (
        r"\dot f = \mathrm{concatenate}\left(\dot x_1, \dot x_2, \ldots\right)",
        "The op is linear.",
    ),
    "conv": (
        r"\dot f = \dot x \ast w + x \ast \dot w",
        "The op is linear in each of its operands.",
    ),
    "cumlogsumexp": (r"\dot f_i = \sum_{k \le i} e^{x_k - f_i}\,\dot x_k", ""),
    "cumprod": (r"\dot f_i = \dot f_{i-1}\,x_i + f_{i-1}\,\dot x_i", ""),
    "custom_jvp": (r"\dot f = r(x, \dot x)", "r is the rule that the program states."),
    "custom_partition": (
        r"\dot f = \partial g(x)\,\dot x",
        "The derivative of the function itself.",
    ),
    "custom_tangent": (
        r"\bar x = r(\bar f)",
        "The op is linear and has no tangent of its own; r is the rule that the program states.",
    ),
    "custom_vjp": (
        r"\bar x = r(\bar f)",
        "r is the rule that the program states; in forward mode, there is an error.",
    ),
    "custom_vmap": (r"\dot f = \partial g(x)\,\dot x", "The derivative of the function itself."),
    "det": (r"\dot f = \mathrm{tr}\left(\mathrm{adj}(A)\,\dot A\right)", "Jacobi's formula."),
    "dot_general": (
        r"\dot f = \dot x \cdot y + x \cdot \dot y",
        "The op is linear in each of its operands.",
    ),
    "eig": (
        r"\dot w = \mathrm{diag}\,P, \quad \dot V = V\,(F \circ P) + V D, "
        r"\quad P = V^{-1}\,\dot A\,V, \quad F_{ij} = \frac{1}{w_j - w_i}",
        "F is 0 where i = j. The diagonal matrix D keeps the norm of each eigenvector at 1, and "
        "its largest element real.",
    ),
    "eigh": (
        r"\dot w = \mathrm{diag}\,P, \quad \dot V = V\,(F \circ P), "
        r"\quad P = V^H\,\dot A\,V, \quad F_{ij} = \frac{1}{w_j - w_i}",
        "F is 0 where i = j.",
    ),
    "gather": (
        r"\dot f = \mathrm{gather}\left(\dot x, \mathrm{indices}\right)",
        "The op is linear in x.",
    ),
    "linear_recurrence": (
        r"\dot f_i = a_i\,\dot f_{i-1} + \dot a_i\,f_{i-1} + \dot b_i",
        "This is a recurrence of the same form.",
    ),
    "linear_solve": (_EQUATION, "The same equation is solved once more."),
    "geqrf": (
        r"\dot V U + V\,\dot U = -\dot Q, \quad V U = \begin{pmatrix} I \\ 0 \end{pmatrix} - Q",
        "V has the vectors of the reflections, whose factors are on the diagonal of the upper "
        "triangular U; Q and R have the tangents that they have in qr.",
    ),
    "lu": (
        r"\dot L = L\,\mathrm{tril}(X), \quad \dot U = \mathrm{triu}(X)\,U, "
        r"\quad X = L^{-1} P\,\dot A\,U^{-1}",
        "tril is without, triu with the diagonal.",
    ),
    "lu_log_det": (
        r"\dot f = \mathrm{tr}\left(A^{-1}\,\dot A\right)",
        "The permutation does not change; the factors give the inverse.",
    ),
    "lu_solve": (_EQUATION, "The same factors solve the equation once more."),
    "pad": (
        r"\dot f = \mathrm{pad}\left(\dot x, \dot v\right)",
        "The op is linear in the array x and the value v together.",
    ),
    "polygamma": (r"\dot f = \psi^{(n+1)}(x)\,\dot x", ""),
    "primitive": (r"\dot f = r(x, \dot x)", "r is the rule that the program has registered."),
    "qr": (
        r"\dot Q = Q\,X + (I - Q Q^H)\,W, \quad \dot R = Q^H \dot A - X R, "
        r"\quad W = \dot A\,R^{-1}",
        "The skew-Hermitian matrix X has the lower triangle of the product of Qᴴ and W.",
    ),
    "reduce_prod": (
        r"\dot f = \sum_k \dot x_k \prod_{j \neq k} x_j",
        "As a tree of products, which is right where elements are 0, too.",
    ),
    "scan": (
        r"(\dot c_{i+1}, \dot y_i) = \partial g(c_i, x_i)\,(\dot c_i, \dot x_i)",
        "A loop whose body g also carries tangents. In reverse mode, a second loop runs backwards "
        "over the residuals.",
    ),
    "scatter": (
        r"\dot f = \mathrm{scatter}\left(\dot x, \mathrm{indices}, \dot u\right)",
        "The op is linear in the array x and the updates u together.",
    ),
    "scatter_add": (
        r"\dot f = \mathrm{scatter\_add}\left(\dot x, \mathrm{indices}, \dot u\right)",
        "The op is linear in the array x and the updates u together.",
    ),
    "scatter_mul": (
        r"\dot f_i = \dot x_i \prod_{k \to i} u_k "
        r"+ x_i \sum_{k \to i} \dot u_k \prod_{j \to i,\, j \neq k} u_j",
        "The products run over the updates u that are written to i.",
    ),
    "shard_map": (r"\dot f = \partial g(x)\,\dot x", "On each device, for its parts."),
    "sort": (
        r"\dot f_i = \dot x_{\pi(i)}",
        "π is the permutation that sorts the elements, here by one more operand.",
    ),
    "echo_end": (
        r"\dot f = \mathrm{echo\_end}\left(\mathrm{held}, \dot e, \dot x\right)",
        "Its transpose gives what is held as the cotangent of the echo e.",
    ),
    "svd": (
        r"\dot s = \mathrm{Re}\,\mathrm{diag}\,P, "
        r"\quad \dot U = U\,\left(F \circ (P S + S P^H)\right) + (I - U U^H)\,\dot A V S^{-1}, "
        r"\quad P = U^H \dot A\,V, "
        r"\quad F_{ij} = \frac{1}{s_j^2 - s_i^2}",
        "F is 0 where i = j; V is as U, for the adjoint of A. A phase common to both sides is "
        "attributed to U.",
    ),
    "triangular_solve": (_EQUATION, "Only the triangle of the tangent of A counts."),
    "tridiagonal_solve": (_EQUATION, "A has the three diagonals."),
    "while": (
        r"\dot c_{i+1} = \partial g(c_i)\,\dot c_i",
        "A loop whose body g also carries tangents. In reverse mode, the residuals of all "
        "iterations are kept.",
    ),
    "window_put": (
        r"\dot f = \mathrm{window\_put}\left(\dot x, \mathrm{offsets}\right)",
        "The op is linear in x.",
    ),
    "window_take": (
        r"\dot f = \mathrm{window\_take}\left(\dot x, \mathrm{offsets}\right)",
        "The op is linear in x.",
    ),
    "with_sizes": (r"\dot f = \mathrm{with\_sizes}\left(\dot x\right)", "The op is linear in x."),
    "zeta": (r"\dot f = -s\,\zeta(s + 1, q)\,\dot q", ""),
}
_INTEGERS = "Its results are integers, which have no derivative."
_SIZES = "Sizes have no derivative."
_REQUEST = "The pass `--dovetail-expand` resolves it before anything differentiates it."
_ON_REFERENCES = (
    "The pass `--dovetail-discharge` makes it an op on values before anything differentiates it."
)
_UNKNOWN = (
    "It is an error to differentiate it: the factors are used where no derivative is asked for."
)
# Ops without a derivative, and why.
_WITHOUT = {
    "argmax": _INTEGERS,
    "argmin": _INTEGERS,
    "assume": _SIZES,
    "axis_index": _INTEGERS,
    "bitcast": "It reads the bits of numbers as those of others.",
    "callback": "It is an error to differentiate it, unless its results have no tangents: state a "
    "rule by `custom_jvp`.",
    "check": "It has no results.",
    "constant": "Its tangent is 0.",
    "dim": _SIZES,
    "ffi_call": "It is an error to differentiate it: state a rule by `custom_jvp` or `custom_vjp`.",
    "freeze": _ON_REFERENCES,
    "from_index": _SIZES,
    "hessenberg": _UNKNOWN,
    "host_step": "It arises in recordings of eager calls only, which nothing differentiates.",
    "index": _SIZES,
    "iota": "Its tangent is 0.",
    "jvp": _REQUEST,
    "late_call": "It arises in loops that are lowered, which nothing differentiates.",
    "new_ref": _ON_REFERENCES,
    "random_gamma_grad": "It is an error to differentiate it.",
    "reduce_and": _INTEGERS,
    "reduce_or": _INTEGERS,
    "reduce_xor": _INTEGERS,
    "ref_echo": _ON_REFERENCES,
    "ref_get": _ON_REFERENCES,
    "ref_set": _ON_REFERENCES,
    "ref_set_echo": _ON_REFERENCES,
    "schur": _UNKNOWN,
    "threefry2x32": _INTEGERS,
    "tridiagonal": _UNKNOWN,
    "vjp": _REQUEST,
    "vmap": _REQUEST,
    "window_argmax": _INTEGERS,
    "window_argmin": _INTEGERS,
    "yield": "It ends a body, and is differentiated with it.",
}


def described(op: str) -> str:
    """What the page of a structured op says about its derivative; "" if nothing is known."""
    if op in _WITHOUT:
        return f"Derivative: none. {_WITHOUT[op]}"
    if op not in _FORMULAS:
        return ""
    formula, words = _FORMULAS[op]
    return f"Derivative:\n\n$$\n{formula}\n$$" + (f"\n\n{words}" if words else "")


def has_rule(op: str) -> bool:
    """Whether a structured op has a derivative."""
    return op in _FORMULAS
