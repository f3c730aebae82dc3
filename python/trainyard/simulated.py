"""Simulated GPUs, for trying out how a yard shares them where there are none: claims of memory and load.

    with claim(memory="1.2G", load=20):
        work(0.5)

TRAINYARD_SIMULATED_GPUS names the directory that stands for the GPUs, and CUDA_VISIBLE_DEVICES says which of them are
ours. Without the first everything here does nothing, so that trainers run anywhere. From a shell:

    python3 -m trainyard.simulated --memory 2G --load 40 -- python3 train.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType

from trainyard._claims import Claimed, live_claims, locked, size_of_device, write_claim
from trainyard._sizes import bytes_in, size_of

__all__ = ["Claim", "OutOfDeviceMemory", "claim", "work"]

_FULL_LOAD = 100.0
# How often it is looked who else is at work.
_LOOK_SECONDS = 0.1


class OutOfDeviceMemory(RuntimeError):
    """The claims on a simulated GPU would be more than it has."""

    __module__ = "trainyard.simulated"


class Claim:
    """Memory and load of one device, for as long as it is not released and the process lives."""

    def __init__(self, device: Path | None, memory_bytes: int, load: float) -> None:
        # None: there is no simulated GPU, and nothing to be done.
        self._device = device
        self._pid = os.getpid()
        self._name = ""
        self._claimed = Claimed(0, 0.0)
        self._change(Claimed(memory_bytes, load))

    @property
    def is_simulated(self) -> bool:
        """Whether there is a simulated GPU at all."""
        return self._device is not None

    @property
    def memory_bytes(self) -> int:
        return self._claimed.memory_bytes

    @property
    def load(self) -> float:
        return self._claimed.load

    def resize(self, memory: str | float | None = None, load: float | None = None) -> None:
        """What is not given stays as it is. Raises OutOfDeviceMemory, and then all of it stays as it is."""
        if self._name == "" and self._device is not None:
            raise ValueError("this claim was released")
        self._change(
            Claimed(
                self.memory_bytes if memory is None else bytes_in(memory),
                self.load if load is None else _checked_load(load),
            )
        )

    def release(self) -> None:
        """To do so twice does nothing; and a child that was forked off has nothing to release."""
        if self._device is None or self._name == "" or os.getpid() != self._pid:
            return
        with locked(self._device):
            (self._device / self._name).unlink(missing_ok=True)
        self._name = ""

    def _change(self, wanted: Claimed) -> None:
        if self._device is not None:
            if os.getpid() != self._pid:
                raise ValueError("this claim is of the process that made it")
            with locked(self._device):
                claims = live_claims(self._device)
                self._check(wanted, claims)
                name = self._name or _free_name(claims)
                write_claim(self._device, name, wanted)
                self._name = name
        self._claimed = wanted

    def _check(self, wanted: Claimed, claims: dict[str, Claimed]) -> None:
        assert self._device is not None
        size = size_of_device(self._device.parent, int(self._device.name))
        others = sum(claimed.memory_bytes for name, claimed in claims.items() if name != self._name)
        if wanted.memory_bytes > size - others and wanted.memory_bytes > self.memory_bytes:
            raise OutOfDeviceMemory(
                f"GPU {self._device.name} has {size_of(size)}, of which others have claimed {size_of(others)}: "
                f"{size_of(wanted.memory_bytes)} do not fit"
            )

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def claim(memory: str | float, load: float = 0, index: int | None = None) -> Claim:
    """So much memory of one of our devices, kept busy to `load` percent. Devices are counted as CUDA counts them: 0 is
    the first that CUDA_VISIBLE_DEVICES names, and the one that is meant when nothing is said."""
    amount, checked = bytes_in(memory), _checked_load(load)
    devices = _visible()
    if not devices and not index:
        return Claim(None, amount, checked)
    chosen = index or 0
    if not 0 <= chosen < len(devices):
        raise LookupError(f"there is no device {chosen}: CUDA_VISIBLE_DEVICES names {len(devices)}")
    return Claim(devices[chosen], amount, checked)


def work(seconds: float) -> None:
    """As much work as takes a device so many seconds that has nothing else to do. Where all that is claimed on ours is
    more than it can do, everything on it takes longer."""
    devices = _visible()
    left = seconds if devices else 0.0
    while left > 0:
        pace = min(_pace(device) for device in devices)
        began = time.monotonic()
        time.sleep(min(_LOOK_SECONDS, left / pace))
        left -= (time.monotonic() - began) * pace


def _pace(device: Path) -> float:
    total = sum(claimed.load for claimed in live_claims(device).values())
    return _FULL_LOAD / max(total, _FULL_LOAD)


def _visible() -> list[Path]:
    """The directories of our devices, in our order; without CUDA_VISIBLE_DEVICES all of them."""
    named = os.environ.get("TRAINYARD_SIMULATED_GPUS")
    if not named:
        return []
    directory = Path(named)
    ours = os.environ.get("CUDA_VISIBLE_DEVICES")
    if ours is None:
        lines = (directory / "devices").read_text(encoding="utf-8").splitlines()
        indexes = [line.split()[0] for line in lines if line.strip()]
    else:
        indexes = [index.strip() for index in ours.split(",") if index.strip()]
    visible: list[Path] = []
    for index in indexes:
        if not index.isdigit():
            break  # CUDA sees nothing from the first that it does not know: -1 is how people hide all of them
        visible.append(directory / index)
    return visible


def _free_name(claims: dict[str, Claimed]) -> str:
    pid = str(os.getpid())
    names = (pid, *(f"{pid}.{number}" for number in range(1, len(claims) + 2)))
    return next(name for name in names if name not in claims)


def _checked_load(load: float) -> float:
    if not 0 <= load <= _FULL_LOAD:
        raise ValueError(f"load is in percent of a device, from 0 to 100, not {load!r}")
    return float(load)


if __name__ == "__main__":
    import sys

    from trainyard._simulated_command import main

    sys.exit(main(sys.argv[1:]))
