"""Links of the built site lead to pages and headings that exist."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag

SITE = Path(__file__).parents[2] / "build" / "site"
# In code, what looks like an attribute is escaped.
ATTRIBUTE = re.compile(r'\s(href|src|id|name)="([^"]*)"')


class _Page(NamedTuple):
    targets: set[str]
    links: set[str]


@cache
def parsed(path: Path) -> _Page:
    page = _Page(set(), set())
    for attribute, value in ATTRIBUTE.findall(path.read_text(encoding="utf-8")):
        found = page.links if attribute in ("href", "src") else page.targets
        found.add(html.unescape(value))
    return page


@cache
def linked(folder: Path, target: str) -> Path:
    return (folder / target).resolve()


@cache
def is_file(path: Path) -> bool:
    return path.is_file()


def is_dead(page: Path, link: str) -> bool:
    target, anchor = urldefrag(link)
    if target.startswith(("http://", "https://", "mailto:", "data:")):
        return False
    path = linked(page.parent, unquote(target.partition("?")[0])) if target else page
    if not is_file(path):
        return True
    return bool(anchor) and path.suffix == ".html" and unquote(anchor) not in parsed(path).targets


def test_links() -> None:
    pages = [page for page in SITE.rglob("*.html") if "_static" not in page.parts]
    assert len(pages) > 200
    dead = {
        f"{page.relative_to(SITE)}: {link}"
        for page in pages
        for link in parsed(page).links
        if is_dead(page, link)
    }
    assert not dead


def test_nothing_is_fetched_from_elsewhere() -> None:
    for page in SITE.rglob("*.html"):
        for link in parsed(page).links:
            is_code = link.partition("?")[0].endswith((".js", ".css", ".woff2"))
            assert not (is_code and link.startswith("http")), page
