"""Decorated coroutines: the event loop goes on while they wait, and they hold their GPU while they are awaited."""

from __future__ import annotations

import asyncio
import os
import unittest

from gpu_case import GpuCase

from trainyard.gpu import ServerUnavailable, gpu_load_balance, lease

GIVEN_BACK = {"succeeded": True, "outOfMemory": False}
FAILED = {"succeeded": False, "outOfMemory": False}


@gpu_load_balance()
async def train_job(epochs: int) -> tuple[int, str | None]:
    await asyncio.sleep(0)
    return epochs, os.environ.get("CUDA_VISIBLE_DEVICES")


class Asynchronous(GpuCase):
    def test_it_is_held_while_it_is_awaited(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(2)
        self.assertEqual(asyncio.run(train_job(4)), (4, "2"))
        asked = self.yard.next_asked()
        self.assertEqual(asked.body["kind"], "test_gpu_async.py::train_job")
        self.assertEqual(self.yard.next_completed(), (asked.lease, GIVEN_BACK))
        asked.await_close()
        self.assertNotIn("CUDA_VISIBLE_DEVICES", os.environ)

    def test_the_loop_goes_on_while_it_waits(self) -> None:
        """The GPU is only granted by what another task does in the same loop."""
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")

        async def grant_it() -> None:
            asked = await asyncio.get_running_loop().run_in_executor(None, self.yard.next_asked)
            asked.grant()

        async def both() -> tuple[int, str | None]:
            return (await asyncio.gather(train_job(1), grant_it()))[0]

        self.assertEqual(asyncio.run(both()), (1, "0"))

    def test_a_cancelled_wait_is_given_up(self) -> None:
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")

        async def cancel() -> None:
            task = asyncio.ensure_future(train_job(1))
            asked = await asyncio.get_running_loop().run_in_executor(None, self.yard.next_asked)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            asked.await_close()

        asyncio.run(cancel())
        self.assertEqual(self.yard.completed, [])

    def test_a_cancelled_job_gives_its_gpu_back(self) -> None:
        async def cancel() -> None:
            running = asyncio.Event()

            @gpu_load_balance()
            async def endless() -> None:
                running.set()
                await asyncio.Event().wait()

            task = asyncio.ensure_future(endless())
            await running.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(cancel())
        self.assertEqual(self.yard.next_completed()[1], FAILED)
        self.yard.next_asked().await_close()

    def test_a_coroutine_that_is_thrown_away_gives_its_gpu_back(self) -> None:
        async def throw_away() -> None:
            async def hold() -> None:
                async with lease("thrown away"):
                    running.set()
                    await asyncio.Future()

            running = asyncio.Event()
            held = hold()
            while not running.is_set():  # as a loop would, until it is left waiting
                awaited = held.send(None)
                if not running.is_set():
                    awaited._asyncio_future_blocking = False
                    await awaited
            held.close()

        asyncio.run(throw_away())
        self.assertEqual(self.yard.next_completed()[1], FAILED)

    def test_exceptions_and_calls_within_calls(self) -> None:
        @gpu_load_balance()
        async def outer() -> None:
            self.assertEqual(await train_job(1), (1, "0"))
            self.assertEqual(await asyncio.gather(train_job(2)), [(2, "0")])
            raise KeyError("lost")

        with self.assertRaisesRegex(KeyError, "lost"):
            asyncio.run(outer())
        self.assertEqual([told for _, told in self.yard.completed], [FAILED])

    def test_two_tasks_have_leases_of_their_own(self) -> None:
        async def both() -> None:
            self.assertEqual(await asyncio.gather(train_job(1), train_job(2)), [(1, "0"), (2, "0")])

        asyncio.run(both())
        self.assertEqual(len(self.yard.completed), 2)

    def test_no_yard(self) -> None:
        self.yard.die()
        with self.assertRaises(ServerUnavailable):
            asyncio.run(train_job(1))


if __name__ == "__main__":
    unittest.main()
