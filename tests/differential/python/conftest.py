"""Shares the seconds among the tests, and names the seed."""
import os
import pathlib
import random
import tempfile
import time

import numpy
import pytest

import cases


def pytest_collection_finish(session):
    # The order is another one each time: the last tests have the fewest seconds.
    random.Random(cases.SEED).shuffle(session.items)
    cases.tests_left = max(1, len(session.items))
    cases.ends = time.monotonic() + cases.SECONDS


def pytest_report_header(config):
    return f"differential: seed {cases.SEED}, {cases.SECONDS:.0f} s, NumPy {numpy.__version__}"


def pytest_terminal_summary(terminalreporter):
    failures = len(terminalreporter.stats.get("failed", [])) + len(terminalreporter.stats.get("error", []))
    terminalreporter.write_line(f"{cases.cases_run} cases, {failures} failures")


@pytest.fixture(scope="session", autouse=True)
def cache_of_kernels():
    """Kernels that are compiled once would fill the user's cache."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder))
        yield
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before
