"""A thread that writes checkpoints one after another, with at most one waiting.

Training that saves faster than the disk can take it does not pile up copies in memory: the newest replaces the one that
waits. What goes wrong is kept, and told at the next occasion.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import Any, Callable, NamedTuple


class Task(NamedTuple):
    write: Callable[[Any], None]
    snapshot: Any
    # One that must not be replaced, such as the best so far.
    is_precious: bool


class Writer:
    def __init__(self, keeps_spare: bool) -> None:
        """`keeps_spare`: whether the memory of what was written is of use to the next."""
        self._keeps_spare = keeps_spare
        self._changed = threading.Condition()
        self._waiting: Task | None = None
        self._is_busy = False
        self._is_closed = False
        self._spare: Any = None
        self._errors: deque[BaseException] = deque()
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    def make_room(self) -> Any:
        """Before the next snapshot: gives one whose memory may be used for it, or None."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is None or not self._waiting.is_precious)
            replaced, self._waiting = self._waiting, None
            spare, self._spare = self._spare, None
        if not self._keeps_spare:
            return None
        return spare if replaced is None else replaced.snapshot

    def give(self, task: Task) -> None:
        with self._changed:
            self._waiting = task
            self._is_closed = False
            if self._thread is None:
                # A daemon, since the end of a program waits for other threads before it asks anybody to close.
                self._thread = threading.Thread(target=self._run, name="trainyard-checkpoints", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self) -> None:
        """Until nothing is left to write. After a fork there is no thread, and what waits is the parent's."""
        if self._thread is None or os.getpid() != self._pid:
            return
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is None and not self._is_busy)

    def close(self) -> None:
        self.wait()
        with self._changed:
            self._is_closed = True
            self._thread = self._spare = None
            self._changed.notify_all()

    def raise_error(self) -> None:
        if self._errors:
            raise self._errors.popleft()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting is not None or self._is_closed)
                task, self._waiting = self._waiting, None
                if task is None:
                    return
                self._is_busy = True
                self._changed.notify_all()
            try:
                task.write(task.snapshot)
            except BaseException as error:
                self._errors.append(error)
            with self._changed:
                self._is_busy = False
                self._spare = task.snapshot if self._keeps_spare else None
                self._changed.notify_all()
            del task
