"""How long saving a checkpoint takes, as seen in this process and in the runs before it.

The Checkpointer tells it, and the ClusterStateManager leaves that much time before the job's limit.
"""

_longest_seconds = 0.0


def note_save(seconds: float) -> None:
    global _longest_seconds
    _longest_seconds = max(_longest_seconds, seconds)


def longest_save_seconds() -> float:
    return _longest_seconds
