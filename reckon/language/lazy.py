"""What is made when it is first used, because most commands do not use it: regular expressions, imported modules."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, AnyStr, cast


class LazyPattern:
    """A regular expression that is compiled when something of it is first asked for."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._arguments), name)  # re keeps what it compiled
        setattr(self, name, found)
        return found


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile` for modules that most commands import: it compiles, and raises `re.error`, at the first use."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


class LazyObject:
    """A module, or something in it, that is imported when it is first called or asked for an attribute."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def _imported(self) -> Any:
        module = import_module(self._module)
        return getattr(module, self._name) if self._name else module

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls what it stands for."""
        return self._imported()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what libraries ask of every object
            raise AttributeError(name)
        return getattr(self._imported(), name)


def late(module: str, *names: str) -> Any:
    """A module that few commands need; or what of it is called by these names: one by itself, several as a tuple.

    It stands in the `else` of an `if TYPE_CHECKING` whose other branch imports it, for type checkers and contracts.
    """
    found = tuple(LazyObject(module, name) for name in names or ("",))
    return found if len(found) > 1 else found[0]
