"""A browser, and a server of the documentation's site."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SITE = Path(__file__).parents[2] / "build" / "site"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    # Keeps connections.
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Does not log requests."""


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the site is served."""
    handler = functools.partial(_Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A tab of a wide window that may use the clipboard."""
    context = browser.new_context(viewport={"width": 1300, "height": 900}, base_url=address)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()
