"""Writes a document with the output and the figures of its code into a folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.transcript import transcript

if __name__ == "__main__":
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    (folder / "page.md").write_text(transcript(source, folder / "figures"))
