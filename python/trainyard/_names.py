"""How checkpoints are called: a template such as `step-{step:08d}.ckpt`, to be filled in and to be read back."""

from __future__ import annotations

import re
import string

# With digits enough to tell whether a step can be read back.
_SAMPLE_STEP = 123456789


class Names:
    def __init__(self, template: str, rank: int | None) -> None:
        """`rank` is None where only one rank saves; then the template does not speak of it."""
        self._template = template
        self._rank = rank
        self._pattern = re.compile(_pattern(template, rank))
        try:
            sample = self.of(_SAMPLE_STEP)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise ValueError(f"name is {template!r}, which cannot be filled in: {error!r}") from None
        if self.step_of(sample) != _SAMPLE_STEP:
            raise ValueError(f"name is {template!r}; it has to hold {{step}} as a whole number")
        if rank is not None and self.of(1, rank) == self.of(1, rank + 1):
            raise ValueError(f"name is {template!r}; where all ranks save, it has to hold {{rank}}")
        if sample.startswith(".") or "/" in sample or "\0" in sample or sample.endswith(".damaged"):
            raise ValueError(
                f"name is {template!r}; names that begin with a dot, end with .damaged or hold a slash are for others"
            )

    def of(self, step: int, rank: int | None = None) -> str:
        return self._template.format(step=step, rank=self._rank if rank is None else rank)

    def step_of(self, name: str) -> int | None:
        """None for what is called otherwise, and for what another rank has saved."""
        match = self._pattern.fullmatch(name)
        step = None if match is None else int(match.groupdict().get("step", -1))
        return step if step is not None and self.of(step) == name else None


def _pattern(template: str, rank: int | None) -> str:
    pattern = ""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"name is {template!r}, which cannot be read: {error}") from None
    for literal, field, form, _conversion in parts:
        pattern += re.escape(literal)
        if field == "step":
            pattern += "(?P<step>[0-9]+)" if "(?P<step>" not in pattern else "(?P=step)"
        elif field == "rank":
            pattern += re.escape(format(rank, form or "") if rank is not None else "")
        elif field is not None:
            raise ValueError(f"name is {template!r}; it may hold {{step}} and {{rank}}, and no {{{field}}}")
    return pattern
