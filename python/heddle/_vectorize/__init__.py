"""Functions of elements from Python functions."""

from .function import Vectorized, vectorize

__all__ = ["Vectorized", "vectorize"]
