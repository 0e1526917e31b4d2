"""The viewer's page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import gzip
import html
import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_SCRIPTS = ("libraries.js", "model.js", "column.js", "diff.js", "graph.js", "memory.js", "main.js")


def page_of(title: str, data: dict[str, Any]) -> str:
    """The HTML of a page that shows some data.

    Args:
      title: the page's title.
      data: what `gathered` returns.
    """
    # A large program is mostly repetition. Level 9 takes six times as long, and saves 2 %.
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode(), 6, mtime=0)).decode()
    scripts = "\n".join(f"<script>\n{_script(name)}\n</script>" for name in _SCRIPTS)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>
{_read("viewer.css")}
</style>
</head>
<body>
<!--
The libraries in this file, and their licences:

{_read("licences.txt").replace("--", "- -")}
-->
{_read("body.html")}
<script type="application/gzip" id="data">{packed}</script>
{scripts}
</body>
</html>
"""


def _script(name: str) -> str:
    # What would end the element.
    return _read(name).replace("</script", "<\\/script")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
