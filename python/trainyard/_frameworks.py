"""What frameworks have done so far, looked at from outside: none is imported for it, and none is made to do anything.

Frameworks read CUDA_VISIBLE_DEVICES when they first use a GPU, whenever they were imported.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_MOST_LINKS = 10


def uses_gpu(descriptors: str = "/proc/self/fd") -> str | None:
    """The framework that has begun to use a GPU; None: none has."""
    torch: Any = sys.modules.get("torch")
    try:
        if torch is not None and torch.cuda.is_initialized():
            return "torch"
    except Exception:
        pass
    backends: Any = getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None)
    if isinstance(backends, dict) and any(name in backends for name in ("cuda", "gpu", "rocm")):
        return "jax"
    for name in ("tensorflow", "cupy"):
        if name in sys.modules and _has_driver_open(descriptors):
            return name
    return None


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether it says, or was caused by one that says, that the memory of a GPU was not enough."""
    for _ in range(_MOST_LINKS):
        if error is None:
            return False
        if _says_out_of_memory(error):
            return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False


def _says_out_of_memory(error: BaseException) -> bool:
    kinds = {(each.__module__.split(".")[0], each.__name__) for each in type(error).__mro__}
    known = {
        ("torch", "OutOfMemoryError"),
        ("cupy", "OutOfMemoryError"),
        ("tensorflow", "ResourceExhaustedError"),
        ("trainyard", "OutOfDeviceMemory"),
    }
    if kinds & known:
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and any(
        words in text
        for words in (
            "CUDA out of memory",
            "CUDA error: out of memory",
            "HIP out of memory",
            "RESOURCE_EXHAUSTED",
        )
    )


def _has_driver_open(descriptors: str) -> bool:
    """This file is only opened to compute: who merely asks how warm a GPU is does without."""
    try:
        names = os.listdir(descriptors)
    except OSError:
        return False
    for name in names:
        try:
            if os.readlink(os.path.join(descriptors, name)) == "/dev/nvidia-uvm":
                return True
        except OSError:
            continue
    return False
