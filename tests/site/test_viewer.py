"""The program viewer in a browser: hovering, clicking, folding, differences, a large program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.diagnostics.viewer.view import View

W, X = np.ones((640, 320), np.float32), np.ones((160, 640), np.float32)


def loss(w: Any, x: Any) -> Any:
    with dt.named_scope("hidden"):
        y = dnp.tanh(x @ w)
    return (y**2).sum()


def descent(w: Any, x: Any) -> Any:
    return lax.fori_loop(0, 3, lambda i, w: w - 0.1 * dt.grad(loss)(w, x), w)


def deep(w: Any, x: Any) -> Any:
    for i in range(450):
        with dt.named_scope(f"layer{i}"):
            x = dnp.tanh(x @ w)
            x = (x - x.mean()) / (x.std() + 1e-3)
    return x


Open = Callable[..., Page]


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page of the viewer; it must report no errors and ask for nothing."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 2500, "height": 900})

    def open_page(shown: View | str) -> Page:
        page = context.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: errors.append(r.url) if r.url.startswith("http") else None)
        path = tmp_path / "page.html"
        path.write_text(shown if isinstance(shown, str) else shown.html)
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]", state="attached")
        return page

    yield open_page
    context.close()
    assert not errors


def column(page: Page, phase: str) -> Locator:
    return page.locator(f".column[data-phase={phase}]")


def line(page: Page, phase: str, text: str) -> Locator:
    return column(page, phase).locator(".cm-line", has_text=text).first


@pytest.fixture(scope="module")
def program() -> View:
    return dt.view(descent, W, X, profile=True)


def test_phases_are_side_by_side(tab: Open, program: View) -> None:
    page = tab(program)
    phases = ["trace", "expand", "simplify", "shard", "lower", "dispatches"]
    boxes = [column(page, phase).bounding_box() for phase in phases]
    assert all(box is not None and box["width"] > 200 for box in boxes)
    colours = (
        line(page, "trace", "dovetail.tanh")
        .locator("span")
        .evaluate_all("spans => spans.map(span => getComputedStyle(span).color)")
    )
    assert len(set(colours)) >= 3
    page.locator("#chips button", has_text="expand").click()
    expect(column(page, "expand")).to_be_hidden()
    page.locator("#chips button", has_text="expand").click()
    expect(column(page, "expand")).to_be_visible()


def test_hovering_shows_type_and_line(tab: Open, program: View) -> None:
    page = tab(program)
    line(page, "trace", "dovetail.tanh").locator("span", has_text="%1").first.hover()
    about = page.locator(".about")
    expect(about).to_contain_text("tensor<160x320xf32>")
    expect(about).to_contain_text("test_viewer.py:")
    expect(about).to_contain_text("(hidden/loss)")
    expect(about).to_contain_text("y = dnp.tanh(x @ w)")


ON_EIGHT_DEVICES = """
import numpy as np
import dovetail as dt
from dovetail.sharding import NamedSharding, PartitionSpec as P

mesh = dt.sharding.Mesh(np.array(dt.devices()).reshape(4, 2), ("data", "model"))
x = dt.device_put(np.ones((16, 8), np.float32), NamedSharding(mesh, P("data")))
w = dt.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P(None, "model")))
dt.view(dt.jit(lambda x, w: dt.numpy.tanh(x @ w)), x, w).save("page.html")
"""


def test_hovering_shows_shardings(tab: Open, tmp_path: Path) -> None:
    environment = {**os.environ, "DOVETAIL_NUM_CPU_DEVICES": "8"}
    command = [sys.executable, "-c", ON_EIGHT_DEVICES]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    page = tab((tmp_path / "page.html").read_text())
    line(page, "simplify", "dovetail.tanh").locator("span", has_text="%1").first.hover()
    about = page.locator(".about")
    expect(about).to_contain_text("tensor<16x4xf32>")
    expect(about).to_contain_text('[{"data"}, {"model"}]')


def test_clicking_marks_what_an_op_became(tab: Open, program: View) -> None:
    page = tab(program)
    line(page, "trace", "dovetail.tanh").click()
    expect(column(page, "trace").locator(".chosen")).to_contain_text("dovetail.tanh")
    for phase, text in (
        ("expand", "dovetail.tanh"),
        ("simplify", "dovetail.sub"),
        ("shard", "dovetail.tanh"),
        ("lower", "linalg.generic"),
        ("dispatches", "tanh"),
    ):
        marked = column(page, phase).locator(".marked")
        assert any(text in each for each in marked.all_inner_texts()), phase
    assert "dot_general" not in "".join(
        column(page, "simplify").locator(".marked").all_inner_texts()
    )
    details = page.locator("#details")
    expect(details).to_contain_text("51.2 k")
    expect(details).to_contain_text("Dispatches that compute it")
    expect(details).to_contain_text(re.compile(r"tanh.* · [\d.]+ (µs|ms)"))
    # And back: a dispatch marks the ops of the traced program.
    line(page, "dispatches", "tanh").click()
    assert "dovetail.tanh" in "".join(column(page, "trace").locator(".marked").all_inner_texts())


def test_a_request_marks_what_its_function_became(tab: Open, program: View) -> None:
    page = tab(program)
    line(page, "trace", "dovetail.vjp").click()
    marked = "".join(column(page, "simplify").locator(".marked").all_inner_texts())
    assert "dot_general" in marked
    assert "tanh" in marked


def test_counts_go_from_one_to_the_next(tab: Open, program: View) -> None:
    page = tab(program)
    line(page, "trace", "dovetail.tanh").click()
    count = column(page, "expand").locator(".found")
    expect(count).to_contain_text("1 of ")
    count.click()
    expect(count).to_contain_text("2 of ")


def test_the_graph_of_dispatches(tab: Open, program: View) -> None:
    page = tab(program)
    page.locator("[data-tab=graph]").click()
    nodes = page.locator("#graph .node")
    texts = nodes.evaluate_all("all => all.map(node => node.textContent)")
    assert sum("argument" in text for text in texts) == 2
    assert sum("dot_general" in text for text in texts) == 2
    assert page.locator("#graph .edge").count() >= 5
    tanh = nodes.filter(has_text="tanh")
    tanh.click()
    expect(tanh).to_have_class(re.compile("marked"))
    expect(page.locator("#details")).to_contain_text("tanh")
    page.locator("[data-tab=phases]").click()
    expect(column(page, "dispatches").locator(".chosen")).to_contain_text("tanh")


def test_memory_over_time(tab: Open) -> None:
    page = tab(dt.view(loss, W, X))
    page.locator("[data-tab=memory]").click()
    expect(page.locator("#memory")).to_contain_text("most: ")
    expect(page.locator("#memory")).to_contain_text("temporaries")
    page.locator("#memory svg").hover()
    expect(page.locator("#memory svg")).to_contain_text("at dovetail.")
    page.locator("#memory svg").click()
    expect(page.locator("#details h2")).to_contain_text("dovetail.")


def test_differences(tab: Open) -> None:
    page = tab(dt.view(loss, W, X, against=lambda w, x: loss(w, x) * 2))
    page.locator("[data-tab=diff]").click()
    changed = page.locator("#diff .cm-mergeViewEditor").last.locator(".cm-changedLine")
    assert any("dovetail.mul" in text for text in changed.all_inner_texts())
    assert not any("dovetail.tanh" in text for text in changed.all_inner_texts())
    page.locator("#diff select[name=left]").select_option("0/trace")
    page.locator("#diff select[name=right]").select_option("0/lower")
    expect(changed.filter(has_text="linalg")).not_to_have_count(0)


def test_programs_are_chosen(tab: Open) -> None:
    page = tab(dt.view(loss, W, X, against=descent))
    expect(column(page, "trace")).not_to_contain_text("dovetail.scan")
    page.locator("#program").select_option(label="descent")
    expect(column(page, "trace")).to_contain_text("dovetail.scan")


def test_dark_and_light(tab: Open, program: View) -> None:
    page = tab(program)
    colours = set()
    for _ in range(2):
        colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.locator("#theme").click()
    assert len(colours) == 2


def test_in_a_notebook(tab: Open, program: View) -> None:
    """The frame that notebooks show has all that the page has."""
    page = tab(f"<body data-ready>{program._repr_html_()}</body>")
    frame = page.frame_locator("iframe")
    frame.locator(".column[data-phase=trace] .cm-line", has_text="dovetail.vjp").click()
    expect(frame.locator("#details h2")).to_have_text("dovetail.vjp")


@pytest.fixture(scope="module")
def large() -> View:
    w, x = np.ones((8, 8), np.float32), np.ones((4, 8), np.float32)
    # Compiling it would take a minute; the text of the phases is what is large.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dovetail.programs.program.Program.compilation", _no_compiler)
        return dt.view(deep, w, x)


def _no_compiler(_: Any) -> None:
    raise RuntimeError("not here")


def test_ten_thousand_ops(tab: Open, large: View) -> None:
    start = time.monotonic()
    page = tab(large)
    ops = int(
        page.evaluate("document.querySelector('#details').innerText.match(/trace\\s+(\\d+)/)[1]")
    )
    assert ops > 10_000
    # Of the lines, those that are seen exist.
    assert page.locator(".cm-line").count() < 1000
    line(page, "trace", "dovetail.tanh").click()
    expect(column(page, "simplify").locator(".marked").first).to_be_visible()
    page.locator("#fold").click()
    expect(column(page, "trace").locator(".cm-foldPlaceholder").first).to_contain_text("layer0: ")
    expect(column(page, "trace")).to_contain_text("layer20: ")
    page.locator("#unfold").click()
    expect(column(page, "trace").locator(".cm-foldPlaceholder")).to_have_count(0)
    page.locator("#find").fill("return")
    page.locator("#find").press("Enter")
    expect(line(page, "trace", "return")).to_be_visible()
    page.locator("[data-tab=memory]").click()
    expect(page.locator("#memory")).to_contain_text("most: ")
    page.locator("[data-tab=diff]").click()
    page.locator("#diff select[name=right]").select_option("0/simplify")
    expect(page.locator("#diff .cm-changedLine").first).to_be_attached()
    # Most of it is the start of the browser.
    assert time.monotonic() - start < 60
