"""A light version by which the yard gets to know a kind of job, before the long one runs."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from fake_yard import Asked
from gpu_case import GpuCase

from trainyard.gpu import gpu_load_balance


class Profiled(GpuCase):
    def setUp(self) -> None:
        super().setUp()
        self.ran: list[Any] = []
        self.is_known = False

        def grant(asked: Asked) -> None:
            asked.grant(asked.job, is_learning=not self.is_known)
            self.is_known = True

        self.yard.on_ask = grant

        @gpu_load_balance()
        def train(epochs: int) -> str:
            self.ran.append(("long", epochs, len(self.yard.completed)))
            return "trained"

        @train.profile
        def train_a_bit(epochs: int) -> str:
            self.ran.append(("light", epochs, len(self.yard.completed)))
            if epochs < 0:
                raise ValueError("less than none")
            return "tried"

        self.train = train
        self.train_a_bit = train_a_bit

    def kinds(self, count: int) -> set[str]:
        return {self.yard.next_asked().body["kind"] for _ in range(count)}

    def test_what_is_not_known_is_tried_first_under_a_lease_of_its_own(self) -> None:
        self.assertEqual(self.train(5), "trained")
        self.assertEqual(self.ran, [("light", 5, 0), ("long", 5, 1)])
        self.assertEqual([lease for lease, _ in self.yard.completed], ["17.1", "18.1"])
        self.assertEqual(self.kinds(2), {"test_gpu_profile.py::Profiled.setUp.train"})

    def test_what_is_known_runs_at_once(self) -> None:
        self.is_known = True
        self.assertEqual(self.train(5), "trained")
        self.assertEqual(self.ran, [("long", 5, 0)])
        self.assertEqual(len(self.yard.completed), 1)

    def test_a_failure_of_the_light_version_is_one(self) -> None:
        with self.assertRaisesRegex(ValueError, "less than none"):
            self.train(-1)
        self.assertEqual(self.ran, [("light", -1, 0)])
        self.assertEqual(self.yard.completed, [("17.1", {"succeeded": False, "outOfMemory": False})])

    def test_it_can_be_called_by_itself(self) -> None:
        self.assertEqual(self.train_a_bit(2), "tried")
        self.assertEqual(self.ran, [("light", 2, 0)])
        self.assertEqual(self.kinds(1), {"test_gpu_profile.py::Profiled.setUp.train"})

    def test_coroutines(self) -> None:
        ran: list[str] = []

        @gpu_load_balance()
        async def train() -> str:
            ran.append("long")
            return "trained"

        @train.profile
        async def briefly() -> None:
            ran.append("light")

        self.assertEqual(asyncio.run(train()), "trained")
        self.assertEqual(ran, ["light", "long"])
        self.assertEqual(len(self.yard.completed), 2)

    def test_what_cannot_be_a_light_version(self) -> None:
        async def later() -> None: ...

        def train() -> None: ...

        with self.assertRaisesRegex(TypeError, "async"):
            self.train.profile(later)
        with self.assertRaisesRegex(TypeError, "a name of its own"):
            self.train.profile(train)


if __name__ == "__main__":
    unittest.main()
