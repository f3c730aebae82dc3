"""ClusterStateManager: whether this run has to end, why, and with which exit code.

It puts together what signals, the clock and the other ranks say. It saves nothing: that is for the training loop,
between two iterations, where the state is whole.
"""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Callable, Union

from trainyard import _environment
from trainyard._agreement import Agreement, OtherMachine
from trainyard._budget import Budget
from trainyard._environment import Place
from trainyard._handlers import Handlers

COMPLETE = 0
REQUEUE = 3

# What clusters send ahead of an end: preemption, Ctrl-C, the warnings of --signal and -notify, a soft CPU limit.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)

Agree = Union[Callable[[bool], bool], bool, None]

# As notes; those above 0 are numbers of signals.
_TIME = -1
_OTHER_RANK = -2


class ClusterStateManager:
    """Ask `should_exit()` once in each iteration; when it says so, save and leave with `get_exit_code()`.

    time_to_run: seconds after which to leave. With or without it, a run leaves before its job's time limit
        (TRAINYARD_ENDS_AT or SLURM_JOB_END_TIME), early enough for one more iteration not to be cut off.
    margin: seconds to leave for saving before that limit; by default learned from what the Checkpointer takes.
    signals: those that ask to leave.
    agree: how ranks agree to leave after the same iteration. A function that is given whether this rank wants to
        leave and tells whether any does, such as an all-reduce; False: each leaves on its own. By default the ranks of
        one machine agree through TRAINYARD_ATTEMPT_DIR.
    rank, ranks: which of how many this process is; by default what its launcher says.
    requeue_exit: the exit code that asks to be queued again; by default TRAINYARD_REQUEUE_EXIT, or 3.
    """

    def __init__(
        self,
        time_to_run: float | None = None,
        *,
        margin: float | None = None,
        signals: Iterable[int] = SIGNALS,
        agree: Agree = None,
        rank: int | None = None,
        ranks: int | None = None,
        requeue_exit: int | None = None,
    ) -> None:
        self._note: int | None = None
        self._is_leaving = False
        self._is_finished = False
        self._requeue_exit = _choose_exit(requeue_exit)
        self._budget = Budget(time_to_run, margin)
        self._ask: Callable[[bool], bool] | None = agree if callable(agree) else None
        place = _environment.choose_place(rank, ranks)
        self._agreement = _find_agreement(place) if agree is None or agree is True else None
        self._handlers = Handlers(self._on_signal)
        self._alarm_is_set = False
        self._listen(tuple(signals))

    def should_exit(self) -> bool:
        """Whether to save and leave now. Call it once in each iteration, in every rank alike."""
        if self._is_leaving:
            return True
        self._budget.count_iteration()
        # The others may be an iteration ahead, and then one more is needed to leave together.
        if not self._budget.has_room_for(1 if self._agreement is None else 2):
            self._take_note(_TIME)
        self._is_leaving = self._all_leave(self._note is not None)
        return self._is_leaving

    def get_exit_code(self) -> int:
        """0 when nothing asked to leave, or training has `finished()`; else the code that asks to be queued again."""
        if self._is_finished or not self._was_asked():
            return COMPLETE
        return self._requeue_exit

    def finished(self) -> None:
        """Training is complete: whatever came at the last minute, the exit code is 0."""
        self._is_finished = True

    @property
    def reason(self) -> str | None:
        """What came first: `time`, or a signal such as `signal SIGUSR1`; None: nothing has asked to leave.

        `another rank`, when it is only known that one of them wants to.
        """
        if self._note is None:
            return None
        if self._note == _TIME:
            return "time"
        return "another rank" if self._note == _OTHER_RANK else f"signal {_signal_name(self._note)}"

    @property
    def seconds_left(self) -> float | None:
        """Until training has to stop; None: nobody knows of a limit."""
        return self._budget.seconds_left()

    def close(self) -> None:
        """Puts back the signal handlers that were there. What was asked for is still known."""
        if self._alarm_is_set:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._alarm_is_set = False
        self._handlers.restore()
        if self._agreement is not None:
            self._was_asked()
            self._agreement.close()
            self._agreement = None

    def __enter__(self) -> ClusterStateManager:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _listen(self, signals: tuple[int, ...]) -> None:
        if threading.current_thread() is not threading.main_thread():
            warnings.warn(
                "ClusterStateManager was made outside the main thread, where Python allows no signal handlers: "
                "only the time is kept, and signals act as they did; make it in the main thread",
                RuntimeWarning,
                stacklevel=3,
            )
            return
        seconds = self._budget.seconds_left()
        wants_alarm = seconds is not None and seconds <= _LONGEST_ALARM_SECONDS
        if wants_alarm and signal.SIGALRM not in signals and _alarm_is_free():
            signals = (*signals, signal.SIGALRM)
            self._alarm_is_set = True
        self._handlers.install(signals)
        if self._alarm_is_set and seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, _SHORTEST_ALARM_SECONDS))

    def _on_signal(self, number: int) -> None:
        """The clock is asked first: what ended the run is what came first, even if it was not noticed yet."""
        is_alarm = number == signal.SIGALRM and self._alarm_is_set
        if is_alarm or self._budget.is_over():
            self._take_note(_TIME)
        self._take_note(number)

    def _take_note(self, note: int) -> None:
        if self._note is None:
            self._note = note

    def _all_leave(self, wants_to: bool) -> bool:
        if self._ask is not None:
            agreed = bool(self._ask(wants_to))
            if agreed:
                self._take_note(_OTHER_RANK)
            return agreed
        if self._agreement is None:
            return wants_to
        is_here = self._agreement.count_iteration()
        if self._note is not None and not is_here:
            is_here = self._agreement.ask_to_leave(self._note)
        if is_here:
            # One reason for all of them: that of the first who asked.
            self._note = self._agreement.reason()
        return is_here

    def _was_asked(self) -> bool:
        if self._budget.is_over():
            self._take_note(_TIME)
        if self._note is None and self._agreement is not None:
            self._note = self._agreement.reason()
        return self._note is not None


# setitimer refuses numbers that no clock will see; the clock is looked at in any case.
_LONGEST_ALARM_SECONDS = 1e8
_SHORTEST_ALARM_SECONDS = 1e-6


def _alarm_is_free() -> bool:
    """A program that uses the alarm itself keeps it; then the clock is looked at in each iteration, and that is all."""
    is_unused = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
    return is_unused and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _find_agreement(place: Place) -> Agreement | None:
    if place.ranks == 1:
        return None
    directory = _environment.attempt_directory()
    why = "TRAINYARD_ATTEMPT_DIR is not set"
    if directory is not None:
        try:
            return Agreement(directory, place)
        except OtherMachine:
            why = "they are not all on this machine"
        except OSError as error:
            why = str(error)
    warnings.warn(
        f"the {place.ranks} ranks cannot agree on when to leave, since {why}: each leaves on its own; "
        "if they train together, give agree=, an all-reduce of whether a rank wants to leave",
        RuntimeWarning,
        stacklevel=3,
    )
    return None


def _choose_exit(code: int | None) -> int:
    if code is None:
        return _environment.requeue_exit() or REQUEUE
    if not 1 <= code <= 255:
        raise ValueError(f"requeue_exit is {code}; give a number from 1 to 255")
    return code


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)  # a real-time signal
