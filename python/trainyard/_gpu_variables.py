"""The variables of leases in os.environ: set for as long as a lease lasts, and put back afterwards.

os.environ is the whole process's, and leases of several threads may overlap: then the one that came last is what can be
seen, and what was there before any of them comes back when all are over.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from trainyard import _frameworks

# Says to processes that are started meanwhile whose GPUs they are on.
HOLDER = "TRAINYARD_LEASE_HOLDER"
_VISIBLE = "CUDA_VISIBLE_DEVICES"

_lock = threading.Lock()
_layers: list[Mapping[str, str]] = []
# What the variables of the layers were before there were any; None: not set.
_before: dict[str, str | None] = {}
# With which devices a framework of this process was first used; it does not look a second time.
_settled_on: str | None = None
_has_warned: set[str] = set()


@contextmanager
def set_for_a_while(variables: Mapping[str, str]) -> Iterator[None]:
    layer = {**variables, HOLDER: str(os.getpid())}
    with _lock:
        was_used = _frameworks.uses_gpu()
        _look_for_trouble(layer, was_used)
        _layers.append(layer)
        for name, value in layer.items():
            _before.setdefault(name, os.environ.get(name))
            os.environ[name] = value
    try:
        yield
    finally:
        with _lock:
            _note_what_was_used(layer, was_used)
            _remove(layer)


def without_leases() -> dict[str, str]:
    """The environment as it would be if this process held none."""
    with _lock:
        environ = {**os.environ, **{name: value for name, value in _before.items() if value is not None}}
        return {name: value for name, value in environ.items() if _before.get(name, "") is not None}


def settled_on() -> list[str] | None:
    """The devices that a framework of this process has begun to use: it cannot be moved to others. None: none has."""
    with _lock:
        return _settled_on.split(",") if _settled_on else None


def warn_once(text: str, about: str = "") -> None:
    """In the words of the first time; `about` tells apart what is warned of."""
    if (about or text) not in _has_warned:
        _has_warned.add(about or text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def _remove(layer: Mapping[str, str]) -> None:
    _layers[:] = [each for each in _layers if each is not layer]
    for name in layer:
        above = [each[name] for each in _layers if name in each]
        value = above[-1] if above else _before.pop(name, None)
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _look_for_trouble(layer: Mapping[str, str], framework: str | None) -> None:
    wanted = layer.get(_VISIBLE)
    if wanted is None:
        return
    if any(each.get(_VISIBLE) not in (None, wanted) for each in _layers):
        warn_once(
            f"this process has two leases of different GPUs at a time, and {_VISIBLE} can only name those of one: "
            "use processes rather than threads, or the devices that the lease gives",
            "overlap",
        )
    seen = os.environ.get(_VISIBLE) if _settled_on is None else _settled_on
    if framework is not None and seen != wanted:
        warn_once(
            f"{framework} has used a GPU before this lease and does not look at {_VISIBLE} again, so it stays where "
            f"it is and not on GPU {wanted}: call the function before anything is put on a GPU",
            "too late",
        )


def _note_what_was_used(layer: Mapping[str, str], was_used: str | None) -> None:
    global _settled_on
    if _settled_on is None and was_used is None and _frameworks.uses_gpu() is not None:
        _settled_on = layer.get(_VISIBLE)


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_child)
