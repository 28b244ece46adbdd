"""The base of all records: frozen, with a place; unknown keys are refused with a hint, or kept as free inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator
from pydantic.json_schema import SkipJsonSchema

from reckon.language.text import NOWHERE, Place, place_of

from .finding import Problem, nearest


class Record(BaseModel):
    """One entry of a ledger. `free` names the field that takes the keys which no other field takes."""

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=True, defer_build=True)
    free: ClassVar[str] = ""

    place: SkipJsonSchema[Place] = Field(default=NOWHERE, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def sort_keys(cls, raw: Any, info: ValidationInfo) -> Any:
        """Moves free keys to their field; hands problems about unknown ones to the reader's list (the context)."""
        if not isinstance(raw, Mapping):
            return raw
        own, closed = cls.model_fields, ("place", cls.free)
        spare = dict.fromkeys(key for key in raw if key not in own or key in closed)  # looked up for each key
        known = {key: value for key, value in raw.items() if key not in spare} if spare else dict(raw)
        known["place"] = place_of(raw)
        if cls.free:
            known[cls.free] = {key: raw[key] for key in spare}
        elif spare and info.context is not None:
            fields = [name for name in cls.model_fields if name not in ("place", cls.free)]
            info.context.extend(
                Problem(
                    place_of(key),
                    f"unknown key `{key[:60]}`",
                    nearest(key, fields) or "`budget guide language` has them",
                )
                for key in spare
            )
        return known
