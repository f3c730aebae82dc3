"""Tells the yard how far training has come: a small file that is replaced now and then.

Outside a yard it does nothing. It never disturbs training: what cannot be told is left out.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import time
from pathlib import Path
from typing import Any, SupportsFloat

from trainyard import _environment

_SHORTEST_PAUSE_SECONDS = 0.2
_FIELDS = ("step", "steps", "epoch", "loss")


class _Told:
    """What was said last, and what of it the yard does not know yet."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.at = 0.0
        self.is_behind = False
        self.wrote_at = -math.inf
        self.pid = os.getpid()


_told = _Told()


def progress(
    step: SupportsFloat | None = None,
    steps: SupportsFloat | None = None,
    epoch: SupportsFloat | None = None,
    loss: SupportsFloat | None = None,
) -> None:
    """`step` of `steps` is done; what is not given stays as it was told before. Call it as often as you like.

    A loss may be a tensor: it is read only when it is written, a few times a second at most.
    """
    try:
        directory = _environment.attempt_directory()
        if directory is None or _environment.find_place().rank != 0:
            return
        _tell({"step": step, "steps": steps, "epoch": epoch, "loss": loss})
        if time.monotonic() - _told.wrote_at >= _SHORTEST_PAUSE_SECONDS:
            _write(directory)
    except Exception:
        pass


def _tell(values: dict[str, Any]) -> None:
    global _told
    if _told.pid != os.getpid():
        _told = _Told()  # a child that was forked speaks for itself
    for field, value in values.items():
        if value is not None:
            # Only the number: a loss holds on to all that it was computed from.
            _told.values[field] = value.detach() if hasattr(value, "detach") else value
    _told.at = time.time()
    _told.is_behind = True


def _write(directory: Path) -> None:
    _told.wrote_at = time.monotonic()
    _told.is_behind = False
    told = {field: _number(_told.values.get(field), field) for field in _FIELDS}
    os.makedirs(directory, mode=0o700, exist_ok=True)
    draft = directory / f".progress-{os.getpid()}"
    draft.write_text(json.dumps({**told, "at": _told.at}), encoding="ascii")
    os.replace(draft, directory / "progress.json")


def _number(value: Any, field: str) -> float | int | None:
    """None for what is no number, as a loss that has gone wrong is not."""
    try:
        number = float(value)
        if not math.isfinite(number):
            return None
        return number if field == "loss" or number != int(number) else int(value)
    except Exception:
        return None


def _write_last() -> None:
    try:
        directory = _environment.attempt_directory()
        if directory is not None and _told.is_behind and _told.pid == os.getpid():
            _write(directory)
    except Exception:
        pass


atexit.register(_write_last)
