"""Laplace's and Poisson's equation against sweeps in NumPy, exact solutions, and the command."""

import numpy as np
import pytest

import heddle


def sweep(u, f):
    """One of Jacobi's, in float64."""
    rows, columns = u.shape
    x, y = (columns - 1.0) ** 2, (rows - 1.0) ** 2
    new = u.copy()
    new[1:-1, 1:-1] = (x * (u[1:-1, :-2] + u[1:-1, 2:]) + y * (u[:-2, 1:-1] + u[2:, 1:-1]) - f[1:-1, 1:-1]) / (2 * (x + y))
    return new


@pytest.mark.parametrize("shape", [(3, 3), (5, 9), (40, 60), (17, 130)])
def test_jacobis_sweeps(shape, where):
    generator = np.random.default_rng(0)
    u, f = generator.random(shape), generator.random(shape) * 100
    problem = heddle.Laplace(u, f, method="jacobi", target=where)
    np.testing.assert_array_equal(problem.solution, u)
    residual = np.abs(sweep(u, f) - u).max()
    assert problem.residual == pytest.approx(residual, rel=1e-12)
    for _ in range(10):
        u = sweep(u, f)
    assert problem.step(10) is problem and problem.iterations == 10
    np.testing.assert_allclose(problem.solution, u, rtol=1e-12, atol=1e-12)


def test_red_black_sweeps(where):
    generator = np.random.default_rng(0)
    u, f = generator.random((20, 31)), np.zeros((20, 31))
    problem = heddle.Laplace(u, method="red-black", target=where)
    red = np.add.outer(np.arange(20), np.arange(31)) % 2 == 0
    for _ in range(5):
        u = np.where(red, sweep(u, f), u)
        u = np.where(red, u, sweep(u, f))
    np.testing.assert_allclose(problem.step(5).solution, u, rtol=1e-12, atol=1e-12)


def test_points_that_are_held(where):
    generator = np.random.default_rng(3)
    u, f, held = generator.random((20, 31)), generator.random((20, 31)) * 100, generator.random((20, 31)) < 0.2
    problem = heddle.Laplace(u, f, held=held, method="jacobi", target=where)
    for _ in range(8):
        u = np.where(held, u, sweep(u, f))
    np.testing.assert_allclose(problem.step(8).solution, u, rtol=1e-12, atol=1e-12)
    solved = heddle.Laplace(u, f, held=held.astype(float), target=where)
    solved.solve(1e-10)
    np.testing.assert_array_equal(solved.solution[held], u[held])
    np.testing.assert_allclose(np.where(held, u, sweep(solved.solution, f)), solved.solution, atol=1e-8)


@pytest.mark.parametrize("method", ["jacobi", "red-black", "multigrid"])
def test_solutions_of_poissons_equation(method, where):
    # Of second degree, so that the five-point formula is exact.
    y, x = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 21), indexing="ij")
    exact = 3 * x**2 - x * y + 2 * y**2 + 1
    edges = exact.copy()
    edges[1:-1, 1:-1] = 0
    problem = heddle.Laplace(edges, np.full(exact.shape, 10.0), method=method, target=where)
    residual = problem.solve(1e-12)
    assert residual == problem.residual <= 1e-12 * problem.first_residual
    np.testing.assert_allclose(problem.solution, exact, atol=1e-9)


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
@pytest.mark.parametrize("method", ["jacobi", "red-black", "multigrid"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_files_and_lines_are_those_of_the_command(method, dtype, target, command, tmp_path):
    options = ["--method", method, "--dtype", dtype, "--target", target, "--max-iterations", 40, "--tolerance", 1e-5]
    problem = heddle.Laplace.sine((60, 83), method=method, dtype=dtype, target=target)
    if method == "multigrid":
        residual = problem.solve(1e-5, max_iterations=40)
    else:
        with pytest.warns(RuntimeWarning, match="more max_iterations"):
            residual = problem.solve(1e-5, max_iterations=40)
    for ending in ("npy", "png", "vti"):
        said = command("laplace", "--size", "83x60", *options, "-o", f"want.{ending}")
        assert said == f"iterations {problem.iterations} residual {residual:.6g} error {problem.sine_error():.6g}\n"
        problem.save(tmp_path / f"have.{ending}")
        assert (tmp_path / f"have.{ending}").read_bytes() == (tmp_path / f"want.{ending}").read_bytes(), ending
    edges, f = np.random.default_rng(1).random((2, 33, 47)).astype(dtype)
    np.save(tmp_path / "edges.npy", edges)
    np.save(tmp_path / "f.npy", f)
    command("laplace", "--edges", "edges.npy", "--source", "f.npy", "--method", method, "--tolerance", 0, "--max-iterations", 7,
            "--target", target, "-o", "want.npy")
    have = heddle.Laplace(edges, f, method=method, target=target)
    have.solve(0, max_iterations=7, check_every=3)
    assert have.solution.dtype == dtype
    np.testing.assert_array_equal(have.solution, np.load(tmp_path / "want.npy"))


def test_types_of_edges():
    assert heddle.Laplace(np.ones((4, 5), np.float32)).solution.dtype == np.float32
    assert heddle.Laplace([[1, 2], [3, 4]]).solution.dtype == np.float64
    assert heddle.Laplace(np.ones((4, 5), np.int8), dtype="float32").solution.dtype == np.float32
    edges = np.arange(20.0).reshape(4, 5)
    np.testing.assert_array_equal(heddle.Laplace(edges.T).step(0).solution, edges.T)
    np.testing.assert_array_equal(heddle.Laplace(heddle.asarray(edges)).solution, edges)


def test_it_goes_on_from_where_it_is():
    once, twice = heddle.Laplace.sine((33, 33), method="jacobi"), heddle.Laplace.sine((33, 33), method="jacobi")
    once.step(30)
    twice.step(7).step(23)
    np.testing.assert_array_equal(once.solution, twice.solution)


def test_what_is_wrong_is_named():
    edges = np.ones((4, 5))
    for make, error, text in ((lambda: heddle.Laplace(np.ones(4)), ValueError, "rows, columns"),
                              (lambda: heddle.Laplace(edges, np.ones((5, 4))), ValueError, r"\(5, 4\)"),
                              (lambda: heddle.Laplace(edges, held=np.ones((5, 4))), ValueError, r"\(5, 4\)"),
                              (lambda: heddle.Laplace(edges * np.nan), ValueError, "finite|nan"),
                              (lambda: heddle.Laplace(edges * 1j), TypeError, "complex"),
                              (lambda: heddle.Laplace(edges, method="sor"), ValueError, "jacobi, red-black, multigrid"),
                              (lambda: heddle.Laplace(edges, dtype="int32"), TypeError, "float32 or float64"),
                              (lambda: heddle.Laplace(edges).solve(-1), ValueError, "tolerance"),
                              (lambda: heddle.Laplace(edges).save("a.txt"), ValueError, "ending")):
        with pytest.raises(error, match=text):
            make()


def test_how_it_is_shown():
    problem = heddle.Laplace.sine((20, 30))
    assert repr(problem) == "<heddle.Laplace by multigrid, 30x20 points in float64, 0 iterations>"
    assert problem._repr_png_().startswith(b"\x89PNG")
