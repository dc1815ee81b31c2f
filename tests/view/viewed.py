"""What tests of `heddle view` have of it: the server and its clients, whose frames are arrays here. HEDDLE is the path of the
executable."""
import os

import numpy as np

import connection
from connection import BINARY, PATIENCE, TEXT, Closed, Refused, Server, has_server, shows

HEDDLE = os.environ["HEDDLE"]


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
