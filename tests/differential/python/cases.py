"""Random cases by Hypothesis, for as many seconds as the environment says.

HEDDLE_DIFFERENTIAL_SECONDS   the seconds of all tests together; each test runs one round of cases or more
HEDDLE_DIFFERENTIAL_SEED      the seed; without it a new one
HEDDLE_DIFFERENTIAL_ELEMENTS  the most elements of an array
HEDDLE_DIFFERENTIAL_PROFILE   ci, or long: long keeps failures in .hypothesis and shrinks for longer
"""
import functools
import os
import random
import time

import hypothesis

PROFILE = os.environ.get("HEDDLE_DIFFERENTIAL_PROFILE", "ci")
SECONDS = float(os.environ.get("HEDDLE_DIFFERENTIAL_SECONDS", "0"))
SEED = int(os.environ.get("HEDDLE_DIFFERENTIAL_SEED") or random.SystemRandom().randrange(1 << 40))
ELEMENTS = int(os.environ.get("HEDDLE_DIFFERENTIAL_ELEMENTS", "200000"))

PHASES = [hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate, hypothesis.Phase.target, hypothesis.Phase.shrink]
ALWAYS = {"deadline": None, "print_blob": True, "phases": PHASES, "suppress_health_check": list(hypothesis.HealthCheck)}
# Rounds are short, because the seconds are over between two of them.
hypothesis.settings.register_profile("ci", **ALWAYS, max_examples=15, database=None)
hypothesis.settings.register_profile("long", **ALWAYS, max_examples=500)
hypothesis.settings.load_profile(PROFILE)

# What conftest.py counts: the tests that have not begun, which share the remaining seconds, and the cases that ran.
tests_left = 1
ends = time.monotonic() + SECONDS
cases_run = 0


def cases(*strategies, slow=False):
    """Runs a function on random cases: rounds of Hypothesis, each with a seed of its own, until the test's seconds are over.

    The rounds of a slow function, which compiles, have two cases. @hypothesis.reproduce_failure stands between this
    decorator and the function.
    """
    def decorated(function):
        def round_of(number):
            """The function, counted: Hypothesis's decorators go on a function once."""
            @functools.wraps(function)
            def counted(*arguments, **drawn):
                global cases_run
                cases_run += 1
                function(*arguments, **drawn)

            settings = hypothesis.settings(max_examples=2) if slow and PROFILE == "ci" else hypothesis.settings()
            return hypothesis.given(*strategies)(settings(hypothesis.seed(number)(counted)))

        def test():
            global tests_left
            now = time.monotonic()
            until = now + (ends - now) / tests_left
            tests_left = max(1, tests_left - 1)
            number = SEED
            while True:
                try:
                    round_of(number)()
                except Exception as error:
                    error.add_note(f"repeat: HEDDLE_DIFFERENTIAL_SECONDS=0 HEDDLE_DIFFERENTIAL_SEED={number} "
                                   f"HEDDLE_DIFFERENTIAL_ELEMENTS={ELEMENTS} pytest -k '{function.__name__}'")
                    raise
                number += 1
                if time.monotonic() >= until:
                    return

        test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
        return test
    return decorated
