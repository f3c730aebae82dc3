"""A lease of GPUs: asked for, waited for, held, and given back, by a thread of its own.

The connection is the lease. As long as it is open the yard keeps the GPUs for this process, and a process that dies, in
whatever way, closes it. When it is the yard that dies, the thread holds on: it comes back as soon as a yard answers
there again, or gives the lease back then when the program has no more use for it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from trainyard import _wire
from trainyard._balancers import Place, address_of
from trainyard._gpu_errors import HINT, LeaseEnded, LeaseRefused, ServerUnavailable
from trainyard._grant import Grant, grant_from
from trainyard._pointer import Address, Untrusted
from trainyard._wire import UnixConnection, Unreachable

_FIRST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 1.0
# A yard that is started again is back long before. Who has no GPU yet need not wait for one that never comes.
_PATIENCE_WHILE_WAITING_SECONDS = 30.0
_GIVING_BACK_SECONDS = 5.0
_AT_EXIT_SECONDS = 3.0

_log = logging.getLogger("trainyard.gpu")
_all: set[Lease] = set()


class Lease:
    """Asked for as soon as it is made. `granted` gives the Grant, or raises what stands against it."""

    def __init__(self, places: Sequence[Place], wish: Mapping[str, Any]) -> None:
        self.granted: Future[Grant] = Future()
        # Why it waits, in the yard's words; empty: it has said none.
        self.sentence = ""
        # Why the yard took it back; None: it did not.
        self.ended_why: str | None = None
        self._places = tuple(places)
        self._wish = dict(wish)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._connection: UnixConnection | None = None
        self._was_answered = False
        self._verdict: dict[str, bool] | None = None
        self._is_over = threading.Event()
        self._wake = threading.Event()
        self.granted.set_running_or_notify_cancel()
        _all.add(self)
        threading.Thread(target=self._keep, name="trainyard-lease", daemon=True).start()

    @property
    def grant(self) -> Grant:
        """Once it is granted."""
        return self.granted.result(0)

    @property
    def is_held(self) -> bool:
        """A child that was forked off uses what its parent holds."""
        return not self._is_over.is_set() and self._verdict is None

    def give_back(self, succeeded: bool = True, out_of_memory: bool = False) -> None:
        """Says how it went. Without a yard to say it to, the thread goes on trying; without a grant, the wait ends."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._verdict is not None or self._is_over.is_set():
                return
            self._verdict = {"succeeded": succeeded, "outOfMemory": out_of_memory}
            is_granted = self._has_grant()
        try:
            if not is_granted or self._deliver():
                self._is_over.set()
        finally:
            self._hang_up()
            self._wake.set()

    def close(self) -> None:
        """The program ends, or has lost interest: what is not given back by now is by the closed connection."""
        self._is_over.set()
        self._hang_up()
        self._wake.set()

    def wait_until_over(self, seconds: float) -> None:
        if os.getpid() == self._pid and self._verdict is not None:
            self._is_over.wait(seconds)

    # --- The thread ---------------------------------------------------------------------------------------

    def _keep(self) -> None:
        try:
            self._keep_on()
        except BaseException as error:
            self._fail(error)
        finally:
            self._is_over.set()
            self._fail(LeaseEnded("nobody waits for this lease any more"))
            _all.discard(self)

    def _keep_on(self) -> None:
        broken_at: float | None = None  # None: no yard has answered yet
        pause = _FIRST_PAUSE_SECONDS
        while not self._is_over.is_set():
            why = "the connection was closed"
            self._was_answered = False
            try:
                if self._verdict is None:
                    self._hold()
                elif self._deliver():
                    return
            except LeaseRefused as refusal:
                self._end(str(refusal), refusal)
                return
            except Unreachable as trouble:
                why = str(trouble)
            if self._was_answered:
                broken_at, pause = time.monotonic(), _FIRST_PAUSE_SECONDS
            if not self._has_grant() and _is_long_ago(broken_at):
                self._fail(ServerUnavailable(f"no yard shares out GPUs here: {why}; {HINT}"))
                return
            self._wake.wait(pause)
            self._wake.clear()
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)

    def _hold(self) -> None:
        """Until it is over, or the connection breaks."""
        connection = UnixConnection(self._address())
        response = None
        try:
            connection.connect()
            with self._lock:
                if self._is_over.is_set() or self._verdict is not None:
                    return
                self._connection = connection
            body = {"lease": self.grant.lease} if self._has_grant() else self._wish
            response = _wire.ask(connection, "/v1/leases", body)
            self._was_answered = True
            connection.wait_for_ever()
            while True:
                told = _wire.next_line(response)
                if told is None or self._take(told):
                    return
        except OSError as error:
            raise Unreachable(str(error)) from error
        finally:
            with self._lock:
                self._connection = None
            if response is not None:
                response.close()
            connection.close()

    def _take(self, told: Mapping[str, Any]) -> bool:
        """Whether that was the last word."""
        state = told.get("state")
        if state == "waiting":
            sentence = str(told.get("sentence", ""))
            if sentence != self.sentence:
                self.sentence = sentence
                _log.info("waiting for a GPU: %s", sentence)
        elif state == "granted" and not self._has_grant():
            try:
                self._succeed(grant_from(told))
            except ValueError as error:
                self._fail(error)
                self._is_over.set()
                return True
        elif state == "ended":
            why = str(told.get("why") or "the yard does not say why")
            self._end(why, LeaseEnded(f"the wait for a GPU is over: {why}"))
            return True
        return False

    # --- Between the threads ------------------------------------------------------------------------------

    def _has_grant(self) -> bool:
        return self.granted.done() and self.granted.exception(0) is None

    def _succeed(self, grant: Grant) -> None:
        with self._lock:
            if not self.granted.done():
                self.granted.set_result(grant)

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            if not self.granted.done():
                self.granted.set_exception(error)

    def _end(self, why: str, error: Exception) -> None:
        with self._lock:
            was_held = self._has_grant() and self._verdict is None and not self._is_over.is_set()
            if was_held:
                self.ended_why = why
        if was_held:
            devices = ", ".join(str(device.index) for device in self.grant.devices)
            _log.warning("the yard took back GPU %s, which this program still uses: %s", devices, why)
        self._is_over.set()
        self._fail(error)

    def _deliver(self) -> bool:
        """Whether the yard knows now that it is given back. A yard that does not know the lease has it already."""
        verdict = self._verdict
        assert verdict is not None
        if not self._has_grant():
            return True
        try:
            route = f"/v1/leases/{self.grant.lease}/complete"
            _wire.post(self._address(), route, verdict, _GIVING_BACK_SECONDS)
        except LeaseRefused as refusal:
            _log.info("lease %s was over already: %s", self.grant.lease, refusal)
        except Unreachable:
            return False
        return True

    def _address(self) -> Address:
        """Of the first that answers; once one has, of no other. Raises Unreachable."""
        reasons = []
        for place in self._places:
            try:
                address = address_of(place)
                if address is not None:
                    _wire.reach(address)
                    self._places = (place,)
                    return address
            except (Untrusted, Unreachable) as error:
                reasons.append(str(error))
        where = ", ".join(place.path for place in self._places)
        raise Unreachable("; ".join([f"none answers in {where}", *reasons]))

    def _hang_up(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.hang_up()


def _is_long_ago(broken_at: float | None) -> bool:
    return broken_at is None or time.monotonic() - broken_at > _PATIENCE_WHILE_WAITING_SECONDS


def _at_exit() -> None:
    """A last chance to say how it went, and never more than a few seconds of it."""
    until = time.monotonic() + _AT_EXIT_SECONDS
    leases = [lease for lease in list(_all) if lease._pid == os.getpid()]
    for lease in leases:
        lease.wait_until_over(max(0.0, until - time.monotonic()))
    for lease in leases:
        lease.close()


atexit.register(_at_exit)
