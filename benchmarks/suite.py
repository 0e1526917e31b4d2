"""Programs of users, at three sizes, in Dovetail, JAX, PyTorch and NumPy: where Dovetail stands.

Usage: suite.py [--only PATTERN] [--family NAME…] [--sizes SIZE…] [--libraries NAME…] [--quick]
                [--device PLATFORM] [--compile] [--memory] [--json FILE] [--chart FILE] [--list]
       suite.py compare BEFORE.json AFTER.json [--noise PART]
       suite.py keep RUN.json ...

The libraries that are installed take turns in one process, after their results were compared. The
table has the least time of each. `/ JAX` and `/ best` are Dovetail's time relative to JAX's and to
the best other library's; `of limit` is the time that the machine's bandwidth and peak allow, both
measured in the same run, relative to Dovetail's. A run takes a quarter of an hour on two quiet
cores. `compare` prints rows that changed between two runs. With `--device cuda`, Dovetail, JAX and
PyTorch run on the first GPU; each call waits until its result is there.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("DOVETAIL_COMPILE", "now")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# By default, threads of OpenBLAS and of OpenMP keep a core busy for up to 20 ms after a call, in
# the turns of other libraries. Turns are preceded by a pause that is longer than these.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
os.environ.setdefault("GOMP_SPINCOUNT", "10000")
# Every library runs the code that it has for this processor, not that of an older one.
os.environ.pop("OPENBLAS_CORETYPE", None)

import programs as programs
import report
from libraries import COMPARED, LIBRARIES, Library, use
from limits import limits
from measure import Options, measured, print_memory
from programs.registry import PROGRAMS, SIZES, Program


def processor() -> str:
    found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.processor()


def chosen(options: argparse.Namespace) -> list[Program]:
    """Returns the programs that the command line asks for."""
    pattern = options.only if any(c in options.only for c in "*?[") else f"*{options.only}*"
    programs = [
        program
        for program in PROGRAMS.values()
        if fnmatch.fnmatch(program.name, pattern)
        and (not options.family or program.family in options.family)
    ]
    part, _, parts = (options.share or "0/1").partition("/")
    return programs[int(part) :: int(parts)]


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    families = sorted({program.family for program in PROGRAMS.values()})
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="of programs' names, or part of them"
    )
    parser.add_argument("--family", nargs="+", choices=families, help="families of programs")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(COMPARED))
    parser.add_argument("--device", default="cpu", metavar="PLATFORM", help="cpu (default) or cuda")
    parser.add_argument("--share", metavar="I/N", help="the I-th of N parts of the programs, I < N")
    parser.add_argument("--quick", action="store_true", help="the smallest sizes, few rounds")
    parser.add_argument("--seconds", type=float, default=0.7, help="for each program and size")
    parser.add_argument("--compile", action="store_true", help="first calls find nothing on disk")
    parser.add_argument("--memory", action="store_true", help="the peak of memory of calls")
    parser.add_argument("--json", type=Path, default=Path("build/suite.json"), metavar="FILE")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="a PNG of the ratios")
    parser.add_argument("--list", action="store_true", help="list the programs")
    parser.add_argument("--memory-of", nargs=3, help=argparse.SUPPRESS)
    return parser


def compare(given: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="suite.py compare")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--noise", type=float, default=0.1, help="what counts as change (0.1: 10 %%)"
    )
    options = parser.parse_args(given)
    before, after = (json.loads(path.read_text()) for path in (options.before, options.after))
    print(report.comparison(before, after, options.noise))


def keep(given: list[str]) -> None:
    """Writes runs, one at each size, to the file from which the documentation draws its charts."""
    parser = argparse.ArgumentParser(prog="suite.py keep")
    parser.add_argument("runs", type=Path, nargs="+")
    runs = [json.loads(path.read_text()) for path in parser.parse_args(given).runs]
    (Path(__file__).parent / "results" / "suite.json").write_text(report.condensed(runs))


def run(options: argparse.Namespace) -> None:
    """Measures, printing each row as soon as it is known; the file is complete after each, too."""
    if options.memory and options.device != "cpu":
        raise SystemExit("--memory: what the host's process takes says nothing of a GPU's memory")
    use(options.device)
    libraries = {
        name: LIBRARIES[name]
        for name in options.libraries
        if LIBRARIES[name].is_installed and LIBRARIES[name].runs_on(options.device)
    }
    names, sizes = list(libraries), ("small",) if options.quick else tuple(options.sizes)
    how = Options(options.seconds, 50, options.compile, options.memory)
    if options.quick:
        how.seconds, how.rounds = min(how.seconds, 0.1), 5
    result: dict[str, Any] = {
        "about": about(libraries),
        # Of few turns they would be those of a busy machine.
        "limits": limits(libraries, sizes, seconds=0.5),
        "rows": [],
    }
    print(report.machine(result), end="\n\n", flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for family in dict.fromkeys(program.family for program in chosen(options)):
        print(f"### {family}\n\n{report.heading(names, how.compile, how.memory)}")
        for program in chosen(options):
            if program.family != family:
                continue
            for size in sizes:
                row = measured(program, size, libraries, result["limits"], how)
                result["rows"].append(row)
                print(report.line(row, names, how.compile, how.memory), flush=True)
                options.json.write_text(json.dumps(result, indent=1))
        print()
    print(report.summary(result["rows"], how.compile, how.memory))
    if options.chart and not report.chart(result["rows"], options.chart):
        print("no chart: Matplotlib is not installed", file=sys.stderr)


def about(libraries: dict[str, Library]) -> dict[str, Any]:
    return {
        "versions": {library.name: library.version for library in libraries.values()},
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "device": libraries["dovetail"].module.devices()[0].device_kind
        if "dovetail" in libraries
        else "",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d %H:%M"),
    }


def main() -> None:
    if sys.argv[1:2] == ["compare"]:
        compare(sys.argv[2:])
        return
    if sys.argv[1:2] == ["keep"]:
        keep(sys.argv[2:])
        return
    options = parser().parse_args()
    if options.memory_of:
        print_memory(*options.memory_of)
    elif options.list:
        for program in chosen(options):
            sizes = ", ".join("×".join(map(str, program.sizes[size])) for size in SIZES)
            print(f"{program.family}: {program.name} ({sizes})")
    else:
        run(options)


if __name__ == "__main__":
    main()
