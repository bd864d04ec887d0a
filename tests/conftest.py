"""Hypothesis profiles, chosen by HYPOTHESIS_PROFILE: "default", "nightly" (many examples), "ci" (the same ones every time).

Without a choice it is "default", or "ci" where CI is set.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from holter.models import background

# A shared machine is slow at times; that is no fault of the test.
_CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _CALM, max_examples=50)
settings.register_profile("ci", _CALM, max_examples=50, derandomize=True)
settings.register_profile("nightly", _CALM, max_examples=2_000)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
settings.load_profile(PROFILE)


@pytest.fixture(autouse=True, scope="module")
def _connections_end() -> Iterator[None]:
    """What is asked from synchronous code keeps its loop and its connections until the process ends; here until a module's tests do."""
    yield
    background._LOOPS.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By night every property is run, not only what is too slow for the day."""
    if PROFILE != "nightly":
        return
    for item in items:
        if isinstance(item, pytest.Function) and getattr(item.obj, "is_hypothesis_test", False):
            item.add_marker("nightly")
