"""The samples of the pages: a block of Python, and what it prints where a block of output follows."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "python/README.md", "docs/guide/python.md"]
SAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```output\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def samples():
    return [pytest.param(code, output, id=f"{page}-{number}") for page in PAGES
            for number, (code, output) in enumerate(SAMPLE.findall((ROOT / page).read_text()))]


@pytest.mark.parametrize("code, output", samples())
def test_sample(code, output):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "sample", "exec"), {})
    assert not output or printed.getvalue() == output


def test_each_page_has_samples():
    for page in PAGES:
        assert SAMPLE.search((ROOT / page).read_text()), page
