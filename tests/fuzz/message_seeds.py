#!/usr/bin/env python3
"""Messages of a page to `heddle view`, and damaged ones, in the folder that is given: what a fuzzer begins with."""
import json
import pathlib
import sys

MESSAGES = [
    {"do": "window", "x": "-0.75", "y": "1e-30", "scale": 0.003, "width": 640, "height": 480},
    {"do": "drawn", "frame": 12},
    {"do": "palette", "name": "night"},
    {"do": "play"},
    {"do": "pause"},
    {"do": "step", "count": 5},
    {"do": "speed", "per_second": 30},
    {"do": "speed", "per_second": None},
    {"do": "restart"},
    {"do": "target", "name": "parallel:2"},
    {"do": "act", "name": "cells", "arguments": {"alive": True, "points": [[1, 2], [-3, 4]]}},
    {"do": "act", "name": "pattern", "arguments": {"text": "bo$2bo$3o!", "x": 0, "y": 0, "turn": 1, "flip": False}},
    {"do": "save", "name": "rle"},
    {"do": "command"},
    {"do": "open", "preset": 0},
]

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
for number, message in enumerate(MESSAGES):
    text = json.dumps(message)
    (folder / f"{number}.json").write_text(text)
    (folder / f"{number}-cut.json").write_text(text[:len(text) // 2])
    (folder / f"{number}-more.json").write_text(json.dumps(message | {"more": 1}))
