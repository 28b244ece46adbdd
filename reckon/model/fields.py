"""Fields of records: their types with the marks on them, and what stands for those that are not written.

A type says how it is read by a mark: `Annotated[Text, ReadBy(read_date), Told({"type": "string"})]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple


class About(NamedTuple):
    """What is known where a field is read: its name, and, for what looks at it once all are read, the other fields."""

    field_name: str | None
    data: Mapping[str, Any] = {}


class ReadBy:
    """Marks how a field is read: by a function of what stands there, which may ask for an `About` as well."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func

    @property
    def informed(self) -> bool:
        """Whether the function asks what field it reads."""
        func: Any = self.func
        given = len(func.args) if isinstance(func, partial) else 0
        code = func.func.__code__ if isinstance(func, partial) else func.__code__
        return bool(code.co_argcount - given == 2)


class Told:
    """Marks what an editor is told of a field, as JSON Schema."""

    __slots__ = ("schema",)

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema


class Then:
    """Marks what is done with a field once it is read: a function that gives it back, or refuses it."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func


class FieldInfo:
    """A field of a record: its type with the marks on it, what stands for it where it is not written, and its words."""

    __slots__ = ("alias", "annotation", "default", "default_factory", "description", "metadata")

    def __init__(
        self, default: Any, description: str | None = None, alias: str | None = None,
        default_factory: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        self.default, self.default_factory = default, default_factory
        self.description, self.alias = description, alias
        self.annotation: Any = None
        self.metadata: tuple[Any, ...] = ()

    def is_required(self) -> bool:
        """Whether it has to be written."""
        return self.default is ... and self.default_factory is None

    def get_default(self) -> Any:
        """What stands for it where it is not written."""
        return self.default_factory() if self.default_factory else self.default

    def of_type(self, hint: Any) -> FieldInfo:
        """The same with a type, its marks apart; one of them may say of the field what it does not say itself."""
        found = FieldInfo(self.default, self.description, self.alias, self.default_factory)
        found.annotation, found.metadata = unmarked(hint)
        for mark in found.metadata:
            if isinstance(mark, FieldInfo) and found.description is None:
                found.description = mark.description
        return found


def unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type, and the marks on it."""
    return (hint.__origin__, hint.__metadata__) if hasattr(hint, "__metadata__") else (hint, ())


def Field(
    default: Any = ..., *, description: str | None = None, alias: str | None = None,
    default_factory: Callable[[], Any] | None = None,
) -> Any:  # fmt: skip
    """A field, with what stands for it where it is not written, its words for editors, and how it is written if that
    is not its name."""
    return FieldInfo(default, description, alias, default_factory)
