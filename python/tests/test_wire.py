"""Connections to a yard that is slow, stuck, or called by many at the same moment."""

from __future__ import annotations

import os
import socket
import threading
import unittest
from unittest import mock

from surroundings import PATIENCE_SECONDS, TestCase

from trainyard import _wire
from trainyard._pointer import Address
from trainyard._wire import UnixConnection, Unreachable, ask, post
from trainyard.gpu import ServerUnavailable, lease


class Stuck(TestCase):
    """Something listens and never answers."""

    def setUp(self) -> None:
        super().setUp()
        self.path = str(self.directory / "yard.sock")
        self.address = Address(self.path, frozenset({os.geteuid()}))
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(self.listener.close)
        self.listener.bind(self.path)
        self.listener.listen(0)
        (self.directory / "socket").write_text(self.path)

    def test_nobody_waits_for_ever_for_an_answer(self) -> None:
        os.environ["TRAINYARD_GLB_DIR"] = str(self.directory)
        self.listener.listen(8)
        with mock.patch.object(_wire, "ANSWER_SECONDS", 0.01):
            with self.assertRaises(Unreachable):
                post(self.address, "/v1/leases/17.1/complete", {})
            with self.assertRaisesRegex(ServerUnavailable, "timed out"), lease("stuck"):
                pass

    def test_nothing_is_sent_to_somebody_else_who_listens(self) -> None:
        connection = UnixConnection(Address(self.path, frozenset({os.geteuid() + 1})))
        self.addCleanup(connection.close)
        with self.assertRaisesRegex(Unreachable, f"user {os.geteuid()} listens at .*: nothing was sent"):
            ask(connection, "/v1/leases", {"kind": "secret"})
        accepted, _ = self.listener.accept()
        self.addCleanup(accepted.close)
        connection.close()
        self.assertEqual(accepted.recv(1), b"")

    def test_who_comes_when_many_call_waits_to_be_let_in(self) -> None:
        others: list[socket.socket] = []
        while True:  # until the queue of the kernel is full
            other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            others.append(other)
            self.addCleanup(other.close)
            other.setblocking(False)
            try:
                other.connect(self.path)
            except BlockingIOError:
                break
        connection = UnixConnection(self.address)
        self.addCleanup(connection.close)
        is_in = threading.Event()

        def call() -> None:
            connection.connect()
            is_in.set()

        thread = threading.Thread(target=call)
        thread.start()
        for _ in others:
            accepted, _ = self.listener.accept()
            self.addCleanup(accepted.close)
        self.assertTrue(is_in.wait(PATIENCE_SECONDS))
        thread.join()


if __name__ == "__main__":
    unittest.main()
