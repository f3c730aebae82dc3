"""A lease for the length of a `with` statement: which GPUs, their variables, and how it ended.

Who runs inside a lease already, in the same thread or task or as a child process of its holder, is on the GPUs of that
one: to wait for others would be to wait for oneself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from concurrent.futures import TimeoutError as TooLong  # its own before Python 3.11
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple

from trainyard import _frameworks, _gpu_variables
from trainyard._balancers import places_in
from trainyard._gpu_errors import ServerUnavailable
from trainyard._grant import Grant, grant_without_lease
from trainyard._lease import Lease

_QUIET_SECONDS = 1.0
_MOST_ANCESTORS = 100

_log = logging.getLogger("trainyard.gpu")


class Wish(NamedTuple):
    kind: str
    gpus: int = 1
    name: str | None = None
    queue: str | None = None
    memory_limited: bool = False
    continue_on_server_unavailable: bool = False

    def checked(self) -> Wish:
        if isinstance(self.gpus, bool) or not isinstance(self.gpus, int) or self.gpus < 1:
            raise ValueError(f"gpus must be a number from 1 on, not {self.gpus!r}")
        return self

    def body(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "gpus": self.gpus,
            "name": self.name if self.name is not None else self.kind,
            "queue": self.queue,
            "memoryLimited": self.memory_limited,
        }


class _Held(NamedTuple):
    lease: Lease
    grant: Grant


_current: ContextVar[_Held | None] = ContextVar("trainyard_lease", default=None)


class Holding:
    """For `with` and `async with`; gives the Grant. To be used once."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish.checked()
        self._lease: Lease | None = None
        self._in_force = ExitStack()

    def __enter__(self) -> Grant:
        at_hand = self._at_hand()
        if at_hand is not None:
            return at_hand
        lease = self._ask()
        try:
            try:
                lease.granted.exception(_QUIET_SECONDS)
            except TooLong:
                _say_why(lease)
            return self._begin(lease, lease.granted.result())
        except ServerUnavailable as error:
            return self._do_without(error)
        except BaseException:
            self._in_force.close()
            lease.give_back(succeeded=False)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._in_force.close()
        if self._lease is not None:
            self._lease.give_back(_has_succeeded(error), _frameworks.is_out_of_memory(error))

    async def __aenter__(self) -> Grant:
        at_hand = self._at_hand()
        if at_hand is not None:
            return at_hand
        lease = self._ask()
        granted = asyncio.wrap_future(lease.granted)
        try:
            await asyncio.wait({granted}, timeout=_QUIET_SECONDS)
            if not granted.done():
                _say_why(lease)
            return self._begin(lease, await granted)
        except ServerUnavailable as error:
            return self._do_without(error)
        except BaseException:
            granted.cancel()
            self._in_force.close()
            lease.give_back(succeeded=False)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lease is None or isinstance(error, GeneratorExit):
            self.__exit__(kind, error, trace)  # a coroutine that is thrown away must not wait for anything
            return
        self._in_force.close()
        loop = asyncio.get_running_loop()
        is_done = asyncio.Event()
        lease, how = self._lease, (_has_succeeded(error), _frameworks.is_out_of_memory(error))

        def give_back() -> None:
            lease.give_back(*how)
            try:
                loop.call_soon_threadsafe(is_done.set)
            except RuntimeError:
                pass  # the loop has ended, and nobody waits

        # Not in the loop's pool, where it might wait behind the work of others.
        threading.Thread(target=give_back, name="trainyard-giving-back").start()
        await is_done.wait()

    def _at_hand(self) -> Grant | None:
        """What needs no asking for."""
        held = _current.get()
        if held is not None and held.lease.is_held:
            if self._wish.gpus > len(held.grant.devices):
                raise ValueError(
                    f"{self._wish.kind} asks for {self._wish.gpus} GPUs within a lease of {len(held.grant.devices)}: "
                    "ask for as many there"
                )
            return replace(held.grant, is_learning=False)
        environ = _gpu_variables.without_leases()
        if _is_child_of(environ.get(_gpu_variables.HOLDER, "")):
            return grant_without_lease(environ)
        return None

    def _ask(self) -> Lease:
        self._places = places_in(_gpu_variables.without_leases())
        body = self._wish.body()
        settled = _gpu_variables.settled_on()
        if settled is not None and len(settled) >= self._wish.gpus:
            body["devices"] = settled
        self._lease = Lease(self._places.places, body)
        return self._lease

    def _begin(self, lease: Lease, grant: Grant) -> Grant:
        self._in_force.enter_context(_gpu_variables.set_for_a_while(grant.variables))
        before = _current.get()
        _current.set(_Held(lease, grant))
        self._in_force.callback(_current.set, before)
        return grant

    def _do_without(self, error: ServerUnavailable) -> Grant:
        self._lease = None
        if not self._places.has_own_gpus:
            if not self._wish.continue_on_server_unavailable:
                raise error
            _gpu_variables.warn_once(f"going on without a GPU being chosen: {error}", "no server")
        return grant_without_lease(_gpu_variables.without_leases())


def _has_succeeded(error: BaseException | None) -> bool:
    return error is None or (isinstance(error, SystemExit) and error.code in (None, 0))


def _say_why(lease: Lease) -> None:
    """One line for whoever sits in front of it; a log has it already."""
    if _log.isEnabledFor(logging.INFO) or sys.stderr is None or not sys.stderr.isatty():
        return
    why = f": {lease.sentence}" if lease.sentence else ""
    sys.stderr.write(f"waiting for a GPU{why}\n")
    sys.stderr.flush()


def _is_child_of(holder: str) -> bool:
    """Of that process, or of a child of it. Who has been cut loose from it has outlived the lease for all we know."""
    if not holder.isdigit() or int(holder) == os.getpid():
        return False
    pid = os.getppid()
    for _ in range(_MOST_ANCESTORS):
        if pid == int(holder):
            return True
        if pid <= 1:
            return False
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
    return False
