"""Links of the built site lead to pages and headings that exist."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

SITE = Path(__file__).parents[2] / "build" / "site"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.targets.update(filter(None, (values.get("id"), values.get("name"))))
        for name in ("href", "src"):
            if value := values.get(name):
                self.links.add(value)


@cache
def parsed(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def is_dead(page: Path, link: str) -> bool:
    target, anchor = urldefrag(link)
    if target.startswith(("http://", "https://", "mailto:", "data:")):
        return False
    path = (page.parent / unquote(target.partition("?")[0])).resolve() if target else page
    if not path.is_file():
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
