"""Tables and charts of what the suite measured, and of what changed between two runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from libraries import LIBRARIES

Row = dict[str, Any]

# Targets of the summary.
OVER_JAX = 1.15
OVER_PEERS = 1.25
LEAST_MEMORY = 4 * 2**20
SIZES = ("small", "medium", "large")


def minimum(row: Row, library: str) -> float | None:
    return row["times"].get(library, {}).get("minimum")


def over_jax(row: Row) -> float | None:
    ours, jax = minimum(row, "dovetail"), minimum(row, "jax")
    return ours / jax if ours and jax else None


def over_best(row: Row) -> float | None:
    """Returns Dovetail's time relative to that of the best other library."""
    ours = minimum(row, "dovetail")
    peers = [times["minimum"] for name, times in row["times"].items() if name != "dovetail"]
    return ours / min(peers) if ours and peers else None


def of_limit(row: Row) -> float | None:
    """Returns which part of the machine's limit Dovetail reaches."""
    ours = minimum(row, "dovetail")
    return row["limit"] / ours if ours and row["limit"] else None


def geometric_mean(ratios: Iterable[float | None]) -> float:
    known = [math.log(ratio) for ratio in ratios if ratio]
    return math.exp(sum(known) / len(known)) if known else float("nan")


def duration(seconds: float | None) -> str:
    """Returns a time in ms with three digits."""
    if seconds is None:
        return ""
    ms = 1e3 * seconds
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}" if ms >= 1 else f"{ms:.4f}"


def ratio(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.2f}"


def columns(names: list[str], first: bool, memory: bool) -> list[str]:
    """Returns the heads of the table."""
    shown = [LIBRARIES[name].name for name in names]
    heads = ["program", "size", *(f"{name} ms" for name in shown), "/ JAX", "/ best", "of limit"]
    compiled = [LIBRARIES[name].name for name in names if LIBRARIES[name].compiles]
    heads += [f"{name} first s" for name in compiled] if first else []
    heads += [f"{name} MiB" for name in shown] if memory else []
    return [*heads, "notes"]


def heading(names: list[str], first: bool, memory: bool) -> str:
    heads = columns(names, first, memory)
    return f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|"


def line(row: Row, names: list[str], first: bool, memory: bool) -> str:
    """Returns a line of the table."""
    shape = "×".join(map(str, row["shape"]))
    part = of_limit(row)
    cells = [row["program"], f"{row['size']}: {shape}"]
    cells += [duration(minimum(row, name)) for name in names]
    cells += [ratio(over_jax(row)), ratio(over_best(row))]
    cells.append(f"{100 * part:.0f} %" if part else "")
    if first:
        seconds = [row["first"].get(name) for name in names if LIBRARIES[name].compiles]
        cells += [f"{s:.2f}" if s is not None else "" for s in seconds]
    if memory:
        sizes = [row["memory"].get(name) for name in names]
        cells += [f"{size / 2**20:.1f}" if size else "" for size in sizes]
    cells.append(
        "; ".join(f"{LIBRARIES[name].name}: {note}" for name, note in row["notes"].items())
    )
    return f"| {' | '.join(cells)} |"


def first_ratio(row: Row) -> float | None:
    ours, jax = row["first"].get("dovetail"), row["first"].get("jax")
    return ours / jax if ours and jax else None


def memory_ratio(row: Row) -> float | None:
    """Returns the ratio of peaks, if they are more than what a process's memory varies by."""
    ours, jax = row["memory"].get("dovetail"), row["memory"].get("jax")
    return ours / jax if ours and jax and max(ours, jax) > LEAST_MEMORY else None


def summary(rows: list[Row], first: bool, memory: bool) -> str:
    """Returns geometric means by family and in all, and how many rows miss the targets."""
    heads = ["family", "rows", "/ JAX", "/ best", f"> {OVER_JAX} × JAX", f"> {OVER_PEERS} × best"]
    heads += ["first / JAX"] if first else []
    heads += ["memory / JAX"] if memory else []
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    families = list(dict.fromkeys(row["family"] for row in rows))
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    groups = [(family, [row for row in rows if row["family"] == family]) for family in families]
    groups += [(f"all {size}", [row for row in rows if row["size"] == size]) for size in sizes]
    for name, group in [*groups, ("**all**", rows)]:
        jax, best = [over_jax(row) for row in group], [over_best(row) for row in group]
        cells = [name, str(len(group)), ratio(geometric_mean(jax)), ratio(geometric_mean(best))]
        cells.append(f"{sum(r > OVER_JAX for r in jax if r)} of {sum(r is not None for r in jax)}")
        cells.append(
            f"{sum(r > OVER_PEERS for r in best if r)} of {sum(r is not None for r in best)}"
        )
        cells += [ratio(geometric_mean(map(first_ratio, group)))] if first else []
        if memory:
            ratios = [r for r in map(memory_ratio, group) if r]
            largest = f", at most {max(ratios):.2f}" if ratios else ""
            cells.append(ratio(geometric_mean(ratios)) + largest)
        lines.append(f"| {' | '.join(cells)} |")
    failed = [row for row in rows if "dovetail" in row["notes"]]
    names = ", ".join(f"{row['program']} ({row['size']})" for row in failed)
    lines += [
        "",
        f"Dovetail failed in {len(failed)} of {len(rows)} rows{': ' if names else ''}{names}.",
    ]
    return "\n".join(lines)


def machine(report: dict[str, Any]) -> str:
    """Returns what the measurements were made with."""
    limits, about = report["limits"], report["about"]
    bandwidth = ", ".join(f"{size} {b / 1e9:.0f}" for size, b in limits["bandwidth"].items())
    peak = ", ".join(f"{dtype} {p / 1e9:.0f}" for dtype, p in limits["peak"].items())
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (
        f"{about['processor']}, {about['cores']} cores; {versions}.\n"
        f"Bandwidth in GB/s: {bandwidth}. Peak in GFLOP/s: {peak}."
    )


def chart(rows: list[Row], path: Path) -> bool:
    """Draws the ratios of times, a point for each size; False if Matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(row["program"] for row in rows))
    place = {name: i for i, name in enumerate(reversed(names))}
    figure, axes = pyplot.subplots(
        1, 2, figsize=(13, 1.5 + 0.2 * len(names)), sharey=True, layout="constrained"
    )
    for axis, of, title in zip(
        axes, (over_jax, over_best), ("Dovetail / JAX", "Dovetail / best peer"), strict=True
    ):
        for size, color in zip(
            ("small", "medium", "large"), ("tab:orange", "tab:green", "tab:blue"), strict=True
        ):
            points = [(of(row), place[row["program"]]) for row in rows if row["size"] == size]
            known = [(x, y) for x, y in points if x]
            if known:
                x, y = zip(*known, strict=True)
                axis.scatter(x, y, s=14, color=color, label=size)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.axvline(geometric_mean(map(of, rows)), color="tab:red", linewidth=0.8, linestyle="--")
        axis.set(xscale="log", title=title, xlabel="parts of its time; dashed: geometric mean")
        axis.grid(alpha=0.3)
    axes[0].set_yticks(list(place.values()), list(place), fontsize=7)
    axes[0].set_ylim(-1, len(names))
    axes[0].legend(loc="lower left")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True


def comparison(before: dict[str, Any], after: dict[str, Any], noise: float) -> str:
    """Returns the rows of Dovetail that changed by more than noise, and geometric means.

    A row has changed if both its time and its time relative to the other libraries' did: a busier
    machine slows down all of them.
    """
    old = {(row["program"], row["size"]): row for row in before["rows"]}
    pairs = [
        (old[key], row) for row in after["rows"] if (key := (row["program"], row["size"])) in old
    ]
    changed = []
    for was, now in pairs:
        change = changes(was, now)
        if change and (min(change) > 1 + noise or max(change) < 1 / (1 + noise)):
            changed.append((change[0], was, now))
    lines = [
        "| program | size | before ms | after ms | after / before | / JAX | / best |",
        "|---" * 7 + "|",
    ]
    for change, was, now in sorted(changed, key=lambda entry: -entry[0]):
        jax = f"{ratio(over_jax(was))} → {ratio(over_jax(now))}"
        best = f"{ratio(over_best(was))} → {ratio(over_best(now))}"
        times = f"{duration(minimum(was, 'dovetail'))} | {duration(minimum(now, 'dovetail'))}"
        lines.append(
            f"| {now['program']} | {now['size']} | {times} | {change:.2f} | {jax} | {best} |"
        )
    for name, was, now in status_changes(pairs):
        lines.append(f"| {name} | | {was} | {now} | | | |")
    both = [change for was, now in pairs if (change := changes(was, now))]
    own, relative = (geometric_mean(change[i] for change in both) for i in range(2))
    means = [
        " → ".join(f"{geometric_mean(of(pair[i]) for pair in pairs):.3f}" for i in range(2))
        for of in (over_jax, over_best)
    ]
    lines += [
        "",
        f"{len(changed)} of {len(pairs)} rows changed by more than {100 * noise:.0f} %. Geometric "
        f"means of all: after / before {own:.3f}, relative to the other libraries' times "
        f"{relative:.3f}; over JAX {means[0]}; over the best peer {means[1]}.",
    ]
    return "\n".join(lines)


def changes(was: Row, now: Row) -> tuple[float, float] | None:
    """Returns by which factors Dovetail's time changed: itself, and relative to the others'."""
    before, after = minimum(was, "dovetail"), minimum(now, "dovetail")
    if not before or not after:
        return None
    peers = [
        theirs / others
        for name in now["times"]
        if name != "dovetail" and (theirs := minimum(now, name)) and (others := minimum(was, name))
    ]
    own = after / before
    return own, own / geometric_mean(peers) if peers else own


def status_changes(pairs: list[tuple[Row, Row]]) -> list[tuple[str, str, str]]:
    """Returns the rows that Dovetail failed in only one of the runs."""
    found = []
    for was, now in pairs:
        notes = was["notes"].get("dovetail"), now["notes"].get("dovetail")
        if bool(notes[0]) != bool(notes[1]):
            name = f"{now['program']} ({now['size']})"
            found.append((name, notes[0] or "ran", notes[1] or "runs"))
    return found


def condensed(reports: list[dict[str, Any]]) -> str:
    """Returns the reports of runs at different sizes as one, with the shortest times alone, in
    which each row is a line.
    """

    def rounded(value: float | None) -> float | None:
        return None if value is None else float(f"{value:.4g}")

    order = [row["program"] for each in reports for row in each["rows"]]
    rows = [
        {
            **{key: row[key] for key in ("program", "family", "size", "shape")},
            "limit": rounded(row["limit"]),
            "times": {name: {"minimum": rounded(t["minimum"])} for name, t in row["times"].items()},
            "notes": row["notes"],
        }
        for each in reports
        for row in each["rows"]
    ]
    rows.sort(key=lambda row: (order.index(row["program"]), SIZES.index(row["size"])))
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    about = json.dumps(reports[-1]["about"], ensure_ascii=False)
    return f'{{\n "about": {about},\n "rows": [\n  {lines}\n ]\n}}\n'
