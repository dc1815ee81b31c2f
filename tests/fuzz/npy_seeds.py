#!/usr/bin/env python3
"""Writes small .npy files of every kind as the first corpus of the fuzz target: npy_seeds.py FOLDER."""
import io
import itertools
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

types = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
shapes = [(), (0,), (1,), (7,), (2, 3), (2, 0, 3), (2, 3, 2)]
for number, (name, order, shape) in enumerate(itertools.product(types, "<>", shapes)):
    values = np.ones(shape, dtype=np.dtype(name).newbyteorder(order))
    values = np.asfortranarray(values) if number % 2 else values
    content = io.BytesIO()
    np.lib.format.write_array(content, values, version=[(1, 0), (2, 0), (3, 0)][number % 3])
    (folder / f"seed-{number:03}.npy").write_bytes(content.getvalue())

# What the reader must refuse.
for name, values in {
    "object": np.array([None, 1], dtype=object),
    "structured": np.zeros(3, dtype=[("a", "f4"), ("b", "i8")]),
    "text": np.array(["ab", "c"]),
    "half": np.zeros(3, dtype="f2"),
    "time": np.zeros(3, dtype="M8[s]"),
}.items():
    np.save(folder / f"seed-{name}.npy", values, allow_pickle=True)
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }".ljust(117) + "\n"
(folder / "seed-overflow.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
