"""What a test does where the machine lacks a part that it needs."""

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip the test, with the reason; in CI, where a skip would pass unseen, fail it."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"CI needs every part: {reason}", pytrace=False)
    pytest.skip(reason)
