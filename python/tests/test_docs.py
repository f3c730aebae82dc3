"""The examples of docs/python.md run as they are written, where a yard shares out GPUs."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest

from gpu_case import GpuCase
from surroundings import PACKAGE, PATIENCE_SECONDS

PAGE = PACKAGE.parent / "docs" / "python.md"


@unittest.skipUnless(PAGE.exists(), "the page does not come with the package")
class Examples(GpuCase):
    def test_each_of_them(self) -> None:
        examples = re.findall(
            r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        self.assertGreater(len(examples), 3)
        for number, example in enumerate(examples):
            with self.subTest(example):
                compile(example, "example", "exec")
                if "import torch" in example:
                    continue
                directory = self.directory / str(number)
                directory.mkdir()
                ended = subprocess.run(
                    [sys.executable, "-W", "error", "-c", example],
                    cwd=directory,
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE_SECONDS,
                )
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
