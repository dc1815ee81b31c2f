"""Lattice Boltzmann flows against exact ones and against the command."""

import warnings

import numpy as np
import pytest

import heddle

CASES = {
    "cavity": {"shape": (20, 24)},
    "channel": {"shape": (24, 16), "reynolds": 10},
    "cylinder": {"shape": (41, 221), "reynolds": 20},
    "taylor-green": {"shape": (32, 32), "velocity": 0.02},
    "free": {"shape": (32, 64), "reynolds": 20},
}
DISC = np.hypot(*np.meshgrid(np.arange(32) - 15.5, np.arange(64) - 20, indexing="ij")) < 4


def options_of(settings):
    rows, columns = settings["shape"]
    return ["--size", f"{columns}x{rows}"] + [text for key in settings if key != "shape" for text in (f"--{key}", settings[key])]


def line_of(flow, change=None):
    """What the command prints."""
    text = f"steps {flow.steps} time {flow.time:.6g} mass {flow.mass:.12g}"
    if change is not None:
        text += f" change {change:.3g}"
    if flow.error() is not None:
        text += f" error {flow.error():.4g}"
    if flow.forces() is not None:
        text += f" drag {flow.forces().drag:.6g} lift {flow.forces().lift:.6g}"
    if flow.pressure_difference() is not None:
        text += f" pressure_difference {flow.pressure_difference():.6g}"
    return text + "\n"


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
@pytest.mark.parametrize("case", CASES)
def test_cases_are_those_of_the_command(case, target, command, tmp_path):
    settings = dict(CASES[case])
    options = options_of(settings)
    if case == "free":
        np.save(tmp_path / "disc.npy", DISC)
        settings["obstacles"] = DISC
        options += ["--obstacles", "disc.npy"]
    flow = heddle.LatticeBoltzmann(case, **settings, target=target).step(150)
    for field in ("velocity", "vorticity", "density"):
        for ending in ("npy", "vti", "png"):
            said = command("lbm", case, *options, "--steps", 150, "--target", target, "--quiet", "--field", field, "-o", f"want.{ending}",
                           "--profile", "lines.csv", "--checkpoint", "want.state")
            assert said == line_of(flow)
            flow.save(tmp_path / f"have.{ending}", field)
            assert (tmp_path / f"have.{ending}").read_bytes() == (tmp_path / f"want.{ending}").read_bytes(), (field, ending)
    flow.checkpoint(tmp_path / "have.state")
    assert (tmp_path / "have.state").read_bytes() == (tmp_path / "want.state").read_bytes()
    lines = np.genfromtxt(tmp_path / "lines.csv", delimiter=",", skip_header=1, usecols=(1, 2, 3))
    np.testing.assert_allclose(np.concatenate(flow.profiles()), lines, rtol=1e-8, atol=1e-12)
    assert flow.case == case and flow.shape == settings["shape"]
    if case == "free":
        np.testing.assert_array_equal(flow.solid, DISC)
        assert (flow.velocity[DISC] == 0).all() and flow.forces().drag > 0


@pytest.mark.parametrize("options", [{"collision": "bgk"}, {"collision": "regularized"}, {"storage": "f64"}, {"storage": "f16"},
                                     {"smagorinsky": 0.15}, {"drive": "inflow"}], ids=lambda options: str(*options.values()))
def test_options_are_those_of_the_command(options, command, tmp_path):
    settings = {**CASES["channel"], **options}
    flow = heddle.LatticeBoltzmann("channel", **settings, target="parallel:2").step(120)
    said = command("lbm", "channel", *options_of(settings), "--steps", 120, "--target", "parallel:2", "--quiet", "-o", "want.npy")
    assert said == line_of(flow)
    np.testing.assert_array_equal(flow.velocity, np.load(tmp_path / "want.npy"))


def test_vortices_decay_as_the_formula_says(where):
    flow = heddle.LatticeBoltzmann("taylor-green", shape=(64, 64), velocity=0.01, storage="f64", target=where)
    first = np.linalg.norm(flow.velocity)
    decay = np.exp(-2 * flow.viscosity * (2 * np.pi / 64) ** 2 * 400)
    assert np.linalg.norm(flow.step(400).velocity) / first == pytest.approx(decay, rel=1e-3)
    assert flow.error() < 1e-3 and flow.mass == pytest.approx(1, abs=1e-12)
    u, v = np.moveaxis(flow.velocity.astype(float), -1, 0)
    curl = np.gradient(v, axis=1) - np.gradient(u, axis=0)
    np.testing.assert_allclose(flow.vorticity[1:-1, 1:-1], curl[1:-1, 1:-1], atol=1e-8)


def test_a_channel_becomes_steady(command):
    flow = heddle.LatticeBoltzmann("channel", shape=(24, 8), reynolds=10, storage="f64")
    change = flow.until_steady(1e-8)
    assert change <= 1e-8 and flow.error() < 1e-2
    said = command("lbm", "channel", "--size", "8x24", "--reynolds", 10, "--steady", 1e-8, "--storage", "f64", "--quiet")
    assert said == line_of(flow, change)
    again = heddle.LatticeBoltzmann("channel", shape=(24, 8), reynolds=10, storage="f64")
    with pytest.warns(RuntimeWarning, match="not steady after 300 steps"):
        assert again.until_steady(1e-8, max_steps=300) > 1e-8
    # A profile between walls half a cell beyond the first and the last row.
    y = np.arange(24) + 0.5
    np.testing.assert_allclose(flow.velocity[:, 4, 0], 0.1 * 4 * y * (24 - y) / 24**2, atol=1e-3)


def test_it_goes_on_from_checkpoints(command, tmp_path, where):
    flow = heddle.LatticeBoltzmann("cylinder", shape=(41, 221), reynolds=20, target="serial")
    flow.step(70).checkpoint(tmp_path / "state")
    again = heddle.LatticeBoltzmann.resume(tmp_path / "state", target=where)
    assert again.steps == 70 and again.reynolds == 20 and again.case == "cylinder"
    np.testing.assert_array_equal(again.step(50).velocity, flow.step(50).velocity)
    command("lbm", "cylinder", "--resume", "state", "--steps", 50, "--quiet", "--target", "serial", "-o", "want.npy")
    np.testing.assert_array_equal(flow.velocity, np.load(tmp_path / "want.npy"))
    (tmp_path / "half").write_bytes((tmp_path / "state").read_bytes()[:-9])
    for name, error in (("half", ValueError), ("none", FileNotFoundError)):
        with pytest.raises(error, match=name):
            heddle.LatticeBoltzmann.resume(tmp_path / name)


def test_animations_are_those_of_the_command(command, tmp_path):
    command("lbm", "cavity", "--size", "30x20", "--steps", 130, "--every", 50, "--field", "vorticity", "--quiet", "-o", "want.gif")
    flow = heddle.LatticeBoltzmann("cavity", shape=(20, 30))
    flow.animation(130, 50, "vorticity").save(tmp_path / "have.gif")
    assert flow.steps == 130
    assert (tmp_path / "have.gif").read_bytes() == (tmp_path / "want.gif").read_bytes()


def test_what_follows_from_the_settings():
    flow = heddle.LatticeBoltzmann("cavity", shape=(64, 64), reynolds=100)
    assert (flow.length, flow.speed) == (64, 0.1)
    assert flow.viscosity == pytest.approx(0.064) and flow.relaxation_time == pytest.approx(0.692)
    assert flow.mach == pytest.approx(0.1 * 3**0.5)
    assert flow.time == 0 and flow.forces() is None and flow.pressure_difference() is None and flow.error() is None
    np.testing.assert_array_equal(flow.density, np.ones((64, 64), np.float32))
    assert repr(flow) == "<heddle.LatticeBoltzmann cavity 64x64, Reynolds number 100, 0 steps>"
    assert flow._repr_png_().startswith(b"\x89PNG")


def test_what_is_wrong_is_named():
    make = heddle.LatticeBoltzmann
    for call, text in ((lambda: make("sea"), "cavity, channel, cylinder"), (lambda: make("cavity", collision="mrt"), "bgk, trt, regularized"),
                       (lambda: make("cavity", storage="f8"), "f64, f32, f16"), (lambda: make("cavity", drive="force"), "for a channel"),
                       (lambda: make("cavity", shape=(20, 20), obstacles=np.zeros((20, 21))), r"\(20, 21\)"),
                       (lambda: make("cavity", obstacles=np.zeros(4)), "rows, columns"), (lambda: make("free", obstacles=np.full((20, 20), np.nan)), "NaN"), (lambda: make("cavity", velocity=-1), "velocity"),
                       (lambda: make("cavity", shape=(20, 20)).picture("pressure"), "velocity, vorticity, density"),
                       (lambda: make("cavity", shape=(20, 20)).save("a.txt"), "ending")):
        with pytest.raises(ValueError, match=text):
            call()


def test_a_flow_that_blows_up_says_where():
    with pytest.warns(RuntimeWarning) as warned:
        flow = heddle.LatticeBoltzmann("cavity", velocity=0.3, reynolds=1e6, shape=(20, 20), collision="bgk")
    assert any("a lower reynolds" in str(each.message) for each in warned)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="blew up by step .* in cell .* a lower velocity"):
            flow.step(5000)


def test_what_no_flow_has_is_refused():
    with pytest.raises(ValueError, match="no cells"):
        heddle.LatticeBoltzmann("free", obstacles=np.zeros((0, 5), bool))
    for tolerance in (-1, float("nan")):
        with pytest.raises(ValueError, match="tolerance"):
            heddle.LatticeBoltzmann("cavity", shape=(16, 16)).until_steady(tolerance)
