"""The Mandelbrot set by one function of two numbers, on a target that is named at run time.

    python examples/python/mandelbrot.py [TARGET]     serial, parallel, gpu or auto

heddle.vectorize compiles the function for the target. The picture, mandelbrot.pgm, is the same on each.
"""

import sys

import numpy as np

import heddle

LIMIT = 50


@heddle.vectorize
def escape(re, im):
    """The iteration of z -> z z + c at which |z| is 2 or more, or LIMIT."""
    c = complex(re, im)
    z = 0j
    for k in range(LIMIT):
        if z.real * z.real + z.imag * z.imag >= 4:
            return k
        z = z * z + c
    return LIMIT


def picture(width, height, target=None):
    """Counts over [-2, 1] x [-1, 1] as uint8, a row for each of `height` imaginary parts."""
    re = np.linspace(-2, 1, width)
    im = np.linspace(-1, 1, height)[:, np.newaxis]
    return escape(re, im, dtype="uint8", target=target)


if __name__ == "__main__":
    counts = picture(1536, 1024, *sys.argv[1:])
    with open("mandelbrot.pgm", "wb") as file:
        file.write(f"P5 {counts.shape[1]} {counts.shape[0]} {LIMIT}\n".encode() + counts.tobytes())
    print(f"{(counts == LIMIT).mean():.4f} of the points do not escape in {LIMIT} iterations")
