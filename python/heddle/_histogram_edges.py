"""Edges of histograms' bins."""

from __future__ import annotations

import numpy as np


def densities(counts: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """In float64, of float32 edges and weights too."""
    return counts / np.diff(edges).astype(np.float64) / counts.sum()


def beyond_double(edges: np.ndarray) -> bool:
    """Whether edges are integers that float64 does not tell apart from their neighbours."""
    return edges.dtype.kind in "iu" and edges.size > 0 and (int(edges[0]) < -(2**53) or int(edges[-1]) > 2**53)
