"""What a template may touch. A tree may come from a stranger, its templates too: they see data, and run nothing.

Everything is refused that is not named here. Of our own objects a template has the fields and the properties, and the
methods of what this room and the `Book` show; of texts, maps and lists a few methods that neither format nor grow
without bound. What it cannot be kept from is to take long, or much memory, with loops in loops and texts joined to
themselves: that is told as its own mistake where Python notices, and is else for whoever runs it to bound.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sized
from contextlib import contextmanager
from functools import cache, cached_property
from inspect import getattr_static
from pathlib import Path
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, NoReturn

from jinja2 import FileSystemLoader, TemplateNotFound, TemplateSyntaxError, Undefined
from jinja2 import nodes as parsed
from jinja2.environment import Environment, TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.loaders import split_template_path
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reckon.compute.book import Book
from reckon.model.tree import astray, is_hidden

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
_MAP = frozenset({"get", "items", "keys", "values"})
_LIST = frozenset({"count", "index"})
_SET = frozenset({"difference", "intersection", "isdisjoint", "issubset", "issuperset", "union"})
_LOOP = frozenset({
    "changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem",
    "revindex", "revindex0",
})  # fmt: skip
_BUILT_IN: tuple[tuple[type | tuple[type, ...], frozenset[str]], ...] = (
    (str, _TEXT), ((dict, MappingProxyType), _MAP), ((list, tuple), _LIST), ((set, frozenset), _SET),
    (LoopContext, _LOOP),
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

    def _generate(
        self, source: parsed.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
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
        return any(isinstance(obj, one) and attr in names for one, names in _BUILT_IN)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call something. What it may not is told without a look into it, which takes long."""
        if not self._may_call(obj):
            _say_undefined(obj)
            raise SecurityError(f"{getattr(obj, '__name__', type(obj).__name__)} cannot be called in a template")
        return True

    def _may_call(self, obj: Any) -> bool:
        if isinstance(obj, FunctionType):
            return any(obj is one for one in self.globals.values())
        if isinstance(obj, (MethodType, BuiltinMethodType)):
            return self.is_safe_attribute(obj.__self__, obj.__name__, obj)
        return isinstance(obj, (Macro, LoopContext, BlockReference))

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        """Says what may not be read, at once, and not only where it is printed."""
        _say_undefined(obj)
        raise SecurityError(f"`{attribute[:60]}` of {type(obj).__name__} cannot be read in a template")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """What could fill the memory with one sign, within bounds: repeating, formatting, powers."""
        sizes = [len(one) for one in (left, right) if isinstance(one, Sized)]
        times = max((one for one in (left, right) if isinstance(one, int)), default=1)
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
        raise TemplateSyntaxError(said, 1, name, filename) from None


def _say_undefined(obj: object) -> None:
    """A strict undefined says its name, which helps more than what may not be done with it."""
    if isinstance(obj, Undefined):
        str(obj)


@cache
def _shown(kind: Hashable, attr: str) -> bool:
    """Whether an attribute is what our own objects show: a field, a property, or a method of this room."""
    if attr in getattr(kind, "__dataclass_fields__", ()) or attr in getattr(kind, "model_fields", ()):
        return True
    found = getattr_static(kind, attr, None)
    if isinstance(found, (property, cached_property)):
        found = found.fget if isinstance(found, property) else found.func
        return found is not None and found.__module__.startswith(OURS)
    return found is Book.get or (isinstance(found, FunctionType) and found.__module__.startswith(f"{OURS}present."))


class Within(FileSystemLoader):
    """The templates of a folder. What leads out of the tree that the folder stands in, or to a hidden file, is not
    there: not through `..`, which Jinja refuses, and not through a link, whoever made it and when."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The text of a template, as Jinja asks for it."""
        for folder in map(Path, self.searchpath):
            tree, path = folder.parent, folder.joinpath(*split_template_path(template))
            if path.exists() and (astray(tree, path) or is_hidden(path.relative_to(tree))):
                raise TemplateNotFound(template, f"{template!r} leads out of the root, or to a hidden file")
        return super().get_source(environment, template)
