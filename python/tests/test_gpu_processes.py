"""Leases and processes: those that are killed, those that are forked off, and with which codes programs end."""

from __future__ import annotations

import os
import signal
import subprocess
import unittest

from gpu_case import GpuCase
from surroundings import PATIENCE_SECONDS, end_of, fork

from trainyard.gpu import complete_job, gpu_load_balance, lease, request_gpu

GIVEN_BACK = {"succeeded": True, "outOfMemory": False}

HOLDS_UNTIL_TOLD = """
    import glb, sys

    @glb.gpu_load_balance()
    def train_job():
        print("training", flush=True)
        return sys.stdin.readline()

    train_job()
"""


class Killed(GpuCase):
    def test_a_killed_program_gives_its_gpu_back_by_dying(self) -> None:
        process = self.start_program(HOLDS_UNTIL_TOLD)
        asked = self.yard.next_asked()
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "training\n")
        self.assertFalse(asked.is_closed.is_set())
        process.send_signal(signal.SIGKILL)
        asked.await_close()
        self.assertEqual(self.yard.completed, [])
        self.assertEqual(process.wait(), -signal.SIGKILL)

    def test_so_does_one_that_is_terminated_while_it_waits(self) -> None:
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")
        process = self.start_program(HOLDS_UNTIL_TOLD)
        asked = self.yard.next_asked()
        process.terminate()
        asked.await_close()
        self.assertEqual(process.wait(), -signal.SIGTERM)

    def test_ctrl_c_while_it_waits(self) -> None:
        self.yard.on_ask = lambda asked: asked.wait("GPU 0 is in use")
        process = self.start_program(HOLDS_UNTIL_TOLD, stderr=subprocess.PIPE)
        asked = self.yard.next_asked()
        process.send_signal(signal.SIGINT)
        asked.await_close()
        assert process.stderr is not None
        self.assertIn("KeyboardInterrupt", process.stderr.read())
        self.assertEqual(process.wait(), -signal.SIGINT)

    def test_a_child_that_outlives_it_does_not_keep_the_gpu(self) -> None:
        process = self.start_program(
            """
            import os, sys, time, glb

            with glb.lease("parent"):
                if os.fork() == 0:
                    print("child", os.getpid(), flush=True)
                    time.sleep(600)
                sys.stdin.readline()
            """
        )
        asked = self.yard.next_asked()
        assert process.stdout is not None
        word, child = process.stdout.readline().split()
        self.assertEqual(word, "child")
        self.addCleanup(os.kill, int(child), signal.SIGKILL)
        process.kill()
        asked.await_close()


class Forked(GpuCase):
    def test_a_child_neither_gives_back_nor_keeps(self) -> None:
        held = request_gpu("parent")
        asked = self.yard.next_asked()

        def in_child() -> int:
            open_sockets = [
                name
                for name in os.listdir("/proc/self/fd")
                if _link(f"/proc/self/fd/{name}").startswith("socket:")
            ]
            complete_job(held)
            # The fake yard is in this process too, so its own ends are still open; the client's is not.
            return 0 if held._connection is not None and len(open_sockets) < sockets_before else 1

        sockets_before = sum(
            _link(f"/proc/self/fd/{name}").startswith("socket:") for name in os.listdir("/proc/self/fd")
        )
        self.assertEqual(end_of(fork(in_child)), 0)
        self.assertEqual(self.yard.completed, [])
        self.assertFalse(asked.is_closed.is_set())
        self.assertTrue(held.is_held)
        complete_job(held)
        self.assertEqual(self.yard.next_completed(), (asked.lease, GIVEN_BACK))
        asked.await_close()

    def test_a_child_that_leaves_the_function_leaves_the_lease_alone(self) -> None:
        @gpu_load_balance()
        def train() -> int:
            pid = fork(lambda: nested())
            self.assertEqual(end_of(pid), 3)
            return len(self.yard.completed)

        def nested() -> int:
            with lease("inner") as grant:
                return 3 if grant.lease == "17.1" else 4

        self.assertEqual(train(), 0)
        self.assertEqual(len(self.yard.completed), 1)

    def test_a_child_has_leases_of_its_own_when_its_parent_has_none(self) -> None:
        with lease("before"):
            pass
        self.yard.next_asked()

        def in_child() -> int:
            with lease("in child") as grant:
                return 0 if grant.lease == "18.1" else 1

        self.assertEqual(end_of(fork(in_child)), 0)
        asked = self.yard.next_asked()
        self.assertEqual(asked.body["kind"], "in child")
        asked.await_close()
        self.assertEqual(len(self.yard.completed), 2)

    def test_a_program_that_is_started_within_a_lease_is_on_its_gpus(self) -> None:
        self.yard.on_ask = lambda asked: asked.grant(3)
        inner = self.program(
            """
            import os, glb
            with glb.lease() as grant:
                print(os.environ["CUDA_VISIBLE_DEVICES"], [device.index for device in grant.devices], grant.lease)
            """
        )
        with lease("outer"):
            shell = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *inner]
            told = subprocess.run(shell, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True)
        self.assertEqual(told.stdout, "3 [3] None\n")
        self.yard.next_asked()
        self.assertTrue(self.yard.is_idle())

    def test_one_that_has_been_cut_loose_from_it_is_not(self) -> None:
        os.environ["TRAINYARD_LEASE_HOLDER"] = "999999999"
        with lease("loose") as grant:
            self.assertEqual(grant.lease, "17.1")


class ExitCodes(GpuCase):
    def test_sys_exit_in_the_function_ends_the_program_with_that_code(self) -> None:
        ended = self.run_program(
            """
            import sys, glb

            @glb.gpu_load_balance()
            def train_job():
                sys.exit(7)

            train_job()
            """
        )
        self.assertEqual((ended.returncode, ended.stderr), (7, ""))
        self.assertEqual(self.yard.next_completed()[1], {"succeeded": False, "outOfMemory": False})

    def test_an_exception_ends_it_with_its_traceback(self) -> None:
        ended = self.run_program(
            """
            import glb

            @glb.gpu_load_balance()
            def train_job():
                raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")

            train_job()
            """
        )
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"in train_job\n.*\n(.*\n)*RuntimeError: CUDA out of memory")
        self.assertEqual(self.yard.next_completed()[1], {"succeeded": False, "outOfMemory": True})

    def test_no_yard_is_an_error_too(self) -> None:
        self.yard.die()
        ended = self.run_program("import glb\nwith glb.lease('x'): print('never')")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertRegex(ended.stderr, r"trainyard\.gpu\.ServerUnavailable: .*glb-start")

    def test_the_kind_of_a_program_is_its_file_and_function(self) -> None:
        command = self.program(
            """
            import os, glb

            @glb.gpu_load_balance()
            def train_job():
                print(os.environ["CUDA_VISIBLE_DEVICES"])

            if __name__ == "__main__":
                train_job()
            """,
            "tf_mnist_train.py",
        )
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True)
        self.assertEqual(ended.stdout, "0\n")
        asked = self.yard.next_asked()
        self.assertEqual(asked.body["kind"], "tf_mnist_train.py::train_job")
        asked.await_close()


class Endings(GpuCase):
    def test_a_program_that_ends_without_a_yard_does_not_hang(self) -> None:
        """The lease is given back by the death of its process, then."""
        process = self.start_program(HOLDS_UNTIL_TOLD)
        self.yard.next_asked()
        assert process.stdout is not None
        process.stdout.readline()
        self.yard.die()
        process.communicate("go on\n", timeout=PATIENCE_SECONDS)
        self.assertEqual(process.returncode, 0)

    def test_a_yard_that_comes_back_in_time_still_hears_of_it(self) -> None:
        process = self.start_program(HOLDS_UNTIL_TOLD)
        asked = self.yard.next_asked()
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        self.yard.die()
        process.stdin.write("go on\n")
        process.stdin.close()
        self.yard.start()
        self.assertEqual(self.yard.next_completed(), (asked.lease, GIVEN_BACK))
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0)

    def test_a_lease_that_is_never_given_back_ends_with_the_program(self) -> None:
        ended = self.run_program("import glb\nheld = glb.request_gpu('forgetful')\nprint(held.grant.lease)")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "17.1\n", ""))
        self.yard.next_asked().await_close()


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main()
