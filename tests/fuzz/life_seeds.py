#!/usr/bin/env python3
"""Writes small patterns in every format as the first corpus of the fuzz target: life_seeds.py FOLDER."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

# The first byte says what the file is called.
seeds = {
    "rle": "0x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n",
    "old-rule": "0#N old\n#C two\r\nx=36,y=9,rule=23/3\r\n24bo11b$22bobo$\n\n3$12b2o6b2o12b2o",
    "torus": "0#CXRLE Pos=-15,-10 Gen=7\nx = 30, y = 20, rule = B36/S125:T30,20\no29b$29bo!",
    "plane": "0x = 1, y = 1, rule = b3s23:P7\nA!",
    "far": "01000000000b12o1000000000$3o!",
    "cells": "1!Name: x\n!\n.O.\n\nO.O*\n",
    "life-106": "2#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n",
    "life-105": "2#Life 1.05\n",
    "unknown-cells": "2!x\n.O\nO\n",
}
for name, text in seeds.items():
    # '0', '1' and '2' are 48, 49 and 50: the remainder by 3 is the digit.
    (folder / f"seed-{name}").write_text(text)
