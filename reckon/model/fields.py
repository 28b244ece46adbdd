"""How a field of a record is read: by a mark on its type, as in `Annotated[Text, ReadBy(read_date, {…})]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema


class ReadBy:
    """Marks a field that a function reads from what is written, and what an editor is told of it, as JSON Schema.

    The function takes what is written and gives the value of the field, or raises `Wrong`. One with a second parameter
    is given pydantic's `ValidationInfo` too, whose `field_name` tells the unit of a quantity.

    `PlainValidator` reads in the same way, but builds a serializer for the type of each field as well. Records are
    never serialized, and that takes most of the time in which a kind of record is made ready.
    """

    def __init__(self, func: Callable[..., Any], schema: Mapping[str, Any]) -> None:
        self.func = func
        self.schema = schema

    @property
    def informed(self) -> bool:
        """Whether the function asks which field it reads."""
        return len(signature(self.func).parameters) == 2

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        if self.informed:
            return core_schema.with_info_plain_validator_function(self.func)
        return core_schema.no_info_plain_validator_function(self.func)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.schema)


def parts_of(field: FieldInfo) -> list[Any]:
    """The marks on the type of a field, the type, and all types and marks that it is made of."""
    parts = [*field.metadata, field.annotation]
    for part in parts:  # grows as it goes
        parts += get_args(part)
    return parts
