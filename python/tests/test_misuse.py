"""What a user gets wrong: errors of NumPy's classes, in the words of what was written, from nearly every public function."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import heddle

STRUCTURED = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
NO_NUMBERS = {"None": None, "text": "abc", "texts": ["a", "b"], "dict": {}, "objects": np.array([1, None]), "structures": STRUCTURED,
              "masked": np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]), "float16": np.arange(3, dtype="f2"),
              "long double": np.arange(3, dtype="g"), "dates": np.array(["2020-01-01"], dtype="M8[D]"), "ragged": [[1, 2], [3]],
              "huge": 2**70, "function": len, "bytes": [b"a"]}
# Every function of one array, with what else it needs.
FUNCTIONS = {
    **{name: () for name in ("sum prod min max minmax any all argmin argmax mean median var std cumsum cumprod cumulative_sum cumulative_prod "
                             "inclusive_scan exclusive_scan reduce sort argsort unique histogram asarray").split()},
    "top_k": (1,), "quantile": (0.5,), "copy_if": ([True],), "partition": ([True],), "segmented_reduce": ([0, 1],), "reduce_by_key": ([1],),
    "segmented_inclusive_scan": ([0, 1],), "segmented_exclusive_scan": ([0, 1],), "inclusive_scan_by_key": ([1],),
    "exclusive_scan_by_key": ([1],), "searchsorted": ([1],),
    "matmul": ([1.0],), "Life": (), "Laplace": (),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_holds_no_numbers_is_refused(name):
    for kind, x in NO_NUMBERS.items():
        if (name, kind) == ("Life", "text"):
            continue
        with pytest.raises((TypeError, ValueError)) as refused:
            getattr(heddle, name)(x, *FUNCTIONS[name])
        assert str(refused.value) and "incompatible function arguments" not in str(refused.value), (kind, str(refused.value))


# Keyword, value: of what no function takes.
WRONG = [("axis", 7), ("axis", -7), ("axis", 2**70), ("axis", True), ("axis", 0.5), ("axis", "x"), ("axis", (0, None)),
         ("dtype", "nothing"), ("dtype", "f2"), ("dtype", STRUCTURED.dtype), ("dtype", object), ("out", 3), ("out", [1.0]),
         ("out", np.zeros(77)), ("initial", "x"), ("initial", [1, 2]), ("where", np.ones(7, bool)), ("target", "nothing"), ("target", 3),
         ("k", -1), ("k", 2**70), ("k", "x"), ("bins", -1), ("bins", 2**70), ("bins", 1.5), ("bins", "nothing"), ("bins", [3, 2, 1]),
         ("range", (1, 0)), ("range", 5), ("weights", np.ones(99)), ("side", "middle"), ("sorter", [0]), ("sorter", [0.5, 1, 2]),
         ("sorter", [0, 1, 9]), ("op", "nothing"), ("op", 3), ("kind", "nothing"), ("order", "a"), ("ddof", "x"), ("mask", [True]),
         ("mask", [1, 2, 3]), ("offsets", [0, 9]), ("offsets", [2, 1]), ("offsets", [0.5]), ("offsets", [-1, 2])]
REQUIRED = {"k": 1, "mask": [True, False, True], "offsets": [0, 3], "values": [1, 2, 3], "v": [1, 2], "x2": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize("keyword, value", WRONG, ids=[f"{k}={str(v)[:12]}" for k, v in WRONG])
def test_arguments_that_cannot_be_are_refused(keyword, value):
    x = [1.0, 2.0, 3.0]
    takers = [name for name in FUNCTIONS if keyword in inspect.signature(getattr(heddle, name)).parameters and name not in ("Life", "Laplace")]
    assert takers
    for name in takers:
        function = getattr(heddle, name)
        given = {p: REQUIRED[p] for p in inspect.signature(function).parameters if p in REQUIRED}
        given[keyword] = value
        first = [x, given.pop("x2")] if "x2" in given else [x]
        with pytest.raises((TypeError, ValueError, IndexError, OverflowError)) as refused:
            function(*first, **given)
        assert str(refused.value) and "incompatible function arguments" not in str(refused.value), (name, str(refused.value))


def test_axes_of_a_number_are_numpys():
    x = np.array(3.0)
    for name in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std", "cumsum", "cumprod", "argsort", "sort"):
        for axis in (0, -1, 1):
            try:
                want = getattr(np, name)(x, axis=axis)
            except np.exceptions.AxisError:
                with pytest.raises(np.exceptions.AxisError):
                    getattr(heddle, name)(x, axis=axis)
            else:
                have = getattr(heddle, name)(x, axis=axis)
                assert (type(have), np.shape(have), float(np.sum(have))) == (type(want), np.shape(want), float(np.sum(want))), name
    assert heddle.inclusive_scan(x, axis=0).shape == (1,)
    for repeated in ((0, 0), (0, -1)):
        for library in (np, heddle):
            with pytest.raises(ValueError, match="duplicate value in 'axis'"):
                library.sum([1, 2], axis=repeated)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "?", "f4", "f8", "c8"])
def test_moments_in_a_type(name, dtype):
    x = np.arange(200).reshape(20, 10)
    for axis in (None, 0, 1):
        try:
            want = getattr(np, name)(x, axis=axis, dtype=dtype)
        except (TypeError, RuntimeWarning) as e:
            # A root is none of these types.
            with pytest.raises(type(e)):
                getattr(heddle, name)(x, axis=axis, dtype=dtype)
            continue
        have = getattr(heddle, name)(x, axis=axis, dtype=dtype)
        assert have.dtype == want.dtype
        np.testing.assert_allclose(have, want, rtol=1e-5)
    assert heddle.mean(x, dtype="i1", where=x < 100) == np.mean(x, dtype="i1", where=x < 100)
    out = np.zeros((), dtype)
    if name == "mean":
        assert heddle.mean(x, dtype=dtype, out=out) is out and out == np.mean(x, dtype=dtype)


def test_errors_of_stencils_are_in_the_users_words():
    x = [1.0, 2.0, 3.0]
    for expression, text in (("u(-1)+foo", r"expression 'u\(-1\)\+foo', column 7: .*'foo': there are u\(-1\), column"),
                             ("u(-1) & u(+1)", r"'u\(-1\) & u\(\+1\)', column 14: '&' takes integers"),
                             ("u(0, 1)", r"u\(0, 1\) has 2 offsets, where the array has 1 axes"),
                             ("u(-1) + u_0", r"column 9: a neighbour is written as u\(0, -1\)"),
                             ("u(column)", r"column 1: a neighbour is written as u\(0, -1\)"),
                             ("u(99999999999999999999)", "2147483647 cells away"),
                             ("u(0) + ü", "byte|'�'|character|nothing is called")):
        with pytest.raises(ValueError, match=text):
            heddle.stencil(expression, x)
    for name in ("b c", "ü", "", "1a"):
        for call in (lambda: heddle.stencil("u(0)", x, **{name: 1}), lambda: heddle.transform("a", x, **{name: 1})):
            with pytest.raises(ValueError, match="an array cannot be called"):
                call()


def test_an_unknown_type_of_an_expression_is_named():
    for make in (lambda: heddle.ElementwiseKernel("Bogus x", "float y", "y = x"), lambda: heddle.ElementwiseKernel("Bogus *x", "x[i] = 1"),
                 lambda: heddle.ReductionKernel(np.float64, "0", "a + b", "x[i]", "const Bogus *x")):
        with pytest.raises(TypeError, match="'Bogus' of x is no type"):
            make()
    heddle.ElementwiseKernel("Own *x", "x[i] = 1", preamble="typedef float Own;")
    heddle.ElementwiseKernel("Own *x", "x[i] = 1", definitions={"Own": "float"})


def test_files_that_cannot_be_opened_are_oserrors(tmp_path):
    life = heddle.Life("3o!")
    missing = tmp_path / "none" / "x.rle"
    for call in (lambda: heddle.Life.load(missing), lambda: heddle.LatticeBoltzmann.resume(missing), lambda: life.save(missing),
                 lambda: life.picture().save(missing.with_suffix(".png")), lambda: life.save(missing.with_suffix(".npy"))):
        with pytest.raises(FileNotFoundError) as failed:
            call()
        assert "none" in failed.value.filename
    with pytest.raises(IsADirectoryError):
        heddle.Life.load(tmp_path)
    with pytest.raises(ValueError, match="byte 0"):
        life.save("a\0.rle")
    # As bytes, and in what is no UTF-8.
    name = bytes(tmp_path) + b"/p\xff.rle"
    try:
        open(name, "wb").close()
    except OSError:
        return
    with pytest.raises(ValueError, match="empty"):
        heddle.Life.load(name)


@pytest.mark.parametrize("make, remedy", [(lambda: heddle.Life("3o!"), "cells"), (lambda: heddle.Laplace.sine((5, 5)), "solution"),
                                          (lambda: heddle.LatticeBoltzmann("cavity", shape=(8, 8)), "checkpoint"),
                                          (lambda: heddle.Module("__global__ void f() {}", target="serial"), "source")],
                         ids=["Life", "Laplace", "LatticeBoltzmann", "Module"])
def test_what_is_not_pickled_says_what_to_do(make, remedy):
    x = make()
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=f"heddle.{type(x).__name__} is not pickled or copied: .*{remedy}"):
            call(x)


def test_numbers_of_simulations_have_limits():
    life = heddle.Life("3o!")
    for call, error in ((lambda: life.step(2**70), ValueError), (lambda: life.period(2**70), ValueError), (lambda: life.animation(2**70), ValueError),
                        (lambda: life.step("3"), TypeError), (lambda: life.step(1.5), ValueError), (lambda: life.step(progress=3), TypeError),
                        (lambda: life.animation(1, hundredths=-1), ValueError), (lambda: life.animation(1, hundredths=10**9), ValueError),
                        (lambda: heddle.Life("3o!", shape=5), TypeError), (lambda: heddle.Life("3o!", shape=(5,)), TypeError),
                        (lambda: heddle.Life("3o!", shape=(2**70, 5)), ValueError), (lambda: heddle.Life("3o!", rule=3), TypeError),
                        (lambda: heddle.Life.random((9, 9), seed=2**64), ValueError), (lambda: heddle.Life.random((9, 9), density="x"), TypeError),
                        (lambda: heddle.Life("99999999999999999999o!"), ValueError), (lambda: heddle.Laplace.sine((5, 5), method=3), TypeError),
                        (lambda: heddle.LatticeBoltzmann(3), TypeError), (lambda: heddle.LatticeBoltzmann("cavity", velocity="x"), TypeError),
                        (lambda: heddle.mandelbrot(2**70, 3), ValueError), (lambda: heddle.mandelbrot(3, 3, iterations=2**40), ValueError),
                        (lambda: heddle.mandelbrot_picture(3, 3, palette=3), TypeError), (lambda: heddle.pi(2**70), ValueError),
                        (lambda: heddle.random.default_rng(1).permutation(-5), ValueError),
                        (lambda: heddle.random.default_rng(1).permutation(2**70), ValueError)):
        with pytest.raises(error) as refused:
            call()
        assert "incompatible function arguments" not in str(refused.value)


def test_texts_that_are_none_are_refused():
    """What is no text is a TypeError, and what is no Unicode a ValueError, wherever a text goes in."""
    x = [1.0, 2.0]
    for call in (lambda t: heddle.sum(x, target=t), heddle.Target, heddle.target, lambda t: heddle.transform(t, x),
                 lambda t: heddle.stencil("u(0)", x, t), lambda t: heddle.reduce(x, t), lambda t: heddle.Life("3o!", t),
                 lambda t: heddle.LatticeBoltzmann(t), lambda t: heddle.ElementwiseKernel(t, "x[i] = 1"),
                 lambda t: heddle.ElementwiseKernel("double *x", t), lambda t: heddle.ElementwiseKernel("T x", "T y", t),
                 lambda t: heddle.InclusiveScanKernel(np.float64, t), lambda t: heddle.InclusiveScanKernel(np.float64, "a + b", preamble=t),
                 lambda t: heddle.Module(t), lambda t: heddle.Module("__global__ void f() {}", std=t)):
        for given, error in ((3, TypeError), (b"serial", TypeError), ("\udc80", (ValueError, TypeError, OSError))):
            with pytest.raises(error) as refused:
                call(given)
            assert str(refused.value) and "incompatible function arguments" not in str(refused.value)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_of_no_elements_are_refused(name):
    for x in ([], np.zeros((3, 0)), [1.0, 2.0]):
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            getattr(heddle.fft, name)(x, n=None if len(np.shape(x)) == 2 or len(x) == 0 else 0)


def test_initial_values_are_converted_as_numpy_does():
    for dtype, initial in (("f8", 1j), ("i4", np.nan), ("u1", 300), ("i8", 2**70), ("f4", "x")):
        x = np.ones(3, dtype)
        for name in ("sum", "max"):
            with pytest.raises((TypeError, ValueError, OverflowError)) as want:
                getattr(np, name)(x, initial=initial, **({"dtype": dtype} if name == "sum" else {}))
            with pytest.raises(type(want.value)):
                getattr(heddle, name)(x, initial=initial, **({"dtype": dtype} if name == "sum" else {}))


def test_masked_arrays_are_refused_with_every_keyword():
    x = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
    for call in (lambda: heddle.sum(x, where=[True, False, True]), lambda: heddle.mean(x, where=[True] * 3), lambda: heddle.var(x, mean=1.0),
                 lambda: heddle.unique(x, axis=0), lambda: heddle.mean(x, dtype="i4"), lambda: heddle.histogram(x, "auto")):
        with pytest.raises(TypeError, match="masked"):
            call()


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "sum", "mean", "argmax", "all"])
def test_out_that_overlaps_the_input_holds_the_result(name):
    """As a whole, shifted, and from the other end."""
    for shift in (0, 1, -1):
        memory = np.arange(1.0, 13.0)
        x = memory[1:11].reshape(2, 5)
        want = getattr(np, name)(x, axis=1)
        out = memory[1 + shift:1 + shift + want.size].reshape(want.shape)
        if want.dtype != out.dtype:
            continue
        have = getattr(heddle, name)(x, axis=1, out=out, target="serial")
        assert have is out
        np.testing.assert_allclose(out, want)
    memory = np.arange(1.0, 13.0)
    want = np.cumsum(memory)
    np.testing.assert_allclose(heddle.cumsum(memory, out=memory[::-1]), want)
