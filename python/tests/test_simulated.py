"""Claims on simulated GPUs: what is written, what fits, whose still count, and how long work takes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from surroundings import PATIENCE_SECONDS, TestCase, end_of, fork

from trainyard import simulated
from trainyard._claims import live_claims, start_ticks
from trainyard._sizes import bytes_in, size_of
from trainyard.simulated import OutOfDeviceMemory, claim, work

GIB = 1 << 30


class SimulatedCase(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.gpus = self.directory / "gpus"
        for index in (0, 1):
            (self.gpus / str(index)).mkdir(parents=True)
        (self.gpus / "devices").write_text(f"0 {4 * GIB} simulated\n1 {2 * GIB} simulated\n")
        os.environ.update(TRAINYARD_SIMULATED_GPUS=str(self.gpus), CUDA_VISIBLE_DEVICES="0")

    def files(self, index: int = 0) -> dict[str, str]:
        shown = (path for path in (self.gpus / str(index)).iterdir() if not path.name.startswith("."))
        return {path.name: path.read_text() for path in shown}


class Claims(SimulatedCase):
    def test_a_claim_is_a_file_of_its_process(self) -> None:
        ticks = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        pid = os.getpid()
        with claim(memory="1.5G", load=20) as held:
            self.assertEqual(self.files(), {str(pid): f"{3 * GIB // 2} 20 {ticks}\n"})
            with claim(memory="1G"):
                self.assertEqual(set(self.files()), {str(pid), f"{pid}.1"})
                self.assertEqual(self.files()[f"{pid}.1"], f"{GIB} 0 {ticks}\n")
            held.resize("2G")
            self.assertEqual(self.files(), {str(pid): f"{2 * GIB} 20 {ticks}\n"})
            held.resize(load=50)
            self.assertEqual(self.files(), {str(pid): f"{2 * GIB} 50 {ticks}\n"})
        self.assertEqual(self.files(), {})
        held.release()
        with self.assertRaisesRegex(ValueError, "released"):
            held.resize("1G")

    def test_what_does_not_fit_changes_nothing(self) -> None:
        with claim("3G") as held:
            before = self.files()
            with self.assertRaisesRegex(
                OutOfDeviceMemory, "GPU 0 has 4.0G, .* claimed 3.0G: 1.5G do not fit"
            ):
                claim("1.5G")
            self.assertEqual(self.files(), before)
            with self.assertRaises(OutOfDeviceMemory):
                held.resize("4.1G", load=5)
            self.assertEqual((self.files(), held.memory_bytes, held.load), (before, 3 * GIB, 0))
            with claim("1G"):
                self.assertEqual(len(self.files()), 2)
            held.resize("4G")

    def test_the_error_has_its_name_in_a_traceback(self) -> None:
        script = "from trainyard.simulated import claim\nclaim('9G')"
        told = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        self.assertEqual(told.returncode, 1)
        self.assertIn("\ntrainyard.simulated.OutOfDeviceMemory: GPU 0 has 4.0G", told.stderr)

    def test_devices_are_those_that_can_be_seen(self) -> None:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1,0"
        with claim("1G"), claim("1G", index=1):
            self.assertEqual((len(self.files(1)), len(self.files(0))), (1, 1))
        with self.assertRaisesRegex(LookupError, "no device 2"):
            claim("1G", index=2)
        os.environ["CUDA_VISIBLE_DEVICES"] = "7"
        with self.assertRaisesRegex(LookupError, "no simulated GPU 7"):
            claim("1G")
        del os.environ["CUDA_VISIBLE_DEVICES"]
        with claim("1G", index=1):
            self.assertEqual(len(self.files(1)), 1)

    def test_claims_of_the_dead_do_not_count(self) -> None:
        def leave_one() -> int:
            claim("3G")
            return 0

        pid = fork(leave_one)
        self.assertEqual(end_of(pid), 0)
        self.assertEqual(list(self.files()), [str(pid)])
        with claim("4G"):
            pass
        # Nor those of somebody who had our number before us, nor what is no claim at all.
        (self.gpus / "0" / f"{os.getpid()}").write_text(f"{4 * GIB} 100 1\n")
        (self.gpus / "0" / f"{os.getpid()}.1").write_text("rubbish")
        (self.gpus / "0" / "README").write_text("hello")
        with claim("4G"):
            self.assertEqual(live_claims(self.gpus / "0").keys(), {str(os.getpid())})

    def test_nor_do_those_of_a_process_that_has_ended_and_was_not_waited_for(self) -> None:
        pid = fork(lambda: claim("3G").memory_bytes and 0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        self.assertIsNone(start_ticks(pid))
        with claim("4G"):
            pass
        end_of(pid)

    def test_a_child_does_not_release_the_claim_of_its_parent(self) -> None:
        with claim("1G") as held:
            self.assertEqual(end_of(fork(held.release)), 0)
            self.assertEqual(len(self.files()), 1)

    def test_two_processes_that_race_for_the_last_bytes(self) -> None:
        """However they meet, exactly one of them has it."""

        def race(start: int, done: int) -> int:
            os.read(start, 1)
            try:
                claim("3G")
            except OutOfDeviceMemory:
                return 1
            os.read(done, 1)
            return 0

        for _ in range(20):
            start, go = os.pipe()
            done, finish = os.pipe()
            pids = [fork(lambda: race(start, done)) for _ in range(2)]  # noqa: B023
            os.write(go, b"..")
            ended, status = os.waitpid(-1, 0)  # the one that has it waits
            self.assertEqual(os.WEXITSTATUS(status), 1)
            os.write(finish, b".")
            (other,) = set(pids) - {ended}
            self.assertEqual(end_of(other), 0)
            for descriptor in (start, go, done, finish):
                os.close(descriptor)


class Nothing(SimulatedCase):
    def test_without_simulated_gpus_nothing_is_done(self) -> None:
        for change in (
            {"TRAINYARD_SIMULATED_GPUS": ""},
            {"CUDA_VISIBLE_DEVICES": ""},
            {"CUDA_VISIBLE_DEVICES": "-1"},
        ):
            with self.subTest(change), mock.patch.dict(os.environ, change), claim("900G", load=20) as held:
                held.resize("1000G")
                work(1000)
                self.assertFalse(held.is_simulated)
                self.assertEqual(self.files(), {})

    def test_wrong_values_are_told_nevertheless(self) -> None:
        del os.environ["TRAINYARD_SIMULATED_GPUS"]
        for wrong in ("lots", "-1G", "1X", "", float("nan")):
            with self.assertRaisesRegex(ValueError, "not a size"):
                claim(wrong)
        with self.assertRaisesRegex(ValueError, "from 0 to 100"):
            claim("1G", load=101)

    def test_sizes(self) -> None:
        for text, count in (
            ("512", 512),
            ("1K", 1024),
            ("1.5m", 3 << 19),
            ("2GiB", 2 * GIB),
            (7, 7),
            (".5T", 512 * GIB),
        ):
            self.assertEqual(bytes_in(text), count)
        self.assertEqual([size_of(5), size_of(3 << 19), size_of(16 * GIB)], ["5 bytes", "1.5M", "16.0G"])


class Work(SimulatedCase):
    def took(self, seconds: float, **more: Any) -> float:
        """By a clock that only sleeping moves."""
        clock = [100.0]

        def sleep(length: float) -> None:
            clock[0] += length
            if "then" in more:
                more.pop("then")()

        fake = mock.Mock(monotonic=lambda: clock[0], sleep=sleep)
        with mock.patch.object(simulated, "time", fake):
            work(seconds)
        return clock[0] - 100

    def test_it_takes_its_time_where_there_is_room(self) -> None:
        with claim("1G", load=60), claim("1G", load=40):
            self.assertAlmostEqual(self.took(3), 3)
        self.assertAlmostEqual(self.took(0), 0)

    def test_and_longer_where_there_is_not(self) -> None:
        with claim("1G", load=100), claim("1G", load=50):
            self.assertAlmostEqual(self.took(2), 3)

    def test_until_others_have_left(self) -> None:
        with claim("1G", load=100):
            other = claim("1G", load=100)
            took = self.took(1, then=other.release)
            self.assertGreater(took, 1)
            self.assertLess(took, 1.2)


class Command(SimulatedCase):
    def run_it(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "trainyard.simulated", *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def test_it_holds_a_claim_while_the_command_runs(self) -> None:
        told = self.run_it(
            "--memory",
            "2G",
            "--load",
            "40",
            "--",
            "sh",
            "-c",
            'cat "$1"/[0-9]*; exit 3',
            "sh",
            str(self.gpus / "0"),
        )
        self.assertEqual((told.returncode, told.stderr), (3, ""))
        self.assertEqual(told.stdout.split()[:2], [str(2 * GIB), "40"])
        self.assertEqual(self.files(), {})

    def test_it_ends_as_the_command_does(self) -> None:
        self.assertEqual(self.run_it("--memory", "2G", "--", "sh", "-c", "kill -9 $$").returncode, 128 + 9)
        missing = self.run_it("--memory", "2G", "--", "./no-such-command")
        self.assertEqual(
            (missing.returncode, missing.stderr), (127, "./no-such-command: No such file or directory\n")
        )

    def test_some_seconds_of_work(self) -> None:
        self.assertEqual(self.run_it("--memory", "2G", "--seconds", "0.01").returncode, 0)
        del os.environ["TRAINYARD_SIMULATED_GPUS"]
        self.assertEqual(self.run_it("--memory", "2G", "--seconds", "0.01").returncode, 0)

    def test_what_does_not_fit_and_what_is_wrong(self) -> None:
        told = self.run_it("--memory", "5G", "--seconds", "1")
        self.assertEqual(told.returncode, 1)
        self.assertTrue(
            told.stderr.startswith("trainyard.simulated.OutOfDeviceMemory: GPU 0 has 4.0G"), told.stderr
        )
        self.assertEqual(self.run_it("--memory", "lots", "--seconds", "1").returncode, 2)
        self.assertEqual(self.run_it("--memory", "1G", "--seconds", "1", "--", "true").returncode, 2)

    def test_a_signal_is_passed_on(self) -> None:
        script = 'trap "exit 5" TERM; echo ready; while :; do sleep 0.01; done'
        process = subprocess.Popen(
            [sys.executable, "-m", "trainyard.simulated", "--memory", "1G", "--", "sh", "-c", script],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_SECONDS), 5)
        process.stdout.close()
        self.assertEqual(self.files(), {})

    def test_without_either_it_holds_until_it_is_ended(self) -> None:
        process = subprocess.Popen([sys.executable, "-m", "trainyard.simulated", "--memory", "1G"])
        self.addCleanup(process.kill)
        while not self.files():
            self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_SECONDS), 128 + signal.SIGTERM)
        self.assertEqual(self.files(), {})


if __name__ == "__main__":
    unittest.main()
