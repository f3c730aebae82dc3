"""Claims on simulated GPUs, as files: `<directory>/<index>/<pid>` says `bytes load start-ticks`.

The yard reads them as it would ask a driver what its processes use. A claim counts for as long as the process lives
that made it; when that started is in it because numbers of processes come again. Who changes claims of a device holds
its lock.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_NAME = re.compile(r"([1-9]\d*)(?:\.\d+)?")


class Claimed(NamedTuple):
    memory_bytes: int
    load: float


def size_of_device(directory: Path, index: int) -> int:
    """In bytes. Raises LookupError when there is no such device."""
    try:
        lines = (directory / "devices").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise LookupError(f"{directory} is no directory of simulated GPUs: {error}") from error
    for line in lines:
        words = line.split()
        if len(words) >= 2 and words[0] == str(index) and words[1].isdigit():
            return int(words[1])
    raise LookupError(f"there is no simulated GPU {index} in {directory}")


@contextmanager
def locked(device: Path) -> Iterator[None]:
    os.makedirs(device, exist_ok=True)
    descriptor = os.open(device / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def live_claims(device: Path) -> dict[str, Claimed]:
    """By file name. Those of processes that have ended do not count."""
    try:
        names = os.listdir(device)
    except OSError:
        return {}
    found = {name: _live_claim(device, name) for name in names}
    return {name: claimed for name, claimed in found.items() if claimed is not None}


def write_claim(device: Path, name: str, claimed: Claimed) -> None:
    """There is at every instant a whole file under that name, or none."""
    draft = device / f".{name}.draft"
    line = f"{claimed.memory_bytes} {round(claimed.load)} {start_ticks(os.getpid())}\n"
    draft.write_text(line, encoding="ascii")
    os.replace(draft, device / name)


def start_ticks(pid: int) -> int | None:
    """When a process started, since the machine did; None: it has ended, even if nobody has noted that yet."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name of the program comes second and may contain anything; what follows it does not.
    fields = text.rpartition(")")[2].split()
    return None if len(fields) < 20 or fields[0] in "ZX" else int(fields[19])


def _live_claim(device: Path, name: str) -> Claimed | None:
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        memory_bytes, load, ticks = (device / name).read_text(encoding="ascii").split()
        claimed = Claimed(int(memory_bytes), float(load))
        return claimed if start_ticks(int(match[1])) == int(ticks) else None
    except (OSError, ValueError):
        return None
