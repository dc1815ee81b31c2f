"""Life against sums of shifted arrays, and against the command."""

import numpy as np
import pytest

import heddle

GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]])


def next_generation(cells, birth=(3,), survival=(2, 3), torus=True):
    if not torus:
        return next_generation(np.pad(cells, 1), birth, survival)[1:-1, 1:-1]
    neighbours = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return np.where(cells == 1, np.isin(neighbours, survival), np.isin(neighbours, birth)).astype(np.uint8)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 5), (64, 64), (33, 130), (100, 513)])
@pytest.mark.parametrize("topology", ["torus", "plane"])
@pytest.mark.parametrize("algorithm", ["packed", "per-cell"])
def test_generations(shape, topology, algorithm, where):
    cells = np.random.default_rng(1).integers(0, 2, shape, np.uint8)
    world = heddle.Life(cells, topology=topology, algorithm=algorithm, target=where)
    assert world.topology == topology and world.generation == 0
    np.testing.assert_array_equal(world.cells, cells)
    for _ in range(5):
        cells = next_generation(cells, torus=topology == "torus")
        assert world.step() is world
        np.testing.assert_array_equal(world.cells, cells)
        assert world.cells.dtype == np.uint8 and world.population == cells.sum()
    for _ in range(12):
        cells = next_generation(cells, torus=topology == "torus")
    np.testing.assert_array_equal(world.step(12).cells, cells)
    assert world.generation == 17


@pytest.mark.parametrize("rule, birth, survival", [("B36/S23", (3, 6), (2, 3)), ("23/36", (3, 6), (2, 3)), ("b0123478/s01234678", (0, 1, 2, 3, 4, 7, 8), (0, 1, 2, 3, 4, 6, 7, 8))])
def test_rules(rule, birth, survival):
    cells = np.random.default_rng(2).integers(0, 2, (40, 50), np.uint8)
    world = heddle.Life(cells, rule)
    for _ in range(4):
        cells = next_generation(cells, birth, survival)
    np.testing.assert_array_equal(world.step(4).cells, cells)
    assert world.rule == f"B{''.join(map(str, birth))}/S{''.join(map(str, survival))}"


def test_what_lives_in_an_array():
    for dtype in (bool, np.int8, np.int64, np.float32, np.complex64):
        np.testing.assert_array_equal(heddle.Life(GLIDER.astype(dtype) * 3 if dtype is not bool else GLIDER == 1).cells, GLIDER)
    np.testing.assert_array_equal(heddle.Life(GLIDER.tolist()).cells, GLIDER)
    np.testing.assert_array_equal(heddle.Life(heddle.asarray(GLIDER)).cells, GLIDER)
    np.testing.assert_array_equal(heddle.Life(np.asfortranarray(GLIDER)).cells, GLIDER)


def test_a_shape_has_the_cells_in_its_middle():
    world = heddle.Life(GLIDER, shape=(9, 11))
    np.testing.assert_array_equal(world.cells[3:6, 4:7], GLIDER)
    assert world.cells.shape == (9, 11) and world.population == 5 and world.topology == "torus"
    assert heddle.Life(GLIDER, "B3/S23:P11,9").cells.shape == (9, 11)
    assert heddle.Life("bob$2bo$3o!", "B3/S23:P11,9").topology == "plane"


def test_the_infinite_plane_follows_the_pattern(where):
    for world in (heddle.Life("bob$2bo$3o!", target=where), heddle.Life(GLIDER, topology="infinite", target=where)):
        assert world.topology == "infinite" and world.origin == (0, 0)
        world.step(4000)
        assert world.origin == (1000, 1000) and world.population == 5
        np.testing.assert_array_equal(world.cells, GLIDER)
    nothing = heddle.Life("x = 0, y = 0\n!", target=where).step(3)
    assert nothing.population == 0 and nothing.cells.shape == (0, 0)
    assert nothing.picture().pixels.shape == (1, 1)


def test_periods(where):
    assert heddle.Life("10o!", target=where).period(1000) == 15
    assert heddle.Life(GLIDER, shape=(6, 6), target=where).period(1000) == 24
    still = heddle.Life("2o$2o!", target=where)
    assert still.period(10) == 1 and still.generation == 1
    moving = heddle.Life("bob$2bo$3o!", target=where)
    assert moving.period(100) is None and moving.generation == 100


def test_animations_show_every_generation():
    cells = np.pad(GLIDER, 3).astype(np.uint8)
    animation = heddle.Life(cells).animation(8, 2)
    want = [cells]
    for _ in range(8):
        want.append(next_generation(want[-1]))
    np.testing.assert_array_equal(animation.frames, want[::2])
    moving = heddle.Life("bob$2bo$3o!").animation(4)
    assert moving.frames.shape == (5, 4, 4) and (moving.frames.sum((1, 2)) == 5).all()
    np.testing.assert_array_equal(moving.frames[0, :3, :3], GLIDER)
    np.testing.assert_array_equal(moving.frames[4, 1:, 1:], GLIDER)


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_files_and_cells_are_those_of_the_command(target, command, tmp_path):
    random = ["life", "--random", "70x50", "--seed", 3, "--density", 0.4, "--generations", 60, "--target", target]
    for topology, options in (("torus", []), ("plane", ["--topology", "plane"]), ("infinite", ["--topology", "infinite"])):
        world = heddle.Life.random((50, 70), 0.4, 3, topology=topology, target=target).step(60)
        for ending in ("rle", "cells", "npy", "png"):
            said = command(*random, *options, "-o", f"want.{ending}")
            assert said == f"generation 60 population {world.population}\n"
            world.save(tmp_path / f"have.{ending}")
            assert (tmp_path / f"have.{ending}").read_bytes() == (tmp_path / f"want.{ending}").read_bytes(), (topology, ending)
        command(*random, *options, "--every", 7, "-o", "want.gif")
        heddle.Life.random((50, 70), 0.4, 3, topology=topology, target=target).animation(60, 7).save(tmp_path / "have.gif")
        assert (tmp_path / "have.gif").read_bytes() == (tmp_path / "want.gif").read_bytes(), topology
    larger = heddle.Life.random((50, 70), 0.4, 3, "B36/S23", shape=(90, 100), target=target).step(60)
    command(*random, "--rule", "B36/S23", "--size", "100x90", "-o", "want.npy")
    np.testing.assert_array_equal(larger.cells, np.load(tmp_path / "want.npy"))


def test_patterns_go_on_from_their_files(command, tmp_path):
    (tmp_path / "r.rle").write_text("x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n")
    world = heddle.Life.load(tmp_path / "r.rle").step(500)
    world.save(tmp_path / "middle.rle")
    again = heddle.Life.load(tmp_path / "middle.rle")
    assert again.generation == 500 and again.origin == world.origin
    assert again.step(603).population == 116 and again.generation == 1103
    command("life", "middle.rle", "--generations", 603, "-o", "want.rle")
    again.save(tmp_path / "have.rle")
    assert (tmp_path / "have.rle").read_bytes() == (tmp_path / "want.rle").read_bytes()
    for options, arguments in ((["--size", "20x30"], {"shape": (30, 20)}), (["--topology", "torus"], {"topology": "torus"}),
                               (["--rule", "B3/S23:T30,20"], {"rule": "B3/S23:T30,20"}), (["--rule", "B36/S23"], {"rule": "B36/S23"})):
        command("life", "r.rle", *options, "--generations", 50, "-o", "want.rle")
        heddle.Life.load(tmp_path / "r.rle", **arguments).step(50).save(tmp_path / "have.rle")
        assert (tmp_path / "have.rle").read_bytes() == (tmp_path / "want.rle").read_bytes(), options


def test_what_is_wrong_is_named(tmp_path):
    for make, text in ((lambda: heddle.Life(np.zeros(4)), "rows, columns"), (lambda: heddle.Life(GLIDER, "B9/S"), "B9"),
                       (lambda: heddle.Life(GLIDER, "B0/S8", topology="infinite"), "infinite plane"),
                       (lambda: heddle.Life(GLIDER, topology="klein"), "infinite, torus, plane"),
                       (lambda: heddle.Life(GLIDER, algorithm="slow"), "packed, per-cell"),
                       (lambda: heddle.Life(GLIDER, algorithm="block", target="serial"), "shared memory"),
                       (lambda: heddle.Life(GLIDER, topology="infinite", shape=(9, 9)), "no shape"),
                       (lambda: heddle.Life(GLIDER, "B3/S23:T9,9", shape=(9, 9)), "bounds"),
                       (lambda: heddle.Life(GLIDER, shape=(2, 2)), "2"), (lambda: heddle.Life("3q!"), "line 1"),
                       (lambda: heddle.Life.random((8, 8), 1.5), "1.5"),
                       (lambda: heddle.Life(GLIDER).save(tmp_path / "a.txt"), "ending")):
        with pytest.raises((ValueError, heddle.Error), match=text):
            make()
    assert list(tmp_path.iterdir()) == []


def test_how_it_is_shown():
    world = heddle.Life(GLIDER)
    assert repr(world) == "<heddle.Life B3/S23 on a torus, generation 0, population 5>"
    assert world._repr_png_().startswith(b"\x89PNG")
    np.testing.assert_array_equal(world.picture().pixels, GLIDER * 255)
