"""What simulations share: steps in pieces, progress, pictures and files."""

import base64
import io
import sys
import threading

import numpy as np
import pytest

import heddle
from heddle._simulations import _in_pieces


def test_pieces_are_all_and_no_more():
    for total in (0, 1, 7, 1000):
        taken, said = [], []
        _in_pieces(total, 1, lambda done, of: said.append((done, of)), "steps", taken.append)
        assert sum(taken) == total and min(taken, default=1) > 0
        assert said == [(done, total) for done in np.cumsum(taken)]


def test_progress_is_told_by_every_simulation():
    said = []

    def note(done, total):
        said.append((done, total))

    heddle.Life.random((64, 64)).step(100, progress=note)
    assert said[-1] == (100, 100)
    heddle.LatticeBoltzmann("cavity", shape=(16, 16)).step(30, progress=note)
    assert said[-1] == (30, 30)
    problem = heddle.Laplace.sine((33, 33), method="jacobi")
    problem.step(20, progress=note)
    assert said[-1] == (20, 20)
    problem.solve(0, max_iterations=50, progress=note)
    assert said[-1] == (50, 50)
    heddle.mandelbrot(30, 20, progress=note)
    assert said[-1] == (20, 20)
    heddle.pi(1000, progress=note)
    assert said[-1] == (1000, 1000)


def test_what_progress_raises_ends_the_call():
    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    world = heddle.Life.random((64, 64))
    with pytest.raises(Stop):
        world.step(10**12, progress=stop)
    assert world.generation > 0
    problem = heddle.Laplace.sine((33, 33), method="jacobi")
    with pytest.raises(Stop):
        problem.solve(0, max_iterations=10**9, progress=stop)
    assert problem.iterations > 0
    with pytest.raises(Stop):
        heddle.mandelbrot(3000, 2000, progress=stop)
    with pytest.raises(Stop):
        heddle.pi(1e15, progress=stop)


def test_progress_may_ask_for_the_state():
    problem, seen = heddle.Laplace.sine((33, 33), method="jacobi"), []
    problem.solve(0, max_iterations=50, progress=lambda done, _: seen.append((done, problem.iterations, problem.residual)))
    assert seen and all(done == iterations and residual > 0 for done, iterations, residual in seen)


def test_tqdm_is_used_where_it_is(monkeypatch):
    class bar:
        made = []

        def __init__(self, total, unit):
            self.total, self.unit, self.n, self.is_open = total, unit, 0, True
            bar.made.append(self)

        def update(self, n):
            self.n += n

        def close(self):
            self.is_open = False

    module = type(sys)("tqdm.auto")
    module.tqdm = bar
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    heddle.pi(5000, progress=True)
    (made,) = bar.made
    assert (made.total, made.n, made.unit, made.is_open) == (5000, 5000, "samples", False)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="needs tqdm"):
        heddle.pi(5000, progress=True)


@pytest.mark.parametrize("steps, error", [(-1, ValueError), (1.5, ValueError), ("3", TypeError)])
def test_numbers_of_steps_are_whole(steps, error):
    with pytest.raises(error):
        heddle.Life.random((8, 8)).step(steps)


def chunks(png):
    at = 8
    while at < len(png):
        length = int.from_bytes(png[at:at + 4], "big")
        yield png[at + 4:at + 8], png[at + 8:at + 8 + length]
        at += 12 + length


def test_pictures_are_pngs_of_their_pixels(tmp_path):
    zlib = pytest.importorskip("zlib")
    palette = np.array([[0, 0, 0], [255, 0, 0], [0, 0, 255]], np.uint8)
    for pixels, colours, kind in ((np.arange(6, dtype=np.uint8).reshape(2, 3) % 3, palette, 3), (np.arange(6, dtype=np.uint8).reshape(2, 3), None, 0),
                                  (np.arange(18, dtype=np.uint8).reshape(2, 3, 3), None, 2)):
        picture = heddle.Picture(pixels, colours)
        png = picture.png()
        assert png == picture._repr_png_()
        picture.save(tmp_path / "p.png")
        assert (tmp_path / "p.png").read_bytes() == png
        found = dict(chunks(png))
        assert found[b"IHDR"] == bytes([0, 0, 0, 3, 0, 0, 0, 2, 8, kind, 0, 0, 0])
        if colours is not None:
            assert found[b"PLTE"] == palette.tobytes()
        rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(2, -1)
        # The first row has no filter, or one that leaves it as it is against nothing.
        assert rows.shape[1] == 1 + pixels[0].size
        if (rows[:, 0] == 0).all():
            np.testing.assert_array_equal(rows[:, 1:].reshape(pixels.shape), pixels)


def test_what_is_no_picture_is_refused(tmp_path):
    for pixels, palette in ((np.zeros((2, 2)), None), (np.zeros(4, np.uint8), None), (np.zeros((2, 2, 3), np.uint8), np.zeros((1, 3), np.uint8))):
        with pytest.raises(ValueError, match="a picture has pixels"):
            heddle.Picture(pixels, palette)
    picture = heddle.Picture(np.zeros((2, 2), np.uint8))
    with pytest.raises(ValueError, match="ending"):
        picture.save(tmp_path / "p.jpg")
    with pytest.raises(FileNotFoundError, match="no/p.png"):
        picture.save(tmp_path / "no" / "p.png")
    assert list(tmp_path.iterdir()) == []


def test_animations_are_gifs(tmp_path):
    frames = np.random.default_rng(0).integers(0, 2, (5, 6, 4), np.uint8)
    animation = heddle.Animation(frames, np.array([[0, 0, 0], [255, 255, 255]], np.uint8), hundredths=7)
    gif = animation.gif()
    assert gif[:10] == b"GIF89a\x04\x00\x06\x00" and gif.count(b"\x21\xf9\x04") == 5 and gif[-1:] == b";"
    html = animation._repr_html_()
    assert 'width="212"' in html and base64.b64encode(gif).decode() in html
    animation.save(tmp_path / "a.gif")
    assert (tmp_path / "a.gif").read_bytes() == gif


def test_npy_files_are_numpys(tmp_path):
    world = heddle.Life.random((40, 30))
    world.save(tmp_path / "a.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), world.cells)
    np.save(stream := io.BytesIO(), world.cells)
    assert (tmp_path / "a.npy").read_bytes() == stream.getvalue()


def test_threads_take_turns_at_a_simulation():
    together, alone = heddle.Life.random((200, 200)), heddle.Life.random((200, 200))
    threads = [threading.Thread(target=lambda: [together.step(1) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together.generation == 200
    np.testing.assert_array_equal(together.cells, alone.step(200).cells)
