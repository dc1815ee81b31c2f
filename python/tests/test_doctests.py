"""The examples in docstrings, those of the extension too."""

import doctest

import pytest

import heddle

MODULES = ["fft", "random"]


def examples():
    places = [("heddle", heddle)] + [(name, getattr(heddle, name)) for name in heddle.__all__ if name not in MODULES]
    for module in MODULES:
        names = getattr(heddle, module).__all__
        places += [(f"{module}.{name}", getattr(getattr(heddle, module), name)) for name in names]
    places += [(f"random.Generator.{name}", member) for name, member in vars(heddle.random.Generator).items() if name[0] != "_"]
    for name, thing in places:
        text = thing.__doc__
        if getattr(thing, "__module__", "heddle").startswith("numpy"):
            continue
        yield pytest.param(doctest.DocTestParser().get_doctest(text or "", {}, name, None, 0), id=name)


@pytest.mark.parametrize("example", list(examples()))
def test_docstring(example):
    assert example.examples or example.name == "Error", f"{example.name} has no example"
    assert doctest.DocTestRunner().run(example).failed == 0
