"""What tests stand in: a directory of their own, and an environment that says nothing of any job."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable
from unittest import mock

from trainyard import _directory

PACKAGE = Path(__file__).resolve().parent.parent
# As long as anything may take on a machine that is busy; nothing waits for it when all is well.
PATIENCE_SECONDS = 60


class TestCase(unittest.TestCase):
    def setUp(self) -> None:
        kept = {
            name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR", "HOME", "LANG")
        }
        changed = mock.patch.dict(os.environ, {**kept, "PYTHONPATH": str(PACKAGE)}, clear=True)
        changed.start()
        self.addCleanup(changed.stop)
        directory = tempfile.TemporaryDirectory(prefix="trainyard-python-")
        self.addCleanup(directory.cleanup)
        self.addCleanup(forget_locks)
        self.directory = Path(directory.name)


def forget_locks() -> None:
    """Lets go of the directories that this process saves in, as one does that ends."""
    for descriptor in _directory._locks.values():
        os.close(descriptor)
    _directory._locks.clear()


def fork(run: Callable[[], int | None]) -> int:
    """A child that does it and ends with what it gives. Whatever happens, it never comes back into the tests."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            # Children of a test must not outlive it.
            signal.alarm(PATIENCE_SECONDS)
            forget_locks()
            status = run() or 0
        except BaseException as error:
            os.write(2, f"in a child: {error!r}\n".encode())
        finally:
            os._exit(status)
    return pid


def end_of(pid: int) -> int:
    """The exit status, or the number of the signal below 0."""
    _, status = os.waitpid(pid, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
