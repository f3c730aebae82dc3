"""What is seen of frameworks from outside: whether they use a GPU yet, and whether an error says that one is full."""

from __future__ import annotations

import os
import subprocess
import sys
import types
import unittest
import warnings
from typing import Any
from unittest import mock

from gpu_case import GpuCase
from surroundings import PATIENCE_SECONDS, TestCase

from trainyard import _frameworks
from trainyard.gpu import lease
from trainyard.simulated import OutOfDeviceMemory


def torch_that(is_initialized: bool) -> Any:
    return types.SimpleNamespace(cuda=types.SimpleNamespace(is_initialized=lambda: is_initialized))


def error_of(module: str, name: str, text: str = "") -> BaseException:
    made: BaseException = type(name, (Exception,), {"__module__": module})(text)
    return made


class UsesGpu(TestCase):
    def test_none_is_imported_to_look(self) -> None:
        script = "import sys, trainyard.gpu, trainyard._frameworks as f; f.uses_gpu(); print('torch' in sys.modules)"
        told = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=True,
        )
        self.assertEqual(told.stdout, "False\n")

    def test_each_by_its_own_sign(self) -> None:
        bridge = "jax._src.xla_bridge"
        for modules, seen in (
            ({}, None),
            ({"torch": torch_that(False)}, None),
            ({"torch": torch_that(True)}, "torch"),
            ({"torch": types.SimpleNamespace()}, None),
            ({bridge: types.SimpleNamespace(_backends={"cpu": 1})}, None),
            ({bridge: types.SimpleNamespace(_backends={"cpu": 1, "cuda": 2})}, "jax"),
            ({"tensorflow": types.SimpleNamespace()}, None),
        ):
            with self.subTest(modules), mock.patch.dict(sys.modules, modules):
                self.assertEqual(_frameworks.uses_gpu(), seen)

    def test_others_by_what_they_have_open(self) -> None:
        (self.directory / "3").symlink_to("/dev/nvidia-uvm")
        (self.directory / "4").symlink_to("/dev/nvidiactl")
        with mock.patch.dict(sys.modules, {"tensorflow": types.SimpleNamespace()}):
            self.assertEqual(_frameworks.uses_gpu(str(self.directory)), "tensorflow")
            (self.directory / "3").unlink()
            self.assertIsNone(_frameworks.uses_gpu(str(self.directory)))


class TooLate(GpuCase):
    def warned(self, before: bool, index: int) -> list[str]:
        self.yard.on_ask = lambda asked: asked.grant(index)
        with (
            warnings.catch_warnings(record=True) as given,
            mock.patch.dict(sys.modules, {"torch": torch_that(before)}),
        ):
            warnings.simplefilter("always")
            with lease("x"):
                # From here on it uses the GPU.
                sys.modules["torch"] = torch_that(True)
        return [str(each.message) for each in given]

    def test_a_lease_that_comes_after_the_first_use_is_warned_of_once(self) -> None:
        (text,) = self.warned(before=True, index=1)
        self.assertRegex(text, "torch has used a GPU before this lease .* not on GPU 1")
        self.assertEqual(self.warned(before=True, index=1), [])

    def test_but_not_one_before_it_nor_a_second_of_the_same_gpu(self) -> None:
        self.assertEqual(self.warned(before=False, index=1), [])
        self.assertEqual(self.warned(before=True, index=1), [])
        self.assertEqual(len(self.warned(before=True, index=0)), 1)

    def test_once_one_is_used_only_that_gpu_is_asked_for(self) -> None:
        self.assertEqual(self.warned(before=False, index=3), [])
        self.assertEqual(self.warned(before=True, index=3), [])
        asked = [self.yard.next_asked().body for _ in range(2)]
        self.assertEqual([body.get("devices") for body in asked], [None, ["3"]])

    def test_nor_one_of_the_gpu_that_was_visible_anyway(self) -> None:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        self.assertEqual(self.warned(before=True, index=1), [])


class OutOfMemory(unittest.TestCase):
    def test_what_says_so(self) -> None:
        for error in (
            OutOfDeviceMemory("full"),
            error_of("torch", "OutOfMemoryError"),
            error_of("torch.cuda", "OutOfMemoryError"),
            error_of("cupy.cuda.memory", "OutOfMemoryError"),
            error_of("tensorflow.python.framework.errors_impl", "ResourceExhaustedError"),
            RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB"),
            RuntimeError("CUDA error: out of memory"),
            RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes."),
        ):
            with self.subTest(repr(error)):
                self.assertTrue(_frameworks.is_out_of_memory(error))

    def test_what_does_not(self) -> None:
        for error in (
            None,
            MemoryError(),
            RuntimeError("mat1 and mat2 shapes cannot be multiplied"),
            ValueError("CUDA out of memory"),
            error_of("elsewhere", "OutOfMemoryError"),
            KeyboardInterrupt(),
        ):
            with self.subTest(repr(error)):
                self.assertFalse(_frameworks.is_out_of_memory(error))

    def test_what_came_of_it_does_and_what_has_nothing_to_do_with_it_does_not(self) -> None:
        caused, suppressed = ValueError("no model"), ValueError("no model")
        caused.__context__ = suppressed.__context__ = OutOfDeviceMemory("full")
        suppressed.__suppress_context__ = True
        self.assertTrue(_frameworks.is_out_of_memory(caused))
        self.assertFalse(_frameworks.is_out_of_memory(suppressed))
        caused.__context__ = caused  # an error that goes round in circles is not followed for ever
        self.assertFalse(_frameworks.is_out_of_memory(caused))


if __name__ == "__main__":
    unittest.main()
