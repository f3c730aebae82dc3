"""How long a run may go on: the seconds it was given, and its job's time limit less what saving takes.

Reckons with the monotonic clock alone, so that a clock which is set does not end training; it knows nothing of signals.
"""

from __future__ import annotations

import math
import time
from collections import deque

from trainyard import _environment, _saves

# Without a save to learn from, a tenth of the time is left for it, and half a minute at most.
_MARGIN_SHARE = 0.1
_MARGIN_MAX_SECONDS = 30.0
# Room for a save that takes longer than the longest one so far.
_SAVE_ALLOWANCE = 2.0
# However long saves take, half of the time is for training.
_MARGIN_MAX_SHARE = 0.5
# Iterations differ; a slow one long ago (the first of all, which compiles) says little about the next.
_ITERATIONS_REMEMBERED = 16


class Budget:
    def __init__(self, seconds: float | None, margin_seconds: float | None) -> None:
        _check("time_to_run", seconds, above_zero=True)
        _check("margin", margin_seconds, above_zero=False)
        now = time.monotonic()
        self._began = now
        self._asked_margin = margin_seconds
        self._run_deadline = math.inf if seconds is None else now + seconds
        ends_at = _environment.ends_at()
        self._limit = math.inf if ends_at is None else now + (ends_at - time.time())
        self._last_iteration: float | None = None
        self._iterations: deque[float] = deque(maxlen=_ITERATIONS_REMEMBERED)

    def seconds_left(self) -> float | None:
        """Until training has to stop; None: it may go on for ever."""
        deadline = min(self._run_deadline, self._limit - self._margin())
        return None if deadline == math.inf else max(0.0, deadline - time.monotonic())

    def is_over(self) -> bool:
        return self.seconds_left() == 0.0

    def count_iteration(self) -> None:
        now = time.monotonic()
        if self._last_iteration is not None:
            self._iterations.append(now - self._last_iteration)
        self._last_iteration = now

    def has_room_for(self, iterations: int) -> bool:
        """Whether so many more end before the limit: one that does not is work thrown away.

        The seconds that a run was given are another matter: they may be exceeded by the iteration under way.
        """
        if self.is_over():
            return False
        if self._limit == math.inf or self._last_iteration is None:
            return True
        slowest = max(self._iterations, default=self._last_iteration - self._began)
        return time.monotonic() + iterations * slowest + self._margin() < self._limit

    def _margin(self) -> float:
        if self._asked_margin is not None:
            return self._asked_margin
        if self._limit == math.inf:
            return 0.0
        total = max(0.0, self._limit - self._began)
        usual = min(total * _MARGIN_SHARE, _MARGIN_MAX_SECONDS)
        learned = _saves.longest_save_seconds() * _SAVE_ALLOWANCE
        return min(max(usual, learned), total * _MARGIN_MAX_SHARE)


def _check(name: str, seconds: float | None, above_zero: bool) -> None:
    if seconds is None:
        return
    if math.isnan(seconds) or seconds < 0 or (above_zero and seconds == 0):
        raise ValueError(f"{name} is {seconds}; give seconds{' above 0' if above_zero else ', 0 or more'}")
