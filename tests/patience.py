"""How long tests wait for what may hang: a machine that is slow, or stands still for a while, fails none."""

import time

from queries import paging

HANGING = 120.0
"""Seconds after which what does not answer is taken for hanging."""


def count_work() -> None:
    """Let the deadlines of questions count the seconds that their thread works, not those that pass."""
    paging.clock = time.thread_time
