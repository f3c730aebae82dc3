"""Checkpointer: saves the state of training so that there is always a whole one, and finds it again.

It is given functions that save and load, and knows nothing of what is in a state. When to save is for the training
loop.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import sys
import time
import traceback
import warnings
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, SupportsFloat

from trainyard import _durable, _environment, _saves
from trainyard._directory import CheckpointDirectory
from trainyard._draft import Draft, Source
from trainyard._index import Entry
from trainyard._names import Names
from trainyard._resume import Candidate, Trouble, candidates, what_is_wrong
from trainyard._snapshot import take_snapshot
from trainyard._writer import Task, Writer


class Checkpointer:
    """`save(state, step)` now and then; `resume()` at the beginning gives (state, step), or None.

    directory: by default TRAINYARD_CHECKPOINTS, or `checkpoints` where the program runs.
    keep: of the checkpoints, so many of the newest; the last and the best always stay. None: all.
    save, load: functions of (state, path) and (path). The path is an open file too, so torch.save, pickle.dump and the
        like can be given as they are; what they write may be a directory. By default pickle.
    name: with the step in it.
    background: `save` only copies the state in memory, and a thread writes it. At most one waits; a newer one
        replaces it.
    copy: makes that copy; by default tensors, arrays and containers are copied, and the memory is used again.
    best: whether the `min` or the `max` of the metric given to `save` is the best; None: there is no best.
    checksum: whether sums are kept, and checked when resuming.
    all_ranks: every rank saves a part of its own; by default only rank 0 saves, and all resume from that.
    rank, ranks: which of how many this process is; by default what its launcher says.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        *,
        keep: int | None = 3,
        save: Callable[[Any, Any], object] | None = None,
        load: Callable[[Any], Any] | None = None,
        name: str | None = None,
        background: bool = False,
        copy: Callable[[Any], Any] | None = None,
        best: str | None = None,
        checksum: bool = True,
        all_ranks: bool = False,
        rank: int | None = None,
        ranks: int | None = None,
    ) -> None:
        if keep is not None and keep < 1:
            raise ValueError(
                f"keep is {keep}; the last checkpoint always stays, so give 1 or more, or None for all"
            )
        if best not in (None, "min", "max"):
            raise ValueError(f"best is {best!r}; choose 'min' or 'max', or None")
        self._place = _environment.choose_place(rank, ranks)
        self._all_ranks = all_ranks
        own_rank = self._place.rank if all_ranks else None
        if name is None:
            name = "step-{step:08d}.rank-{rank}.ckpt" if all_ranks else "step-{step:08d}.ckpt"
        path = _environment.checkpoints_directory() if directory is None else Path(directory)
        self._names = Names(name, own_rank)
        self._directory = CheckpointDirectory(path, self._names, own_rank)
        self._keep = keep
        self._save = save
        self._load = load
        self._copy = copy
        self._best = best
        self._best_metric: float | None = None
        self._checksum = checksum
        self._writer = Writer(keeps_spare=copy is None) if background else None
        if background:
            atexit.register(_close_at_exit, weakref.ref(self))

    @property
    def directory(self) -> Path:
        return self._directory.path

    def steps(self) -> list[int]:
        """Of the checkpoints that are there, newest first."""
        return self._directory.steps()

    def save(self, state: Any, step: int, metric: SupportsFloat | None = None) -> Path | None:
        """Gives where it is, or in the background will be; None in a rank that saves nothing.

        An error leaves the checkpoints as they were. In the background it is raised by the next call.
        """
        if not self._is_writer():
            return None
        step, metric = _whole(step), _finite(metric)
        path = self._directory.path / self._names.of(step)
        if self._writer is None:
            self._write(state, step, metric, time.monotonic())
            return path
        began = time.monotonic()
        is_best = self._is_better(metric)
        spare = self._writer.make_room()
        snapshot = take_snapshot(state, spare) if self._copy is None else self._copy(state)
        if is_best:
            self._best_metric = metric
        self._writer.give(Task(lambda taken: self._write(taken, step, metric, began), snapshot, is_best))
        self._writer.raise_error()
        return path

    def resume(self) -> tuple[Any, int] | None:
        """The newest checkpoint that is whole, as (state, step); None: there is none, begin anew.

        A damaged one is renamed to end with `.damaged`, and the one before it is taken.
        """
        self.wait()
        if self._is_writer():
            self._directory.tidy()
        for entry in self._directory.entries().values():
            _saves.note_save(entry.seconds)
        for found in candidates(self._directory, self._names, self._place.ranks if self._all_ranks else None):
            try:
                trouble = what_is_wrong(found) if self._checksum else None
                if trouble is None:
                    return self._read(found), found.step
            except FileNotFoundError:
                continue  # removed by another rank since it was listed
            except _CannotLoad as error:
                trouble = Trouble(found.path, str(error))
            self._give_up(found, trouble)
        return None

    def wait(self) -> None:
        """Until everything is written; raises what went wrong with that."""
        if self._writer is not None:
            self._writer.wait()
            self._writer.raise_error()

    def close(self) -> None:
        """Writes what waits, and lets go of memory. It may be used again."""
        if self._writer is not None:
            self._writer.close()
            self._writer.raise_error()

    def __enter__(self) -> Checkpointer:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _is_writer(self) -> bool:
        return self._all_ranks or self._place.rank == 0

    def _write(self, state: Any, step: int, metric: float | None, began: float) -> None:
        name = self._names.of(step)
        draft = self._directory.new_draft(name)
        try:
            self._fill(draft, state)
            sums = (_durable.sum_of(draft),) if self._checksum else ()
            _durable.make_durable(draft)
            self._directory.put(draft, name, Entry(sums, metric, time.monotonic() - began))
        except BaseException:
            self._directory.discard(draft)
            raise
        _saves.note_save(time.monotonic() - began)
        self._retain(name)

    def _fill(self, draft: Draft, state: Any) -> None:
        if self._save is None:
            with open(draft, "wb") as file:
                pickle.dump(state, file, protocol=pickle.HIGHEST_PROTOCOL)
            return
        self._save(state, draft)
        draft.close()
        if not os.path.lexists(draft):
            raise FileNotFoundError(
                f"{self._save!r} wrote nothing to {draft}; it has to write to the path or the file that it is given"
            )

    def _read(self, found: Candidate) -> Any:
        try:
            return self._load_from(found.path)
        except (MemoryError, PermissionError, FileNotFoundError):
            raise
        except Exception as error:
            # What passes its sum is as it was saved: then it is the loading that is wrong, and the checkpoint before
            # would fare no better.
            if self._load is None and self._save is not None or self._checksum and found.has_sums():
                raise
            raise _CannotLoad(f"{found.path} cannot be loaded: {error!r}") from error

    def _load_from(self, path: Path) -> Any:
        if self._load is None:
            if self._save is not None:
                raise TypeError("a Checkpointer with save= needs load= as well before it can resume")
            with open(path, "rb") as file:
                return pickle.load(file)
        return self._load(Source(path))

    def _give_up(self, found: Candidate, trouble: Trouble) -> None:
        sentence = trouble.sentence
        if found.is_own and trouble.path == found.path and self._is_writer():
            with contextlib.suppress(FileNotFoundError):
                sentence += f"; it is now {self._directory.set_aside(found.path.name).name}"
        warnings.warn(f"{sentence}; the one before it is used, if there is any", RuntimeWarning, stacklevel=3)

    def _retain(self, last: str) -> None:
        best = self._best_name()
        if best is not None:
            self._directory.point("best" if not self._all_ranks else f"best.rank-{self._place.rank}", best)
        if self._keep is None:
            return
        names = [self._names.of(step) for step in self._directory.steps()]
        for name in names[self._keep :]:
            if name not in (last, best):
                self._directory.remove(name)

    def _best_name(self) -> str | None:
        """Of those that are there; of equals the newest."""
        if self._best is None:
            return None
        known = self._directory.entries()
        rated = [
            (metric if self._best == "max" else -metric, step)
            for step in self._directory.steps()
            for metric in [known[self._names.of(step)].metric if self._names.of(step) in known else None]
            if metric is not None
        ]
        return self._names.of(max(rated)[1]) if rated else None

    def _is_better(self, metric: float | None) -> bool:
        if self._best is None or metric is None:
            return False
        if self._best_metric is None:
            return True
        return metric > self._best_metric if self._best == "max" else metric < self._best_metric


class _CannotLoad(Exception):
    """It is not known to be whole, and it does not look as if it were."""


def _close_at_exit(reference: weakref.ref[Checkpointer]) -> None:
    """Nobody is left to raise an error to, so it is written down."""
    checkpointer = reference()
    if checkpointer is None:
        return
    try:
        checkpointer.close()
    except Exception:
        sys.stderr.write("a checkpoint could not be written:\n")
        traceback.print_exc()


def _whole(step: int) -> int:
    number = int(step)
    if number < 0 or number != step:
        raise ValueError(f"step is {step!r}; give a whole number, 0 or more")
    return number


def _finite(metric: SupportsFloat | None) -> float | None:
    """A metric that is no number is never the best."""
    if metric is None:
        return None
    number = float(metric)
    return number if math.isfinite(number) else None
