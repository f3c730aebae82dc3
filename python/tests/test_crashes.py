"""Whatever ends a trainer while it saves, and whatever the disk says: there is a whole checkpoint to resume from."""

from __future__ import annotations

import errno
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import unittest
from pathlib import Path
from types import FrameType
from typing import Any, Callable
from unittest import mock

from surroundings import TestCase, end_of, forget_locks, fork

from trainyard import Checkpointer

# Those that change nothing on disk: being killed before one of them is like being killed before the next.
HARMLESS = {"stat", "lstat", "listdir", "scandir", "readlink", "getpid", "fspath", "fstat", "fsync", "close"}


def killed_at_call(number: int) -> Callable[[FrameType, str, Any], None]:
    """Ends this process, as kill -9 does, before the so-manieth call that may change something on disk."""
    left = [number]

    def profile(_frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call" or called.__name__ in HARMLESS:
            return
        owner = called.__module__ or type(called.__self__).__module__
        if owner in ("posix", "_io", "io", "fcntl", "_pickle"):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return profile


def payload(step: int, size: int = 4096) -> dict[str, Any]:
    return {"step": step, "bytes": random.Random(step).randbytes(size) if size else b""}


def save_directory(state: Any, path: Path) -> None:
    path.mkdir()
    for number in range(2):
        (path / str(number)).write_text(f"{state['step']}")


def load_directory(path: Path) -> Any:
    steps = {int((path / str(number)).read_text()) for number in range(2)}
    return {"step": steps.pop() if len(steps) == 1 else None}


class Crash(TestCase):
    def setUp(self) -> None:
        super().setUp()
        # A process that is killed leaves what it has written, on disk or not.
        quick = mock.patch("os.fsync")
        quick.start()
        self.addCleanup(quick.stop)

    def check_every_call(self, step: int, **options: Any) -> None:
        """Two steps are there; a process is killed before each call in turn while it saves this one."""
        for call in range(1, 10_000):
            directory = self.directory / str(call)

            def checkpointer(directory: Path = directory) -> Checkpointer:
                return Checkpointer(directory, keep=2, **options)

            def save(call: int = call) -> None:
                trainer = checkpointer()
                sys.setprofile(killed_at_call(call))
                # Not the same bytes as before, where the step was there already.
                trainer.save({**payload(step), "again": True}, step, metric=0)
                trainer.close()

            for earlier in (1, 2):
                checkpointer().save(payload(earlier), earlier, metric=earlier)
            forget_locks()
            end = end_of(fork(save))
            self.check_resuming(checkpointer(), step, end == 0)
            shutil.rmtree(directory)
            if end == 0:
                self.assertGreater(call, 15, "the calls are no longer counted")
                break
            self.assertEqual(end, -signal.SIGKILL)

    def check_resuming(self, checkpointer: Checkpointer, step: int, is_saved: bool) -> None:
        found = checkpointer.resume()
        assert found is not None
        self.assertEqual(found[0]["step"], found[1])
        self.assertIn(found[1], (step,) if is_saved else (step, 2))
        checkpointer.save(payload(found[1] + 1), found[1] + 1)
        forget_locks()
        names = os.listdir(checkpointer.directory)
        # What the killed one left behind is gone, and nothing was taken for damaged.
        self.assertFalse([each for each in names if re.search("draft|replaced|damaged", each)])
        self.assertLessEqual(len(checkpointer.steps()), 3)

    def test_killed_at_any_call_a_file(self) -> None:
        self.check_every_call(step=3)

    def test_killed_at_any_call_with_the_best_kept(self) -> None:
        self.check_every_call(step=3, best="min")

    def test_killed_at_any_call_while_a_file_is_replaced(self) -> None:
        self.check_every_call(step=2)

    def test_killed_at_any_call_while_a_directory_is_replaced(self) -> None:
        self.check_every_call(step=2, save=save_directory, load=load_directory)

    def test_killed_at_any_moment_while_it_saves_one_after_another(self) -> None:
        chance = random.Random(3)
        reached = 0
        for _ in range(60):
            steps = os.pipe()

            def run(steps: tuple[int, int] = steps) -> None:
                checkpointer = Checkpointer(self.directory, keep=2, background=chance.random() < 0.5)
                found = checkpointer.resume()
                step = 0 if found is None else found[1]
                while True:
                    step += 1
                    checkpointer.save(payload(step, 1 << 20), step)
                    checkpointer.wait()
                    os.write(steps[1], step.to_bytes(4, "big"))

            pid = fork(run)
            os.close(steps[1])
            for _ in range(chance.randrange(3)):
                reached = int.from_bytes(os.read(steps[0], 4), "big")
            moment = time.perf_counter() + chance.random() / 100
            while time.perf_counter() < moment:
                pass
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(end_of(pid), -signal.SIGKILL)
            for told in iter(lambda: os.read(steps[0], 4), b""):  # noqa: B023
                reached = int.from_bytes(told, "big")
            os.close(steps[0])
            found = Checkpointer(self.directory).resume()
            forget_locks()
            if reached > 0:
                assert found is not None
                self.assertGreaterEqual(found[1], reached)
                self.assertEqual(found[0], payload(found[1], 1 << 20))
        self.assertGreater(reached, 10)


class DiskFull(TestCase):
    def saved_with_little_room(self, background: bool) -> None:
        def run() -> int:
            checkpointer = Checkpointer(self.directory, background=background)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))
            for step in (2, 3):
                try:
                    checkpointer.save(payload(step, 1 << 16), step)
                    checkpointer.wait()
                except OSError as error:
                    if error.errno != errno.EFBIG:
                        return 1
                else:
                    return 2
            # There is room for this one: nothing stands in its way.
            checkpointer.save(payload(4, 16), 4)
            checkpointer.wait()
            return 0

        Checkpointer(self.directory).save(payload(1), 1)
        forget_locks()
        self.assertEqual(end_of(fork(run)), 0)
        names = [each for each in os.listdir(self.directory) if not each.startswith(".")]
        self.assertEqual(sorted(names), ["step-00000001.ckpt", "step-00000004.ckpt"])
        self.assertFalse([each for each in os.listdir(self.directory) if each.startswith(".draft")])
        self.assertEqual(Checkpointer(self.directory).resume(), (payload(4, 16), 4))

    def test_the_old_checkpoints_stay_and_the_error_is_told(self) -> None:
        self.saved_with_little_room(background=False)

    def test_in_the_background_too(self) -> None:
        self.saved_with_little_room(background=True)

    def test_an_index_that_cannot_be_written_costs_no_checkpoint(self) -> None:
        checkpointer = Checkpointer(self.directory)
        checkpointer.save("first", 1)
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch("pathlib.Path.write_text", side_effect=full), self.assertRaises(OSError):
            checkpointer.save("second", 1)
        self.assertEqual(checkpointer.resume(), ("first", 1))


if __name__ == "__main__":
    unittest.main()
