"""Closed lists of words, and ids of shared records, as types of fields."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from reckon.language.text import Text
from reckon.model.scalars import OneOf
from reckon.model.values import RefersTo, Words


def _word(*words: str) -> tuple[PlainValidator, WithJsonSchema]:
    return PlainValidator(OneOf(words)), WithJsonSchema({"type": "string", "enum": list(words)})


SCOPES = ("one-time", "per-seed", "single-seed", "all-seeds")
STATUSES = (
    "completed",
    "failed",
    "cancelled",
    "timeout",
    "out-of-memory",
    "node-failure",
    "preempted",
    "running",
    "held-idle",
)
Scope = Annotated[Text, *_word(*SCOPES)]
Kind = Annotated[Text, *_word("measured", "simulated", "datasheet", "reported", "estimated")]
Status = Annotated[Text, *_word(*STATUSES)]
Each = Annotated[Text, *_word("phase", "item", "seed", "allocation")]
Severity = Annotated[Text, *_word("error", "warning", "note")]
LeverStatus = Annotated[Text, *_word("active", "tested", "planned", "rejected")]
# What a setting is for. Rules of the audit look for roles, never for the names that frameworks give.
ROLES = ("request-timeout", "output-cap", "input-cap", "history", "temperature", "sampling", "decoding", "workers",
         "epochs")  # fmt: skip
Role = Annotated[Text, *_word(*ROLES)]
RECKONED = ("weights", "gradients", "optimizer", "activations", "kv-cache", "rest")
Reckoning = Annotated[Text, *_word(*RECKONED)]
Optimizer = Annotated[Text, *_word("adam", "adam-8bit", "sgd-momentum", "sgd")]
Sharding = Annotated[Text, *_word("none", "zero-1", "zero-2", "zero-3")]
Recompute = Annotated[Text, *_word("none", "selective", "full")]
Rendering = Annotated[Text, *_word("ci", "people", "none")]
ForgeKind = Annotated[Text, *_word("github", "gitlab")]
Release = Annotated[Text, *_word("released", "pending", "future")]
CardRef = Annotated[Words, RefersTo("catalog.gpus")]
ModelRef = Annotated[Words, RefersTo("catalog.models")]
