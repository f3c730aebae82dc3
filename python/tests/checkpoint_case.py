"""What tests of checkpoints have in common."""

from __future__ import annotations

import os
import warnings
from typing import Any

from surroundings import TestCase

from trainyard import Checkpointer


class Case(TestCase):
    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("error")
        self.addCleanup(warnings.resetwarnings)

    def checkpointer(self, **options: Any) -> Checkpointer:
        made = Checkpointer(options.pop("directory", self.directory / "kept"), **options)
        self.addCleanup(made.close)
        return made

    def names(self, directory: str = "kept") -> list[str]:
        """What others see there."""
        return sorted(each for each in os.listdir(self.directory / directory) if not each.startswith("."))

    def spoil(self, name: str, directory: str = "kept") -> None:
        path = self.directory / directory / name
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
