"""The command on random .npy files beside NumPy: results, exit statuses, one line of error, and no output after an error."""
import functools
import io
import os
import pathlib
import re
import subprocess
import tempfile

import heddle
import numpy as np
import pytest
from hypothesis import assume, note, strategies as st

from agreement import near_sums, outcome
from cases import cases
from strategies import REAL, TARGETS, TYPES, arrays, axes_of, shapes

PROGRAM = os.environ.get("HEDDLE") or str(pathlib.Path(heddle.__file__).parent / "bin" / "heddle")
pytestmark = pytest.mark.skipif(not pathlib.Path(PROGRAM).exists(), reason="this build has no command")
target = st.sampled_from(["serial", *TARGETS])


@functools.cache
def folder():
    kept = tempfile.TemporaryDirectory()
    folder.kept = kept
    return pathlib.Path(kept.name)


def run(*arguments, status=0):
    """Standard output. Where the command fails, one line is on standard error, and there is no output file."""
    out = folder() / "out.npy"
    out.unlink(missing_ok=True)
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == status, f"status {done.returncode}, not {status}: {done.stderr or done.stdout}"
    if status == 0:
        assert done.stderr == "", done.stderr
    else:
        assert re.fullmatch(r"heddle [^\n]+\n", done.stderr), repr(done.stderr)
        assert done.stdout == "", repr(done.stdout)
        assert not out.exists(), "an output file after an error"
    assert sorted(p.name for p in folder().iterdir() if p.name not in ("in.npy", "other.npy", "out.npy")) == []
    return done.stdout


def written():
    return np.load(folder() / "out.npy")


def save(x, version=None, name="in.npy"):
    path = folder() / name
    with open(path, "wb") as file:
        np.lib.format.write_array(file, x, version)
    return path


@st.composite
def files(draw, **more):
    """(array, path): an array in a file, with its byte order, in the order of Fortran too, in any version of the format."""
    x = draw(arrays(**more)).array
    version = draw(st.sampled_from([None, (1, 0), (2, 0), (3, 0)]))
    note(f"a file of {x.dtype.str} {x.shape}, strides {x.strides}, version {version}")
    return x, save(x, version)


def axis_options(axis):
    return [] if axis is None else [f"--axis={axis}"]


def number(text, dtype):
    if dtype.kind == "b":
        return text == "True"
    return (complex if dtype.kind == "c" else float if dtype.kind == "f" else int)(text)


def reference(op, x, axis):
    """NumPy's result; the elements of the exact ones, else of float64 or wider."""
    if op in ("mean", "std", "var", "median") and x.dtype.kind in "fc":
        wide = x.astype("complex128" if x.dtype.kind == "c" else "float64")
        result = np.asarray(getattr(np, op)(wide, axis))
        return result.astype((x.real.dtype if op in ("std", "var") else x.dtype).newbyteorder("="))
    result = np.asarray(getattr(np, op)(x, axis))
    return result.astype(result.dtype.newbyteorder("="))


EXACT = {"min", "max", "argmin", "argmax", "any", "all"}


@cases(st.data())
def test_reduce(data):
    op = data.draw(st.sampled_from(["sum", "min", "max", "argmin", "argmax", "any", "all", "mean", "std", "var", "median"]))
    kinds = {} if op in EXACT else {"kinds": ["small", "zeros", "normal", "rising"], "special": False}
    x, path = data.draw(files(shape=shapes(20000), **kinds))
    axis = data.draw(axes_of(x.ndim, several=False))
    options = ["--op", op, *axis_options(axis), "--target", data.draw(target)]
    note(f"{options}")
    is_ordered = op in EXACT - {"any", "all"} or op == "median"
    is_bad = is_ordered and x.dtype.kind == "c"
    lines = x.size if axis is None else x.shape[axis]
    is_nothing = lines == 0 and op not in ("sum", "any", "all") and (axis is None or x.size or op.startswith("arg") or 0 not in
                                                                    np.delete(x.shape, axis))
    if is_bad or is_nothing:
        run("reduce", path, *options, "-o", folder() / "out.npy", status=1)
        return
    assume(not (lines == 0 and op not in ("sum", "any", "all")))
    printed = run("reduce", path, *options, *(["-o", folder() / "out.npy"] if axis is not None else []))
    want = outcome(lambda: reference(op, x, axis))
    have = np.array(number(printed.strip(), want.dtype), want.dtype) if axis is None else written()
    assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    if op == "sum" and have.dtype.kind in "fc":
        near_sums(have, x.astype(have.dtype), lambda part: np.sum(part, axis), lines)
    elif op in EXACT or op == "sum":
        np.testing.assert_array_equal(have, want)
    elif have.size:
        eps, scale = np.finfo(have.dtype).eps, float(np.max(np.abs(x.astype("complex128")), initial=1))
        np.testing.assert_allclose(have, want, rtol=4 * eps, atol=(1e-13 if op != "std" else 1e-6) * scale ** (2 if op == "var" else 1))


@cases(st.data())
def test_scan(data):
    op = data.draw(st.sampled_from(["sum", "min", "max"]))
    x, path = data.draw(files(dtypes=st.sampled_from(REAL), shape=shapes(20000), kinds=["small", "rising", "zeros"], special=False))
    axis = data.draw(axes_of(x.ndim, several=False))
    exclusive = data.draw(st.booleans())
    options = ["--op", op, *axis_options(axis), "--target", data.draw(target)] + (["--exclusive", "--init", "1"] if exclusive else [])
    note(f"{options}")
    run("scan", path, *options, "-o", folder() / "out.npy")
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    elements = flat.astype({"b": "int64", "i": "int64", "u": "uint64", "f": x.dtype.newbyteorder("=")}[x.dtype.kind] if op == "sum" else x.dtype.newbyteorder("="))
    if exclusive:
        one = list(elements.shape)
        one[along] = 1
        elements = np.concatenate([np.ones(one, elements.dtype), elements], along)
        elements = np.take(elements, range(elements.shape[along] - 1), along)
    want = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op].accumulate(elements, along, dtype=elements.dtype)
    have = written()
    assert have.dtype == want.dtype and have.shape == want.shape
    np.testing.assert_array_equal(have, want)


@cases(st.data())
def test_sort(data):
    x, path = data.draw(files(shape=shapes(20000)))
    axis = data.draw(axes_of(x.ndim, several=False))
    descending, places = data.draw(st.booleans()), data.draw(st.booleans())
    length = x.size if axis is None else x.shape[axis]
    first = data.draw(st.one_of(st.none(), st.integers(0, length + 1)))
    options = [*axis_options(axis), "--target", data.draw(target)] + ["--descending"] * descending + ["--indices"] * places
    options += [] if first is None else ["--first", first]
    note(f"{options}")
    out = ["-o", folder() / "out.npy"]
    if x.dtype.kind == "c" or (first or 0) > length:
        run("sort", path, *options, *out, status=1)
        return
    run("sort", path, *options, *out)
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    native = flat.astype(x.dtype.newbyteorder("="))
    ranks = np.unique(native, return_inverse=True)[1].reshape(flat.shape)
    order = np.argsort(-ranks if descending else ranks, along, kind="stable")
    order = order if first is None else np.take(order, range(first), along)
    want = order if places else np.take_along_axis(native, order, along)
    have = written()
    assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    np.testing.assert_array_equal(have, want)


@cases(st.data())
def test_histogram(data):
    x, path = data.draw(files(dtypes=st.sampled_from(REAL), shape=shapes(20000), kinds=["small", "normal", "rising", "zeros"], special=False))
    assume(x.size > 0)
    bins = data.draw(st.integers(1, 70))
    options, bounds = ["--bins", bins, "--target", data.draw(target)], None
    if data.draw(st.booleans()):
        bounds = data.draw(st.sampled_from([(0, 1), (-2.5, 3), (0, 100)]))
        options += ["--range", *bounds]
    note(f"{options}")
    run("histogram", path, *options, "-o", folder() / "out.npy")
    want = outcome(lambda: np.histogram(x, bins, bounds))
    np.testing.assert_array_equal(written(), want[0])


@cases(st.data())
def test_conversions(data):
    """--dtype is astype where C says what that is."""
    x, path = data.draw(files(shape=shapes(5000), kinds=["small", "bits", "rising"], special=False))
    wanted = np.dtype(data.draw(st.sampled_from(TYPES)))
    assume(x.dtype.kind in "biu" or wanted.kind in "fcb" or wanted.kind == "i" and np.max(np.abs(x), initial=0) < 100)
    note(f"to {wanted}")
    want = outcome(lambda: x.astype(wanted))
    options = ["--dtype", wanted, "--op", "max" if wanted.kind != "c" else "sum", "--exclusive", "--target", data.draw(target)]
    assume(wanted.kind != "c")
    run("scan", path, *options, "-o", folder() / "out.npy")
    assert written().dtype == wanted
    np.testing.assert_array_equal(written()[1:], np.maximum.accumulate(want.reshape(-1))[:-1])


WORDS = [b"descr", b"fortran_order", b"shape", b"True", b"False", b"<f8", b">i2", b"|b1", b"|u1", b"<U3", b"|O", b"(", b")", b",", b"'", b"{",
         b"}", b":", b"3", b"-1", b"99999999999999999999", b"18446744073709551615", b"\n", b" ", b"\0", b"\xff", b"\\", b"#", b"0x2", b"1_0", b"2L"]


@st.composite
def damaged(draw, content):
    """Bytes of a file after one to three changes."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.one_of(st.integers(0, min(len(content), 130)), st.integers(0, len(content))))
        kind = draw(st.sampled_from(["replace", "insert", "delete", "cut", "append", "byte"]))
        word = draw(st.sampled_from(WORDS))
        if kind == "replace":
            content = content[:place] + word + content[place + len(word):]
        elif kind == "insert":
            content = content[:place] + word + content[place:]
        elif kind == "delete":
            content = content[:place] + content[place + draw(st.integers(1, 9)):]
        elif kind == "cut":
            content = content[:place]
        elif kind == "append":
            content += word * draw(st.integers(1, 3))
        else:
            content = content[:place] + bytes([draw(st.integers(0, 255))]) + content[place + 1:]
    return content


def of_numpy(content):
    try:
        return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False, max_header_size=1 << 20)
    except Exception as error:  # NumPy's errors are of many classes here
        return error


@cases(st.data())
def test_damaged_files(data):
    """The command reads what NumPy reads, and as NumPy does; or fails in one line."""
    x = data.draw(arrays(shape=shapes(60, st.integers(0, 3)), special=False)).array
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, x, data.draw(st.sampled_from([None, (2, 0), (3, 0)])))
    content = data.draw(damaged(buffer.getvalue()))
    note(f"{content!r}")
    path, out = folder() / "in.npy", folder() / "out.npy"
    path.write_bytes(content)
    out.unlink(missing_ok=True)
    done = subprocess.run([PROGRAM, "scan", path, "-o", out, "--target", "serial"], capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode in (0, 1), f"status {done.returncode}: {done.stderr}"
    if done.returncode == 1:
        assert re.fullmatch(r"heddle scan: [^\n]+\n", done.stderr) and not done.stdout and not out.exists(), repr(done.stderr)
        return
    want = of_numpy(content)
    assert not isinstance(want, Exception), f"the command reads it, and NumPy says {want!r}"
    with np.errstate(all="ignore"):
        totals = np.cumsum(want)
    have = written()
    assert have.dtype == totals.dtype and have.shape == totals.shape, f"{have.dtype}{have.shape}, not {totals.dtype}{totals.shape}"
    if have.dtype.kind in "iu":
        np.testing.assert_array_equal(have, totals)
