"""Measures the elementary functions of compiled programs and writes docs/accuracy.md.

usage: .venv/bin/python tools/accuracy [--functions exp,log] [--types f32,complex64]
                                       [--target cpu|cpu-generic|vulkan] [--samples N] [--write]
       .venv/bin/python tools/accuracy --reductions
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    # For tests.python.support.complex_exact, the reference for complex functions.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    from command_line import main

    sys.exit(main(sys.argv[1:]))
