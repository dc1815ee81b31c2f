#!/usr/bin/env python3
"""Writes small checkpoints of every case and storage as the first corpus of the fuzz target: checkpoint_seeds.py FOLDER."""
import itertools
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def checkpoint(case, storage, obstacles, compared, width=5, height=4, velocity=0.1):
    """The bytes, whose sum is FNV-1a over words of eight bytes, each part filled up with 0."""
    bytes_each = {"f64": 8, "f32": 4, "f16": 2}[storage]
    height, width = (9, 12) if case == "cylinder" else (height, width)
    head = ("heddle lbm checkpoint 4\n" f"case {case}\nwidth {width}\nheight {height}\nreynolds 20\nvelocity {velocity}\n"
            f"collision trt\nstorage {storage}\nsmagorinsky 0\nfraction_bits {18 if storage == 'f16' else 0}\n"
            f"drive inflow\nobstacles {int(obstacles)}\nsteps 7\ncompared {compared}\nforce_x 0.25\nforce_y -1e-3\n\n").encode()
    cells = width * height
    parts = [head]
    if obstacles:
        parts.append(bytes(int(cell == width + 2) for cell in range(cells)))
    parts.append(bytes(i % 251 for i in range(9 * cells * bytes_each)))
    if compared != "none":
        parts.append(bytes(255 - i % 251 for i in range(2 * cells * max(bytes_each, 4))))
    total = 0xcbf29ce484222325
    for part in parts:
        for at in range(0, len(part), 8):
            word = int.from_bytes(part[at:at + 8], "little")
            total = (total ^ word) * 0x100000001b3 % 2**64
    return b"".join(parts) + total.to_bytes(8, "little")


cases = ["cavity", "channel", "cylinder", "taylor-green", "free"]
for case, storage, obstacles, compared in itertools.product(cases, ["f64", "f32", "f16"], [False, True], ["none", "5"]):
    content = checkpoint(case, storage, obstacles, compared)
    if len(content) <= 4096:  # the longest that is tried
        (folder / f"seed-{case}-{storage}-{int(obstacles)}-{compared}").write_bytes(content)
