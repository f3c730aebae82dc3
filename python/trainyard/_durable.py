"""Files and directories that survive a power cut: what is done to them, and to the directory that names them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

_CHUNK_BYTES = 1 << 20


def make_durable(path: Path) -> None:
    """A file, or a directory with all that is in it."""
    if path.is_symlink():
        return
    if path.is_dir():
        for entry in path.iterdir():
            make_durable(entry)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remember_names(directory: Path) -> None:
    """What was renamed or removed in it stays so."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Whatever it is; nothing, when it is gone already."""
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def sum_of(path: Path) -> str:
    """The SHA-256 of a file; for a directory, that of the names and the sums of all that is in it."""
    total = hashlib.sha256()
    if path.is_symlink():
        total.update(os.fsencode(os.readlink(path)))
    elif path.is_dir():
        for entry in sorted(path.iterdir(), key=lambda each: os.fsencode(each.name)):
            total.update(os.fsencode(entry.name) + b"\0" + sum_of(entry).encode())
    else:
        buffer = bytearray(_CHUNK_BYTES)
        window = memoryview(buffer)
        with open(path, "rb", buffering=0) as file:
            while True:
                size = file.readinto(buffer)
                if not size:
                    break
                total.update(window[:size])
    return total.hexdigest()


def size_of(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(size_of(entry) for entry in path.iterdir())
    return path.lstat().st_size
