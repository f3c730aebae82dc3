"""A lease and its connection: yards that die and come back, waits that are broken off, ends that nobody asked for."""

from __future__ import annotations

import io
import logging
import os
import threading
import unittest
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any
from unittest import mock

from fake_yard import Asked
from gpu_case import GpuCase
from surroundings import PATIENCE_SECONDS

from trainyard import _holding, _lease
from trainyard._balancers import places_in
from trainyard.gpu import Lease, ServerUnavailable, complete_job, lease, request_gpu

GIVEN_BACK = {"succeeded": True, "outOfMemory": False}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def await_over(held: Lease) -> None:
    assert held._is_over.wait(PATIENCE_SECONDS)


class ComingBack(GpuCase):
    def test_a_lease_is_held_over_the_death_of_the_yard(self) -> None:
        with lease("long"):
            first = self.yard.next_asked()
            self.yard.die()
            self.yard.start()  # with another socket
            second = self.yard.next_asked()
            self.assertEqual(second.body, {"lease": first.lease})
            second.say({})
        self.assertEqual(self.yard.next_completed(), (first.lease, GIVEN_BACK))
        second.await_close()

    def test_what_ended_meanwhile_is_given_back_when_the_yard_is_there_again(self) -> None:
        held = request_gpu("short")
        self.yard.next_asked()
        self.yard.die()
        complete_job(held, succeeded=False)
        self.assertFalse(held.is_held)
        self.yard.start()
        self.assertEqual(self.yard.next_completed(), ("17.1", {"succeeded": False, "outOfMemory": False}))
        await_over(held)
        self.assertTrue(self.yard.is_idle(), "it took up a lease that it has no use for")

    def test_while_there_is_none_it_is_looked_for_now_and_then(self) -> None:
        held = request_gpu("patient")
        self.yard.next_asked()
        self.yard.die()
        wake, entries, some = held._wake, list[bool](), threading.Event()

        def wait(seconds: float) -> bool:
            entries.append(wake.is_set())
            if len(entries) > 3:
                some.set()
            return wake.wait(seconds)

        with mock.patch.object(held, "_wake", mock.Mock(wait=wait, set=wake.set, clear=wake.clear)):
            complete_job(held)
            self.assertTrue(some.wait(PATIENCE_SECONDS))
            self.yard.start()
            await_over(held)
        self.assertLessEqual(entries.count(True), 1, "it must not ask without a pause")

    def test_trouble_of_the_yard_does_not_end_a_lease(self) -> None:
        with lease("troubled"):
            self.yard.next_asked()
            self.yard.die()
            self.yard.refusal = (503, {"code": "unavailable", "message": "starting", "hint": None})
            refused = threading.Event()
            self.yard.on_refuse = refused.set
            self.yard.start()
            self.assertTrue(refused.wait(PATIENCE_SECONDS))
            self.yard.refusal = None
            self.assertEqual(self.yard.next_asked().body, {"lease": "17.1"})
        self.assertEqual(self.yard.next_completed(), ("17.1", GIVEN_BACK))

    def test_a_yard_that_does_not_know_the_lease_has_the_last_word(self) -> None:
        held = request_gpu("forgotten")
        self.yard.next_asked()
        self.yard.die()
        self.yard.refusal = (404, {"code": "noSuchJob", "message": "there is no lease 17.1", "hint": None})
        with self.assertLogs("trainyard.gpu", logging.WARNING) as told:
            self.yard.start()
            await_over(held)
        self.assertIn("there is no lease 17.1", told.output[0])
        complete_job(held)
        self.assertEqual(self.yard.completed, [])

    def test_who_waits_asks_again(self) -> None:
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")
        done = threading.Event()

        def run() -> None:
            with lease("patient"):
                done.set()

        thread = threading.Thread(target=run)
        thread.start()
        first = self.yard.next_asked()
        self.yard.die()
        self.yard.on_ask = lambda asked: asked.grant()
        self.yard.start()
        self.assertEqual(self.yard.next_asked().body, first.body)
        self.assertTrue(done.wait(PATIENCE_SECONDS))
        thread.join()

    def test_but_not_for_ever(self) -> None:
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")
        with mock.patch.object(_lease, "_PATIENCE_WHILE_WAITING_SECONDS", 0.0):
            held = Lease(places_in(os.environ).places, {"kind": "impatient", "gpus": 1})
            self.yard.next_asked()
            self.yard.die()
            with self.assertRaises(ServerUnavailable):
                held.granted.result(PATIENCE_SECONDS)


class Waiting(GpuCase):
    def test_nothing_is_said_where_nobody_sits(self) -> None:
        self.assertEqual(self.said_while_waiting(io.StringIO()), "")

    def test_one_line_is_for_whoever_sits_in_front_of_it(self) -> None:
        self.assertEqual(self.said_while_waiting(Terminal()), "waiting for a GPU: GPU 0 is in use\n")

    def test_a_log_has_each_reason_once(self) -> None:
        with self.assertLogs("trainyard.gpu", logging.INFO) as told:
            self.assertEqual(self.said_while_waiting(Terminal()), "")
        self.assertEqual(
            [record.getMessage() for record in told.records], ["waiting for a GPU: GPU 0 is in use"]
        )

    def said_while_waiting(self, stream: io.StringIO) -> str:
        is_told = threading.Event()
        take, say_why = Lease._take, _holding._say_why

        def at_first(asked: Asked) -> None:
            asked.wait("GPU 0 is in use")
            asked.wait("GPU 0 is in use")

        def taken(held: Lease, told: Mapping[str, Any]) -> bool:
            is_last = take(held, told)
            is_told.set()
            return is_last

        def then(held: Lease) -> None:
            self.assertTrue(is_told.wait(PATIENCE_SECONDS))
            say_why(held)
            self.yard.next_asked().grant()

        self.yard.on_ask = at_first
        with ExitStack() as patches:
            patches.enter_context(mock.patch("sys.stderr", stream))
            patches.enter_context(mock.patch.object(_holding, "_QUIET_SECONDS", 0.01))
            patches.enter_context(mock.patch.object(_holding, "_say_why", then))
            patches.enter_context(mock.patch.object(Lease, "_take", taken))
            with lease("late"):
                pass
        return stream.getvalue()


class Ends(GpuCase):
    def test_a_gpu_that_is_taken_away_is_told(self) -> None:
        with self.assertLogs("trainyard.gpu", logging.WARNING) as told, lease("taken"):
            asked = self.yard.next_asked()
            asked.end("cancelled by ada")
            asked.await_close()
        self.assertIn("took back GPU 0, which this program still uses: cancelled by ada", told.output[0])
        self.assertEqual(self.yard.completed, [])

    def test_a_grant_that_makes_no_sense_is_an_error(self) -> None:
        self.yard.on_ask = lambda asked: asked.say({"state": "granted", "lease": "17.1"})
        with self.assertRaisesRegex(ValueError, "makes no sense"), lease("odd"):
            pass
        self.yard.next_asked().await_close()

    def test_connections_are_not_inherited(self) -> None:
        ours_before = _sockets()
        with lease("closed on exec"):
            made = _sockets() - ours_before
            self.assertTrue(made)
            for name, _ in made:
                self.assertFalse(os.get_inheritable(int(name)))


def _sockets() -> set[tuple[str, str]]:
    """Those that this process has, by number; whoever started it may have left it some."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add((name, target))
    return found


if __name__ == "__main__":
    unittest.main()
