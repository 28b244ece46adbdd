"""How a page is rendered: the environment of its templates, with what they may call, and the filters that print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import jinja2

from .derivations import stated_below
from .measuring.citations import bibtex
from .render import escape
from .render.numbers import in_time
from .render.printing import Printer, counted
from .sandbox import COMPILED, FILTERS, Sandbox
from .table import THIS, Form, Table
from .table_rows import INTERVAL, beyond, findings_then, hours_then, limit_shown, union, words


class Unmeant(jinja2.StrictUndefined):
    """A name that means nothing; of a table, the message says how it is printed."""

    @property
    def _undefined_message(self) -> str:
        message = super()._undefined_message
        return f"{message}; {THIS}" if isinstance(self._undefined_obj, Table) else message


def render_page(
    loader: jinja2.BaseLoader, template: str, printer: Printer, files: Sequence[str], data: Mapping[str, Any]
) -> str:
    """The text of the page that a printer prints onto; `files` are the ledger files that its header names."""
    text = environment_of(loader, printer, files).get_template(template).render(**data)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def environment_of(loader: jinja2.BaseLoader, printer: Printer, files: Sequence[str]) -> Sandbox:
    """What templates run in that print onto one page."""
    environment = Sandbox(
        loader=loader,
        # It asks for the context so that constants are not folded in before it.
        finalize=jinja2.pass_context(lambda _context, value: printer.put(value)),
        autoescape=True,
        optimized=False,  # or what a filter makes of a constant for one page would be kept for all
        bytecode_cache=COMPILED,
        undefined=Unmeant,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.clear()  # of Jinja's own none is needed, and some lead far
    header = _make_header(files, printer)
    environment.globals.update(words=words, counted=counted, stated_below=stated_below, header=header)
    environment.globals.update(frozen=None, adding=None, hours_then=hours_then, findings_then=findings_then)
    environment.globals.update(shown=limit_shown, beyond=beyond, union=union, bibtex=bibtex, confidence=INTERVAL)
    environment.filters = {name: function for name, function in environment.filters.items() if name in FILTERS}
    environment.filters.update(_make_filters(printer))
    return environment


def _make_filters(printer: Printer) -> dict[str, Callable[..., object]]:
    """The filters by which templates print onto a page: the forms of figures, and those of text and tables."""

    def put_marked(text: str) -> object:
        return printer.put(escape.Markup(printer.mark("text", text)))

    def fence_bibtex(lines: Sequence[str]) -> object:
        return printer.fence("bibtex", "\n".join(line.replace("\n", " ") for line in lines))

    own = ("table", "piece", "prose", "code", "say", "advise", "places", "at", "leading")
    return {
        **{form: printer.form(form) for form in get_args(Form) if form != "full"},
        **{name: getattr(printer, name) for name in own},
        "bibtex": fence_bibtex,
        "yaml": lambda text: printer.fence("yaml", text.strip()),
        "command": lambda text: printer.fence("sh", " ".join(text.split())),
        "attribute": lambda text: put_marked(escape.attribute(text)),
        "time": in_time,
        "id": printer.anchor,
        "front": lambda text: put_marked(front(text)),
    }


def front(text: str) -> str:
    """Text as a quoted value in YAML, for titles. Its characters become entities, because themes print titles raw."""
    return json.dumps(str(escape.attribute(text)), ensure_ascii=True)


def _make_header(files: Sequence[str], printer: Printer) -> escape.Markup:
    """The comment that names the ledger files of a page; no path can close it. How the tree is kept is left out."""
    files = [file for file in files if file != "ledger/tree.yaml"]
    names = ", ".join(files[:12])
    if len(files) > 12:
        names += f" and {len(files) - 12} more"
    safe = printer.mark("text", re.sub(r"[^A-Za-z0-9_./, -]|--+", "?", names))
    return escape.Markup(f"<!-- Made by `budget render` from {safe}. Do not edit: edit the ledger. -->")
