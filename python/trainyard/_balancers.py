"""Where the yard is looked for that shares out GPUs. It talks to none.

  1. TRAINYARD_GLB_DIR, and then nothing else.
  2. The balancer of the batch job that this runs in, when it has one: job-YARD-17, slurm-17 or sge-17 in
     /tmp/trainyard-glb-UID.
  3. Where every yard is looked for (src/client/places.ts): TRAINYARD_DIR and then nothing else, or trainyard in the
     state directory of the user, /var/tmp/trainyard-UID, /tmp/trainyard-UID.

Anybody may put a directory into /tmp: which ones count is decided in _pointer.py.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import NamedTuple

from trainyard._pointer import Address, Untrusted, address_in


class Place(NamedTuple):
    path: str
    # Others may write beside it: a link there may be anybody's.
    is_shared: bool
    # Somebody said that it is to be this one.
    is_named: bool = False


class Places(NamedTuple):
    places: tuple[Place, ...]
    # A job of a yard that has GPUs to itself: where nobody shares them out, all of them are the program's.
    has_own_gpus: bool


def places_in(environ: Mapping[str, str]) -> Places:
    named = environ.get("TRAINYARD_GLB_DIR")
    if named:
        return Places((Place(os.path.abspath(named), False, is_named=True),), False)
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


def address_of(place: Place) -> Address | None:
    """Where the yard of this place listens; None: there is none. Raises Untrusted."""
    if place.is_shared:
        _require_own_parent(place.path)
    return address_in(place.path, is_shared=place.is_shared, is_named=place.is_named)


def _usual(environ: Mapping[str, str]) -> tuple[Place, ...]:
    named = environ.get("TRAINYARD_DIR")
    if named:
        return (Place(os.path.abspath(named), False, is_named=True),)
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


def _require_own_parent(path: str) -> None:
    """What it is in, when that has our name as well: /tmp/trainyard-glb-UID. Raises Untrusted."""
    parent = os.path.dirname(path)
    if parent in ("/tmp", "/var/tmp"):
        return
    try:
        facts = os.lstat(parent)
    except OSError:
        return
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
        raise Untrusted(f"{parent} belongs to another user ({facts.st_uid}), or is a link")
