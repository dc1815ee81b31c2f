"""Random numbers against Philox as Random123 publishes it, and against what distributions say."""

import pickle
import threading

import numpy as np
import pytest

import heddle
import heddle.random


def philox(seed, block):
    """Four words of Philox4x32-10, by its definition (Salmon and others, 2011), of uniform numbers (1)."""
    mask = 0xFFFFFFFF
    c, k = [block & mask, block >> 32, 0, 1], [seed & mask, seed >> 32]
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def test_the_words_are_those_of_philox():
    seed = 0x0123456789ABCDEF
    words = [word for block in range(5) for word in philox(seed, block)]
    have = heddle.random.Generator(seed).random(20, dtype="float32")
    np.testing.assert_array_equal(have, np.array([word >> 8 for word in words], np.float32) * np.float32(2.0**-24))


def every_call(generator, where):
    return [generator.random(1001, target=where), generator.uniform(-2, 5, (30, 7), "float32", target=where),
            generator.normal(3, 2, 1001, target=where), generator.standard_normal(7, "float32", target=where),
            generator.exponential(2, 1000, target=where), generator.integers(-5, 100, 999, "int16", target=where),
            generator.integers(0, 2**64 - 1, 9, "uint64", endpoint=True, target=where), generator.permutation(500, target=where)]


def test_numbers_are_the_same_on_every_target():
    first = every_call(heddle.random.default_rng(3), "serial")
    for where in ("parallel:2", "parallel:3", "auto"):
        for a, b in zip(first, every_call(heddle.random.default_rng(3), where)):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


def test_distributions():
    g, n = heddle.random.default_rng(11), 200_000
    # Five standard errors: these seeds never come near.
    u = g.uniform(2, 6, n)
    assert u.min() >= 2 and u.max() < 6 and abs(u.mean() - 4) < 5 * (4 / np.sqrt(12)) / np.sqrt(n)
    z = g.normal(1, 3, n)
    assert abs(z.mean() - 1) < 15 / np.sqrt(n) and abs(z.std() - 3) < 15 / np.sqrt(2 * n)
    e = g.exponential(2, n)
    assert e.min() >= 0 and abs(e.mean() - 2) < 10 / np.sqrt(n)
    i = g.integers(-3, 4, n)
    counts = np.bincount(i + 3, minlength=7)
    assert i.dtype == np.int64 and (np.abs(counts - n / 7) < 5 * np.sqrt(n / 7)).all()
    assert set(g.integers(2, size=100).tolist()) == {0, 1}
    assert sorted(g.permutation(1000).tolist()) == list(range(1000))
    rows = np.arange(12).reshape(4, 3)
    assert sorted(g.permutation(rows)[:, 0].tolist()) == [0, 3, 6, 9]
    assert isinstance(g.permutation(heddle.asarray(rows), axis=1), heddle.Array)


def test_calls_go_on_where_others_ended():
    whole = heddle.random.Generator(9).random(100)
    parts = heddle.random.Generator(9)
    np.testing.assert_array_equal(np.concatenate([parts.random(37), parts.random(63)]), whole)
    np.testing.assert_array_equal(heddle.random.Generator(9, offset=60).random(40), whole[60:])
    again = pickle.loads(pickle.dumps(parts))
    assert again.random() == parts.random()
    assert repr(again) == "heddle.random.Generator(9, offset=101)"
    assert heddle.random.Generator().random() != heddle.random.Generator().random()


def test_shapes():
    g = heddle.random.Generator(1)
    assert np.shape(g.random()) == () and g.random(0).shape == (0,) and g.random((2, 0)).shape == (2, 0)
    assert isinstance(g.integers(5), np.int64)


def test_threads_share_a_generator():
    g, parts = heddle.random.Generator(4), []

    def take():
        for _ in range(100):
            parts.append(g.random(10))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.sort(heddle.random.Generator(4).random(4000)))


def test_integers_of_the_ends_of_a_type():
    g = heddle.random.Generator(3)
    flags = g.integers(0, 2, 1000, dtype=bool)
    assert flags.dtype == np.bool_ and 400 < flags.sum() < 600
    assert not g.integers(0, 1, 100, dtype=bool).any() and g.integers(1, 2, 100, dtype="bool").all()
    assert g.integers(0, 1, 1000, dtype=bool, endpoint=True).any() and isinstance(g.integers(2, dtype=bool), np.bool_)
    for dtype in ("int8", "int64", "uint8", "uint64"):
        most = np.iinfo(dtype).max
        for last, endpoint in ((most + 1, False), (most, True)):
            x = g.integers(most - 1, last, 100, dtype=dtype, endpoint=endpoint)
            assert x.dtype == dtype and sorted(set(x.tolist())) == [most - 1, most]


def test_uniform_numbers_of_equal_bounds():
    for dtype in ("float32", "float64"):
        np.testing.assert_array_equal(heddle.random.Generator(1).uniform(1, 1, 10, dtype), np.ones(10, dtype))


def test_refuses():
    with pytest.raises(ValueError, match="the type does not hold high - low"):
        heddle.random.Generator(1).uniform(-1.7e308, 1.7e308)
    g = heddle.random.Generator(1)
    for wrong in (lambda: g.uniform(2, 1), lambda: g.normal(0, -1, 3), lambda: g.integers(5, 5), lambda: g.integers(0, 300, dtype="int8"), lambda: g.integers(0, 3, dtype=bool),
                  lambda: g.integers(-1, 1, dtype=bool), lambda: g.integers(0, 2**64 + 1, dtype="uint64"),
                  lambda: heddle.random.Generator(-1), lambda: g.random(-1), lambda: heddle.random.Generator(1, 2**64 - 1).random(2),
                  lambda: g.uniform(0, np.inf)):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (lambda: g.random(3, "int8"), lambda: g.integers(3, dtype="float32"), lambda: g.integers(2.5), lambda: g.random("x")):
        with pytest.raises(TypeError):
            wrong()
