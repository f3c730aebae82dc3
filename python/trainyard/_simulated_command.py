"""Holds a claim on a simulated GPU while a command runs, for some seconds of work, or until it is ended."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from types import FrameType

from trainyard.simulated import Claim, OutOfDeviceMemory, claim, work

_NOT_FOUND = 127
_NOT_RUNNABLE = 126
_BY_SIGNAL = 128
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m trainyard.simulated", description=__doc__)
    parser.add_argument(
        "--memory", required=True, metavar="SIZE", help="of the first of our devices: 512M, 2G"
    )
    parser.add_argument(
        "--load", type=float, default=0.0, metavar="PERCENT", help="how busy it is kept, 0 to 100"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="N", help="so much work, instead of a command; without GPUs, so long"
    )
    parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="ends with its exit status")
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    command = options.command + arguments[cut + 1 :]
    if command and options.seconds is not None:
        parser.error("give either --seconds or a command: both say for how long")
    if not command and options.seconds is None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)  # it waits for them, and releases its claim then
    try:
        claimed = claim(options.memory, options.load)
    except (ValueError, LookupError) as error:
        parser.error(str(error))
    except OutOfDeviceMemory as error:
        sys.stderr.write(f"trainyard.simulated.OutOfDeviceMemory: {error}\n")
        return 1
    with claimed:
        if command:
            return _run(command)
        return _wait() if options.seconds is None else _work(options.seconds, claimed)


def _work(seconds: float, claimed: Claim) -> int:
    if claimed.is_simulated:
        work(seconds)
    else:
        time.sleep(seconds)
    return 0


def _wait() -> int:
    number = signal.sigwait(_ENDING)
    return _BY_SIGNAL + number


def _run(command: list[str]) -> int:
    """What asks us to end is meant for the command; Ctrl-C reaches it by itself."""
    early: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    # Not SIG_IGN, which the command would inherit.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        child = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {os.strerror(error.errno or 0)}\n")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUNNABLE
    for missed in early:
        child.send_signal(missed)
    status = child.wait()
    return _BY_SIGNAL - status if status < 0 else status
