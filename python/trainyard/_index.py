"""What is known of the checkpoints in a directory beyond their bytes: a hidden JSON file beside them.

An entry is written before its checkpoint is put in place, so it may be there for one that never came; and a name
that is written again has the sums of both, since only the renaming decides which of them it is. A checkpoint without
an entry is as good as any other, only not checked.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from trainyard import _durable

_VERSION = 1
# Each save that was cut off before its renaming leaves one.
_SUMS_KEPT = 4


class Entry(NamedTuple):
    """The newest sum is the last."""

    sums: tuple[str, ...]
    metric: float | None
    seconds: float


def read_index(path: Path) -> dict[str, Entry]:
    """Without one, or with one that cannot be read, nothing is known."""
    try:
        told = json.loads(path.read_bytes())
        if told["version"] != _VERSION:
            return {}
        return {name: _entry(each) for name, each in told["checkpoints"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def write_entry(path: Path, name: str, entry: Entry, present: Collection[str]) -> None:
    """Those of checkpoints that are no longer there are left out."""
    known = read_index(path)
    earlier = known[name].sums if name in known else ()
    sums = (*(each for each in earlier if each not in entry.sums), *entry.sums)[-_SUMS_KEPT:]
    entries = {each: known[each] for each in sorted(known) if each in present and each != name}
    entries[name] = entry._replace(sums=sums)
    text = json.dumps(
        {"version": _VERSION, "checkpoints": {each: entries[each]._asdict() for each in entries}},
        indent=1,
    )
    draft = path.with_name(f"{path.name}.draft")
    try:
        draft.write_text(text, encoding="ascii")
        _durable.make_durable(draft)
        os.replace(draft, path)
    except BaseException:
        _durable.remove(draft)
        raise


def _entry(told: dict[str, object]) -> Entry:
    sums, metric, seconds = told["sums"], told["metric"], told["seconds"]
    if not isinstance(sums, list) or not isinstance(seconds, (int, float)):
        raise TypeError("an entry has other fields")
    is_number = isinstance(metric, (int, float)) and math.isfinite(metric)
    return Entry(tuple(str(each) for each in sums), float(str(metric)) if is_number else None, float(seconds))
