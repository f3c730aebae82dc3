"""Saving in the background: training waits for a copy in memory, and nothing that was saved is lost without a word."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
import unittest
from typing import Any

from surroundings import PATIENCE_SECONDS, TestCase, end_of, fork

from trainyard import Checkpointer


class Gate:
    """A function that saves, and stands still until it is let on."""

    def __init__(self) -> None:
        self.arrived = threading.Semaphore(0)
        self.open = threading.Semaphore(0)
        self.seen: list[Any] = []

    def save(self, state: Any, file: Any) -> None:
        self.arrived.release()
        if not self.open.acquire(timeout=PATIENCE_SECONDS):
            raise TimeoutError
        self.seen.append(state["step"])
        pickle.dump(state, file)


class Background(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.gate = Gate()

    def checkpointer(self, **options: Any) -> Checkpointer:
        options = {"save": self.gate.save, "load": pickle.load, "background": True, "keep": None, **options}
        made = Checkpointer(self.directory, **options)
        self.addCleanup(made.close)
        return made

    def let_all_on(self, checkpointer: Checkpointer) -> list[int]:
        self.gate.open.release(100)
        checkpointer.wait()
        return self.gate.seen

    def test_training_goes_on_while_it_is_written(self) -> None:
        checkpointer = self.checkpointer()
        state = {"step": 1, "weights": bytearray(b"one"), "nested": [{"a": [1.0]}]}
        checkpointer.save(state, 1)
        self.gate.arrived.acquire()
        self.assertEqual(checkpointer.steps(), [])
        state["weights"][:] = b"two"  # type: ignore[index]
        state["nested"][0]["a"][0] = 2.0  # type: ignore[index]
        state["step"] = 2
        self.let_all_on(checkpointer)
        self.assertEqual(
            checkpointer.resume(), ({"step": 1, "weights": bytearray(b"one"), "nested": [{"a": [1.0]}]}, 1)
        )

    def test_of_those_that_wait_the_newest_wins(self) -> None:
        checkpointer = self.checkpointer()
        checkpointer.save({"step": 1}, 1)
        self.gate.arrived.acquire()
        for step in (2, 3, 4):
            checkpointer.save({"step": step}, step)
        self.assertEqual(self.let_all_on(checkpointer), [1, 4])
        self.assertEqual(checkpointer.steps(), [4, 1])

    def test_the_best_is_not_replaced_before_it_is_written(self) -> None:
        checkpointer = self.checkpointer(best="min")
        checkpointer.save({"step": 1}, 1, metric=5)
        self.gate.arrived.acquire()
        checkpointer.save({"step": 2}, 2, metric=1)
        later = threading.Thread(target=checkpointer.save, args=({"step": 3}, 3, 9))
        later.start()
        self.gate.open.release()
        self.gate.arrived.acquire()  # the best is being written, so there is room for another
        later.join(PATIENCE_SECONDS)
        self.assertFalse(later.is_alive())
        self.assertEqual(self.let_all_on(checkpointer), [1, 2, 3])

    def test_an_error_is_raised_by_the_next_call_which_still_saves(self) -> None:
        def save(state: Any, file: Any) -> None:
            if state == "bad":
                raise OSError("no room")
            pickle.dump(state, file)

        checkpointer = self.checkpointer(save=save)
        checkpointer.save("bad", 1)
        checkpointer._writer.wait()  # type: ignore[union-attr]
        with self.assertRaisesRegex(OSError, "no room"):
            checkpointer.save("good", 2)
        checkpointer.wait()
        self.assertEqual(checkpointer.resume(), ("good", 2))
        checkpointer.save("bad", 3)
        with self.assertRaisesRegex(OSError, "no room"):
            checkpointer.close()
        self.assertEqual(checkpointer.resume(), ("good", 2))

    def test_closed_it_has_no_thread_and_can_be_used_again(self) -> None:
        self.gate.open.release(100)
        before = threading.active_count()
        for step in (1, 2):
            with self.checkpointer() as checkpointer:
                checkpointer.save({"step": step}, step)
        patience = time.monotonic() + PATIENCE_SECONDS
        while threading.active_count() > before and time.monotonic() < patience:
            time.sleep(0.001)
        self.assertEqual(threading.active_count(), before)
        self.assertEqual(checkpointer.steps(), [2, 1])

    def test_a_copy_of_ones_own(self) -> None:
        copied: list[Any] = []

        def copy(state: Any) -> Any:
            copied.append(state)
            return {"step": 10}

        checkpointer = self.checkpointer(copy=copy)
        checkpointer.save({"step": 1}, 1)
        self.assertEqual(self.let_all_on(checkpointer), [10])
        self.assertEqual(copied, [{"step": 1}])

    def test_a_rank_that_does_not_save_copies_nothing(self) -> None:
        checkpointer = self.checkpointer(copy=lambda _state: self.fail("copied"), rank=1, ranks=2)
        self.assertIsNone(checkpointer.save({"step": 1}, 1))


class AtTheEnd(TestCase):
    def run_script(self, script: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", f"from trainyard import Checkpointer\n{script}"]
        return subprocess.run(
            command, cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE_SECONDS
        )

    def test_a_program_that_ends_writes_what_waits(self) -> None:
        for number, end in enumerate(("", "raise SystemExit(3)", "raise ValueError('training failed')")):
            with self.subTest(end):
                directory = self.directory / str(number)
                ended = self.run_script(
                    f"checkpointer = Checkpointer({str(directory)!r}, background=True)\n"
                    f"for step in range(50): checkpointer.save(bytearray(100_000), step)\n{end}\n"
                )
                self.assertEqual(ended.returncode, (0, 3, 1)[number], ended.stderr)
                self.assertEqual(Checkpointer(directory).resume(), (bytearray(100_000), 49))

    def test_an_error_that_nobody_asked_for_is_written_down(self) -> None:
        ended = self.run_script("Checkpointer('kept', background=True).__class__\n")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        (self.directory / "file").touch()
        ended = self.run_script("kept = Checkpointer('file', background=True); kept.save(1, 1)\n")
        self.assertIn("a checkpoint could not be written", ended.stderr)
        self.assertIn("FileExistsError", ended.stderr)

    def test_a_forked_child_does_not_wait_for_its_parents_thread(self) -> None:
        gate = Gate()
        checkpointer = Checkpointer(self.directory, save=gate.save, background=True)
        checkpointer.save({"step": 1}, 1)
        gate.arrived.acquire()
        self.assertEqual(end_of(fork(checkpointer.wait)), 0)
        gate.open.release()
        checkpointer.close()
        self.assertEqual(checkpointer.steps(), [1])


if __name__ == "__main__":
    unittest.main()
