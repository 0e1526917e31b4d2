import numpy as np


def _fft_norm(s, func_name, norm):
    s = np.asarray(s)
    if norm == "backward":
        return np.array(1)
    s = s.astype(np.float64 if s.dtype.itemsize == 8 else np.float32) if s.dtype.kind != "f" else s
    if norm == "ortho":
        return np.sqrt(np.prod(s)) if func_name.startswith("i") else 1 / np.sqrt(np.prod(s))
    if norm == "forward":
        return np.prod(s) if func_name.startswith("i") else 1 / np.prod(s)
    raise ValueError(norm)
