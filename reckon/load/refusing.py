"""All that is wrong with a tree that cannot be read as a record, and the JSON Schema of one: what pydantic makes of the
same fields. A ledger that is right never comes here, so that it does not wait for pydantic to be imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    field_validator,
    model_validator,
)

from reckon.model.fields import FieldInfo, ReadBy, Then, Told, unmarked
from reckon.model.finding import Problem
from reckon.model.record import Record


def refusals(kind: type[Record], tree: Any, unknown: list[Problem]) -> Sequence[Mapping[str, Any]]:
    """All that is wrong with a tree, as the validator says it; problems about unknown keys are added to a list."""
    try:
        _adapter(kind).validate_python(tree, context=unknown)
    except ValidationError as error:
        return cast("list[Mapping[str, Any]]", error.errors(include_url=False))
    return ()


def json_schema(kind: type[Record]) -> dict[str, Any]:
    """The JSON Schema of a record and, below `$defs`, of those in it."""
    return _adapter(kind).json_schema()


@cache
def _adapter(kind: type[Record]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(_twin(kind))


@cache
def _twin(kind: type[Record]) -> type[BaseModel]:
    """The model of pydantic that has the fields of a record, and reads them by the same functions."""
    fields: dict[str, Any] = {}
    for name, info in kind.model_fields.items():
        if name != "place":
            default = ... if info.is_required() else None
            fields[name] = (_typed(info), Field(default, description=info.description, alias=info.alias))
    config = ConfigDict(extra="ignore", arbitrary_types_allowed=True, defer_build=True)
    return create_model(kind.__name__, __config__=config, __doc__=kind.__doc__, __validators__=_looks(kind), **fields)


def _looks(kind: type[Record]) -> dict[str, Any]:
    """What looks at a record as a whole: before its fields are read, at one of them, and afterwards."""

    def sort_keys(cls: type[BaseModel], raw: Any, info: ValidationInfo) -> Any:
        return kind.sort_keys(raw, info.context) if isinstance(raw, Mapping) else raw

    def whole(self: BaseModel) -> BaseModel:
        kind.of_read(dict(self.__dict__), set()).whole()
        return self

    found: dict[str, Any] = {"sort_keys": model_validator(mode="before")(cast(Any, classmethod(sort_keys)))}
    found |= {f"{method}_{field}": _look(field, getattr(kind, method)) for field, method in kind.checked.items()}
    return {**found, "whole": model_validator(mode="after")(whole)} if kind.whole is not Record.whole else found


def _look(field: str, looks: Any) -> Any:
    def look(cls: type[BaseModel], value: Any, info: ValidationInfo) -> Any:
        return looks(value, info)

    return field_validator(field)(classmethod(look))


def _typed(info: FieldInfo) -> Any:
    return _type(Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation)


def _type(hint: Any) -> Any:
    """A type with marks, as pydantic has them."""
    if hasattr(hint, "__metadata__"):
        inner, found = unmarked(hint)
        read = any(isinstance(mark, ReadBy) for mark in found)
        marks = [made for mark in found if (made := _mark(mark)) is not None]
        own = Any if read else _type(inner)
        return Annotated[own, *marks] if marks else own
    if isinstance(hint, type) and issubclass(hint, Record):
        return _twin(hint)
    origin = get_origin(hint)
    parts: tuple[Any, ...] = tuple(part if part is ... else _type(part) for part in get_args(hint))
    if origin is None:
        return hint
    return parts[0] | None if type(None) in parts else origin[parts]


def _mark(mark: Any) -> Any:
    if isinstance(mark, ReadBy):
        return PlainValidator(mark.func)
    if isinstance(mark, Told):
        return WithJsonSchema(mark.schema)
    if isinstance(mark, Then):
        return AfterValidator(mark.func)
    return Field(description=mark.description) if isinstance(mark, FieldInfo) else None
