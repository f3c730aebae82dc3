"""What the yard reads of a trainer's progress."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unittest
from typing import Any
from unittest import mock

from surroundings import TestCase, end_of, fork

from trainyard.progress import progress

told_module = sys.modules["trainyard.progress"]


class Progress(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.attempt = self.directory / "attempt"
        os.environ["TRAINYARD_ATTEMPT_DIR"] = str(self.attempt)
        fresh = mock.patch.object(told_module, "_told", told_module._Told())
        fresh.start()
        self.addCleanup(fresh.stop)

    def told(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.attempt / "progress.json").read_bytes())
        return read

    def numbers(self) -> list[Any]:
        return [self.told()[field] for field in ("step", "steps", "epoch", "loss")]

    def test_it_is_a_small_file_of_the_run(self) -> None:
        progress(step=10, steps=1000, epoch=2, loss=0.25)
        self.assertEqual(self.numbers(), [10, 1000, 2, 0.25])
        self.assertLess(abs(self.told()["at"] - time.time()), 3600)
        self.assertEqual(self.attempt.stat().st_mode & 0o777, 0o700)
        self.assertEqual(os.listdir(self.attempt), ["progress.json"])

    def test_what_is_not_given_stays(self) -> None:
        with mock.patch.object(told_module, "_SHORTEST_PAUSE_SECONDS", 0):
            progress(steps=50)
            progress(step=1)
            progress(step=2, loss=0.5)
        self.assertEqual(self.numbers(), [2, 50, None, 0.5])

    def test_it_is_not_written_more_often_than_anybody_looks(self) -> None:
        with mock.patch.object(told_module, "_SHORTEST_PAUSE_SECONDS", 3600):
            for step in range(1000):
                progress(step=step)
        self.assertEqual(self.told()["step"], 0)
        told_module._write_last()
        self.assertEqual(self.told()["step"], 999)

    def test_the_last_is_written_when_the_program_ends(self) -> None:
        script = (
            "from trainyard import progress\nfor step in range(100): progress(step=step)\nraise SystemExit(3)"
        )
        self.assertEqual(subprocess.run([sys.executable, "-c", script], check=False).returncode, 3)
        self.assertEqual(self.told()["step"], 99)

    def test_a_number_may_be_anything_that_is_one(self) -> None:
        class Loss:
            """As a tensor: it is asked for its number, apart from what it was computed from."""

            def detach(self) -> Loss:
                return self

            def __float__(self) -> float:
                return 0.125

        progress(step=True, loss=Loss())
        self.assertEqual(self.numbers(), [1, None, None, 0.125])
        self.assertEqual(self.told()["step"], 1)

    def test_a_loss_that_has_gone_wrong_is_none(self) -> None:
        for wrong in (float("nan"), float("inf"), "much", object()):
            with self.subTest(str(wrong)), mock.patch.object(told_module, "_SHORTEST_PAUSE_SECONDS", 0):
                progress(step=1, loss=wrong)  # type: ignore[arg-type]
                self.assertEqual(self.numbers(), [1, None, None, None])

    def test_training_is_never_disturbed(self) -> None:
        self.attempt.write_text("in the way")
        progress(step=1)
        self.assertEqual(self.attempt.read_text(), "in the way")
        del os.environ["TRAINYARD_ATTEMPT_DIR"]
        progress(step=2)

    def test_only_rank_0_speaks(self) -> None:
        os.environ.update(TRAINYARD_RANK="1", TRAINYARD_RANKS="2")
        progress(step=1)
        self.assertFalse(self.attempt.exists())

    def test_a_forked_worker_does_not_repeat_what_its_parent_said(self) -> None:
        with mock.patch.object(told_module, "_SHORTEST_PAUSE_SECONDS", 3600):
            progress(step=1)
            progress(step=2)
        self.assertEqual(end_of(fork(told_module._write_last)), 0)
        self.assertEqual(self.told()["step"], 1)


if __name__ == "__main__":
    unittest.main()
