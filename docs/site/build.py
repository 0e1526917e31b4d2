"""Builds the documentation's site: Sphinx's sources in build/site-source, HTML in build/site."""

from __future__ import annotations

import gc
import hashlib
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import api
import contents
import dialect
import gallery
import notebooks
import op_programs
import pages
from contents import ROOT, Section, sections
from sphinx.cmd.build import main as sphinx

SOURCE = ROOT / "build" / "site-source"
OUTPUT = ROOT / "build" / "site"


def main() -> int:
    """Builds what has changed; returns Sphinx's exit status."""
    start = time.perf_counter()

    def done(what: str) -> None:
        print(f"site: {what} after {time.perf_counter() - start:.1f} s", flush=True)

    _run()
    done("code of documents and examples")
    written = pages.make(SOURCE)
    before = _state("api")
    written |= api.make(SOURCE) | dialect.make(SOURCE)
    if _state("api") != before:
        # Pages of source text keep references to names that are gone.
        shutil.rmtree(OUTPUT / "_modules", ignore_errors=True)
    written |= gallery.make(SOURCE)
    done("sources")
    for run in set(pages.RUNS.iterdir()) - pages.used:
        shutil.rmtree(run)
    for section in sections():
        if section.pages:
            written.add(_index(section))
    _root()
    written |= {SOURCE / "index.md", *(SOURCE / pages.FILES).glob("*.md")}
    for path in [*SOURCE.rglob("*.md"), *SOURCE.rglob("*.rst"), *SOURCE.rglob("*.png")]:
        if path not in written:
            path.unlink()
            (OUTPUT / path.relative_to(SOURCE)).with_suffix(".html").unlink(missing_ok=True)
    for path in [*(OUTPUT / "api").glob("*.html")]:
        if not (SOURCE / "api" / f"{path.stem}.rst").exists():
            path.unlink()
    folder = str(Path(__file__).parent)
    doctrees = ROOT / "build" / "site-doctrees"
    _forget_if_changed(doctrees)
    # Of Sphinx's many objects few are garbage; to look for it takes a fifth of the time.
    gc.disable()
    flags = ["-q", "-W", "--keep-going", "-j", "2", "-c", folder, "-d", str(doctrees), "-b", "html"]
    status = sphinx([*flags, str(SOURCE), str(OUTPUT)])
    done("HTML")
    return status


def _run() -> None:
    """Runs all code whose output pages show, the long runs first."""
    documents = sorted(contents.documents(), key=lambda path: path not in notebooks.tutorials())
    tasks = [
        *(partial(gallery.run, path) for path in contents.examples()),
        op_programs.programs,
        *(partial(pages.filled, path) for path in documents),
    ]
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def _forget_if_changed(doctrees: Path) -> None:
    """Drops what Sphinx has read if what it was read with has changed."""
    scripts = [*sorted(Path(__file__).parent.glob("*.py")), ROOT / "tools/requirements-docs.txt"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in scripts)).hexdigest()
    stamp = doctrees / ".scripts"
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(doctrees, ignore_errors=True)
        shutil.rmtree(OUTPUT, ignore_errors=True)
        doctrees.mkdir(parents=True)
        stamp.write_text(digest)


def _state(folder: str) -> dict[Path, float]:
    """When each file of a folder was last written."""
    return {path: path.stat().st_mtime for path in (SOURCE / folder).glob("*")}


def _toctree(entries: list[str], options: str = ":hidden:") -> str:
    return f"\n```{{toctree}}\n{options}\n\n" + "\n".join(entries) + "\n```\n"


def _index(section: Section) -> Path:
    """Writes the page that lists a section."""
    path = SOURCE / f"{section.name}.md"
    text = f"# {section.title}\n\n{section.text}\n"
    for page in section.pages:
        source = next(p for s in (".md", ".rst") if (p := SOURCE / f"{page}{s}").exists())
        text += f"\n{{doc}}`{page}`\n: {_first_sentence(source.read_text())}\n"
    pages.write(path, text + _toctree([*section.pages]))
    return path


def _first_sentence(text: str) -> str:
    """The first sentence of a page that does not say how the page is made."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    paragraphs = [" ".join(part.split()) for part in prose.split("\n\n")]
    plain = [
        p
        for p in paragraphs
        if re.match(r"[\w`]", p) and not p.startswith(("Generated", "Written", "Each script"))
    ]
    sentence = re.split(r"(?<=[.:]) (?=[A-Z`])", next((p for p in plain if "====" not in p), ""))[0]
    # Links would be relative to the page.
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|:doc:`[^`]*`", r"\1", sentence).rstrip(":.") + "."


def _root() -> None:
    """Adds what the head of the site shows to the landing page."""
    path = SOURCE / "index.md"
    names = [part.name for part in sections()]
    text = path.read_text().split("\n```{toctree}")[0]
    cards = ""
    for part in sections():
        cards += f":::{{grid-item-card}} {part.title}\n:link: {part.name}\n:link-type: doc\n\n"
        cards += f"{part.text}\n:::\n\n"
    grid = f"::::{{grid}} 1 2 3 3\n:gutter: 3\n\n{cards}::::\n\n"
    mark = "## Where to start"
    if grid not in text:
        text = text.replace(mark, grid + mark)
    pages.write(path, text + _toctree(names))


if __name__ == "__main__":
    sys.exit(main())
