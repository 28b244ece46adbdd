"""A configuration that stands in no ledger: a small project on the catalogue, made of words and reckoned as others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reckon.model import records as r
from reckon.model.ledger import Catalog, Ledger, ProjectLedger

from ..sheet.inputs import write_inputs
from ..sheet.sheet import Sheet
from .fits import fits_of
from .needs import write_needs
from .parts import MODEL
from .seen import Seen

ASKED = "asked"
OF_MODEL = ("parameters", *MODEL)
OF_CONFIGURATION = ("dtype", "optimizer", "sharding", "recompute", "gpus", "tokens", "sequences")
# What training keeps for each parameter; serving keeps the weights only.
STATES = ("weights", "gradients", "optimizer")
PER_TOKEN = ("tokens", "sequences")


def asked(catalog: Catalog, words: Mapping[str, str]) -> Seen:
    """What fields of a configuration and of its model come to, by name and as a ledger would have them.

    `model` names one of the catalogue; what is said of a model beside it counts instead of what the catalogue says.
    With `optimizer` it is trained. What grows with the tokens counts once a number of tokens or sequences is given.
    """
    ledger = _ledger(catalog, words)
    one, sheet = ledger.projects[ASKED], Sheet()
    write_inputs(sheet, ledger)
    write_needs(sheet, ledger, one)
    sheet.reckon()
    return Seen(ledger, one, ASKED, sheet.figures, tuple(fits_of(sheet.figures, ledger, one)))


def not_counted(words: Mapping[str, str]) -> str:
    """The part that is left out for want of any number of tokens; empty where none is."""
    return "" if set(PER_TOKEN) & set(words) else _growing(words)


def _growing(words: Mapping[str, str]) -> str:
    return "activations" if "optimizer" in words else "kv-cache"


def _ledger(catalog: Catalog, words: Mapping[str, str]) -> Ledger:
    named = catalog.models.get(words.get("model", ""))
    own = {key: words[key] for key in OF_MODEL if key in words}
    said = r.Model.model_validate({"title": named.title if named else ASKED, **own})
    model = named.model_copy(update={key: getattr(said, key) for key in own}) if named else said
    fields = {key: words[key] for key in OF_CONFIGURATION if key in words}
    if named and named.dtype is not None:
        fields.setdefault("dtype", str(named.dtype))
    parts = [*(STATES if "optimizer" in words else STATES[:1]), *([] if not_counted(words) else [_growing(words)])]
    memory = {part: {"reckoned": part} for part in parts}
    configuration = r.Configuration.model_validate({"title": model.title, "model": ASKED, "memory": memory, **fields})
    card = next(iter(catalog.gpus), ASKED)
    project = r.Project.model_validate({"title": ASKED, "version": ASKED, "as_of": "2000", "gpu": card})
    one = ProjectLedger(ASKED, project, configurations={ASKED: configuration})
    return Ledger(replace(Catalog(gpus=catalog.gpus), models={ASKED: model}), projects={ASKED: one})
