"""Findings about a program, and their report as text or JSON."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

from dovetail.base.locations import Location

# The kinds of findings, in the order of the report, and what helps.
REMEDIES = {
    "failure": "read the traceback; what follows is what was found before",
    "nan": "keep the operands in the function's domain, for example with dovetail.numpy.where on "
    "the operand as well as on the result",
    "key-reuse": "make new keys with dovetail.random.split, or state that it is meant with "
    "dovetail.random.clone",
    "jit-in-loop": "apply jit once, outside of what makes the function again",
    "retracing": "pass arguments of the same types and structure; pad to a few sizes, or use "
    "dynamic_shapes; make static only what changes the program",
    "unrolled-loop": "use lax.fori_loop, lax.scan or vmap, which trace the body once",
    "large-constant": "pass the array as an argument, so that it is not kept with the program",
    "host-round-trip": "keep the value on the device, and read it after the loop, or every "
    "hundredth step",
    "float64": "make the array float32, or turn on enable_x64 if its digits count",
    "donation": "donate only arguments for which there is a result of the same shape and element "
    "type",
    "slow-code": "set DOVETAIL_DUMP to a folder, and report the program with what that writes",
    "not-compiled": "set DOVETAIL_COMPILE=now to see the error where it arises, and "
    "DOVETAIL_DUMP to a folder to report it",
}


@dataclass(frozen=True)
class Finding:
    """Something that costs the author of a program time, memory or a right result.

    Attributes:
      kind: a key of `REMEDIES`.
      file, line, function: where in the user's program; "" and 0 if unknown.
      message: what happens there.
      count: how often.
    """

    kind: str
    file: str
    line: int
    function: str
    message: str
    count: int = 1

    @property
    def remedy(self) -> str:
        """What helps."""
        return REMEDIES[self.kind]


class Report:
    """Findings, of which those of one kind at one place are one."""

    def __init__(self) -> None:
        self._messages: dict[tuple[str, Location], str] = {}
        self._counts: dict[tuple[str, Location], int] = {}

    def add(self, kind: str, place: Location, message: str, count: int = 1) -> None:
        """Adds a finding; the message of the first one at a place is kept."""
        key = kind, place
        self._messages.setdefault(key, message)
        self._counts[key] = self._counts.get(key, 0) + count

    def findings(self) -> list[Finding]:
        """All findings: the worst kinds first, those of a kind by place."""
        order = [*REMEDIES]
        found = [
            Finding(kind, *place, self._messages[kind, place], self._counts[kind, place])
            for kind, place in self._messages
        ]
        return sorted(found, key=lambda f: (order.index(f.kind), f.file, f.line))


def as_text(findings: list[Finding]) -> str:
    """The report for people."""
    if not findings:
        return "dovetail check: nothing found\n"
    lines = []
    for number, finding in enumerate(findings, 1):
        times = f", {finding.count} times" if finding.count > 1 else ""
        lines += [
            f"{number}. {finding.kind} at {_place(finding)}{times}",
            f"   {finding.message}",
            f"   remedy: {finding.remedy}",
        ]
    count = len(findings)
    lines.append(f"dovetail check: {count} finding{'s' if count > 1 else ''}")
    return "\n".join(lines) + "\n"


def as_json(findings: list[Finding]) -> str:
    """The report for programs: a list of objects with the attributes of findings and `remedy`."""
    return json.dumps([asdict(f) | {"remedy": f.remedy} for f in findings], indent=2) + "\n"


def _place(finding: Finding) -> str:
    if not finding.file:
        return "an unknown place"
    relative = os.path.relpath(finding.file)
    file = finding.file if relative.startswith("..") else relative
    return f"{file}:{finding.line} ({finding.function})"
