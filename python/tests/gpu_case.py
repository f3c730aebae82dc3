"""What tests about GPUs stand in: a fake yard, and warnings that are given each time anew."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

from fake_yard import FakeYard
from surroundings import PATIENCE_SECONDS, TestCase

from trainyard import _gpu_variables


class GpuCase(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.yard = FakeYard(self.directory / "yard")
        self.addCleanup(self.yard.die)
        os.environ["TRAINYARD_GLB_DIR"] = str(self.yard.directory)
        _gpu_variables._has_warned.clear()
        _gpu_variables._settled_on = None

    def program(self, text: str, name: str = "program.py") -> list[str]:
        """The command that runs it."""
        path = self.directory / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return [sys.executable, "-W", "error::ResourceWarning", str(path)]

    def run_program(self, text: str, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.program(text), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False, **more
        )

    def start_program(self, text: str, **more: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.program(text), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more
        )
        self.addCleanup(_end, process)
        return process


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
