"""HTTP over a unix socket: one question with its answer, and an answer that goes on line by line.

Before anything is sent, the kernel says who listens at the other end. Nothing here waits for ever to be connected or to
be answered. A process that is forked off has none of these
connections: the yard takes a lease back when its connection is closed, and a child that held it open would keep it.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import struct
import threading
from typing import Any

from trainyard._gpu_errors import LeaseRefused
from trainyard._pointer import Address

CONNECT_SECONDS = 5
ANSWER_SECONDS = 20.0

# Process, user, group.
_CREDENTIALS = struct.Struct("@iII")
# From here on it is the yard that has a problem, and it may have none the next time.
_TROUBLE = 500


class Unreachable(Exception):
    """Nobody answers there, or the answer broke off."""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, address: Address, answer_seconds: float | None = None) -> None:
        super().__init__("yard")
        self._address = address
        self._answer_seconds = ANSWER_SECONDS if answer_seconds is None else answer_seconds
        # Kept apart: http.client forgets its socket when the answer is the last one.
        self._own: socket.socket | None = None

    def connect(self) -> None:
        with _forking:
            own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            _sockets.add(own)
        self._own = own
        # The kernel's own timeout: with Python's, a yard that many call at the same moment seems not to be there.
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", CONNECT_SECONDS, 0))
        own.connect(self._address.path)
        self._verify_listener(own)
        own.settimeout(self._answer_seconds)
        self.sock = own

    def _verify_listener(self, own: socket.socket) -> None:
        credentials = own.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, uid, _ = _CREDENTIALS.unpack(credentials)
        if uid not in self._address.listeners:
            raise PermissionError(f"user {uid} listens at {self._address.path}: nothing was sent")

    def wait_for_ever(self) -> None:
        """From here on it is the yard that says something, when it has something to say."""
        if self._own is not None:
            self._own.settimeout(None)

    def hang_up(self) -> None:
        """Wakes whoever reads from it, in whatever thread."""
        if self._own is not None:
            try:
                self._own.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        super().close()
        if self._own is not None:
            self._own.close()
            _sockets.discard(self._own)


def post(address: Address, route: str, body: dict[str, Any], answer_seconds: float | None = None) -> None:
    """Asked, and done. Raises Unreachable, or LeaseRefused."""
    connection = UnixConnection(address, answer_seconds)
    try:
        ask(connection, route, body).read()
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(_said(error)) from error
    finally:
        connection.close()


def ask(connection: UnixConnection, route: str, body: dict[str, Any]) -> http.client.HTTPResponse:
    """The answer with its head read. Raises Unreachable, or LeaseRefused when it is a refusal."""
    try:
        connection.request("POST", route, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status < 400:
            return response
        text = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(_said(error)) from error
    refusal = _refusal(response.status, text)
    if response.status >= _TROUBLE:
        raise Unreachable(str(refusal))
    raise refusal


def next_line(response: http.client.HTTPResponse) -> dict[str, Any] | None:
    """The next object of the answer; None: it has ended. Raises Unreachable when it broke off."""
    try:
        line = response.readline()
        if line == b"":
            return None
        value = json.loads(line)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_said(error)) from error
    return value if isinstance(value, dict) else {}


def reach(address: Address) -> None:
    """Raises Unreachable when nobody answers there, or somebody who is not trusted."""
    connection = UnixConnection(address)
    try:
        connection.connect()
    except OSError as error:
        raise Unreachable(_said(error)) from error
    finally:
        connection.close()


def _refusal(status: int, text: bytes) -> LeaseRefused:
    try:
        error = json.loads(text)["error"]
        return LeaseRefused(str(error["message"]), str(error.get("code", "")), error.get("hint"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return LeaseRefused(f"the yard answers with status {status}")


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


# A socket is known here before anybody can fork: there is no moment at which a child could get one unseen.
_sockets: set[socket.socket] = set()
_forking = threading.Lock()
# What a thread of the parent was reading from is never touched again, nor freed: it may hold a lock.
_left_behind: list[Any] = []


def _close_in_child() -> None:
    global _forking
    _forking = threading.Lock()
    for each in _sockets:
        try:
            descriptor = each.detach()
            if descriptor >= 0:
                os.close(descriptor)
        except OSError:
            pass
        _left_behind.append(each)
    _sockets.clear()


os.register_at_fork(
    before=lambda: _forking.acquire() and None,
    after_in_parent=lambda: _forking.release(),
    after_in_child=_close_in_child,
)
