"""The tests of JAX that are expected to fail, and why: a text file for each of its test files.

A line `# reason` stands above the tests that fail for it, one a line; `*` in a name matches any
text.
"""

from __future__ import annotations

import collections
import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

OUTCOMES = ("passed", "skipped", "expected", "new", "repaired")

Record = Mapping[str, str]

# Kinds of failures that tell by themselves why they are expected: a pattern of the error's text.
_KINDS = (
    ("the process died", r"^Died"),
    ("uses JAX's internals", r"^\w+: INTERNAL"),
    ("calls a primitive of its own in a transform", r"Primitive\.bind"),
    ("uses a name of JAX that is missing", r"Dovetail lacks this name"),
    (
        "several devices, or arrays that can be written to: not here yet",
        r"^\w+: PUBLIC jax\.(pmap|P$|sharding\.|make_array_from_|ref\.|experimental\.multihost)",
    ),
    ("uses a public name that is missing", r"^\w+: PUBLIC"),
    (
        "looks at jaxprs, StableHLO or private attributes",
        r"Precision\.HIGHEST|stablehlo|phase must be one of trace|compiler_ir|_cache_size|args_res|"
        r"opaque_residuals|with_refs|_kept_var_idx|live_executables|_base_array|'_impl'|IRText|"
        r"'custom_call' not found|has no attribute '(func|eqns|jaxpr)'|assert 'select' in|"
        r"dovetail\.\w+ %|: module \{",
    ),
    ("counts traces or compilations", r"^AssertionError: -?\d+ != -?\d+$"),
    (
        "expects JAX's text of a message",
        r"^AssertionError: .*(does not match|Regex didn't match|not found in ')",
    ),
    ("expects an error that is not raised", r"^AssertionError: .* not raised"),
    ("expects a warning", r"Expected warning not found"),
    ("takes an argument that is missing", r"unexpected keyword argument"),
    ("strict promotion", r"numpy_(rank|dtype)_promotion( is '|=strict)"),
    ("takes more than 120 seconds", r"^\w*(Timeout|Failed: Timeout)"),
)
_UNKNOWN = "to be looked at"


def kind_of(record: Record) -> str:
    """The reason that a failure's text tells."""
    text = f"{record['kind']}: {record['message'].strip()}"
    return next((kind for kind, pattern in _KINDS if re.search(pattern, text)), _UNKNOWN)


def files(suite: Path) -> list[str]:
    """The files of JAX's tests that there are expectations for."""
    folder = suite / "expected"
    found = (*folder.glob("*.txt"), *(folder / "pallas").glob("*.txt"))
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in found)


@dataclass
class Expected:
    """The tests of a file that are expected to fail, by reason."""

    reasons: dict[str, list[str]] = field(default_factory=dict)

    @staticmethod
    def _path(suite: Path, file: str, mode: str) -> Path:
        return suite / "expected" / ("" if mode == "default" else mode) / f"{file}.txt"

    @classmethod
    def read(cls, suite: Path, file: str, mode: str) -> Expected:
        """The expectations of a mode; if it has none, those of the default mode."""
        path = cls._path(suite, file, mode)
        if not path.exists():
            path = cls._path(suite, file, "default")
        expected = cls()
        reason = _UNKNOWN
        for line in path.read_text().splitlines() if path.exists() else ():
            if line.startswith("# "):
                reason = line.removeprefix("# ")
            elif line:
                expected.reasons.setdefault(reason, []).append(line)
        return expected

    def write(self, suite: Path, file: str, mode: str) -> None:
        path = self._path(suite, file, mode)
        path.parent.mkdir(parents=True, exist_ok=True)
        blocks = (
            "\n".join((f"# {reason}", *sorted(tests)))
            for reason, tests in sorted(self.reasons.items())
            if tests
        )
        path.write_text("\n\n".join(blocks) + "\n")

    def reason(self, test: str) -> str | None:
        """Why a test is expected to fail, or None."""
        for reason, patterns in self.reasons.items():
            # Names of parametrized tests may have brackets.
            if test in patterns or any(fnmatch.fnmatchcase(test, p) for p in patterns):
                return reason
        return None

    def updated(self, records: Mapping[str, Record]) -> Expected:
        """The expectations that these records give; existing reasons are kept."""
        updated = Expected()
        for test, record in records.items():
            if record["outcome"] == "failed":
                written = self.reason(test)
                reason = kind_of(record) if written in (None, _UNKNOWN) else written
                updated.reasons.setdefault(reason, []).append(test)
        return updated

    def compare(
        self, records: Mapping[str, Record]
    ) -> tuple[collections.Counter[str], list[tuple[str, Record]], Iterable[str]]:
        """The number of tests by outcome, the new failures, and the tests that pass by now."""
        counts: collections.Counter[str] = collections.Counter()
        new, repaired = [], []
        for test, record in records.items():
            expected = self.reason(test) is not None
            if record["outcome"] == "failed":
                counts["expected" if expected else "new"] += 1
                if not expected:
                    new.append((test, record))
            else:
                counts[record["outcome"]] += 1
                if expected and record["outcome"] == "passed":
                    counts["repaired"] += 1
                    repaired.append(test)
        return counts, new, repaired
