#!/usr/bin/env python3
"""Writes small PNG files of every kind as the first corpus of the fuzz target: png_seeds.py FOLDER."""
import pathlib
import sys

from PIL import Image

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
    for width, height in ((1, 1), (9, 5)):
        picture = Image.new(mode, (width, height))
        picture.save(folder / f"{mode.replace(';', '-')}-{width}x{height}", "png")
