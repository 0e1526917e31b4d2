"""Prints docs/sharding.md: its template, with what the code prints."""

from pathlib import Path

from support.transcript import transcript

if __name__ == "__main__":
    print(transcript(Path(__file__).with_suffix(".template.md")), end="")
