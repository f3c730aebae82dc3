"""Ranks leave after the same iteration, whenever and whomever a signal reaches, and nobody waits for ever."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
import unittest
import warnings
from typing import Any, Callable
from unittest import mock

from surroundings import TestCase, end_of, fork

from trainyard import ClusterStateManager, _agreement
from trainyard._agreement import Agreement, OtherMachine
from trainyard._environment import Place

forking = multiprocessing.get_context("fork")
Together = Callable[[int, int], None]


def in_step(ranks: int) -> Together:
    """Each iteration ends with an all-reduce: nobody goes on before all are there."""
    barrier = forking.Barrier(ranks)

    def go_on(_rank: int, _iteration: int) -> None:
        barrier.wait()

    return go_on


def loosely(ranks: int, ahead: int = 8) -> Together:
    """As with a GPU that has work queued: a rank may be some iterations ahead of the others."""
    done = forking.Array("q", [-ahead - 1] * ranks, lock=False)

    def go_on(rank: int, iteration: int) -> None:
        done[rank] = iteration
        while min(done) < iteration - ahead:
            time.sleep(0)

    return go_on


def train(rank: int, ranks: int, together: Together, results: int, steps: int) -> None:
    cluster = ClusterStateManager(rank=rank, ranks=ranks)
    together(rank, 0)
    iteration = 0
    while True:
        iteration += 1
        together(rank, iteration)
        if rank == 0:
            os.write(steps, b".")
        if cluster.should_exit():
            break
    os.write(results, f"{iteration} {cluster.reason} {cluster.get_exit_code()}\n".encode())


class Leaving(TestCase):
    def setUp(self) -> None:
        super().setUp()
        os.environ["TRAINYARD_ATTEMPT_DIR"] = str(self.directory / "attempt")

    def leave(self, ranks: int, together: Together, chance: random.Random) -> list[str]:
        """Signals some of the ranks at some moment; gives what each of them says at its end."""
        results, steps = os.pipe(), os.pipe()
        pids = []
        for rank in range(ranks):
            pids.append(fork(lambda rank=rank: train(rank, ranks, together, results[1], steps[1])))  # type: ignore[misc]
        for end in (results[1], steps[1]):
            os.close(end)
        for _ in range(chance.randrange(1, 30)):
            os.read(steps[0], 1)
        moment = time.perf_counter() + chance.random() / 1000
        while time.perf_counter() < moment:
            pass
        for pid in chance.sample(pids, chance.randrange(1, ranks + 1)):
            os.kill(pid, signal.SIGUSR1)
        while os.read(steps[0], 4096):
            pass
        ends = [end_of(pid) for pid in pids]
        with open(results[0]) as told:
            lines = told.read().splitlines()
        os.close(steps[0])
        self.assertEqual(ends, [0] * ranks)
        self.assertEqual(len(lines), ranks)
        return lines

    def test_ranks_in_step_leave_after_the_same_iteration(self) -> None:
        chance = random.Random(1)
        for number in range(60):
            with self.subTest(number):
                ranks = chance.randrange(2, 5)
                lines = self.leave(ranks, in_step(ranks), chance)
                self.assertEqual(len(set(lines)), 1, lines)
                self.assertRegex(lines[0], r"^\d+ signal SIGUSR1 3$")

    def test_ranks_that_are_apart_leave_after_the_same_iteration_too(self) -> None:
        chance = random.Random(2)
        for number in range(40):
            with self.subTest(number):
                ranks = chance.randrange(2, 5)
                lines = self.leave(ranks, loosely(ranks), chance)
                self.assertEqual(len(set(lines)), 1, lines)


class Protocol(TestCase):
    def rank(self, rank: int, ranks: int = 2) -> Agreement:
        agreement = Agreement(self.directory, Place(rank, ranks))
        self.addCleanup(agreement.close)
        return agreement

    def other(self, iterations: int, then: Callable[[Agreement], Any] = lambda _agreement: None) -> int:
        """Rank 1 in a process of its own, which has made so many iterations and stays until it is ended."""
        ready = os.pipe()

        def run() -> None:
            agreement = Agreement(self.directory, Place(1, 2))
            for _ in range(iterations):
                agreement.count_iteration()
            then(agreement)
            os.write(ready[1], b".")
            signal.pause()

        pid = fork(run)
        os.close(ready[1])
        self.assertEqual(os.read(ready[0], 1), b".")
        os.close(ready[0])
        self.addCleanup(self.end, pid)
        return pid

    def end(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def iterations_left(self, agreement: Agreement) -> int:
        for number in range(1, 1000):
            if agreement.count_iteration():
                return number
        raise AssertionError("it never leaves")

    def test_who_is_behind_goes_on_to_where_the_other_will_see_it(self) -> None:
        agreement = self.rank(0)
        self.other(iterations=5)
        agreement.count_iteration()
        self.assertFalse(agreement.ask_to_leave(reason=10))
        self.assertEqual(self.iterations_left(agreement), 5)  # the sixth of both
        self.assertEqual(agreement.reason(), 10)

    def test_who_is_ahead_leaves_at_once(self) -> None:
        agreement = self.rank(0)
        self.other(iterations=5)
        for _ in range(6):
            self.assertFalse(agreement.count_iteration())
        self.assertTrue(agreement.ask_to_leave(reason=10))

    def test_ranks_that_run_on_their_own_do_not_wait_for_each_other(self) -> None:
        agreement = self.rank(0)
        self.other(iterations=500)
        self.assertFalse(agreement.count_iteration())
        self.assertTrue(agreement.ask_to_leave(reason=10))

    def test_the_first_to_ask_gives_the_reason(self) -> None:
        agreement = self.rank(0)
        self.other(iterations=3, then=lambda agreement: agreement.ask_to_leave(12))
        for _ in range(3):
            agreement.count_iteration()
        agreement.ask_to_leave(10)
        self.assertEqual(agreement.reason(), 12)

    def test_a_rank_that_was_killed_no_longer_counts(self) -> None:
        agreement = self.rank(0)
        self.end(self.other(iterations=20))
        agreement.count_iteration()
        self.assertTrue(agreement.ask_to_leave(reason=10))

    def test_one_that_was_killed_while_it_counted_holds_nobody_up(self) -> None:
        agreement = self.rank(0)

        def begin(other: Agreement) -> None:
            other._words[_agreement._REASON] = 10
            other._words[_agreement._LEAVE_AT] = _agreement._COUNTING

        self.end(self.other(iterations=1, then=begin))
        self.assertTrue(agreement.count_iteration())
        self.assertEqual(agreement.reason(), 10)

    def test_what_ranks_before_have_agreed_is_forgotten(self) -> None:
        self.end(self.other(iterations=1, then=lambda agreement: agreement.ask_to_leave(10)))
        agreement = self.rank(0)
        self.assertIsNone(agreement.reason())
        self.assertFalse(agreement.count_iteration())

    def test_but_one_that_joins_late_hears_of_it(self) -> None:
        self.other(iterations=1, then=lambda agreement: agreement.ask_to_leave(10))
        self.assertTrue(self.rank(0).count_iteration())

    def test_a_file_shared_with_another_machine_is_not_used(self) -> None:
        self.other(iterations=1)
        with mock.patch.object(_agreement, "_machine", lambda: 1), self.assertRaises(OtherMachine):
            self.rank(0)

    def test_other_users_see_nothing(self) -> None:
        directory = self.directory / "attempt"
        Agreement(directory, Place(0, 2)).close()
        self.assertEqual(directory.stat().st_mode & 0o777, 0o700)


class Asking(TestCase):
    def test_a_function_is_asked_in_each_iteration(self) -> None:
        asked: list[bool] = []

        def all_reduce(wants_to: bool) -> bool:
            asked.append(wants_to)
            return len(asked) == 3

        with ClusterStateManager(agree=all_reduce, rank=0, ranks=2) as cluster:
            self.assertEqual([cluster.should_exit() for _ in range(4)], [False, False, True, True])
            self.assertEqual(asked, [False] * 3)
            self.assertEqual(cluster.reason, "another rank")
            self.assertEqual(cluster.get_exit_code(), 3)

    def test_a_rank_that_wants_to_leave_stays_until_all_agree(self) -> None:
        with ClusterStateManager(agree=lambda wants_to: False, rank=0, ranks=2) as cluster:
            os.kill(os.getpid(), signal.SIGUSR1)
            self.assertFalse(cluster.should_exit())
            self.assertEqual(cluster.reason, "signal SIGUSR1")

    def told(self, **options: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with ClusterStateManager(**options) as cluster:
                os.kill(os.getpid(), signal.SIGUSR1)
                self.assertTrue(cluster.should_exit())
        return [str(each.message) for each in caught]

    def test_where_ranks_cannot_agree_that_is_said(self) -> None:
        self.assertRegex("".join(self.told(rank=0, ranks=2)), "2 ranks cannot agree .* give agree=")
        (self.directory / "file").touch()
        os.environ["TRAINYARD_ATTEMPT_DIR"] = str(self.directory / "file")
        self.assertRegex("".join(self.told(rank=0, ranks=2)), "cannot agree on when to leave, since .*file")

    def test_nothing_is_said_where_they_need_not(self) -> None:
        self.assertEqual(self.told(), [])
        self.assertEqual(self.told(agree=False, rank=0, ranks=2), [])


if __name__ == "__main__":
    unittest.main()
