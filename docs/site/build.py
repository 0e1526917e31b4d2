"""Builds the documentation's site: writes Sphinx's sources to build/site-source, and its output to build/site."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import api
import dialect
import gallery
import pages
from contents import ROOT, Section, sections
from sphinx.cmd.build import main as sphinx

SOURCE = ROOT / "build" / "site-source"
OUTPUT = ROOT / "build" / "site"


def main() -> int:
    """Builds what has changed; returns Sphinx's exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-gallery", action="store_true", help="leaves the examples out")
    options = parser.parse_args()
    start = time.perf_counter()

    def done(what: str) -> None:
        print(f"site: {what} after {time.perf_counter() - start:.1f} s", flush=True)

    written = pages.make(SOURCE)
    done("documents and their code")
    written |= api.make(SOURCE) | dialect.make(SOURCE)
    done("reference")
    with_gallery = not options.no_gallery
    if with_gallery:
        written |= gallery.make(SOURCE)
        done("examples")
    for section in sections():
        if section.pages:
            written.add(_index(section))
    _root(with_gallery)
    written |= {SOURCE / "index.md", *(SOURCE / pages.FILES).glob("*.md")}
    for path in [*SOURCE.rglob("*.md"), *SOURCE.rglob("*.rst"), *SOURCE.rglob("*.png")]:
        if path not in written:
            path.unlink()
    folder = str(Path(__file__).parent)
    doctrees = str(ROOT / "build" / "site-doctrees")
    flags = ["-q", "-W", "--keep-going", "-j", "2", "-c", folder, "-d", doctrees, "-b", "html"]
    status = sphinx([*flags, str(SOURCE), str(OUTPUT)])
    done("HTML")
    return status


def _toctree(entries: list[str], options: str = ":hidden:") -> str:
    return f"\n```{{toctree}}\n{options}\n\n" + "\n".join(entries) + "\n```\n"


def _index(section: Section) -> Path:
    """Writes the page that lists a section."""
    path = SOURCE / f"{section.name}.md"
    text = f"# {section.title}\n\n{section.text}\n"
    pages.write(path, text + _toctree([*section.pages], ":maxdepth: 1"))
    return path


def _root(with_gallery: bool) -> None:
    """Adds what the head of the site shows to the landing page."""
    path = SOURCE / "index.md"
    names = [part.name for part in sections() if part.name != "gallery" or with_gallery]
    text = path.read_text().split("\n```{toctree}")[0]
    pages.write(path, text + _toctree(names))


if __name__ == "__main__":
    sys.exit(main())
