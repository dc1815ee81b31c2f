"""What tests of `heddle view` have of it: the server and its clients, whose frames are arrays here. HEDDLE is the path of the
executable."""
import io
import os
import subprocess

import numpy as np
from PIL import Image

import connection
from connection import BINARY, PATIENCE, TEXT, Closed, Refused, Server, shows, skip_without_server

HEDDLE = os.environ["HEDDLE"]


def written(*words):
    """What a command writes to its standard output."""
    done = subprocess.run([HEDDLE, *map(str, words), "--quiet", "-o", "-"], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return io.BytesIO(done.stdout)


def counted(*words):
    """The array that a command ends with."""
    return np.load(written(*words, "--format", "npy"))


def drawn(*words):
    """The picture that a command draws, as red, green and blue."""
    with Image.open(written(*words, "--format", "png")) as picture:
        return np.asarray(picture.convert("RGB"))


def has_mpfr():
    """Whether this build draws deep pictures."""
    done = subprocess.run([HEDDLE, "mandelbrot", "--size", "1x1", "--center=0,0", "--precision", "deep", "--counts", os.devnull],
                          capture_output=True, text=True, timeout=PATIENCE)
    return "takes MPFR" not in done.stderr


class Client(connection.Client):
    def frame(self, until=lambda header: True):
        """The header and the pixels of the first frame for which this is so."""
        header, pixels = super().frame(until)
        channels = {"grey": 1, "palette": 1, "rgb": 3, "rgba": 4}[header["format"]]
        return header, np.frombuffer(pixels, np.uint8).reshape(header["height"], header["width"], channels)


def colours(header, pixels):
    """The pixels as red, green and blue."""
    if header["format"] == "palette":
        palette = np.frombuffer(bytes.fromhex(header["colours"]), np.uint8).reshape(-1, 3)
        return palette[pixels[..., 0]]
    return np.broadcast_to(pixels[..., :3], (*pixels.shape[:2], 3)) if pixels.shape[2] != 1 else np.repeat(pixels, 3, axis=2)
