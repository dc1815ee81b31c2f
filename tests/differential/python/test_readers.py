"""Patterns of Life, pictures and arrays in files beside readers and writers of a few lines, and Pillow and NumPy."""
import io
import pathlib
import tempfile

import heddle
import numpy as np
import pytest
from hypothesis import note, strategies as st

from cases import cases
from strategies import TARGETS, TYPES, arrays, shapes

target = st.sampled_from(["serial", *TARGETS])


@st.composite
def grids(draw, most=70, least=0):
    shape = draw(st.tuples(st.integers(1, most), st.one_of(st.integers(1, most), st.sampled_from([63, 64, 65, 127, 128, 129]))))
    density, seed = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])), draw(st.integers(0, 255))
    note(f"{shape} cells, {density} alive, seed {seed}")
    return (np.random.default_rng(seed).random(shape) < density).astype(np.uint8)


def rle_of(cells, lines):
    """The grid as run lengths, its tokens broken into lines of these lengths."""
    tokens = []
    for row in cells:
        k = 0
        while k < len(row):
            run = 1
            while k + run < len(row) and row[k + run] == row[k]:
                run += 1
            tokens.append((str(run) if run > 1 else "") + ("o" if row[k] else "b"))
            k += run
        tokens.append("$")
    text, width = "", 0
    for token in [*tokens[:-1], "!"]:
        if width + len(token) > lines:
            text, width = text + "\n", 0
        text, width = text + token, width + len(token)
    return text


def digits(chosen):
    return "".join(map(str, sorted(chosen)))


rules = st.tuples(st.sets(st.integers(1, 8)), st.sets(st.integers(0, 8)))


def next_generation(cells, birth, survival, torus):
    around = np.pad(cells, 1, "wrap" if torus else "constant")
    rows, columns = cells.shape
    count = sum(around[i:i + rows, j:j + columns].astype(int) for i in range(3) for j in range(3)) - cells
    return np.where(cells == 1, np.isin(count, list(survival)), np.isin(count, list(birth))).astype(np.uint8)


@cases(st.data())
def test_patterns_of_life(data):
    """A text of run lengths, or plain text, is the grid; its generations follow the rule's definition."""
    cells, (birth, survival) = data.draw(grids()), data.draw(rules)
    rows, columns = cells.shape
    topology = data.draw(st.sampled_from(["torus", "plane"]))
    rule = f"B{digits(birth)}/S{digits(survival)}"
    if data.draw(st.booleans()):
        text = f"#C random\nx = {columns}, y = {rows}, rule = {rule}\n" + rle_of(cells, data.draw(st.sampled_from([10, 70]))) + "\n"
    else:
        text = "!Name: random\n" + "\n".join("".join(".O"[cell] for cell in row) for row in cells) + "\n"
    steps = data.draw(st.integers(0, 4))
    note(f"{rule}, {topology}, {steps} generations:\n{text[:300]}")
    world = heddle.Life(text, rule, topology=topology, shape=(rows, columns), target=data.draw(target),
                        algorithm=data.draw(st.sampled_from(["packed", "per-cell"])))
    np.testing.assert_array_equal(world.cells, cells)
    for _ in range(steps):
        cells = next_generation(cells, birth, survival, topology == "torus")
    np.testing.assert_array_equal(world.step(steps).cells, cells)
    assert world.population == cells.sum()
    assert world.rule == rule


@cases(st.data())
def test_patterns_that_are_saved(data):
    cells, (birth, survival) = data.draw(grids(40)), data.draw(rules)
    ending = data.draw(st.sampled_from([".rle", ".cells", ".npy", ".png"]))
    world = heddle.Life(cells, f"B{digits(birth)}/S{digits(survival)}", topology="torus")
    note(ending)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"cells{ending}"
        world.save(path)
        assert [p.name for p in pathlib.Path(folder).iterdir()] == [path.name]
        if ending == ".npy":
            np.testing.assert_array_equal(np.load(path), cells)
        elif ending == ".png":
            from PIL import Image

            pixels = np.asarray(Image.open(path).convert("L"))
            assert pixels.shape[0] % cells.shape[0] == 0
            scale = pixels.shape[0] // cells.shape[0]
            np.testing.assert_array_equal(pixels[::scale, ::scale] > 0, cells > 0)
        else:
            again = heddle.Life.load(path, topology="torus", shape=cells.shape)
            assert again.population == cells.sum()
            if ending == ".rle":
                assert again.rule == world.rule


@cases(st.one_of(st.text(alphabet="bo$!0123456789xy=, \nruleBS/:TP#CO.", max_size=60), st.text(max_size=20)))
def test_texts_that_are_no_patterns(text):
    """A pattern of at most as many cells as its numbers say, or one line that says what is wrong."""
    try:
        world = heddle.Life(text, topology="infinite", target="serial")
    except (ValueError, heddle.Error, MemoryError) as error:
        assert str(error) and str(error).count("\n") <= text.count("\n"), repr(str(error))
        return
    assert world.population == int(np.asarray(world.cells).sum()) if world.population < 10**6 else True


@cases(st.data())
def test_pictures(data):
    Image = pytest.importorskip("PIL.Image")
    kind = data.draw(st.sampled_from(["grey", "palette", "colours"]))
    shape = data.draw(st.tuples(st.integers(1, 80), st.integers(1, 80))) + ((3,) if kind == "colours" else ())
    colours = data.draw(st.integers(1, 256))
    rng = np.random.default_rng(data.draw(st.integers(0, 255)))
    palette = rng.integers(0, 256, (colours, 3), np.uint8) if kind == "palette" else None
    pixels = rng.integers(0, colours if kind == "palette" else 256, shape, np.uint8)
    if data.draw(st.booleans()):
        pixels = np.asfortranarray(pixels)
    note(f"{kind} {shape}, {colours} colours")
    with Image.open(io.BytesIO(heddle.Picture(pixels, palette).png())) as image:
        read = np.asarray(image.convert("RGB"))
    want = palette[pixels] if kind == "palette" else pixels if kind == "colours" else np.repeat(pixels[..., None], 3, -1)
    np.testing.assert_array_equal(read, want)


@cases(st.data())
def test_animations(data):
    Image = pytest.importorskip("PIL.Image")
    frames, rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    colours = data.draw(st.sampled_from([2, 3, 4, 5, 16, 17, 128, 255, 256]))
    rng = np.random.default_rng(data.draw(st.integers(0, 255)))
    palette, pixels = rng.integers(0, 256, (colours, 3), np.uint8), rng.integers(0, colours, (frames, rows, columns), np.uint8)
    note(f"{pixels.shape} of {colours} colours")
    shown = []
    with Image.open(io.BytesIO(heddle.Animation(pixels, palette, 7).gif())) as image:
        for k in range(image.n_frames):
            image.seek(k)
            shown += [np.asarray(image.convert("RGB"))] * max(1, round(image.info["duration"] / 70))
    np.testing.assert_array_equal(shown, palette[pixels])


@cases(st.data())
def test_arrays_of_ranks_in_files(data):
    """One rank reads what NumPy wrote and writes what NumPy reads."""
    x = data.draw(arrays(st.sampled_from(TYPES), shape=shapes(3000, st.integers(1, 4)), special=False)).array
    note(f"{x.dtype.str} {x.shape}, strides {x.strides}")
    with tempfile.TemporaryDirectory() as folder:
        source, written = pathlib.Path(folder) / "in.npy", pathlib.Path(folder) / "out.npy"
        np.save(source, x)
        read = heddle.ranks(target="serial").read_npy(str(source))
        assert read.shape == x.shape and read.dtype == x.dtype.newbyteorder("=")
        np.testing.assert_array_equal(read.gather(), x)
        read.write_npy(str(written))
        again = np.load(written)
        assert again.dtype == x.dtype.newbyteorder("=") and again.shape == x.shape
        np.testing.assert_array_equal(again, x)
