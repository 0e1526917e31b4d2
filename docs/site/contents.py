"""The order of the site's pages, and what they are called in its folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Section:
    """A part of the site, which its head names.

    Attributes:
      name: the page that lists the section, without suffix.
      title: its heading.
      text: a sentence about it.
      pages: the site's pages, without suffix, in their order.
    """

    name: str
    title: str
    text: str
    pages: tuple[str, ...]


# Repository files outside docs/, and the pages that they become.
ELSEWHERE = {
    "CONTRIBUTING.md": "contributing",
    "benchmarks/README.md": "benchmarks",
    "dialects/README.md": "dialect/adding_ops",
    "dialects/RATIONALE.md": "dialect/rationale",
}

# Modules of others, and programs that read what another one wrote.
NOT_SHOWN = {"common", "meshes", "digits_export", "digits_figure", "digits_replay"}

LEARN = Section(
    "learn",
    "Learn",
    "Start here. The tutorials run whenever this site is built: what you see is what they print.",
    (
        "install",
        "tour",
        "from_jax",
        "tutorials/arrays",
        "tutorials/derivatives",
        "tutorials/batching",
        "tutorials/randomness",
        "tutorials/control_flow",
        "tutorials/training",
        "tutorials/odes_and_inference",
        "tutorials/linear_algebra",
        "tutorials/sharding",
        "many_devices",
        "tutorials/kernels",
        "tutorials/deployment",
        "tutorials/passes",
    ),
)
REFERENCE = Section(
    "reference",
    "Reference",
    "Every public name, every op and every pass; what differs from JAX, and how exact results are.",
    (
        "api/index",
        "differences_from_jax",
        "dialect/index",
        "array_api",
        "accuracy",
        "benchmarks",
        "glossary",
    ),
)
DEVELOP = Section(
    "develop",
    "Develop",
    "How the compiler works, and how to change it.",
    ("architecture", "dialect/adding_ops", "writing_passes", "dialect/rationale", "contributing"),
)
# The pages of docs/ that no other section has are added to it.
GUIDES = Section(
    "guides",
    "Guides",
    "How to do one thing, from the first attempt to its limits.",
    (
        "looking_inside",
        "viewing",
        "notebooks",
        "stablehlo",
        "checking",
        "compilation",
        "dynamic_shapes",
        "devices",
        "sharding",
        "deploy",
    ),
)


def sections() -> list[Section]:
    """The sections in the order of the site's head, with every page of docs/."""
    listed = {page for part in (LEARN, GUIDES, REFERENCE, DEVELOP) for page in part.pages}
    found = {page_of(path) for path in documents()}
    more = tuple(sorted(found - listed - {"index"}))
    guides = Section(GUIDES.name, GUIDES.title, GUIDES.text, GUIDES.pages + more)
    gallery = Section("gallery", "Gallery", "The examples, with their figures and their code.", ())
    return [LEARN, guides, REFERENCE, gallery, DEVELOP]


def documents() -> list[Path]:
    """The Markdown files of the repository that become pages, but not templates."""
    own = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md")]
    kept = [path for path in own if not path.name.endswith(".template.md")]
    return sorted(kept) + [ROOT / name for name in ELSEWHERE]


def page_of(path: Path) -> str:
    """The page that a Markdown file becomes, without suffix."""
    name = path.relative_to(ROOT).as_posix()
    return ELSEWHERE.get(name) or name.removeprefix("docs/").removesuffix(".md")


def examples() -> list[Path]:
    """The programs of examples/ that draw a figure."""
    found = sorted((ROOT / "examples").glob("*.py"))
    return [path for path in found if path.stem not in NOT_SHOWN]
