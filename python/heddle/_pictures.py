"""Pictures of simulations, for files and notebooks."""

from __future__ import annotations

import base64
import os
import tempfile
from typing import Any

import numpy as np

from . import _core
from ._arguments import place, whole


def _ending(path: Any, endings: tuple[str, ...]) -> str:
    """The ending of a path, in small letters: one of these."""
    found = os.path.splitext(place(path))[1].lower()
    if found not in endings:
        raise ValueError(f"{place(path)}: the ending is none of {', '.join(endings)}")
    return found


def _bytes_of(save: Any, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture" + ending)
        save(path)
        with open(path, "rb") as file:
            return file.read()


class Picture:
    """A picture, which a notebook shows.

    `pixels` is uint8: (H, W) with places in a palette, or grey without one; or (H, W, 3), red, green and blue. Row 0 is
    on top. `palette` is uint8, (colours, 3), or None. `save` writes a PNG, whole or not at all, and `png()` gives its
    bytes.

    >>> import heddle
    >>> picture = heddle.mandelbrot_picture(60, 40)
    >>> picture.pixels.shape, picture.png()[:4]
    ((40, 60), b'\\x89PNG')
    """

    def __init__(self, pixels: Any, palette: Any = None):
        self.pixels = np.asarray(pixels)
        self.palette = None if palette is None else np.asarray(palette)
        shape = self.pixels.shape
        if self.pixels.dtype != np.uint8 or not (len(shape) == 2 or len(shape) == 3 and shape[2] == 3 and palette is None):
            raise ValueError(f"a picture has pixels of uint8, (H, W) or without a palette (H, W, 3), not {self.pixels.dtype} {shape}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a PNG."""
        _ending(path, (".png",))
        _core.save_png(place(path), self.pixels, self.palette)

    def png(self) -> bytes:
        """The bytes of the PNG."""
        return _bytes_of(self.save, ".png")

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"<heddle.Picture of {self.pixels.shape[1]}x{self.pixels.shape[0]} pixels>"


class Animation:
    """A picture that moves, which a notebook plays.

    `frames` is uint8, (N, H, W), with places in `palette`, uint8 (colours, 3); each is shown for `hundredths` of a second.
    `save` writes a GIF that loops, whole or not at all, and `gif()` gives its bytes.

    >>> import heddle
    >>> glider = heddle.Life("bob$2bo$3o!", shape=(8, 8))
    >>> animation = glider.animation(16)
    >>> animation.frames.shape, animation.gif()[:6]
    ((17, 8, 8), b'GIF89a')
    """

    def __init__(self, frames: Any, palette: Any, hundredths: int = 10):
        self.frames = np.asarray(frames)
        self.palette = np.asarray(palette)
        self.hundredths = whole("hundredths", hundredths, 0, 65535)
        if self.frames.dtype != np.uint8 or self.frames.ndim != 3:
            raise ValueError(f"an animation has frames of uint8, (N, H, W), not {self.frames.dtype} {self.frames.shape}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a GIF."""
        _ending(path, (".gif",))
        _core.save_gif(place(path), self.frames, self.palette, self.hundredths)

    def gif(self) -> bytes:
        """The bytes of the GIF."""
        return _bytes_of(self.save, ".gif")

    def _repr_html_(self) -> str:
        # Cells of small pictures are seen.
        scale = max(1, 320 // max(self.frames.shape[1:]))
        width = self.frames.shape[2] * scale
        data = base64.b64encode(self.gif()).decode()
        return f'<img width="{width}" style="image-rendering: pixelated" src="data:image/gif;base64,{data}">'

    def __repr__(self) -> str:
        frames, height, width = self.frames.shape
        return f"<heddle.Animation of {frames} frames of {width}x{height} pixels>"
