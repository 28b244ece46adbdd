"""The sandbox in which templates run, where they are looked for, and what they became once compiled.

A tree may come from a stranger, its templates too: they see data, and run nothing. Everything is refused that is not
named here. Of our own objects a template has the fields and the properties, and the methods of what this room and the
`Book` show; of texts, maps and lists a few methods that neither format nor grow without bound. What it cannot be kept
from is to take long, or much memory, with loops in loops and texts joined to themselves: that is told as its own
mistake where Python notices, and is else for whoever runs it to bound.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from inspect import getattr_static
from itertools import product
from pathlib import Path
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes as parsed
from jinja2.bccache import Bucket
from jinja2.environment import Environment, TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.loaders import split_template_path
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reckon.compute.book import Book
from reckon.model.bounds import TEMPLATE, read_bounded
from reckon.model.pages import template_names
from reckon.model.tree import astray, is_hidden

# Filters of Jinja that a template has. Not among them: what marks text as safe after escaping it for HTML alone, which
# is not enough in markdown; what formats or pads to any length; what prints the insides of objects, or chance.
FILTERS = frozenset(
    {
        "abs",
        "attr",
        "capitalize",
        "count",
        "d",
        "default",
        "dictsort",
        "e",
        "escape",
        "first",
        "float",
        "groupby",
        "int",
        "items",
        "last",
        "length",
        "list",
        "lower",
        "map",
        "max",
        "min",
        "reject",
        "rejectattr",
        "replace",
        "reverse",
        "safe",
        "select",
        "selectattr",
        "sort",
        "string",
        "striptags",
        "sum",
        "title",
        "trim",
        "truncate",
        "unique",
        "upper",
        "wordcount",
    }
)
_TEXT = frozenset(
    {
        "capitalize",
        "casefold",
        "count",
        "endswith",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isdecimal",
        "isdigit",
        "islower",
        "isnumeric",
        "isspace",
        "isupper",
        "join",
        "lower",
        "lstrip",
        "partition",
        "place",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "upper",
    }
)
_LOOP = frozenset(
    {
        "changed",
        "cycle",
        "depth",
        "depth0",
        "first",
        "index",
        "index0",
        "last",
        "length",
        "nextitem",
        "previtem",
        "revindex",
        "revindex0",
    }
)
_BUILT_IN = (
    ((str,), _TEXT),
    ((dict, MappingProxyType), frozenset({"get", "items", "keys", "values"})),
    ((list, tuple), frozenset({"count", "index"})),
    ((LoopContext,), _LOOP),
    ((set, frozenset), frozenset({"difference", "intersection", "isdisjoint", "issubset", "issuperset", "union"})),
)
OURS = "reckon."
MOST_REPEATED = 10_000  # characters, or entries of a list
MOST_BASE, MOST_POWER = 1_000_000, 64


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of all templates, shipped and others: see the module."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def _parse(self, source: str, name: str | None, filename: str | None) -> parsed.Template:
        with _refuse_deep_templates(name, filename):
            return super()._parse(source, name, filename)

    def _generate(
        self, source: parsed.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        with _refuse_deep_templates(name, filename):
            return super()._generate(source, name, filename, defer_init)

    def _compile(self, source: str, filename: str) -> CodeType:
        with _refuse_deep_templates(None, filename):
            return super()._compile(source, filename)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read an attribute of something."""
        if attr.startswith("_") or isinstance(value, (type, Path)):
            return False
        kind: Any = type(obj)
        if isinstance(obj, TemplateModule) or (isinstance(obj, tuple) and attr in getattr(kind, "_fields", ())):
            return True
        if kind.__module__.startswith(OURS) and _is_shown(kind, attr):
            return True
        return any(isinstance(obj, built_in) and attr in names for built_in, names in _BUILT_IN)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call something. What it may not is told without a look into it, which takes long."""
        if not self._may_call(obj):
            if isinstance(obj, jinja2.Undefined):
                str(obj)  # a strict undefined says its name, which helps more than what may not be done with it
            name = getattr(obj, "__name__", type(obj).__name__)
            raise SecurityError(f"{name} cannot be called in a template")
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
def _refuse_deep_templates(name: str | None, filename: str | None) -> Iterator[None]:
    """What Python cannot take of a template is its author's mistake, as what Jinja cannot take is."""
    try:
        yield
    except (RecursionError, SyntaxError, ValueError, MemoryError) as error:
        message = f"this is nested too deep, or holds a number that is too long ({type(error).__name__})"
        raise jinja2.TemplateSyntaxError(message, 1, name, filename) from None


def _fields_of(kind: Any) -> Collection[str]:
    """The names of the fields that objects of one of our classes have."""
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    names: Collection[str] = getattr(kind, "__struct_fields__", ()) or getattr(kind, "model_fields", ())
    return names


@cache
def _is_shown(kind: Hashable, attr: str) -> bool:
    """Whether an attribute is what our own objects show: a field, a property, or a method of this room."""
    if attr in _fields_of(kind):
        return True
    member = getattr_static(kind, attr, None)
    if isinstance(member, (property, cached_property)):
        getter = member.fget if isinstance(member, property) else member.func
        return getter is not None and getter.__module__.startswith(OURS)
    return member is Book.get or (isinstance(member, FunctionType) and member.__module__.startswith(f"{OURS}present."))


class Within(jinja2.FileSystemLoader):
    """The templates of a folder. What leads out of the tree that the folder stands in, or to a hidden file, is not
    there: not through `..`, which Jinja refuses, and not through a link, whoever made it and when."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The text of a template, as Jinja asks for it; in each folder by the name that it has, or else had."""
        first = template
        candidates = list(product(map(Path, self.searchpath), template_names(template)))
        for folder, name in reversed(candidates):
            tree, path = folder.parent, folder.joinpath(*split_template_path(name))
            if path.exists() and (astray(tree, path) or is_hidden(path.relative_to(tree))):
                raise jinja2.TemplateNotFound(template, f"{template!r} leads out of the root, or to a hidden file")
            if path.is_file():
                read_bounded(path, TEMPLATE)  # Jinja reads it to its end
                first = name
        return super().get_source(environment, first)


Codes = dict[str, tuple[str, CodeType]]
"""What templates became, by their keys, each with the checksum of its text."""


class Compiled(jinja2.BytecodeCache):
    """What each template became: compiling one anew for every page takes longer than printing all of them."""

    def __init__(self) -> None:
        self._codes: Codes = {}

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        """The bucket of a template; code of another environment would go past the sandbox."""
        assert isinstance(environment, Sandbox), "templates run in the sandbox"
        return super().get_bucket(environment, name, filename, source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills a bucket with the code that is kept for its text, if any is."""
        checksum, code = self._codes.get(bucket.key, ("", None))
        bucket.code = code if checksum == bucket.checksum else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps the code that is in a bucket."""
        if bucket.code:
            self._codes[bucket.key] = bucket.checksum, bucket.code

    def have(self, codes: Codes) -> None:
        """Takes code that was made before, for what is not compiled yet."""
        self._codes = {**codes, **self._codes}

    def below(self, folder: Path) -> Codes:
        """The code of all templates that lie below a folder, each with the checksum of its text."""
        inside = f"{folder}{os.sep}"
        return {key: code for key, code in self._codes.items() if code[1].co_filename.startswith(inside)}


COMPILED = Compiled()
