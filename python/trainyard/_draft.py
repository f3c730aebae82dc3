"""A path that is a file as well, so that any function that saves or loads can be given it.

torch.save takes a path or a file, pickle.dump a file, numpy.savez a file or a path that it adds to, and what writes a
directory makes it. The file is opened when it is first used as one. What is saved lands in a draft beside the
checkpoint, and is put in its place when it is whole.
"""

from __future__ import annotations

import os
from pathlib import PosixPath
from typing import IO


class _FilePath(PosixPath):
    _opened: IO[bytes] | None = None
    _mode = "rb"

    def file(self) -> IO[bytes]:
        if self._opened is None:
            self._opened = open(self, self._mode)
        return self._opened

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def __del__(self) -> None:
        # Not earlier: what was loaded may read on, as an archive of numpy does.
        self.close()

    def read(self, size: int = -1) -> bytes:
        return self.file().read(size)

    def readline(self, size: int = -1) -> bytes:
        return self.file().readline(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.file().seek(offset, whence)

    def tell(self) -> int:
        return self.file().tell()

    def fileno(self) -> int:
        return self.file().fileno()

    def seekable(self) -> bool:
        return True


class Draft(_FilePath):
    _mode = "w+b"

    def write(self, data: bytes | bytearray | memoryview | str) -> int:
        return self.file().write(data.encode() if isinstance(data, str) else data)

    def flush(self) -> None:
        self.file().flush()

    def truncate(self, size: int | None = None) -> int:
        return self.file().truncate(size)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True


class Source(_FilePath):
    def readinto(self, buffer: bytearray | memoryview) -> int:
        data = self.file().read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False
