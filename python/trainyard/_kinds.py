"""What a kind of job is called when nobody says: the file and the function, `tf_mnist_train.py::train_job`."""

from __future__ import annotations

import functools
import inspect
import os
from types import CodeType, FrameType
from typing import Any, Callable

_INTERACTIVE = "interactive"


def kind_of(function: Callable[..., Any]) -> str:
    """The file is where the function is written, whatever the module is called that it ends up in."""
    inner: Any = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        raise TypeError(f"say what kind of job {function!r} is: kind='…'")
    return f"{_file_of(code)}::{name_of(inner)}"


def kind_of_caller(frame: FrameType) -> str:
    code = frame.f_code
    name = code.co_name
    return _file_of(code) if name.startswith("<") else f"{_file_of(code)}::{name}"


def name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return str(name or type(function).__name__).replace("<locals>.", "")


def _file_of(code: CodeType) -> str:
    """What is typed in, or stands in a notebook, is in no file that would be called the same next time."""
    path = code.co_filename
    is_made_up = path.startswith("<") or os.path.basename(os.path.dirname(path)).startswith("ipykernel_")
    return _INTERACTIVE if is_made_up else os.path.basename(path)
