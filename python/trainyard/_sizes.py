"""Sizes as people write them: 512M, 1.2G. A unit is 1024 of the one before it."""

from __future__ import annotations

import math
import re

_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def bytes_in(size: str | float) -> int:
    """A number is one of bytes."""
    if isinstance(size, (int, float)):
        value = float(size)
        factor = 1
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(?:i?B)?\s*", size, re.IGNORECASE)
        if match is None:
            raise ValueError(f"{size!r} is not a size: write 512M or 1.2G")
        value = float(match[1])
        factor = _UNITS[match[2].upper()]
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{size!r} is not a size: write 512M or 1.2G")
    return round(value * factor)


def size_of(count: int) -> str:
    """1.2G; what a person can take in."""
    for unit in ("T", "G", "M", "K"):
        if count >= _UNITS[unit]:
            return f"{count / _UNITS[unit]:.1f}{unit}"
    return f"{count} bytes"
