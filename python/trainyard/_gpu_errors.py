"""What can go wrong between a program and the yard that shares out GPUs. They are known as trainyard.gpu's."""

from __future__ import annotations

HINT = 'run glb-start in another terminal, or start the program with glb-run "…"'


class ServerUnavailable(RuntimeError):
    """No yard answers, so nobody can say which GPU is free."""

    __module__ = "trainyard.gpu"


class LeaseRefused(RuntimeError):
    """The yard answers, and says no: `code` for programs, `hint` what to do about it, or None."""

    __module__ = "trainyard.gpu"

    def __init__(self, message: str, code: str = "", hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}; {hint}")
        self.code = code
        self.hint = hint


class LeaseEnded(RuntimeError):
    """The yard ended the wait for a GPU, or somebody did."""

    __module__ = "trainyard.gpu"
