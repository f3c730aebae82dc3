"""How the ranks of one machine agree on the iteration after which all of them leave.

If one left an iteration before another, the other would wait for it in its next all-reduce, for ever. So each rank
counts its iterations in a file that all of them have mapped into memory. Who wants to leave announces that, then reads
how far everybody is, and writes down the first iteration that nobody has passed. A rank counts first and looks
afterwards: either its count is seen, or it sees the announcement and waits for the number. This is exact however far
ranks are apart, needs no system call in an iteration, and nobody waits for another rank's training.

Locks on single bytes say who is alive; they go with their process, however it ends.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainyard import _environment
from trainyard._environment import Place

# Words of 8 bytes.
_LEAVE_AT, _REASON, _MACHINE, _COUNTS = 0, 1, 2, 4
_WORD_BYTES = 8
_COUNTING = -1
_AT_ONCE = 1
# Ranks that train together cannot be further apart than what a GPU has queued. Those that are run on their own, and
# waiting for each other would only cost them their time.
_FAR_APART = 32
# By then what a rank has counted is visible to all processors.
_SETTLE_SECONDS = 0.001


class OtherMachine(Exception):
    """The file is shared with a machine whose memory is not."""


class Agreement:
    def __init__(self, directory: Path, place: Place) -> None:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        path = directory / f"agreement-{_environment.group_name()}-{place.ranks}"
        self._place = place
        self._pid = os.getpid()
        self._count = 0
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        size = (_COUNTS + place.ranks) * _WORD_BYTES
        try:
            os.ftruncate(self._descriptor, size)
            self._map = mmap.mmap(self._descriptor, size)
            self._words = memoryview(self._map).cast("q")
            with self._alone():
                self._register()
        except BaseException:
            os.close(self._descriptor)
            raise

    def count_iteration(self) -> bool:
        """Whether this is the iteration after which to leave."""
        self._count += 1
        self._words[_COUNTS + self._place.rank] = self._count
        return self._is_here()

    def ask_to_leave(self, reason: int) -> bool:
        """The same, and from now on others know. The first to ask gives the reason."""
        with self._alone():
            if self._words[_LEAVE_AT] == 0:
                self._words[_REASON] = reason
                self._settle()
        return self._is_here()

    def reason(self) -> int | None:
        """Why all leave; None: nobody has asked."""
        return None if self._words[_LEAVE_AT] == 0 else self._words[_REASON]

    def close(self) -> None:
        if self._descriptor < 0:
            return
        if os.getpid() == self._pid:
            self._words[_COUNTS + self._place.rank] = 0
        self._words.release()
        self._map.close()
        os.close(self._descriptor)
        self._descriptor = -1

    def _is_here(self) -> bool:
        leave_at = self._words[_LEAVE_AT]
        if leave_at == _COUNTING:
            with self._alone():
                # Whoever had announced it may have been killed before there was a number.
                if self._words[_LEAVE_AT] == _COUNTING:
                    self._settle()
            leave_at = self._words[_LEAVE_AT]
        return leave_at != 0 and self._count >= leave_at

    def _settle(self) -> None:
        self._words[_LEAVE_AT] = _COUNTING
        time.sleep(_SETTLE_SECONDS)
        others = [
            count
            for rank, count in enumerate(self._words[_COUNTS:])
            if rank != self._place.rank and self._is_alive(rank)
        ]
        counts = [self._count, *others]
        is_apart = max(counts) - min(counts) > _FAR_APART
        not_passed = max(self._count, *(count + 1 for count in others), _AT_ONCE)
        self._words[_LEAVE_AT] = _AT_ONCE if is_apart else not_passed

    def _register(self) -> None:
        others = (
            self._try_lock(0, self._place.rank),
            self._try_lock(self._place.rank + 1, self._place.ranks),
        )
        if all(others):
            # Nobody is here: what the file says is from ranks that have ended.
            self._words[:] = memoryview(bytes(len(self._words) * _WORD_BYTES)).cast("q")
            self._words[_MACHINE] = _machine()
        self._unlock(0, self._place.rank)
        self._unlock(self._place.rank + 1, self._place.ranks)
        if self._words[_MACHINE] != _machine():
            raise OtherMachine
        self._try_lock(self._place.rank, self._place.rank + 1)
        self._words[_COUNTS + self._place.rank] = 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, 0)
        try:
            yield
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, 0)

    def _is_alive(self, rank: int) -> bool:
        if not self._try_lock(rank, rank + 1):
            return True
        self._unlock(rank, rank + 1)
        return False

    def _try_lock(self, rank: int, until: int) -> bool:
        """Whether no other process has any of these ranks. A length of 0 would mean the rest of the file."""
        if rank == until:
            return True
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, until - rank, rank + 1)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(self, rank: int, until: int) -> None:
        if rank != until:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, until - rank, rank + 1)


def _machine() -> int:
    """A number that two machines, or one before and after it was switched on, do not share."""
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        name = os.uname().nodename.encode()
    return zlib.crc32(name) + 1
