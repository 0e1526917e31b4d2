"""The sources of the documentation's site: their links, and that its reference is complete."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dovetail as dt
from dovetail import dtypes
from support.op_calls import calls_of
from support.op_table import OPS

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


# Ops of the reference without a lowering of their own.
RESOLVED_EARLIER = {
    **dict.fromkeys(
        (
            *("checkpoint", "name", "vary", "custom_jvp", "custom_tangent", "custom_vjp"),
            *("echo_end", "primitive"),
        ),
        "expansion and inlining resolve them",
    ),
    **dict.fromkeys(
        ("freeze", "new_ref", "ref_echo", "ref_get", "ref_set", "ref_set_echo"),
        "references become values",
    ),
    **dict.fromkeys(("dim", "index", "from_index", "with_sizes", "assume"), "sizes of programs"),
    **dict.fromkeys(("check", "host_step", "ffi_call", "late_call"), "calls of the host"),
}


@pytest.fixture
def site(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the site's scripts, which import each other."""
    folder = repository / "docs" / "site"
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in [path.stem for path in folder.glob("*.py")]:
        sys.modules.pop(name, None)


def module(folder: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec
    assert spec.loader
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_every_document_is_in_one_section(site: Path) -> None:
    contents = module(site, "contents")
    listed = [page for section in contents.sections() for page in section.pages]
    assert len(listed) == len(set(listed))
    documents = {contents.page_of(path) for path in contents.documents()} - {"index"}
    generated = {"api/index", "dialect/index"}
    assert set(listed) == documents | generated


def test_links_lead_to_files(site: Path) -> None:
    contents = module(site, "contents")
    dead = []
    for path in [*contents.documents(), contents.ROOT / "README.md"]:
        text = FENCE.sub("", path.read_text())
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)\s#]+)", text):
            if not (path.parent / target).exists():
                dead.append(f"{path.name}: {target}")
    assert not dead


def test_every_namespace_is_in_the_reference(site: Path, repository: Path) -> None:
    names = module(site, "public_names")
    text = (repository / "tests/python/package/test_docstrings.py").read_text()
    documented = set(re.findall(r'^    "(dovetail[\w.]*)",$', text, re.MULTILINE))
    assert documented
    assert documented <= set(names.namespaces())


# Modules that users import and the reference of names does not have.
ELSEWHERE = {
    "dovetail.command_line": "the commands, which guides describe",
    "dovetail.as_jax": "JAX's names for the others; docs/jax_libraries.md",
    "dovetail.ops": "a function for each op; the dialect's reference",
    "dovetail.scipy": "its modules are namespaces",
}


def test_every_public_module_is_in_the_reference(site: Path, repository: Path) -> None:
    names, package = module(site, "public_names"), repository / "python" / "dovetail"
    public = {f"dovetail.{name}" for name, (_, attribute) in dt._PUBLIC.items() if not attribute}
    for folder in (package, package / "experimental"):
        prefix = ".".join(folder.relative_to(package.parent).parts)
        public |= {f"{prefix}.{path.stem}" for path in folder.glob("[a-z]*.py")}
    assert public - ELSEWHERE.keys() <= {*names.namespaces()}


def test_every_public_name_is_in_the_reference(site: Path, tmp_path: Path) -> None:
    names, api = module(site, "public_names"), module(site, "api")
    api.make(tmp_path)
    entries = set[str]()
    for page in (tmp_path / "api").glob("*.rst"):
        lines = page.read_text()
        space = re.search(r"^\.\. py:(?:current)?module:: (\S+)", lines, re.MULTILINE)
        described = re.findall(r"^\.\. py:(?:function|class|exception|data):: (\w+)", lines, re.M)
        if space:
            entries.update(f"{space[1]}.{name}" for name in described)
    public = {
        f"{space}.{name.name}" for space in names.namespaces() for name in names.public_names(space)
    }
    assert len(public) > 1100
    assert entries == public


def test_every_public_function_and_class_has_an_example(site: Path) -> None:
    names = module(site, "public_names")
    without = [
        f"{space}.{name.name}"
        for space in names.namespaces()
        for name in names.public_names(space)
        if not names.is_data(name.value)
        and not name.alias
        and not (isinstance(name.value, type) and issubclass(name.value, BaseException))
        and ">>> " not in (inspect.getdoc(name.value) or "")
    ]
    assert not without


@pytest.mark.slow
def test_every_op_has_an_example(site: Path, repository: Path) -> None:
    """In IR; and its lowering, but for those that earlier phases resolve."""
    dialect, op_programs = module(site, "dialect"), module(site, "op_programs")
    reference = (repository / "dialects" / "REFERENCE.md").read_text()
    ops = re.findall(r"^### `dovetail\.(\w+)`$", reference, re.MULTILINE)
    programs, lines = op_programs.programs(), dialect._examples()
    assert len(ops) > 180
    assert not [op for op in ops if not programs.get(op, {}).get("example") and op not in lines]
    unlowered = {op for op in ops if not programs.get(op, {}).get("lowering")}
    assert unlowered <= RESOLVED_EARLIER.keys()


def test_every_op_has_a_derivative_or_a_reason(site: Path, repository: Path) -> None:
    derivatives, formulas = module(site, "derivatives"), module(site, "formulas")
    reference = (repository / "dialects" / "REFERENCE.md").read_text()
    ops = re.findall(r"^### `dovetail\.(\w+)`\n(.*?)(?=^##)", reference, re.MULTILINE | re.DOTALL)
    assert len(ops) > 180
    for op, text in ops:
        stated = re.search(r"^Tangent: (.*?)\.$", text, re.MULTILINE | re.DOTALL)
        if not stated:
            assert derivatives.described(op), op
            continue
        # With a rule for each function that formulas call.
        formula = formulas.typeset(stated[1].replace("\n", " "), ["x", "y", "z"])
        assert formula.startswith(r"\dot f = "), op
        assert r"\text{" not in formula.replace(r"\text{otherwise}", ""), op
    named = {op for op, _ in ops}
    assert {*derivatives._FORMULAS, *derivatives._WITHOUT} <= named


def test_ops_with_derivatives_have_formulas(site: Path) -> None:
    """Those whose derivatives the tests of the table of ops check."""
    derivatives = module(site, "derivatives")
    widest = dtypes.float64, dtypes.complex128
    for row in OPS:
        results = {call.result_type for dtype in widest for call in calls_of(row, dtype)}
        if not row.no_derivative and not row.pointwise and results & {*widest}:
            assert derivatives.has_rule(row.name), row.name


def test_indices_of_tangents_are_subscripts(site: Path) -> None:
    pytest.importorskip("docutils")
    text = module(site, "mathml").typeset(r"\dot f_i = \sum_{k \le i} \dot x_k")
    plain = re.sub(r"\s+|<(\w+)[^>]*>", lambda tag: f"<{tag[1]}>" if tag[1] else "", text)
    assert "<msub><mover><mi>f</mi><mo>˙</mo></mover><mi>i</mi></msub>" in plain
    assert "munderover" not in plain
    # Whose spaces are entities of HTML.
    assert "<mtable" in module(site, "mathml").typeset(
        r"\begin{cases} a & \text{if } b \\ c & \text{otherwise} \end{cases}"
    )


def test_quoted_code_is_that_of_the_pass(repository: Path) -> None:
    text = (repository / "docs" / "writing_passes.md").read_text()
    sources = {
        "cpp": (repository / "cpp/transforms/Inline.cpp").read_text(),
        "tablegen": (repository / "cpp/transforms/Passes.td").read_text(),
    }
    blocks = re.findall(r"^```(cpp|tablegen)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for language, code in blocks:
        assert code in sources[language]
