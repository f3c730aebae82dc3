"""GPU load balancing under its short name: `import glb`, `@glb.gpu_load_balance()`. All of it is trainyard.gpu."""

from trainyard.gpu import (
    Lease,
    LeaseEnded,
    LeaseRefused,
    ServerUnavailable,
    complete_job,
    gpu_load_balance,
    lease,
    request_gpu,
)

__all__ = [
    "Lease",
    "LeaseEnded",
    "LeaseRefused",
    "ServerUnavailable",
    "complete_job",
    "gpu_load_balance",
    "lease",
    "request_gpu",
]
