"""What a program is given: devices, and the variables by which frameworks find them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Device:
    index: int
    node: str = ""
    kind: str = ""
    # None: nobody said.
    memory_bytes: int | None = None
    # How much of that is kept for this program.
    share_bytes: int | None = None


@dataclass(frozen=True)
class Grant:
    # None: there is no lease, since the GPUs are the program's anyway or nobody chose any.
    lease: str | None
    job: int | None
    devices: tuple[Device, ...]
    variables: Mapping[str, str]
    # The yard has not seen what this kind of job uses, and gives it whole GPUs to find out.
    is_learning: bool


def grant_from(told: Mapping[str, Any]) -> Grant:
    """As the yard says it. Raises ValueError for what makes no sense."""
    try:
        return Grant(
            lease=str(told["lease"]),
            job=told.get("job"),
            devices=tuple(_device_from(each) for each in told["devices"]),
            variables={str(name): str(value) for name, value in told["variables"].items()},
            is_learning=bool(told.get("isLearning", False)),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the yard granted a lease that makes no sense: {dict(told)!r}") from error


def grant_without_lease(environ: Mapping[str, str]) -> Grant:
    """The GPUs that the program can see already."""
    indexes = environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    node = environ.get("TRAINYARD_NODE", "")
    devices = tuple(Device(int(index), node) for index in indexes if index.strip().isdigit())
    return Grant(lease=None, job=None, devices=devices, variables={}, is_learning=False)


def _device_from(told: Mapping[str, Any]) -> Device:
    return Device(
        index=int(told["index"]),
        node=str(told.get("node", "")),
        kind=str(told.get("kind", "")),
        memory_bytes=told.get("memoryBytes"),
        share_bytes=told.get("shareBytes"),
    )
