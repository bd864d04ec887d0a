"""What the tests of agents share."""

import pytest

from tests.agent.ways import WAYS, Way


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run an agent."""
    chosen: Way = request.param
    return chosen
