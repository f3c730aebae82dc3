"""One directory with checkpoints: which there are, how one gets into its place, and how one is taken out.

At every instant each name in it that is a checkpoint's is a whole checkpoint. What is not whole has a name with a
dot in front. It does not know what is inside of them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import threading
import warnings
from pathlib import Path

from trainyard import _durable, _index
from trainyard._draft import Draft
from trainyard._names import Names

_DRAFT = ".draft-"
_REPLACED = ".replaced-"
_draft_numbers = itertools.count(1)

# The locks of this process: they are kept until it ends, since closing a file would let go of them.
_locks: dict[Path, int] = {}
_index_lock = threading.Lock()


class CheckpointDirectory:
    def __init__(self, path: Path, names: Names, rank: int | None) -> None:
        self.path = path
        self._names = names
        self._suffix = "" if rank is None else f"-{rank}"
        self._is_tidy = False

    def steps(self) -> list[int]:
        """Newest first."""
        try:
            found = os.listdir(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted((step for step in map(self._names.step_of, found) if step is not None), reverse=True)

    def of_rank(self, rank: int | None) -> CheckpointDirectory:
        """The same directory, as another rank keeps its index there."""
        return CheckpointDirectory(self.path, self._names, rank)

    def entries(self) -> dict[str, _index.Entry]:
        return _index.read_index(self._index_path())

    def new_draft(self, name: str) -> Draft:
        """It has the end of the name, by which some that save choose the format."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.tidy()
        return Draft(self.path / f"{_DRAFT}{os.getpid()}-{next(_draft_numbers)}-{name}")

    def put(self, draft: Draft, name: str, entry: _index.Entry) -> Path:
        """From here on it is the checkpoint of that name, and a power cut does not change that."""
        path = self.path / name
        with _index_lock:
            _index.write_entry(self._index_path(), name, entry, set(os.listdir(self.path)))
        try:
            os.replace(draft, path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EISDIR, errno.ENOTDIR):
                raise
            replaced = self.path / f"{_REPLACED}{name}"
            _durable.remove(replaced)
            os.rename(path, replaced)
            os.rename(draft, path)
            _durable.remove(replaced)
        _durable.remember_names(self.path)
        return path

    def discard(self, draft: Draft) -> None:
        """And what a function that saves may have put beside it."""
        with contextlib.suppress(OSError):
            draft.close()
        for entry in os.listdir(self.path):
            if entry.startswith(draft.name):
                _durable.remove(self.path / entry)

    def remove(self, name: str) -> None:
        """First out of sight, so that half a directory is never taken for a checkpoint."""
        path = self.path / name
        if path.is_dir():
            gone = self.path / f"{_DRAFT}{os.getpid()}-{next(_draft_numbers)}-{name}"
            os.rename(path, gone)
            path = gone
        _durable.remove(path)

    def set_aside(self, name: str) -> Path:
        """Renames what is damaged, so that nobody takes it for whole; its bytes are left for whoever wants to look."""
        aside = self.path / f"{name}.damaged"
        for number in itertools.count(2):
            if not os.path.lexists(aside):
                break
            aside = self.path / f"{name}.{number}.damaged"
        os.rename(self.path / name, aside)
        return aside

    def point(self, link: str, name: str) -> None:
        """A symbolic link beside the checkpoints, where the file system has any."""
        path = self.path / link
        if path.is_symlink() and os.readlink(path) == name:
            return
        draft = self.path / f".{link}.draft"
        with contextlib.suppress(OSError):
            _durable.remove(draft)
            os.symlink(name, draft)
            os.replace(draft, path)

    def _index_path(self) -> Path:
        return self.path / f".sums{self._suffix}.json"

    def tidy(self) -> None:
        """Once: removes the drafts of a process that was killed, and puts back what it was about to replace."""
        if self._is_tidy or not self.path.is_dir():
            return
        self._is_tidy = True
        lock = self.path.resolve() / f".writer{self._suffix}"
        is_first = lock not in _locks
        if is_first and not _acquire(lock):
            return
        own = f"{_DRAFT}{os.getpid()}-"
        for entry in os.listdir(self.path):
            name = _name_in(entry)
            if name is None or self._names.step_of(name) is None:
                continue
            if entry.startswith(_REPLACED) and not os.path.lexists(self.path / name):
                os.rename(self.path / entry, self.path / name)
            elif is_first or not entry.startswith(own):
                _durable.remove(self.path / entry)


def _name_in(entry: str) -> str | None:
    """Of the checkpoint that a draft would have become."""
    if entry.startswith(_REPLACED):
        return entry[len(_REPLACED) :]
    parts = entry[len(_DRAFT) :].split("-", 2) if entry.startswith(_DRAFT) else []
    return parts[2] if len(parts) == 3 else None


def _acquire(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            warnings.warn(
                f"another process saves checkpoints in {lock.parent} as well; give each job a directory of its own",
                RuntimeWarning,
                stacklevel=2,
            )
        return False
    _locks[lock] = descriptor
    return True
