"""Counts against the iteration in NumPy, and pictures against the command's."""

import numpy as np
import pytest

import heddle


def counted(width, height, view, iterations, dtype):
    """In the order of operations that the page gives, without a fused one."""
    xmin, xmax, ymin, ymax = (np.dtype(dtype).type(side) for side in view)
    x, y = np.arange(width).astype(dtype), np.arange(height).astype(dtype)
    re = np.broadcast_to(xmin + x * (xmax - xmin) / np.dtype(dtype).type(width), (height, width))
    im = np.broadcast_to((ymin + y * (ymax - ymin) / np.dtype(dtype).type(height))[:, None], (height, width))
    zr, zi = np.zeros((2, height, width), dtype)
    counts = np.full((height, width), iterations, np.uint32)
    with np.errstate(all="ignore"):
        for i in range(iterations):
            zr, zi = zr * zr - zi * zi + re, 2 * (zr * zi) + im
            counts[(counts == iterations) & (zr * zr + zi * zi >= 4)] = i
    return counts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size, view, iterations", [((61, 40), None, 50), ((1, 1), None, 7), ((48, 31), (-0.75, -0.73, 0.1, 0.12), 300),
                                                    ((20, 30), (-2, 2, -1.5, 1), 0)])
def test_counts(size, view, iterations, dtype, where):
    have = heddle.mandelbrot(*size, view=view, iterations=iterations, dtype=dtype, target=where)
    assert have.dtype == np.uint32
    np.testing.assert_array_equal(have, counted(*size, view or (-2, 1, -1, 1), iterations, dtype))


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
@pytest.mark.parametrize("options, arguments", [
    ([], {}), (["--iterations", 300], {"iterations": 300}), (["--smooth", "--palette", "ocean"], {"smooth": True, "palette": "ocean"}),
    (["--center", "-0.743643887,0.131825904", "--zoom", 2000, "--iterations", 400, "--precision", "double"],
     {"center": -0.743643887 + 0.131825904j, "zoom": 2000, "iterations": 400, "dtype": "float64"}),
    (["--view", "-1,0,-0.5,1", "--palette", "ember"], {"view": (-1, 0, -0.5, 1), "palette": "ember"}),
])
def test_pictures_are_those_of_the_command(options, arguments, target, command, tmp_path):
    command("mandelbrot", "--size", "150x100", *options, "--target", target, "-o", "want.png", "--counts", "want.npy")
    heddle.mandelbrot_picture(150, 100, **arguments, target=target).save(tmp_path / "have.png")
    assert (tmp_path / "have.png").read_bytes() == (tmp_path / "want.png").read_bytes()
    of_counts = {key: value for key, value in arguments.items() if key not in ("palette", "smooth")}
    np.testing.assert_array_equal(heddle.mandelbrot(150, 100, **of_counts, target=target), np.load(tmp_path / "want.npy"))


def lacks_mpfr():
    try:
        heddle.mandelbrot(1, 1, center=("0.3", "0"), zoom=1e30)
    except RuntimeError as wrong:
        return "takes MPFR" in str(wrong)
    return False


@pytest.mark.skipif(lacks_mpfr(), reason="built without MPFR")
@pytest.mark.parametrize("smooth", [False, True])
def test_deep_pictures_are_those_of_the_command(smooth, command, tmp_path):
    # Beside i, where the orbit of 0 is periodic in the end.
    center, zoom = ("4e-40", "1." + 39 * "0" + "1"), 1e40
    command("mandelbrot", "--size", "60x40", f"--center={center[0]},{center[1]}", "--zoom", zoom, "--iterations", 400,
            *(["--smooth"] if smooth else []), "-o", "want.png", "--counts", "want.npy")
    have = heddle.mandelbrot(60, 40, center=center, zoom=zoom, iterations=400)
    np.testing.assert_array_equal(have, np.load(tmp_path / "want.npy"))
    assert len(np.unique(have)) > 3
    heddle.mandelbrot_picture(60, 40, center=center, zoom=zoom, iterations=400, smooth=smooth).save(tmp_path / "have.png")
    assert (tmp_path / "have.png").read_bytes() == (tmp_path / "want.png").read_bytes()


def test_what_is_wrong_is_named():
    for arguments, text in (({"width": 0}, "pixel|0"), ({"iterations": 3_000_000_000}, "2000000000"), ({"view": (1, 0, 0, 1)}, "view|empty"),
                            ({"view": (0, 1, 0)}, "xmin"), ({"view": (0, 1, 0, 1), "center": 0}, "not both"), ({"zoom": 2}, "center"),
                            ({"center": 0, "zoom": 0}, "above 0"),
                            ({"center": ("0",)}, "re, im"), ({"center": ("0", "0,5")}, "0,5"), ({"center": ("0", "0"), "zoom": 1e302}, "1e-300"), ({"dtype": "int32"}, "int32"), ({"iterations": -1}, "iterations")):
        with pytest.raises(ValueError, match=text):
            heddle.mandelbrot(**{"width": 10, "height": 10, **arguments})
    with pytest.raises(ValueError, match="dusk"):
        heddle.mandelbrot_picture(10, 10, palette="pink")
