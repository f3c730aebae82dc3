"""What a job is told through its environment, by a yard, by Slurm, or by whoever started its ranks.

Reads variables and nothing else. A value that makes no sense counts as absent: a trainer must not fail over it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """Which of the processes that train together this one is."""

    rank: int
    ranks: int


ALONE = Place(0, 1)

# From the innermost launcher to the outermost: a job of one rank may start eight of them with mpirun, and each of
# those still sees the variables of the job.
_LAUNCHERS = (
    ("HOROVOD_RANK", "HOROVOD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("RANK", "WORLD_SIZE"),
    ("TRAINYARD_RANK", "TRAINYARD_RANKS"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)


def find_place(environ: Mapping[str, str] | None = None) -> Place:
    environ = os.environ if environ is None else environ
    # torchrun may itself have been started by any of the others.
    first = [("RANK", "WORLD_SIZE")] if "TORCHELASTIC_RUN_ID" in environ else []
    for rank_name, ranks_name in (*first, *_LAUNCHERS):
        rank = _whole(environ.get(rank_name))
        ranks = _whole(environ.get(ranks_name))
        if rank is not None and ranks is not None and rank < ranks:
            return Place(rank, ranks)
    return ALONE


def choose_place(rank: int | None, ranks: int | None) -> Place:
    """What the program says goes before what the environment says; a rank alone does not say of how many."""
    found = find_place()
    chosen = Place(
        found.rank if rank is None else rank,
        ranks if ranks is not None else max(found.ranks, (rank or 0) + 1),
    )
    if not 0 <= chosen.rank < chosen.ranks:
        raise ValueError(f"rank {chosen.rank} is not one of {chosen.ranks} ranks; they count from 0")
    return chosen


def attempt_directory() -> Path | None:
    """A directory of this run of the job alone; the program makes it when it needs it."""
    return _path("TRAINYARD_ATTEMPT_DIR")


def checkpoints_directory() -> Path:
    return _path("TRAINYARD_CHECKPOINTS") or Path("checkpoints")


def lasting_directory() -> Path | None:
    """Where the yard keeps whole copies of the checkpoints."""
    return _path("TRAINYARD_PERSIST")


def resume_from() -> Path | None:
    """The newest whole checkpoint of the runs before this one, as the yard found it; None: begin anew."""
    return _path("TRAINYARD_RESUME_FROM")


def is_restart() -> bool:
    """Whether an earlier run of this job was cut short."""
    restarts = _whole(os.environ.get("TRAINYARD_RESTARTS"))
    if restarts is None:
        restarts = _whole(os.environ.get("SLURM_RESTART_COUNT"))
    if restarts is None:
        restarts = _whole(os.environ.get("RESTARTED"))
    return restarts is not None and restarts > 0


def ends_at() -> float | None:
    """When the job's time limit ends it, in seconds since 1970; None: nobody knows of a limit."""
    for name in ("TRAINYARD_ENDS_AT", "SLURM_JOB_END_TIME"):
        try:
            seconds = float(os.environ.get(name, ""))
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds > 0:
            return seconds
    return None


def requeue_exit() -> int | None:
    """The exit code with which a job asks to be queued again."""
    code = _whole(os.environ.get("TRAINYARD_REQUEUE_EXIT"))
    return code if code is not None and 1 <= code <= 255 else None


def group_name() -> str:
    """Tells apart groups of ranks that share a run of a job: its steps, and what torchrun starts again."""
    step = os.environ.get("TRAINYARD_STEP") or os.environ.get("SLURM_STEP_ID") or "batch"
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT") or "0"
    return "".join(letter if letter.isalnum() else "_" for letter in f"{step}-{restart}")


def _path(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value) if value else None


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
