"""The built site in a browser: errors, search, copying, colours, and a phone's width."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize

SITE = Path(__file__).parents[2] / "build" / "site"
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if "_modules" not in path.parts and "_static" not in path.parts
)
# Its heading is that of the results.
WITHOUT_HEADING = {"search.html"}
PHONE: ViewportSize = {"width": 390, "height": 844}
# What a reader may look for, and a page that is to be among the first results.
TERMS = {
    "vmap": "tutorials/batching.html",
    "grad": "tutorials/derivatives.html",
    "arctan2": "api/dovetail.numpy-trigonometry.html",
    "scan": "tutorials/control_flow.html",
    "mesh": "devices.html",
    "export": "deploy.html",
    "cholesky": "api/dovetail.numpy.linalg.html",
    "cotangent": "glossary.html",
    "cumlogsumexp": "dialect/cumulative.html",
    "Vulkan": "devices.html",
}
# Each page is opened once, by one of several tests.
PARTS = 4


def test_there_are_pages() -> None:
    assert len(PAGES) > 100


@pytest.mark.parametrize("part", range(PARTS))
def test_pages(page: Page, part: int) -> None:
    """They load without errors, have one heading and texts for images, and fit a phone."""
    errors: list[str] = []
    here = ""
    page.on("console", lambda m: errors.append(f"{here}: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(f"{here}: {error}"))
    page.on("response", lambda r: errors.append(f"{here}: {r.url}") if r.status >= 400 else None)
    page.set_viewport_size(PHONE)
    for here in PAGES[part::PARTS]:
        page.goto(f"/{here}")
        headings, undescribed, width = page.evaluate(
            """() => [
                document.querySelectorAll("article h1").length,
                document.querySelectorAll("article img:not([alt])").length,
                document.documentElement.scrollWidth,
            ]"""
        )
        if headings != (here not in WITHOUT_HEADING):
            errors.append(f"{here}: {headings} headings")
        if undescribed:
            errors.append(f"{here}: {undescribed} images without a text")
        if width > PHONE["width"] + 1:
            errors.append(f"{here}: {width} pixels wide on a phone")
    assert not errors


@pytest.mark.parametrize("term", TERMS)
def test_search(page: Page, term: str) -> None:
    page.goto(f"/search.html?q={term}")
    results = page.locator("ul.search li a")
    results.first.wait_for(timeout=20_000)
    page.wait_for_function(
        "document.querySelector('.search-summary')?.textContent.includes('found')"
    )
    found = [str(result.get_attribute("href")) for result in results.all()]
    assert any(TERMS[term] in link for link in found), found[:20]


def test_search_dialog(page: Page) -> None:
    page.goto("/index.html")
    page.keyboard.press("Control+K")
    page.keyboard.type("jacobian")
    page.keyboard.press("Enter")
    page.locator("ul.search li a").first.wait_for(timeout=20_000)


def test_code_is_copied_without_prompts(page: Page) -> None:
    page.goto("/looking_inside.html")
    block = page.locator("div.highlight-pycon, div.highlight-python").first
    block.hover()
    block.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "import dovetail as dt" in copied
    assert ">>>" not in copied


def test_dark_and_light(page: Page) -> None:
    page.goto("/tour.html")
    colours = {}
    for mode in ("light", "dark"):
        page.locator("button.theme-switch-button").first.click()
        page.locator(f"button.theme-change-button[data-mode={mode}]").first.click()
        assert page.evaluate("document.documentElement.dataset.theme") == mode
        colours[mode] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colours["light"] != colours["dark"]
    page.goto("/index.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_system_decides_about_colours(page: Page) -> None:
    for mode in ("light", "dark"):
        page.emulate_media(color_scheme=mode)
        page.goto("/tour.html")
        assert page.evaluate("document.documentElement.dataset.theme") == mode


def test_menu_of_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/tutorials/arrays.html")
    page.locator("button.primary-toggle").click()
    link = page.locator("dialog a, .bd-sidebar-primary a").filter(has_text="Guides").first
    link.wait_for(state="visible")
    link.click()
    page.wait_for_url("**/guides.html")
