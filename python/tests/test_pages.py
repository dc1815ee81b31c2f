"""The samples of the pages: a block of Python, and what it prints where a block of output follows."""

import contextlib
import io
import linecache
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [str(page.relative_to(ROOT)) for page in [ROOT / "README.md", ROOT / "python/README.md", *sorted(ROOT.glob("docs/**/*.md"))]
         if "```python\n" in page.read_text()]
SAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```output\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def samples():
    return [pytest.param(code, output, id=f"{page}-{number}") for page in PAGES
            for number, (code, output) in enumerate(SAMPLE.findall((ROOT / page).read_text()))]


@pytest.mark.parametrize("code, output", samples())
def test_sample(code, output):
    printed = io.StringIO()
    # What reads the source of its functions finds it there.
    linecache.cache["sample"] = len(code), None, code.splitlines(keepends=True), "sample"
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "sample", "exec"), {})
    assert not output or printed.getvalue() == output


def test_every_sample_is_found():
    for page in PAGES:
        text = (ROOT / page).read_text()
        assert len(SAMPLE.findall(text)) == text.count("```python\n"), page
    assert "docs/guide/python.md" in PAGES
