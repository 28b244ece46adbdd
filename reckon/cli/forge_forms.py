"""A run out of a form of a forge: the body of an issue, or the variables of a pipeline that was started by hand.

What people typed is data: each field has its label in a closed table, is one line of text that can be seen, and goes
the way of the options of `add run`. Whatever else stands in a form is refused with its place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reckon.language.text import first_unseen
from reckon.load.run_format import progress_parts
from reckon.model import bounds

from .output import CommandError

LABELS = {
    "Project": "project",
    "Item": "item",
    "Seed": "seed",
    "Date": "date",
    "GPU": "gpu",
    "GPUs": "gpus",
    "Hours": "wall_hours",
    "GPU-hours": "gpu_hours",
    "Status": "status",
    "Progress": "progress",
    "Job": "job",
    "Note": "note",
}
"""The fields of a form, by what an issue form calls each."""
VARIABLES, PREFIX = "variables", "RUN_"
LONGEST = 1000
_EMPTY = "_No response_"  # what GitHub writes for a field that was left empty
_SECRET = ("TOKEN", "PASSWORD", "SECRET", "KEY")
_NEEDED = {
    "item": "the item of the plan",
    "gpus": "GPUs held, over all nodes",
    "wall_hours": "wall-clock hours",
}

Answers = dict[str, tuple[str, str]]
"""What was filled in, by field: its place in the form, and the text."""


def read_form(form: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The project and the fields of a form: `variables` means those of the environment, all else is an event's file.

    No other options go with a form. Raises CommandError, with all that is wrong, where it has mistakes.
    """
    wrong: list[str] = []
    answers = _variables(os.environ, wrong) if form == VARIABLES else _issue(Path(form), wrong)
    fields = {name: text for name, (where, text) in answers.items() if _is_sound(where, text, wrong)}
    if done := fields.pop("progress", ""):
        parts = progress_parts(done)
        if parts is None:
            where, right = answers["progress"][0], "write done and total, such as 3/5"
            wrong.append(f"{where}: `{done[:40]}` is not a progress; {right}")
        fields |= parts or {}
    if not wrong:
        wrong += _lacking(form, fields)
    both = ["--form reads all fields; remove the other options"] if options else []
    if told := [*both, *wrong]:
        raise CommandError(*told, "Nothing written.")
    return fields.pop("project", ""), fields


def _lacking(form: str, fields: Mapping[str, str]) -> Iterator[str]:
    """What a run cannot be written without, in the words of the form."""
    called = {field: f"{PREFIX}{field.upper()}" if form == VARIABLES else label for label, field in LABELS.items()}
    for name, text in _NEEDED.items():
        if name not in fields and (name == "item" or "gpu_hours" not in fields):
            yield f"form: `{called[name]}` is empty; enter {text}"


def _is_sound(where: str, text: str, wrong: list[str]) -> bool:
    """Whether a text can be a field; says why it cannot."""
    if unseen := first_unseen(text):
        wrong.append(f"{where}: {unseen} is invisible; remove it, or retype the field")
        return False
    if len(text) > LONGEST:
        wrong.append(f"{where}: longer than {LONGEST:,} characters; shorten it")
        return False
    return True


def _is_secret(name: str, value: str) -> bool:
    """Whether a variable may hold a secret, by its name; what is very short is none."""
    return len(value) > 7 and any(word in name for word in _SECRET)


def _variables(environment: Mapping[str, str], wrong: list[str]) -> Answers:
    """The fields among the variables of the environment; a text with a secret in it is refused.

    A forge puts other variables in for what looks like one in a text, and the text is going to be published.
    """
    found: Answers = {}
    secrets = {name: value for name, value in environment.items() if _is_secret(name, value)}
    for field in LABELS.values():
        name = f"{PREFIX}{field.upper()}"
        text = environment.get(name, "")
        if secret := next((other for other, value in secrets.items() if value in text), ""):
            wrong.append(f"{name}: contains the value of {secret}; remove the `$`, which names a variable")
        elif text.split():
            found[field] = name, " ".join(text.split())
    return found


def _issue(path: Path, wrong: list[str]) -> Answers:
    """The fields in the body of the issue that an event of GitHub tells of."""
    body = _body(path)
    if body is None:
        wrong.append(f"{path.name}: not an issue event; give the file that GITHUB_EVENT_PATH names")
        return {}
    found: Answers = {}
    seen: set[str] = set()
    for label, at, lines in _sections(body):
        said = [(number, text) for number, text in lines if text and text != _EMPTY]
        if not label:
            wrong += [f"form:{said[0][0]}: text outside all fields; fill in the form of a run"] if said else []
        elif label not in LABELS:
            wrong.append(f"form:{at}: `{label[:40]}` is not a field of a run; there are {', '.join(LABELS)}")
        elif label in seen:
            wrong.append(f"form:{at}: `{label}` appears twice; keep one")
        elif len(said) > 1:
            wrong.append(f"form:{said[1][0]}: `{label}` continues here; write it on one line")
        elif said:
            found[LABELS[label]] = f"form:{said[0][0]}", said[0][1]
        seen.add(label)
    return found


def _body(path: Path) -> str | None:
    """The body of the issue of an event; None where the file holds none."""
    raw = bounds.read_start(path, bounds.EVENT)
    try:
        event: Any = json.loads(raw) if len(raw) <= bounds.EVENT else {}
        body = event["issue"]["body"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return body if isinstance(body, str) else None


def _sections(body: str) -> Iterator[tuple[str, int, list[tuple[int, str]]]]:
    """The parts of a body: what its heading says and on which line, and its lines with their numbers."""
    label, at, lines = "", 1, list[tuple[int, str]]()
    for number, line in enumerate(body.replace("\r\n", "\n").split("\n"), 1):
        if line.startswith("### "):
            yield label, at, lines
            label, at, lines = " ".join(line[4:].split()) or "###", number, []
        else:
            lines.append((number, " ".join(line.split())))
    yield label, at, lines
