"""Where the yard of a directory listens, and whether that can be trusted.

The rule is written down in src/client/places.ts, the form of the file `socket` in src/model/socket-pointer.ts. The
directory is opened once and everything is read through that descriptor. Who really listens is asked of the kernel when
there is a connection (_wire.py).
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

# What the kernel takes as the path of a unix socket.
_MAX_PATH_BYTES = 107
_MAX_POINTER_BYTES = 4096
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Address(NamedTuple):
    path: str
    # Whoever else listens there is sent nothing.
    listeners: frozenset[int]


class Untrusted(Exception):
    """Others than this user and root may have filled the directory."""


def address_in(directory: str, is_shared: bool, is_named: bool) -> Address | None:
    """None: there is no yard. Raises Untrusted, with what is wrong with the directory.

    In a shared directory a link does not count: anybody could have put it there.
    """
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | (os.O_NOFOLLOW if is_shared else 0)
    try:
        opened = os.open(directory, flags)
    except OSError:
        return None
    try:
        facts = os.fstat(opened)
        listeners = {os.geteuid(), 0}
        if is_named and not is_shared and os.geteuid() == 0:
            # Root may name the directory of anybody, and then talks to its owner.
            listeners.add(facts.st_uid)
        if facts.st_uid not in listeners:
            raise Untrusted(f"{directory} belongs to another user ({facts.st_uid})")
        if facts.st_mode & _WRITABLE_BY_OTHERS:
            raise Untrusted(f"other users may write to {directory}")
        path = _read(opened, facts, listeners)
    except OSError:
        return None
    finally:
        os.close(opened)
    return None if path is None else Address(path, frozenset(listeners))


def _read(directory: int, facts: os.stat_result, owners: set[int]) -> str | None:
    # A fifo, a link or a device in the place of the file makes nobody wait.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open("socket", flags, dir_fd=directory)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in owners or found.st_mode & _WRITABLE_BY_OTHERS:
            return None
        lines = os.read(file, _MAX_POINTER_BYTES).split(b"\n")
    finally:
        os.close(file)
    path, written_for = lines[0], lines[1] if len(lines) > 1 else b""
    if not path.startswith(b"/") or b"\0" in path or len(path) > _MAX_PATH_BYTES:
        return None
    # A pointer that was written for another directory has been copied along with it.
    if written_for not in (b"", f"{facts.st_dev} {facts.st_ino}".encode()):
        return None
    return os.fsdecode(path)
