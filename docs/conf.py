"""The documentation site: `make docs` builds it from the Markdown pages and the docstrings of the public names."""

from __future__ import annotations

from touchstone import __version__

project = "Touchstone"
version = release = __version__
copyright = "the Touchstone authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns: list[str] = []
myst_heading_anchors = 3
# Links to files that are not pages, such as a folder; languages without a lexer, such as CSV, shown as they are.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
html_theme = "furo"
html_title = f"Touchstone {__version__}"
autodoc_typehints = "signature"
autodoc_member_order = "alphabetical"
autodoc_default_options = {"members": True, "undoc-members": True}
