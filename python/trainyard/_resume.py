"""Which checkpoints training may resume from, and whether one is as it was saved. Loading is not its business.

There may be three places: the directory in which they are saved, the lasting copies that a yard keeps of them, and
the one that the yard, or whoever starts the job, names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trainyard import _durable, _environment
from trainyard._directory import CheckpointDirectory
from trainyard._names import Names


class Part(NamedTuple):
    path: Path
    # Any of them will do; empty: nobody knows.
    sums: frozenset[str]


class Candidate(NamedTuple):
    step: int
    path: Path
    is_own: bool
    # All that belongs to the step: more than one where all ranks save.
    parts: tuple[Part, ...]

    def has_sums(self) -> bool:
        return all(part.sums for part in self.parts)


def candidates(directory: CheckpointDirectory, names: Names, ranks: int | None) -> Iterator[Candidate]:
    """Newest first. `ranks`: how many of them save; None: one for all."""
    lasting = _environment.lasting_directory()
    found = list(_in(directory, directory, names, ranks))
    if lasting is not None and not _same(lasting, directory.path):
        found += _in(CheckpointDirectory(lasting, names, None), directory, names, ranks)
    found.sort(key=lambda each: (each.step, each.is_own), reverse=True)

    named = _environment.resume_from() if ranks is None else None
    if named is None or any(_same(each.path, named) for each in found):
        # The newest that the yard has seen; what this very run has saved before it was started again is newer still.
        yield from found
    elif any(_same(named.parent, each) for each in (directory.path, lasting) if each is not None):
        yield from [*found, *_at(named, names)]
    else:
        # One that lies elsewhere is somebody's choice.
        yield from [*_at(named, names), *found]


class Trouble(NamedTuple):
    path: Path
    sentence: str


def what_is_wrong(candidate: Candidate) -> Trouble | None:
    """None: it is as it was saved, or nobody knows how that was. Raises FileNotFoundError when it has just gone."""
    for path, sums in candidate.parts:
        try:
            if sums and _durable.sum_of(path) not in sums:
                sentence = f"{path} is damaged: its checksum is not the one with which it was saved"
                return Trouble(path, sentence)
        except (FileNotFoundError, PermissionError):
            raise
        except OSError as error:
            return Trouble(path, f"{path} cannot be read: {error}")
    return None


def _in(
    place: CheckpointDirectory, own: CheckpointDirectory, names: Names, ranks: int | None
) -> Iterator[Candidate]:
    for step in place.steps():
        members = [None] if ranks is None else list(range(ranks))
        parts = tuple(_part(place, own, names.of(step, member), member) for member in members)
        if ranks is None or all(part.path.exists() for part in parts):
            yield Candidate(step, place.path / names.of(step), place is own, parts)


def _part(place: CheckpointDirectory, own: CheckpointDirectory, name: str, rank: int | None) -> Part:
    """A copy has the sums of what it is a copy of."""
    entries = [each.of_rank(rank).entries().get(name) for each in (place, own)]
    return Part(place.path / name, frozenset(each for entry in entries if entry for each in entry.sums))


def _at(path: Path, names: Names) -> Iterator[Candidate]:
    if not path.exists():
        return
    step = names.step_of(path.name)
    if step is None:
        numbers = re.findall(r"[0-9]+", path.name)
        step = int(numbers[-1]) if numbers else 0
    entry = CheckpointDirectory(path.parent, names, None).entries().get(path.name)
    yield Candidate(step, path, False, (Part(path, frozenset(entry.sums if entry else ())),))


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
