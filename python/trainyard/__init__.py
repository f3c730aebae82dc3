"""For training that survives: when to leave, checkpoints that are whole, and how far it has come.

Works in a job of a Trainyard, in one of Slurm, and on a machine with neither; it needs Python's standard library only.
"""

from trainyard._environment import is_restart, resume_from
from trainyard._version import VERSION as __version__
from trainyard.checkpointer import Checkpointer
from trainyard.cluster import ClusterStateManager
from trainyard.progress import progress

__all__ = [
    "Checkpointer",
    "ClusterStateManager",
    "__version__",
    "is_restart",
    "progress",
    "resume_from",
]
