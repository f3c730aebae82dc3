"""Signal handlers that only take a note, and give way again.

A handler here never saves, prints or locks: it may interrupt a half-done update of the model, and on a GPU kernels may
still be under way. Who takes the note is not its business.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import weakref
from collections.abc import Iterable
from types import FrameType
from typing import Any, Callable

# What getsignal gives: a function, SIG_DFL, SIG_IGN, or None for a handler that is not Python's.
_Previous = Any

_installed: weakref.WeakSet[Handlers] = weakref.WeakSet()


class Handlers:
    def __init__(self, take_note: Callable[[int], None]) -> None:
        self._take_note = take_note
        self._previous: dict[int, _Previous] = {}
        self._interrupts = 0
        self._is_closed = False
        # A bound method is a new object each time it is asked for; this one can be recognised.
        self._handler = self._handle

    def install(self, numbers: Iterable[int]) -> None:
        """Raises ValueError outside the main thread, where Python allows no handlers."""
        for number in numbers:
            self._previous[number] = signal.getsignal(number)  # before the handler may need it
            signal.signal(number, self._handler)
        _installed.add(self)

    def restore(self) -> None:
        """Puts back what was there, except where somebody has put a handler of their own on top."""
        self._is_closed = True
        _installed.discard(self)
        if threading.current_thread() is not threading.main_thread():
            return  # from now on what comes is passed on, see below
        for number, previous in self._previous.items():
            if signal.getsignal(number) is self._handler:
                signal.signal(number, _settable(previous))

    def ignore(self) -> None:
        """For a program that is ending: Python takes handlers away before its last steps, and who is warned then would
        die of it, with another exit code than its own."""
        for number in self._previous:
            if signal.getsignal(number) is self._handler:
                signal.signal(number, signal.SIG_IGN)

    def after_fork_in_child(self) -> None:
        """A worker must end when it is terminated, and must not die of a warning that was meant for its parent."""
        for number, previous in self._previous.items():
            if signal.getsignal(number) is self._handler:
                is_warning = number != signal.SIGTERM and not _is_function(previous)
                # A function, not SIG_IGN: unlike that, it does not outlast an exec.
                signal.signal(number, _let_pass if is_warning else _settable(previous))

    def _handle(self, number: int, frame: FrameType | None) -> None:
        previous = self._previous[number]
        if self._is_closed and not _is_function(previous):
            signal.signal(number, _settable(previous))
            os.kill(os.getpid(), number)
            return
        if not self._is_closed:
            self._take_note(number)
        if _is_function(previous):
            previous(number, frame)
        if number == signal.SIGINT and not self._is_closed:
            self._interrupts += 1
            if self._interrupts > 1:
                raise KeyboardInterrupt


def _is_function(previous: _Previous) -> bool:
    """default_int_handler would raise, and what is under way would be lost at the first Ctrl-C."""
    return callable(previous) and previous is not signal.default_int_handler


def _settable(previous: _Previous) -> _Previous:
    return signal.SIG_DFL if previous is None else previous


def _let_pass(_number: int, _frame: FrameType | None) -> None:
    pass


def _after_fork_in_child() -> None:
    for handlers in list(_installed):
        handlers.after_fork_in_child()
    _installed.clear()


def _ignore_at_exit() -> None:
    if threading.current_thread() is threading.main_thread():
        for handlers in list(_installed):
            handlers.ignore()


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_ignore_at_exit)
