"""Sphinx's configuration of the documentation's site."""

import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
_root = Path(__file__).parents[2]
_project = tomllib.loads((_root / "pyproject.toml").read_text())["project"]

project = "Dovetail"
version = release = _project["version"]
copyright = "the authors of Dovetail"
extensions = [
    "myst_parser",
    "mathml",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
# No prompts, and no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
highlight_language = "text"

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "Dovetail"
html_favicon = "static/dovetail.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {
        "text": "Dovetail",
        "image_light": "_static/dovetail.svg",
        "image_dark": "_static/dovetail.svg",
        "alt_text": "",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "collapse_navigation": True,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "gallery": []}


def _resolve_annotations(app, doctree):
    """Types in signatures refer to classes of `dovetail`, not to others of the same name."""
    from docutils import nodes
    from sphinx import addnodes

    import dovetail

    for signature in doctree.findall(addnodes.desc_signature):
        for reference in [*signature.findall(addnodes.pending_xref)]:
            name = reference["reftarget"]
            if "." not in name and isinstance(getattr(dovetail, name, None), type):
                reference["reftarget"] = f"dovetail.{name}"
                reference["refspecific"] = False
            else:
                reference.replace_self(nodes.Text(name.rpartition(".")[2]))


def _correct_links(app, name, template, context, doctree):
    """Pages of source text refer to the page of each name; several may document one function."""
    if not name.startswith("_modules/"):
        return
    objects = app.env.get_domain("py").objects

    def corrected(link):
        target = link[2]
        if target not in objects:
            page, member = f"api/{link[1]}", target.rpartition(".")[2]
            ends = (f".{member}", f".{'.'.join(target.split('.')[-2:])}")
            named = [n for n, e in objects.items() if e.docname == page and n.endswith(ends)]
            if not named:
                return 'href="#"'
            target = named[0]
        entry = objects[target]
        page = app.builder.get_relative_uri(name, entry.docname)
        return f'href="{page}#{entry.node_id}"'

    link = r'href="[^"#]*/api/([^"#]*)\.html#([\w.]+)"'
    body = re.sub(link, corrected, context["body"])
    # Python's own functions have no page of source text.
    context["body"] = re.sub(r'<a href="builtins\.html">(.*?)</a>', r"\1", body)


def setup(app):
    """Registers the lexer of MLIR, and corrections."""
    from mlir_lexer import MlirLexer

    app.add_lexer("mlir", MlirLexer)
    app.connect("doctree-read", _resolve_annotations)
    app.connect("html-page-context", _correct_links)
