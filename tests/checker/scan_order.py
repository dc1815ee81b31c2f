"""The order of scans as docs/design/scan.md states it, as plain recursion over Python's lists."""
import numpy as np


def vector_of(size):
    """Elements of a vector, for elements of so many bytes."""
    return 16 // size if size in (1, 2, 4) else 4 if size <= 32 else 1


def block(op, parts):
    """A power of two of parts, as a balanced tree."""
    half = len(parts) // 2
    return parts[0] if half == 0 else op(block(op, parts[:half]), block(op, parts[half:]))


def blocks(op, parts):
    """The totals of the largest blocks of a power of two of parts, in falling order."""
    found, begin = [], 0
    while begin < len(parts):
        size = 1 << (len(parts) - begin).bit_length() - 1
        found.append(block(op, parts[begin:begin + size]))
        begin += size
    return found


def from_left(op, parts):
    return parts[0] if len(parts) == 1 else op(from_left(op, parts[:-1]), parts[-1])


def from_right(op, parts):
    return parts[0] if len(parts) == 1 else op(parts[0], from_right(op, parts[1:]))


def scanned_in_order(op, x, size, exclusive=False, init=None):
    """The scan of a list of elements of `size` bytes; None where an exclusive one has nothing to give."""
    v = vector_of(size)
    row, out = 32 * v, []
    before, totals_of_rows = None, []  # Q
    for r in range(0, len(x), row):
        given = ([] if init is None else [init]) + blocks(op, totals_of_rows)
        before = from_left(op, given) if given else None
        vectors = [x[j:min(j + v, r + row)] for j in range(r, min(r + row, len(x)), v)]
        totals = [from_left(op, vector) for vector in vectors]
        for j, vector in enumerate(vectors):
            here = [part for part in (before, from_right(op, blocks(op, totals[:j])) if j else None) if part is not None]
            above = from_left(op, here) if here else None
            inclusive = []
            for k in range(len(vector)):
                if v == 1:
                    own, first = from_right(op, blocks(op, totals[:j + 1])), before
                else:
                    own, first = from_left(op, vector[:k + 1]), above
                inclusive.append(own if first is None else op(first, own))
            out += [above, *inclusive[:-1]] if exclusive else inclusive
        totals_of_rows.append(block(op, totals) if len(totals) == 32 else None)
    return out


def scan_along_axis(op, x, exclusive=False, init=None):
    """The scan of an array of numbers along the middle one of its three axes."""
    out = np.zeros_like(x)
    for o in range(x.shape[0]):
        for c in range(x.shape[2]):
            found = scanned_in_order(op, list(x[o, :, c]), x.itemsize, exclusive, None if init is None else x.dtype.type(init))
            out[o, :, c] = [np.nan if value is None else value for value in found]
    return out
