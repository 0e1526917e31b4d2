"""Writes a document with the output and the figures of its code into a folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import notebook_runs
from notebooks import tutorials

from support.transcript import transcript

if __name__ == "__main__":
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    if source in tutorials():
        notebook_runs.run(source, folder)
    else:
        (folder / "page.md").write_text(transcript(source, folder / "figures"))
