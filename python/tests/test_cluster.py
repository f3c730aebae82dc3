"""Signals, the clock, the exit code: what a trainer on its own is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings
from unittest import mock

from surroundings import PATIENCE_SECONDS, TestCase, end_of, fork

from trainyard import ClusterStateManager, _saves


def send(number: int) -> None:
    os.kill(os.getpid(), number)


class Signals(TestCase):
    def test_without_any_training_runs_to_its_end_and_is_complete(self) -> None:
        with ClusterStateManager() as cluster:
            self.assertFalse(any(cluster.should_exit() for _ in range(1000)))
            self.assertIsNone(cluster.reason)
            self.assertIsNone(cluster.seconds_left)
        self.assertEqual(cluster.get_exit_code(), 0)

    def test_each_of_them_asks_to_leave_and_to_be_queued_again(self) -> None:
        for name in ("SIGTERM", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGXCPU"):
            with self.subTest(name), ClusterStateManager() as cluster:
                self.assertFalse(cluster.should_exit())
                send(getattr(signal, name))
                self.assertTrue(cluster.should_exit())
                self.assertEqual(cluster.reason, f"signal {name}")
                self.assertEqual(cluster.get_exit_code(), 3)

    def test_what_came_first_is_the_reason(self) -> None:
        with ClusterStateManager() as cluster:
            send(signal.SIGUSR1)
            send(signal.SIGTERM)
            self.assertEqual(cluster.reason, "signal SIGUSR1")

    def test_training_that_is_complete_says_so_although_a_signal_came(self) -> None:
        with ClusterStateManager() as cluster:
            send(signal.SIGTERM)
            self.assertEqual(cluster.get_exit_code(), 3)
            cluster.finished()
            self.assertEqual(cluster.get_exit_code(), 0)

    def test_the_exit_code_can_be_another(self) -> None:
        os.environ["TRAINYARD_REQUEUE_EXIT"] = "99"
        with ClusterStateManager() as from_yard, ClusterStateManager(requeue_exit=85) as given:
            send(signal.SIGTERM)
            self.assertEqual([from_yard.get_exit_code(), given.get_exit_code()], [99, 85])
        for wrong in (0, 256, -3):
            with self.assertRaisesRegex(ValueError, "from 1 to 255"):
                ClusterStateManager(requeue_exit=wrong)

    def test_ctrl_c_twice_ends_it_at_once(self) -> None:
        with ClusterStateManager() as cluster:
            send(signal.SIGINT)
            with self.assertRaises(KeyboardInterrupt):
                send(signal.SIGINT)
            self.assertEqual(cluster.reason, "signal SIGINT")

    def test_handlers_that_were_there_are_called_as_well_and_come_back(self) -> None:
        seen: list[int] = []

        def earlier(number: int, _frame: object) -> None:
            seen.append(number)

        before = signal.signal(signal.SIGUSR1, earlier)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        with ClusterStateManager() as cluster:
            send(signal.SIGUSR1)
            self.assertTrue(cluster.should_exit())
        self.assertEqual(seen, [signal.SIGUSR1])
        self.assertIs(signal.getsignal(signal.SIGUSR1), earlier)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_two_of_them_closed_in_the_wrong_order_swallow_nothing(self) -> None:
        def run() -> int:
            first, second = ClusterStateManager(), ClusterStateManager()
            first.close()
            second.close()
            send(signal.SIGTERM)
            return 0

        self.assertEqual(end_of(fork(run)), -signal.SIGTERM)

    def test_a_forked_worker_can_be_terminated_and_does_not_die_of_a_warning(self) -> None:
        def worker() -> int:
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT):
                send(number)
            send(signal.SIGTERM)
            return 0

        with ClusterStateManager() as cluster:
            self.assertEqual(end_of(fork(worker)), -signal.SIGTERM)
            self.assertFalse(cluster.should_exit())

    def test_outside_the_main_thread_it_keeps_the_time_and_says_so(self) -> None:
        told: list[str] = []
        codes: list[int] = []

        def run() -> None:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                cluster = ClusterStateManager(time_to_run=1e-9)
            told.extend(str(each.message) for each in caught)
            self.assertTrue(cluster.should_exit())
            self.assertEqual(cluster.reason, "time")
            codes.append(cluster.get_exit_code())
            cluster.close()

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        self.assertEqual(codes, [3])
        self.assertRegex("".join(told), "outside the main thread")

    def test_a_trainer_that_is_warned_ends_with_the_code(self) -> None:
        script = (
            "import sys, trainyard\n"
            "cluster = trainyard.ClusterStateManager()\n"
            "print('ready', flush=True)\n"
            "while not cluster.should_exit(): pass\n"
            "sys.exit(cluster.get_exit_code())\n"
        )
        trainer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        with trainer:
            assert trainer.stdout is not None
            self.assertEqual(trainer.stdout.readline(), b"ready\n")
            trainer.send_signal(signal.SIGUSR1)
            self.assertEqual(trainer.wait(PATIENCE_SECONDS), 3)


class LastSteps(TestCase):
    def ends_with(self, script: str) -> int:
        return subprocess.run([sys.executable, "-c", script], timeout=PATIENCE_SECONDS, check=False).returncode

    def test_who_is_warned_while_python_ends_keeps_its_exit_code(self) -> None:
        script = (
            "import os, signal, sys\n"
            "from trainyard import ClusterStateManager\n"
            "class Late:\n"
            "    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGUSR1): kill(pid, number)\n"
            "late = Late()\n"
            "cluster = ClusterStateManager()\n"
            "os.kill(os.getpid(), signal.SIGTERM)\n"
            "assert cluster.should_exit()\n"
            "sys.exit(cluster.get_exit_code())\n"
        )
        self.assertEqual(self.ends_with(script), 3)

    def test_an_alarm_that_rings_while_python_ends_does_not_end_it(self) -> None:
        script = (
            "import signal, sys\n"
            "from trainyard import ClusterStateManager\n"
            "class Late:\n"
            "    def __del__(self, left=signal.getitimer, timer=signal.ITIMER_REAL):\n"
            "        while left(timer)[0] > 0: pass\n"
            "late = Late()\n"
            "cluster = ClusterStateManager(0.5)\n"
            "sys.exit(7)\n"
        )
        self.assertEqual(self.ends_with(script), 7)


class Clock:
    """In place of the module `time`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.day = 5e8

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.day + self.now


class Time(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = Clock()
        for patch in (
            mock.patch("trainyard._budget.time", self.clock),
            mock.patch.object(_saves, "_longest_seconds", 0.0),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def manager(self, *args: float, **options: float) -> ClusterStateManager:
        cluster = ClusterStateManager(*args, **options)  # type: ignore[arg-type]
        self.addCleanup(cluster.close)
        return cluster

    def iterations_of(self, cluster: ClusterStateManager, seconds: float) -> int:
        """How many are made before it says to leave."""
        for number in range(1, 1_000_000):
            self.clock.now += seconds
            if cluster.should_exit():
                return number
        raise AssertionError("it never says so")

    def limit(self, seconds: float, name: str = "TRAINYARD_ENDS_AT") -> None:
        os.environ[name] = str(self.clock.time() + seconds)

    def test_after_the_seconds_given_it_leaves(self) -> None:
        cluster = self.manager(10)
        self.assertEqual(self.iterations_of(cluster, 3), 4)
        self.assertEqual(cluster.reason, "time")
        self.assertEqual(cluster.get_exit_code(), 3)

    def test_a_signal_after_the_time_was_up_is_not_the_reason_and_one_before_is(self) -> None:
        late, early = self.manager(10), self.manager(20)
        self.clock.now += 11
        send(signal.SIGUSR1)
        self.assertEqual(late.reason, "time")
        self.clock.now += 11
        self.assertTrue(early.should_exit())
        self.assertEqual(early.reason, "signal SIGUSR1")

    def test_the_budget_is_that_of_the_job_and_no_iteration_is_cut_off(self) -> None:
        for name in ("TRAINYARD_ENDS_AT", "SLURM_JOB_END_TIME"):
            with self.subTest(name), mock.patch.dict(os.environ):
                self.limit(100, name)
                cluster = self.manager(margin=5)
                self.assertEqual(cluster.seconds_left, 95)
                self.assertEqual(self.iterations_of(cluster, 10), 9)  # a tenth would end at 100
                self.assertEqual(cluster.reason, "time")

    def test_the_yard_knows_better_than_slurm_and_nonsense_is_no_limit(self) -> None:
        self.limit(100)
        self.limit(50, "SLURM_JOB_END_TIME")
        self.assertEqual(self.manager(margin=0).seconds_left, 100)
        os.environ["TRAINYARD_ENDS_AT"] = "soon"
        self.assertEqual(self.manager(margin=0).seconds_left, 50)
        os.environ["SLURM_JOB_END_TIME"] = "nan"
        self.assertIsNone(self.manager().seconds_left)

    def test_the_seconds_given_do_not_go_beyond_the_limit(self) -> None:
        self.limit(100)
        self.assertEqual(self.manager(1000, margin=5).seconds_left, 95)
        self.assertEqual(self.manager(10, margin=5).seconds_left, 10)

    def test_the_margin_grows_with_what_saving_takes(self) -> None:
        self.limit(1000)
        cluster = self.manager()
        self.assertEqual(cluster.seconds_left, 970)
        _saves.note_save(100)
        self.assertEqual(cluster.seconds_left, 800)
        _saves.note_save(10_000)
        self.assertEqual(cluster.seconds_left, 500)

    def test_a_short_job_keeps_most_of_its_time(self) -> None:
        self.limit(10)
        self.assertEqual(self.manager().seconds_left, 9)

    def test_a_clock_that_is_set_ends_nothing(self) -> None:
        self.limit(100)
        cluster = self.manager(margin=0)
        self.clock.day += 3600
        self.assertFalse(cluster.should_exit())
        self.assertEqual(cluster.seconds_left, 100)

    def test_a_first_iteration_that_fits_only_once_is_the_only_one(self) -> None:
        self.limit(60)
        self.assertEqual(self.iterations_of(self.manager(), 40), 1)

    def test_wrong_seconds_are_refused(self) -> None:
        for wrong in (0, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "time_to_run"):
                ClusterStateManager(wrong)
        with self.assertRaisesRegex(ValueError, "margin"):
            ClusterStateManager(margin=-1)


class Alarm(TestCase):
    def wait_for_note(self, cluster: ClusterStateManager) -> str | None:
        patience = time.monotonic() + PATIENCE_SECONDS
        while cluster.reason is None and time.monotonic() < patience:
            time.sleep(0.001)
        return cluster.reason

    def test_the_note_is_taken_while_the_program_does_something_else(self) -> None:
        with ClusterStateManager(0.01) as cluster:
            self.assertEqual(self.wait_for_note(cluster), "time")
        self.assertEqual(signal.getsignal(signal.SIGALRM), signal.SIG_DFL)
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))

    def test_a_program_that_uses_the_alarm_itself_keeps_it(self) -> None:
        seen: list[int] = []
        before = signal.signal(signal.SIGALRM, lambda number, _frame: seen.append(number))
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with ClusterStateManager(1e-6) as cluster:
            send(signal.SIGALRM)
            self.assertEqual(len(seen), 1)
            self.assertIsNone(cluster.reason)
            self.assertTrue(cluster.should_exit())

    def test_closed_early_it_never_rings(self) -> None:
        ClusterStateManager(1000).close()
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))


if __name__ == "__main__":
    unittest.main()
