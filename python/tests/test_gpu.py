"""A decorated function: on which GPUs it runs, and how what it does comes out of it."""

from __future__ import annotations

import functools
import inspect
import os
import threading
import traceback
import unittest
import warnings
from typing import Any
from unittest import mock

from fake_yard import Asked
from gpu_case import GpuCase
from surroundings import PATIENCE_SECONDS

import glb
import trainyard.gpu
from trainyard.gpu import LeaseEnded, LeaseRefused, ServerUnavailable, gpu_load_balance, lease
from trainyard.simulated import OutOfDeviceMemory

GIVEN_BACK = {"succeeded": True, "outOfMemory": False}
FAILED = {"succeeded": False, "outOfMemory": False}


def visible() -> str | None:
    return os.environ.get("CUDA_VISIBLE_DEVICES")


@gpu_load_balance()
def train_job(epochs: int, batch_size: int = 32) -> tuple[int, int, str | None]:
    """Trains."""
    return epochs, batch_size, visible()


class Trainer:
    @gpu_load_balance()
    def train(self) -> tuple[Trainer, str | None]:
        return self, visible()

    @gpu_load_balance()
    @staticmethod
    def evaluate() -> str | None:
        return visible()

    @gpu_load_balance()
    @classmethod
    def test(cls) -> type:
        return cls


class Decorated(GpuCase):
    def test_it_runs_with_the_variables_of_its_lease_and_gives_the_gpu_back(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(3)
        os.environ["CUDA_VISIBLE_DEVICES"] = "before"
        self.assertEqual(train_job(2, batch_size=64), (2, 64, "3"))
        self.assertEqual(visible(), "before")
        self.assertNotIn("CUDA_DEVICE_ORDER", os.environ)
        asked = self.yard.next_asked()
        self.assertEqual(
            asked.body,
            {
                "kind": "test_gpu.py::train_job",
                "gpus": 1,
                "name": "test_gpu.py::train_job",
                "queue": None,
                "memoryLimited": False,
            },
        )
        self.assertEqual(self.yard.next_completed(), (asked.lease, GIVEN_BACK))
        asked.await_close()

    def test_it_looks_like_the_function_itself(self) -> None:
        self.assertEqual(getattr(train_job, "__name__", None), "train_job")
        self.assertEqual(train_job.__doc__, "Trains.")
        self.assertEqual(list(inspect.signature(train_job).parameters), ["epochs", "batch_size"])

    def test_what_is_asked_for_can_be_said(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(0, 1)

        @gpu_load_balance(kind="resnet", gpus=2, queue="short", name="r50", memory_limited=True)
        def train() -> str | None:
            return visible()

        self.assertEqual(train(), "0,1")
        self.assertEqual(
            self.yard.next_asked().body,
            {"kind": "resnet", "gpus": 2, "name": "r50", "queue": "short", "memoryLimited": True},
        )

    def test_methods_of_each_sort(self) -> None:
        trainer = Trainer()
        self.assertEqual(trainer.train(), (trainer, "0"))
        self.assertEqual(Trainer.evaluate(), "0")
        self.assertIs(Trainer.test(), Trainer)
        kinds = [self.yard.next_asked().body["kind"] for _ in range(3)]
        self.assertEqual(
            kinds,
            ["test_gpu.py::Trainer.train", "test_gpu.py::Trainer.evaluate", "test_gpu.py::Trainer.test"],
        )

    def test_without_brackets_and_without_a_file(self) -> None:
        @gpu_load_balance
        def bare() -> int:
            return 5

        self.assertEqual(bare(), 5)
        where = "test_without_brackets_and_without_a_file.bare"
        self.assertEqual(self.yard.next_asked().body["kind"], f"test_gpu.py::Decorated.{where}")
        made: dict[str, Any] = {"glb": glb}
        exec("@glb.gpu_load_balance()\ndef typed_in(): return 6", made)
        self.assertEqual(made["typed_in"](), 6)
        self.assertEqual(self.yard.next_asked().body["kind"], "interactive::typed_in")
        self.assertEqual(gpu_load_balance()(functools.partial(bare))(), 5)
        with self.assertRaisesRegex(TypeError, "kind="):
            gpu_load_balance()(len)

    def test_exceptions_come_out_as_they_are(self) -> None:
        raised = ZeroDivisionError("by nought")

        @gpu_load_balance()
        def fails() -> None:
            raise raised

        try:
            fails()
        except ZeroDivisionError as error:
            self.assertIs(error, raised)
        self.assertIsNone(raised.__context__)
        self.assertEqual(traceback.extract_tb(raised.__traceback__)[-1].line, "raise raised")
        self.assertEqual(self.yard.next_completed()[1], FAILED)
        self.assertIsNone(visible())

    def test_the_gpu_is_given_back_on_each_way_out(self) -> None:
        for error, told in (
            (KeyboardInterrupt(), FAILED),
            (SystemExit(7), FAILED),
            (SystemExit("went wrong"), FAILED),
            (SystemExit(0), GIVEN_BACK),
            (SystemExit(), GIVEN_BACK),
            (StopIteration(), FAILED),
        ):
            with self.subTest(repr(error)):

                @gpu_load_balance()
                def leaves(error: BaseException = error) -> None:
                    raise error

                with self.assertRaises(type(error)) as caught:
                    leaves()
                self.assertIs(caught.exception, error)
                self.assertEqual(self.yard.next_completed()[1], told)

    def test_a_failed_first_job_does_not_keep_its_gpu(self) -> None:
        """The one GPU of this yard is free again before the caller hears of the failure."""
        holders: list[str] = []

        def one_at_a_time(asked: Asked) -> None:
            self.assertEqual(len(self.yard.completed), len(holders), "the GPU is not free yet")
            holders.append(asked.lease)
            asked.grant(0, is_learning=True)

        self.yard.on_ask = one_at_a_time

        @gpu_load_balance()
        def fails_at_first() -> str:
            if len(holders) == 1:
                raise ValueError("the first of its kind")
            return "trained"

        with self.assertRaises(ValueError):
            fails_at_first()
        self.assertEqual(fails_at_first(), "trained")
        self.assertEqual([told["succeeded"] for _, told in self.yard.completed], [False, True])

    def test_running_out_of_memory_is_told(self) -> None:
        @gpu_load_balance()
        def fails() -> None:
            try:
                raise OutOfDeviceMemory("GPU 0 is full")
            except OutOfDeviceMemory as error:
                raise RuntimeError("could not train") from error

        with self.assertRaisesRegex(RuntimeError, "could not train"):
            fails()
        self.assertEqual(self.yard.next_completed()[1], {"succeeded": False, "outOfMemory": True})

    def test_generators_are_refused_when_they_are_decorated(self) -> None:
        def batches() -> Any:
            yield 1

        async def slowly() -> Any:
            yield 1

        for function in (batches, slowly):
            with self.assertRaisesRegex(TypeError, "generator"):
                gpu_load_balance()(function)
        with self.assertRaisesRegex(ValueError, "gpus must be"):
            gpu_load_balance(gpus=0)(visible)


class Servers(GpuCase):
    def test_without_a_yard_it_says_what_to_do(self) -> None:
        self.yard.die()
        with self.assertRaisesRegex(
            ServerUnavailable, "run glb-start in another terminal, or .*glb-run"
        ) as caught:
            train_job(1)
        self.assertIsInstance(caught.exception, RuntimeError)
        self.assertIn(str(self.yard.directory), str(caught.exception))

    def test_or_goes_on_without_one_and_warns_once(self) -> None:
        self.yard.die()
        os.environ["CUDA_VISIBLE_DEVICES"] = "mine"

        @gpu_load_balance(continue_on_server_unavailable=True)
        def anyway() -> str | None:
            return visible()

        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            self.assertEqual((anyway(), anyway()), ("mine", "mine"))
        self.assertEqual([each.category for each in given], [RuntimeWarning])
        self.assertIn("without a GPU being chosen", str(given[0].message))

    def test_a_job_with_gpus_of_its_own_runs_on_them(self) -> None:
        del os.environ["TRAINYARD_GLB_DIR"]
        os.environ.update(TRAINYARD_JOB_ID="999999999", CUDA_VISIBLE_DEVICES="2,3", TRAINYARD_NODE="vm")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(train_job(1), (1, 32, "2,3"))
            with lease() as grant:
                self.assertEqual([device.index for device in grant.devices], [2, 3])
                self.assertIsNone(grant.lease)

    def test_a_refusal_is_said_in_the_words_of_the_yard(self) -> None:
        self.yard.refusal = (
            422,
            {
                "code": "noSuchQueue",
                "message": "there is no queue short",
                "hint": "use one of: main",
                "choices": [],
            },
        )

        @gpu_load_balance(continue_on_server_unavailable=True)
        def train() -> None:
            self.fail("it must not run")

        with self.assertRaisesRegex(LeaseRefused, "there is no queue short; use one of: main") as caught:
            train()
        self.assertEqual(caught.exception.code, "noSuchQueue")
        self.yard.refusal = (503, {"code": "unavailable", "message": "the yard is stopping", "hint": None})
        with self.assertRaisesRegex(ServerUnavailable, "the yard is stopping"):
            train_job(1)

    def test_a_wait_that_somebody_ends_is_an_error(self) -> None:
        self.yard.on_ask = lambda asked: asked.end("cancelled by ada")
        with self.assertRaisesRegex(LeaseEnded, "cancelled by ada"):
            train_job(1)


class Together(GpuCase):
    def test_a_call_within_a_call_is_on_the_same_gpus(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(1, is_learning=True)

        @gpu_load_balance()
        def outer() -> tuple[Any, str | None]:
            with lease("inner") as grant:
                self.assertFalse(grant.is_learning)
                self.assertEqual([device.index for device in grant.devices], [1])
            return train_job(1), visible()

        self.assertEqual(outer(), ((1, 32, "1"), "1"))
        self.yard.next_asked()
        self.assertTrue(self.yard.is_idle())
        self.assertEqual(len(self.yard.completed), 1)

    def test_but_not_on_more_of_them(self) -> None:
        with lease("outer"), self.assertRaisesRegex(ValueError, "2 GPUs within a lease of 1"), lease(gpus=2):
            pass
        self.assertEqual(self.yard.next_completed()[1], GIVEN_BACK)

    def test_each_thread_has_a_lease_of_its_own(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(asked.job % 2)
        both = threading.Barrier(2, timeout=PATIENCE_SECONDS)
        seen: list[set[int]] = []

        def train() -> None:
            with lease("threads") as grant:
                both.wait()
                seen.append({device.index for device in grant.devices})
                both.wait()

        os.environ["CUDA_VISIBLE_DEVICES"] = "before"
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            threads = [threading.Thread(target=train) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertCountEqual(seen, [{0}, {1}])
        self.assertEqual(visible(), "before")
        self.assertEqual(len(self.yard.completed), 2)
        self.assertEqual([each.category for each in given], [RuntimeWarning])
        self.assertIn("two leases of different GPUs", str(given[0].message))

    def test_an_earlier_lease_may_end_last(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(0, is_learning=False, **{asked.body["kind"]: "set"})
        first = lease("FIRST")
        first.__enter__()
        held = threading.Event()
        leave = threading.Event()

        def other() -> None:
            with lease("SECOND"):
                held.set()
                leave.wait(PATIENCE_SECONDS)

        thread = threading.Thread(target=other)
        thread.start()
        self.assertTrue(held.wait(PATIENCE_SECONDS))
        first.__exit__(None, None, None)
        self.assertEqual((visible(), os.environ.get("FIRST"), os.environ.get("SECOND")), ("0", None, "set"))
        leave.set()
        thread.join()
        self.assertEqual((visible(), os.environ.get("SECOND")), (None, None))

    def test_a_thread_of_a_job_without_gpus_asks_although_another_has_one(self) -> None:
        """The variables of a lease must not be taken for GPUs that the job has to itself."""
        del os.environ["TRAINYARD_GLB_DIR"]
        os.environ.update(TRAINYARD_JOB_ID="5", TRAINYARD_DIR=str(self.yard.directory))
        for none in ({}, {"CUDA_VISIBLE_DEVICES": ""}):
            with self.subTest(none), mock.patch.dict(os.environ, none):
                with lease("first"):
                    thread = threading.Thread(target=train_job, args=(1,))
                    thread.start()
                    thread.join()
                kinds = [self.yard.next_asked().body["kind"] for _ in range(2)]
                self.assertEqual(kinds, ["first", "test_gpu.py::train_job"])


class Names(GpuCase):
    def test_glb_is_the_same(self) -> None:
        for name in glb.__all__:
            self.assertIs(getattr(glb, name), getattr(trainyard.gpu, name))

    def test_plain_functions(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(2)
        held = glb.request_gpu("tf_mnist_train.py::train_job")
        self.assertEqual(held.grant.variables["CUDA_VISIBLE_DEVICES"], "2")
        self.assertIsNone(visible())
        asked = self.yard.next_asked()
        self.assertEqual(asked.body["name"], "tf_mnist_train.py::train_job")
        glb.complete_job(held, succeeded=False)
        glb.complete_job(held)
        self.assertEqual(self.yard.completed, [(asked.lease, FAILED)])
        asked.await_close()

    def test_the_grant_of_a_lease(self) -> None:
        with lease() as grant:
            self.assertEqual((grant.lease, grant.job), ("17.1", 17))
            (device,) = grant.devices
            self.assertEqual((device.node, device.index, device.kind), ("vm", 0, "simulated"))
            self.assertEqual((device.memory_bytes, device.share_bytes), (1 << 34, 1 << 30))
        self.assertEqual(self.yard.next_asked().body["kind"], "test_gpu.py::test_the_grant_of_a_lease")


if __name__ == "__main__":
    unittest.main()
