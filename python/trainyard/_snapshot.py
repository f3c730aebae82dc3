"""A copy of a training state in memory, made in one pass, which training may go on behind.

Large leaves (tensors, arrays, bytes) are copied once; a snapshot that is no longer needed lends its memory to the next,
since fresh memory costs as much as the copy. Whatever is shared within the state is shared in the copy.
"""

from __future__ import annotations

import copy
from array import array
from collections import OrderedDict
from typing import Any

# They never change, so they need no copy.
_ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), range, type, frozenset})


def take_snapshot(state: Any, spare: Any = None) -> Any:
    """`spare` is an earlier snapshot that may be overwritten."""
    return _Snapshot().take(state, spare)


class _Snapshot:
    def __init__(self) -> None:
        # As copy.deepcopy keeps it: by the identity of what was copied.
        self._memo: dict[int, Any] = {}
        self._lent: set[int] = set()

    def take(self, value: Any, spare: Any) -> Any:
        kind = type(value)
        if kind in _ATOMS:
            return value
        if id(value) in self._memo:
            return self._memo[id(value)]
        if kind is dict or kind is OrderedDict:
            return self._take_dict(value, spare)
        if kind is list:
            return self._take_list(value, spare)
        if kind is tuple:
            taken: Any = tuple(self.take(each, _at(spare, place)) for place, each in enumerate(value))
        elif kind in (bytearray, array):
            taken = self._take_bytes(value, spare)
        elif _is(kind, "numpy", "ndarray") and not value.dtype.hasobject:
            taken = self._take_array(value, spare)
        elif _is(kind, "torch", "Tensor"):
            taken = self._take_tensor(value, spare)
        else:
            return copy.deepcopy(value, self._memo)
        self._memo[id(value)] = taken
        return taken

    def _take_dict(self, value: dict[Any, Any], spare: Any) -> Any:
        taken = type(value)()
        self._memo[id(value)] = taken
        old = spare if isinstance(spare, dict) else {}
        for key, each in value.items():
            taken[key] = self.take(each, old.get(key))
        if isinstance(value, OrderedDict):
            vars(taken).update(vars(value))  # torch keeps the versions of modules there
        return taken

    def _take_list(self, value: list[Any], spare: Any) -> Any:
        if _ATOMS.issuperset(map(type, value)):
            taken = value[:]
            self._memo[id(value)] = taken
            return taken
        taken = []
        self._memo[id(value)] = taken
        for place, each in enumerate(value):
            taken.append(self.take(each, _at(spare, place)))
        return taken

    def _take_bytes(self, value: Any, spare: Any) -> Any:
        if type(spare) is not type(value) or len(spare) != len(value) or not self._lend(spare):
            return value[:]
        if isinstance(value, array) and spare.typecode != value.typecode:
            return value[:]
        memoryview(spare)[:] = value
        return spare

    def _take_array(self, value: Any, spare: Any) -> Any:
        fits = type(spare) is type(value) and spare.shape == value.shape and spare.dtype == value.dtype
        if not fits or not self._lend(spare):
            return value.copy(order="K")
        spare[...] = value
        return spare

    def _take_tensor(self, value: Any, spare: Any) -> Any:
        fits = type(spare) is type(value) and spare.shape == value.shape and spare.dtype == value.dtype
        if fits and not value.requires_grad and not spare.requires_grad and self._lend(spare):
            return spare.copy_(value)
        taken = value.detach().to("cpu", copy=True)
        return taken.requires_grad_() if value.requires_grad else taken

    def _lend(self, spare: Any) -> bool:
        """Once only: two values must not end up in the same memory."""
        if id(spare) in self._lent:
            return False
        self._lent.add(id(spare))
        return True


def _is(kind: type, module: str, name: str) -> bool:
    """By name, since neither need be installed. What is derived from them is more than its numbers."""
    return kind.__name__ == name and kind.__module__ == module


def _at(spare: Any, place: int) -> Any:
    return spare[place] if isinstance(spare, (list, tuple)) and place < len(spare) else None
