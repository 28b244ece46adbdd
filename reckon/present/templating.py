"""One template rendered onto one page: what templates can call, and what every `{{ }}` passes through."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any, get_args

from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, pass_context
from jinja2.bccache import Bucket

from . import escape
from .blocks import blocks
from .derivations import stated_below
from .lines import INTERVAL
from .markdown import markdown
from .measured.page import bibtex
from .numbers import in_time
from .printing import Mark, Printer, counted
from .rows import beyond, shown, union, words
from .sandbox import FILTERS, Sandbox
from .snapshot import findings_then, hours_then
from .table import Form


class Compiled(BytecodeCache):
    """What each template became: compiling one anew for every page takes longer than printing all of them."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, CodeType]] = {}

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        """The bucket of a template; code of another environment would go past the sandbox."""
        assert isinstance(environment, Sandbox), "templates run in the sandbox"
        return super().get_bucket(environment, name, filename, source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills a bucket with what is kept for its text, if anything is."""
        checksum, code = self._kept.get(bucket.key, ("", None))
        bucket.code = code if checksum == bucket.checksum else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what is in a bucket."""
        if bucket.code:
            self._kept[bucket.key] = bucket.checksum, bucket.code


COMPILED = Compiled()
GONE = {
    ("Standing", "budgets"): "`standing.work | table` ends with them",
    ("Standing", "more_work"): "`standing.work | table` says it",
    ("View", "columns"): "`view.passages(texts) | table` has them",
    ("View", "covers_seeds"): "`budget.phase(id) | table` heeds it",
    ("View", "factors"): "`budget.lines | table` has them",
    ("View", "rate"): "`budget.lines | table` has it",
    ("TemplateModule", "basis"): "`group.workings | table` has it",
    ("TemplateModule", "found"): "`portfolio.budgets | table` has it",
    ("TemplateModule", "version"): "`budget.about | table` and `standing.glance | table` have it",
}
GONE |= {(kind, name): f"`{table} | table` has it" for (kind, table), names in {
    ("Applied", "block.shows.effects"): "changes factor with_it without wants",
    ("Applied", "block.shows.savings"): "memory part pool pooled saving slower slows stated",
    ("Measured", "one.about"): "configuration figures step",
    ("Measured", "one.rows"): "beside numbers series",
    ("Overview", "overview.glances"): "priced",
    ("Projected", "one.results"): "beside others times",
    ("Specifications", "one.lines"): "facts",
    ("TemplateModule", "one.lines"): "lines",
    ("TemplateModule", "one.results"): "name turned",
    ("TemplateModule", "block.shows.effects"): "setting",
}.items() for name in names.split()}  # fmt: skip
"""What templates of other trees may still ask for: where it stands now, by the kind of the object and the name."""


class Unmeant(StrictUndefined):
    """A name that means nothing; of one that did, the message says what has taken its place."""

    @property
    def _undefined_message(self) -> str:
        instead = GONE.get((type(self._undefined_obj).__name__, str(self._undefined_name)))
        return super()._undefined_message + (f"; {instead}" if instead else "")


def render_page(
    loader: BaseLoader, template: str, printer: Printer, files: Sequence[str], data: Mapping[str, Any]
) -> str:
    """The text of the page that a printer prints onto; `files` are the ledger files that its header names."""
    mark = printer.mark
    environment = Sandbox(
        loader=loader,
        finalize=_finalize(printer),
        autoescape=True,
        optimized=False,  # or what a filter makes of a constant for one page would be kept for all
        bytecode_cache=COMPILED,
        undefined=Unmeant,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.clear()  # of Jinja's own none is needed, and some lead far
    environment.globals.update(words=words, counted=counted, stated_below=stated_below, header=_header(files, mark))
    environment.globals.update(frozen=None, adding=None, hours_then=hours_then, findings_then=findings_then)
    environment.globals.update(shown=shown, beyond=beyond, union=union, bibtex=bibtex, confidence=INTERVAL)
    environment.filters = {name: one for name, one in environment.filters.items() if name in FILTERS}
    environment.filters.update(_filters(printer, mark))
    text = environment.get_template(template).render(**data)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def _finalize(printer: Printer) -> Callable[[object, object], object]:
    """What every `{{ }}` passes through. It asks for the context so that constants are not folded in before it."""

    @pass_context
    def finalize(_context: object, value: object) -> object:
        return printer.put(value)

    return finalize


def _filters(printer: Printer, mark: Mark) -> dict[str, Callable[..., object]]:
    forms = {name: getattr(printer, name) for name in get_args(Form) if name != "full"}
    return forms | {
        "table": lambda table: markdown(table, printer),
        "bibtex": printer.bibtex,
        "yaml": printer.yaml,
        "attribute": lambda text: printer.put(escape.Markup(mark("text", escape.attribute(text)))),
        "prose": printer.prose,
        "code": printer.code,
        "command": printer.command,
        "blocks": lambda share: printer.text(blocks(share)),
        "say": printer.say,
        "advise": printer.advise,
        "places": printer.places,
        "at": printer.at,
        "leading": printer.leading,
        "time": in_time,
        "id": printer.anchor,
        "front": lambda text: printer.put(escape.Markup(mark("text", front(text)))),
    }


def front(text: str) -> str:
    """Text as a quoted value in YAML, for titles. Its characters become entities, because themes print titles raw."""
    return json.dumps(str(escape.attribute(text)), ensure_ascii=True)


def _header(files: Sequence[str], mark: Mark) -> escape.Markup:
    """The comment that names the ledger files of a page; no path can close it."""
    names = ", ".join(files[:12]) + (f" and {len(files) - 12} more" if len(files) > 12 else "")
    safe = mark("text", re.sub(r"[^A-Za-z0-9_./, -]|--+", "?", names))
    return escape.Markup(f"<!-- Made by `budget render` from {safe}. Do not edit: edit the ledger. -->")
