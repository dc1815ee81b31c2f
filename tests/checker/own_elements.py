"""Elements for Heddle's own kernels, and what plain loops make of them, for own_kernels_test.py and own_textbook_test.py."""
import numpy as np

random = np.random.default_rng(7)


def integers(size, kind="int32"):
    return random.integers(-1000, 1000, size).astype(kind)


def floats(size, kind="float32"):
    return random.standard_normal(size).astype(kind)


def floats64(size):
    return floats(size, "float64")


def maps(size):
    """Maps x -> scale * x + shift modulo 2**32, a row each."""
    return random.integers(0, 2**32, (size, 2), dtype=np.uint64).astype("uint32")


def composed(x):
    """What the first 1, 2, ... maps are, one after another."""
    result, scale, shift = [], 1, 0
    for a, b in x.tolist():
        scale, shift = scale * a % 2**32, (shift * a + b) % 2**32
        result.append((scale, shift))
    return np.array(result, dtype="uint32")


# By the names that the sources give to element and operator: elements, what combines all of them, and the identity.
REDUCTIONS = {
    "sum": (integers, lambda x: x.sum(dtype="int32"), np.zeros(1, "int32")),
    "largest": (floats, np.max, np.full(1, -np.inf, "float32")),
    "compositions": (maps, lambda x: composed(x)[-1], np.array([1, 0], "uint32")),
}


def scanned(name, x, exclusive, init):
    """The scan by plain loops; where an exclusive one has no initial value its first element is none."""
    if name == "compositions":
        whole = composed(x if init is None else np.concatenate([init.reshape(1, 2), x]))
    else:
        whole = np.cumsum(x if init is None else np.concatenate([init, x]), dtype=x.dtype, axis=0)
    if init is None:
        return np.concatenate([np.zeros_like(whole[:1]), whole[:-1]]) if exclusive else whole
    return whole[:-1] if exclusive else whole[1:]


SCANS = {"sum": (integers, np.zeros(1, "int32"), np.array([-5], "int32")),
         "compositions": (maps, np.array([1, 0], "uint32"), np.array([7, 9], "uint32"))}
