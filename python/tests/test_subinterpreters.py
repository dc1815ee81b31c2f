"""A second interpreter of a process, in which the package cannot be: it says so."""

import os
import pathlib
import subprocess
import sys

import pytest

import heddle

FOLDER = str(pathlib.Path(heddle.__file__).parent.parent)
# `tried` runs code in another interpreter, and returns what was raised there, or None.
TRIED = """
import warnings
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
warnings.simplefilter("ignore")

def tried(code):
    other = interpreters.create(*kind)
    try:
        found = interpreters.run_string(other, "import warnings\\nwarnings.simplefilter('ignore')\\n" + code)
    except Exception as e:
        found = e
    interpreters.destroy(other)
    return None if found is None else str(getattr(found, "formatted", found))
"""
# Of Python 3.13 and later.
KINDS = ["()", '("legacy",)', '("isolated",)'] if sys.version_info >= (3, 13) else ["()"]


def run_python(kind, code):
    done = subprocess.run([sys.executable, "-c", f"kind = {kind}\n{TRIED}\n{code}"], env=os.environ | {"PYTHONPATH": FOLDER},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_the_package_is_refused(kind):
    have = run_python(kind, "import heddle\nprint(tried('import heddle'))\nprint(float(heddle.sum([1.0, 2.0])))")
    assert "ImportError" in have and have.endswith("3.0\n"), have


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_refused_again_and_again(kind):
    have = run_python(kind, "import heddle\nprint({tried('import heddle') is None for _ in range(5)}, float(heddle.sum([1.0, 2.0])))")
    assert have == "{False} 3.0\n"


@pytest.mark.parametrize("kind", KINDS)
def test_the_extension_is_refused(kind):
    # Without NumPy, which refuses a second interpreter for itself.
    code = ("import sys, types, contextvars\n"
            f"package = types.ModuleType('heddle')\npackage.__path__ = [{FOLDER + '/heddle'!r}]\nsys.modules['heddle'] = package\n"
            "from heddle import _core\n_core.use(types, ValueError, contextvars.ContextVar('x'))\n")
    have = run_python(kind, f"import heddle\nprint(tried({code!r}))\nprint(float(heddle.sum([1.0, 2.0])))")
    assert "ImportError" in have and "interpreter" in have and have.endswith("3.0\n"), have


@pytest.mark.parametrize("kind", KINDS)
def test_an_interpreter_without_it_does_no_harm(kind):
    have = run_python(kind, "import heddle\nprint(tried('x = 1'), float(heddle.sum([1.0, 2.0])))")
    assert have == "None 3.0\n"
