"""What a template may touch, and how a page is rendered. A tree may come from a stranger, its templates too: they see
data, and run nothing.

Everything is refused that is not named here. Of our own objects a template has the fields and the properties, and the
methods of what this room and the `Book` show; of texts, maps and lists a few methods that neither format nor grow
without bound. What it cannot be kept from is to take long, or much memory, with loops in loops and texts joined to
themselves: that is told as its own mistake where Python notices, and is else for whoever runs it to bound.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from inspect import getattr_static
from itertools import product
from pathlib import Path
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, NoReturn, get_args

import jinja2
from jinja2 import nodes as parsed
from jinja2.bccache import Bucket
from jinja2.environment import Environment, TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.loaders import split_template_path
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reckon.compute.book import Book
from reckon.model.pages import template_names
from reckon.model.tree import astray, is_hidden

from .measuring.citations import bibtex
from .render import escape
from .render.numbers import in_time
from .render.printing import Printer, counted
from .render.shares import blocks
from .rows import INTERVAL, beyond, findings_then, hours_then, shown, union, words
from .table import THIS, Form, Table
from .tracing import stated_below

# Filters of Jinja that a template has. Not among them: what marks text as safe after escaping it for HTML alone, which
# is not enough in markdown; what formats or pads to any length; what prints the insides of objects, or chance.
FILTERS = frozenset({
    "abs", "attr", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first", "float", "groupby",
    "int", "items", "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace",
    "reverse", "safe", "select", "selectattr", "sort", "string", "striptags", "sum", "title", "trim", "truncate",
    "unique", "upper", "wordcount",
})  # fmt: skip
_TEXT = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdecimal", "isdigit",
    "islower", "isnumeric", "isspace", "isupper", "join", "lower", "lstrip", "partition", "place", "removeprefix",
    "removesuffix", "replace", "rfind", "rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "swapcase", "title", "upper",
})  # fmt: skip
_LOOP = frozenset({
    "changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem",
    "revindex", "revindex0",
})  # fmt: skip
_BUILT_IN: tuple[tuple[type | tuple[type, ...], frozenset[str]], ...] = (
    (str, _TEXT), ((dict, MappingProxyType), frozenset({"get", "items", "keys", "values"})),
    ((list, tuple), frozenset({"count", "index"})), (LoopContext, _LOOP),
    ((set, frozenset), frozenset({"difference", "intersection", "isdisjoint", "issubset", "issuperset", "union"})),
)  # fmt: skip
OURS = "reckon."
MOST_REPEATED = 10_000  # characters, or entries of a list
MOST_BASE, MOST_POWER = 1_000_000, 64


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of all templates, shipped and others: see the module."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def _parse(self, source: str, name: str | None, filename: str | None) -> parsed.Template:
        with _told(name, filename):
            return super()._parse(source, name, filename)

    def _generate(self, source: parsed.Template, name: str | None, filename: str | None,
                  defer_init: bool = False) -> str:  # fmt: skip
        with _told(name, filename):
            return super()._generate(source, name, filename, defer_init)

    def _compile(self, source: str, filename: str) -> CodeType:
        with _told(None, filename):
            return super()._compile(source, filename)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read an attribute of something."""
        if attr.startswith("_") or isinstance(value, (type, Path)):
            return False
        if isinstance(obj, TemplateModule) or (isinstance(obj, tuple) and attr in getattr(type(obj), "_fields", ())):
            return True
        kind: Any = type(obj)
        if type(obj).__module__.startswith(OURS) and _shown(kind, attr):
            return True
        return any(isinstance(obj, built_in) and attr in names for built_in, names in _BUILT_IN)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call something. What it may not is told without a look into it, which takes long."""
        if not self._may_call(obj):
            if isinstance(obj, jinja2.Undefined):
                str(obj)  # a strict undefined says its name, which helps more than what may not be done with it
            raise SecurityError(f"{getattr(obj, '__name__', type(obj).__name__)} cannot be called in a template")
        return True

    def _may_call(self, obj: Any) -> bool:
        if isinstance(obj, FunctionType):
            return any(obj is ours for ours in self.globals.values())
        if isinstance(obj, (MethodType, BuiltinMethodType)):
            return self.is_safe_attribute(obj.__self__, obj.__name__, obj)
        return isinstance(obj, (Macro, LoopContext, BlockReference))

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        """Says what may not be read, at once, and not only where it is printed."""
        if isinstance(obj, jinja2.Undefined):
            str(obj)
        raise SecurityError(f"`{attribute[:60]}` of {type(obj).__name__} cannot be read in a template")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """What could fill the memory with one sign, within bounds: repeating, formatting, powers."""
        sizes = [len(side) for side in (left, right) if isinstance(side, Sized)]
        times = max((side for side in (left, right) if isinstance(side, int)), default=1)
        if operator == "%" and sizes:
            raise SecurityError("a text is not formatted with `%` in a template")
        if operator == "*" and sizes and sizes[0] * times > MOST_REPEATED:
            raise SecurityError(f"nothing is repeated to more than {MOST_REPEATED:,} in a template")
        if operator == "**" and (abs(left) > MOST_BASE or abs(right) > MOST_POWER):
            raise SecurityError(f"no power is above {MOST_BASE:,} to the {MOST_POWER} in a template")
        return super().call_binop(context, operator, left, right)


@contextmanager
def _told(name: str | None, filename: str | None) -> Iterator[None]:
    """What Python cannot take of a template is its author's mistake, as what Jinja cannot take is."""
    try:
        yield
    except (RecursionError, SyntaxError, ValueError, MemoryError) as error:
        said = f"this is nested too deep, or holds a number that is too long ({type(error).__name__})"
        raise jinja2.TemplateSyntaxError(said, 1, name, filename) from None


def _fields_of(kind: Any) -> Collection[str]:
    """The names of the fields that objects of one of our classes have."""
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    names: Collection[str] = getattr(kind, "__struct_fields__", ()) or getattr(kind, "model_fields", ())
    return names


@cache
def _shown(kind: Hashable, attr: str) -> bool:
    """Whether an attribute is what our own objects show: a field, a property, or a method of this room."""
    if attr in _fields_of(kind):
        return True
    found = getattr_static(kind, attr, None)
    if isinstance(found, (property, cached_property)):
        found = found.fget if isinstance(found, property) else found.func
        return found is not None and found.__module__.startswith(OURS)
    return found is Book.get or (isinstance(found, FunctionType) and found.__module__.startswith(f"{OURS}present."))


class Within(jinja2.FileSystemLoader):
    """The templates of a folder. What leads out of the tree that the folder stands in, or to a hidden file, is not
    there: not through `..`, which Jinja refuses, and not through a link, whoever made it and when."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The text of a template, as Jinja asks for it; in each folder by the name that it has, or else had."""
        found = template
        for folder, name in reversed([*product(map(Path, self.searchpath), template_names(template))]):
            tree, path = folder.parent, folder.joinpath(*split_template_path(name))
            if path.exists() and (astray(tree, path) or is_hidden(path.relative_to(tree))):
                raise jinja2.TemplateNotFound(template, f"{template!r} leads out of the root, or to a hidden file")
            found = name if path.is_file() else found
        return super().get_source(environment, found)


class Compiled(jinja2.BytecodeCache):
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

    def have(self, codes: Mapping[str, tuple[str, CodeType]]) -> None:
        """Takes code that was made before, for what is not compiled yet."""
        self._kept = {**codes, **self._kept}

    def below(self, folder: Path) -> dict[str, tuple[str, CodeType]]:
        """The code of all templates that lie below a folder, each with the checksum of its text."""
        inside = f"{folder}{os.sep}"
        return {key: made for key, made in self._kept.items() if made[1].co_filename.startswith(inside)}


COMPILED = Compiled()
_MOVED = (
    ("Standing", "standing.work", "more_work"),
    ("View", "view.passages(texts)", "columns"),
    ("View", "budget.lines", "factors rate"),
    ("View", "budget.phase(id)", "covers_seeds"),
    ("TemplateModule", "group.workings", "basis"),
    ("TemplateModule", "portfolio.budgets", "found"),
    ("Beside", "block.shows.table", "facts groups"),
    ("Choosing", "choosing.needs", "all_models"),
    ("SetupComparison", "choosing.main.frontier", "number"),
    ("MemoryBlock", "block.shows.table", "share"),
    ("MemoryRow", "block.shows.table", "known"),
    ("TemplateModule", "block.shows.table", "marked source"),
    ("Applied", "block.shows.effects", "changes factor with_it without wants"),
    ("Applied", "block.shows.savings", "memory part pool pooled saving slower slows stated"),
    ("Measured", "one.about", "configuration figures step"),
    ("Measured", "one.rows", "beside numbers series"),
    ("Overview", "overview.glances", "priced"),
    ("Projected", "one.results", "beside others times"),
    ("Specifications", "one.lines", "facts"),
    ("TemplateModule", "one.lines", "lines"),
    ("TemplateModule", "one.results", "name turned"),
    ("TemplateModule", "block.shows.effects", "setting"),
)
GONE = {(kind, name): f"`{table} | table` has it" for kind, table, names in _MOVED for name in names.split()} | {
    ("MemoryBlock", "record"): "`own.record` is it",
    ("Standing", "budgets"): "`standing.glance | table` and the last rows of `standing.work | table` have them",
    ("Findings", "gathered"): "`findings.rows(group) | table` has them",
    ("View", "gathered"): "`view.severity` has causes, each with its findings",
    ("View", "told"): "`view.severity` has causes, each with its findings",
    ("TemplateModule", "changes"): "`derived.said | piece` has them",
    ("TemplateModule", "ranged"): "`figure | spread` is it",
    ("TemplateModule", "value"): "`said.cell | piece` is it",
    ("TemplateModule", "version"): "`budget.about | table` and `standing.glance | table` have it",
}
"""What templates of other trees may still ask for: where it stands now, by the kind of the object and the name."""


class Unmeant(jinja2.StrictUndefined):
    """A name that means nothing; of one that did, the message says what has taken its place."""

    @property
    def _undefined_message(self) -> str:
        instead = GONE.get((type(self._undefined_obj).__name__, str(self._undefined_name)))
        instead = instead or (THIS if isinstance(self._undefined_obj, Table) else "")
        return super()._undefined_message + (f"; {instead}" if instead else "")


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
    environment.globals.update(words=words, counted=counted, stated_below=stated_below, header=_header(files, printer))
    environment.globals.update(frozen=None, adding=None, hours_then=hours_then, findings_then=findings_then)
    environment.globals.update(shown=shown, beyond=beyond, union=union, bibtex=bibtex, confidence=INTERVAL)
    environment.filters = {name: function for name, function in environment.filters.items() if name in FILTERS}
    environment.filters.update(_filters(printer))
    return environment


def _filters(printer: Printer) -> dict[str, Callable[..., object]]:
    forms = {name: printer.form(name) for name in get_args(Form) if name != "full"}
    named = ("table", "piece", "prose", "code", "say", "advise", "places", "at", "leading")
    return forms | {name: getattr(printer, name) for name in named} | {
        "bibtex": lambda lines: printer.fence("bibtex", "\n".join(" ".join(line.split("\n")) for line in lines)),
        "yaml": lambda text: printer.fence("yaml", text.strip()),
        "command": lambda text: printer.fence("sh", " ".join(text.split())),
        "attribute": lambda text: printer.put(escape.Markup(printer.mark("text", escape.attribute(text)))),
        "blocks": lambda share: printer.text(blocks(share)),
        "time": in_time,
        "id": printer.anchor,
        "front": lambda text: printer.put(escape.Markup(printer.mark("text", front(text)))),
    }  # fmt: skip


def front(text: str) -> str:
    """Text as a quoted value in YAML, for titles. Its characters become entities, because themes print titles raw."""
    return json.dumps(str(escape.attribute(text)), ensure_ascii=True)


def _header(files: Sequence[str], printer: Printer) -> escape.Markup:
    """The comment that names the ledger files of a page; no path can close it. How the tree is kept is left out."""
    files = [file for file in files if file != "ledger/tree.yaml"]
    names = ", ".join(files[:12]) + (f" and {len(files) - 12} more" if len(files) > 12 else "")
    safe = printer.mark("text", re.sub(r"[^A-Za-z0-9_./, -]|--+", "?", names))
    return escape.Markup(f"<!-- Made by `budget render` from {safe}. Do not edit: edit the ledger. -->")
