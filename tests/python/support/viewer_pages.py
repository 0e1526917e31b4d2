"""The data of a page of the program viewer."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any


def data_of(page: str) -> dict[str, Any]:
    """What a page shows."""
    found = re.search(r'id="data">([^<]*)<', page)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def phase_of(program: dict[str, Any], name: str) -> dict[str, Any]:
    """A phase of a program of a page."""
    return next(phase for phase in program["phases"] if phase["name"] == name)


class Op:
    """An op of a phase of a page."""

    def __init__(self, phase: dict[str, Any], row: list[Any]) -> None:
        self.name, self.line, self.parent, self.operands, self.results = row[:5]
        self.arguments, self.callees, self.origins, self.place, self.cost = row[5:]
        self.text = phase["text"].splitlines()[self.line - 1]


def ops_of(phase: dict[str, Any], name: str) -> list[Op]:
    """The ops of a phase that have a name."""
    return [Op(phase, row) for row in phase["ops"] if row[0] == name]
