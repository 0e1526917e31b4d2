"""Draws what `benchmarks/results` has, for the page of measurements."""

from __future__ import annotations

import html
import json
import math
import sys
from collections.abc import Callable
from typing import Any

from contents import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import report

RESULTS = ROOT / "benchmarks" / "results" / "suite.json"
_COLOURS = {"small": "#e08214", "medium": "#35978f", "large": "#4575b4"}
_LEFT, _RIGHT, _TOP, _ROW, _WIDTH = 120, 20, 34, 26, 760
# Ratios beyond these are drawn at the border.
_LEAST, _MOST = 1 / 16, 16


def with_charts(text: str) -> str:
    """The page of measurements with its charts, before the first table of the suite."""
    rows = json.loads(RESULTS.read_text())["rows"]
    drawn = "\n\n".join(
        f"```{{raw}} html\n{_chart(rows, of, title)}\n```"
        for of, title in (
            (report.over_jax, "Time relative to JAX's"),
            (report.over_best, "Time relative to that of the best other library"),
        )
    )
    note = (
        "Each point is a program at one size; the line is its family's geometric mean. Point at "
        "one to see its name and times. The numbers are those of `benchmarks/results/suite.json`."
    )
    mark = "| family | programs |"
    if mark not in text:
        raise SystemExit("site: the page of measurements has no table of families")
    return text.replace(mark, f"{drawn}\n\n{note}\n\n{mark}", 1)


def _chart(
    rows: list[dict[str, Any]], of: Callable[[dict[str, Any]], float | None], title: str
) -> str:
    families = sorted({row["family"] for row in rows})
    height = _TOP + _ROW * len(families) + 30
    parts = [f'<text x="0" y="16" font-weight="bold">{html.escape(title)}</text>']
    for ratio in (1 / 16, 1 / 4, 1, 4, 16):
        x, name = _place(ratio), f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}"
        strength = 0.7 if ratio == 1 else 0.2
        parts.append(
            f'<line x1="{x}" x2="{x}" y1="{_TOP - 8}" y2="{height - 24}" stroke="currentColor" '
            f'opacity="{strength}"/>'
            f'<text x="{x}" y="{height - 8}" text-anchor="middle">{name}</text>'
        )
    for number, family in enumerate(families):
        y = _TOP + _ROW * number + 8
        own = [row for row in rows if row["family"] == family]
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{family}</text>')
        parts += [_point(row, ratio, y) for row in own if (ratio := of(row))]
        mean = _place(report.geometric_mean(map(of, own)))
        parts.append(
            f'<line x1="{mean}" x2="{mean}" y1="{y - 11}" y2="{y + 11}" stroke="currentColor" '
            'stroke-width="2.5"/>'
        )
    for number, (size, colour) in enumerate(_COLOURS.items()):
        x = _WIDTH - 240 + 80 * number
        parts.append(
            f'<circle cx="{x}" cy="12" r="5" fill="{colour}"/>'
            f'<text x="{x + 10}" y="16">{size}</text>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{html.escape(title)}" '
        'class="measurements" font-size="12" fill="currentColor">' + "".join(parts) + "</svg>"
    )


def _place(ratio: float) -> float:
    """The horizontal place of a ratio, on a logarithmic axis."""
    ratio = min(max(ratio, _LEAST), _MOST)
    share = math.log(ratio / _LEAST) / math.log(_MOST / _LEAST)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _point(row: dict[str, Any], ratio: float, y: int) -> str:
    # Sizes are one below the other.
    shift = {"small": -5, "medium": 0, "large": 5}[row["size"]]
    times = ", ".join(
        f"{report.LIBRARIES[name].name} {report.duration(each['minimum'])} ms"
        for name, each in row["times"].items()
    )
    about = html.escape(f"{row['program']}, {row['size']}: {ratio:.2f} ({times})")
    return (
        f'<circle cx="{_place(ratio)}" cy="{y + shift}" r="3.2" fill="{_COLOURS[row["size"]]}" '
        f'opacity="0.75"><title>{about}</title></circle>'
    )
