"""The examples in docstrings, those of the extension too."""

import doctest

import pytest

import heddle


def examples():
    places = [("heddle", heddle.__doc__)] + [(name, getattr(heddle, name).__doc__) for name in heddle.__all__]
    for name, text in places:
        yield pytest.param(doctest.DocTestParser().get_doctest(text or "", {}, name, None, 0), id=name)


@pytest.mark.parametrize("example", list(examples()))
def test_docstring(example):
    assert example.examples or example.name == "Error", f"{example.name} has no example"
    assert doctest.DocTestRunner().run(example).failed == 0
