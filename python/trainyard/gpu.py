"""GPUs that a yard shares out: a program asks for one, uses it, and gives it back.

    import trainyard.gpu

    @trainyard.gpu.gpu_load_balance()
    def train_job(epochs, batch_size): ...

    with trainyard.gpu.lease(gpus=2) as grant: ...

The yard measures what each kind of job really uses and puts as many on a GPU as fit. The variables that frameworks read
(CUDA_VISIBLE_DEVICES and its like) are set before the function begins. What it returns and what it raises are the
caller's, and the GPU is given back on every way out.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable, Protocol, TypeVar, overload

from trainyard._balancers import places_in
from trainyard._gpu_errors import LeaseEnded, LeaseRefused, ServerUnavailable
from trainyard._gpu_variables import without_leases
from trainyard._grant import Device, Grant
from trainyard._holding import Holding, Wish
from trainyard._kinds import kind_of, kind_of_caller, name_of
from trainyard._lease import Lease

__all__ = [
    "Device",
    "Grant",
    "Job",
    "Lease",
    "LeaseEnded",
    "LeaseRefused",
    "ServerUnavailable",
    "complete_job",
    "gpu_load_balance",
    "lease",
    "request_gpu",
]

_T = TypeVar("_T")
_R_co = TypeVar("_R_co", covariant=True)


class Job(Protocol[_R_co]):
    """A function that is called as before, on a GPU of its own."""

    def __call__(self, *args: Any, **kwargs: Any) -> _R_co: ...

    def profile(self, light: Callable[..., _T]) -> Job[_T]:
        """Decorates a light version for the same arguments, by which the yard gets to know the kind of job."""


def lease(
    kind: str | None = None,
    gpus: int = 1,
    *,
    queue: str | None = None,
    name: str | None = None,
    memory_limited: bool = False,
    continue_on_server_unavailable: bool = False,
) -> Holding:
    """GPUs for the length of a `with` or an `async with` statement, which gives the Grant."""
    chosen = kind if kind is not None else kind_of_caller(sys._getframe(1))
    return Holding(Wish(chosen, gpus, name, queue, memory_limited, continue_on_server_unavailable))


@overload
def gpu_load_balance(continue_on_server_unavailable: Callable[..., _T]) -> Job[_T]: ...


@overload
def gpu_load_balance(
    continue_on_server_unavailable: bool = False,
    kind: str | None = None,
    gpus: int = 1,
    queue: str | None = None,
    name: str | None = None,
    memory_limited: bool = False,
) -> Callable[[Callable[..., _T]], Job[_T]]: ...


def gpu_load_balance(
    continue_on_server_unavailable: Any = False,
    kind: str | None = None,
    gpus: int = 1,
    queue: str | None = None,
    name: str | None = None,
    memory_limited: bool = False,
) -> Any:
    """Each call of the function waits for GPUs of its own, and runs on them."""
    goes_on, bare = continue_on_server_unavailable, None
    if callable(goes_on) or isinstance(goes_on, (staticmethod, classmethod)):
        goes_on, bare = False, goes_on  # written without the brackets

    def decorate(function: Any) -> Any:
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(decorate(function.__func__))
        chosen = kind if kind is not None else kind_of(function)
        return _decorated(
            function, Wish(chosen, gpus, name, queue, memory_limited, bool(goes_on)).checked()
        )

    return decorate if bare is None else decorate(bare)


def request_gpu(
    kind: str,
    gpus: int = 1,
    *,
    queue: str | None = None,
    name: str | None = None,
    memory_limited: bool = False,
) -> Lease:
    """A lease to be given back with complete_job. It sets no variables: they are in its grant."""
    wish = Wish(kind, gpus, name, queue, memory_limited).checked()
    asked = Lease(places_in(without_leases()).places, wish.body())
    try:
        asked.granted.result()
    except BaseException:
        asked.give_back(succeeded=False)
        raise
    return asked


def complete_job(lease: Lease, succeeded: bool = True, out_of_memory: bool = False) -> None:
    """Gives it back. To do so twice does nothing."""
    lease.give_back(succeeded, out_of_memory)


def _decorated(function: Callable[..., Any], wish: Wish) -> Any:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name_of(function)} is a generator, and nobody can say when it has ended: "
            "decorate the function that goes through it, or use `with trainyard.gpu.lease()` inside"
        )
    wrapper = (
        _asynchronous(function, wish) if inspect.iscoroutinefunction(function) else _plain(function, wish)
    )

    def profile(light: Callable[..., Any]) -> Any:
        if light.__name__ == getattr(function, "__name__", None):
            raise TypeError(
                f"the light version of {name_of(function)} needs a name of its own, or it replaces it"
            )
        if inspect.iscoroutinefunction(light) and not inspect.iscoroutinefunction(function):
            raise TypeError(
                f"{name_of(light)} is async, and {name_of(function)}, whose light version it is, is not"
            )
        decorated = _decorated(light, wish)
        wrapper.light = light
        return decorated

    wrapper.light = None
    wrapper.profile = profile
    return wrapper


def _plain(function: Callable[..., Any], wish: Wish) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        light = wrapper.light
        if light is not None:
            with Holding(wish) as grant:
                if not grant.is_learning:
                    return function(*args, **kwargs)
                light(*args, **kwargs)
        with Holding(wish):
            return function(*args, **kwargs)

    wrapper: Any = call
    return wrapper


def _asynchronous(function: Callable[..., Any], wish: Wish) -> Any:
    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        light = wrapper.light
        if light is not None:
            async with Holding(wish) as grant:
                if not grant.is_learning:
                    return await function(*args, **kwargs)
                first = light(*args, **kwargs)
                if inspect.isawaitable(first):
                    await first
        async with Holding(wish):
            return await function(*args, **kwargs)

    wrapper: Any = call
    return wrapper
