"""Where the yard is looked for that shares out GPUs. It reads the file `socket` of each place; it talks to none.

  1. TRAINYARD_GLB_DIR, and then nothing else.
  2. The balancer of the batch job that this runs in, when it has one: job-YARD-17, slurm-17 or sge-17 in
     /tmp/trainyard-glb-UID.
  3. Where every yard is looked for (src/client/places.ts): TRAINYARD_DIR and then nothing else, or trainyard in the
     state directory of the user, /var/tmp/trainyard-UID, /tmp/trainyard-UID.

Anybody may put a directory into /tmp: one that is not ours does not count.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import NamedTuple

# What the kernel takes as the path of a unix socket.
_MAX_PATH_BYTES = 107


class Place(NamedTuple):
    path: str
    # Others may write beside it: whose it is has to be looked at.
    is_shared: bool


class Places(NamedTuple):
    places: tuple[Place, ...]
    # A job of a yard that has GPUs to itself: where nobody shares them out, all of them are the program's.
    has_own_gpus: bool


def places_in(environ: Mapping[str, str]) -> Places:
    named = environ.get("TRAINYARD_GLB_DIR")
    if named:
        return Places((Place(os.path.abspath(named), False),), False)
    job = environ.get("TRAINYARD_JOB_ID")
    if job and environ.get("CUDA_VISIBLE_DEVICES"):
        # Two yards of one machine have jobs of the same number.
        yard = environ.get("TRAINYARD_YARD")
        return Places((_of_batch_job(f"job-{os.path.basename(yard)}" if yard else "job", job),), True)
    own: tuple[Place, ...] = ()
    if not job and environ.get("SLURM_JOB_ID"):
        own = (_of_batch_job("slurm", environ["SLURM_JOB_ID"]),)
    elif not job and environ.get("JOB_ID") and environ.get("SGE_ROOT"):
        own = (_of_batch_job("sge", environ["JOB_ID"]),)
    return Places(own + _usual(environ), False)


def socket_path_in(place: Place) -> str | None:
    """The socket that the directory points to; None: nothing there that could be trusted."""
    try:
        if place.is_shared and not _are_all_ours(place.path):
            return None
        pointer = os.path.join(place.path, "socket")
        with open(pointer, encoding="utf-8", errors="surrogateescape") as file:
            path = file.read().strip()
        if not 0 < len(os.fsencode(path)) <= _MAX_PATH_BYTES:
            return None
        owners = {os.lstat(pointer).st_uid, os.lstat(path).st_uid}
    except OSError:
        return None
    return path if not place.is_shared or owners <= {os.geteuid(), 0} else None


def _usual(environ: Mapping[str, str]) -> tuple[Place, ...]:
    named = environ.get("TRAINYARD_DIR")
    if named:
        return (Place(os.path.abspath(named), False),)
    uid = os.geteuid()
    places = (Place(f"/var/tmp/trainyard-{uid}", True), Place(f"/tmp/trainyard-{uid}", True))
    state = environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        home = environ.get("HOME", "")
        state = f"{home}/.local/state" if home.startswith("/") else ""
    return (Place(f"{state}/trainyard", False), *places) if state else places


def _of_batch_job(system: str, job: str) -> Place:
    # A number is all that such a name has in practice; nobody's variable leads anywhere else.
    return Place(f"/tmp/trainyard-glb-{os.geteuid()}/{system}-{os.path.basename(job)}", True)


def _are_all_ours(path: str) -> bool:
    """The directory, and what it is in when that has our name as well: /tmp/trainyard-glb-UID."""
    parent = os.path.dirname(path)
    ours = [path] if parent in ("/tmp", "/var/tmp") else [parent, path]
    facts = [os.lstat(each) for each in ours]
    return all(stat.S_ISDIR(fact.st_mode) and fact.st_uid == os.geteuid() for fact in facts)
