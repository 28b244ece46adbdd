"""The page of messages: what each means and what to do (`messages.yaml`, tests/rules), with the lines of the samples.

A problem is shown with the line of a sample under tests/load/errors that is told so; a finding with what the sample of
its rule says. Each stands there once, under what it is about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reckon.language.text import Place
from reckon.model.finding import Problem
from reckon.model.message_codes import code_of, hide_values
from reckon.model.rules import ALIASES, current_id

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "scripts" / "messages.yaml"
RULES = ROOT / "tests" / "rules"
ERRORS = ROOT / "tests" / "load" / "errors"
MOST = 60
"""The longest line of a sample that is shown, in characters."""
ABOVE = 4
"""Lines that the tests write above the project of a sample."""
TELLING = 14
"""The fewest letters that are the same in a message and in that of a sample with other values."""
NOTE = "<!-- Made by `python -m scripts.guide` from scripts/messages.yaml and the samples. Do not edit. -->"
TOLD = re.compile(r"(?:--set [^:]*|([^:]*):(\d+):\d+): (.*)")
VARYING = r"\0|…|\d[\d,.-]*"
"""What differs in messages, beside values in backticks."""
HEADS = {"line": ("Line", "It says", "What to do"), "says": ("It says", "A line that does it", "What to do")}


def messages() -> str:
    """The page of messages as markdown."""
    source = yaml.safe_load(SOURCE.read_text("utf-8"))
    parts = [f"# Problems and findings\n\n{NOTE}\n", source["intro"], *_sections(source["problems"])]
    anchored: set[str] = set()
    for section in source["problems"]:
        parts.append(f"\n## {section['title']}\n")
        for part in section["parts"]:
            parts += [f"{part['text']}\n"] if "text" in part else [*_table(part["rows"], anchored), ""]
    parts.append(f"\n## Findings\n\n{source['findings']}\n")
    parts += [_rule(path) for path in sorted(RULES.glob("*.md"))]
    parts += ["\n### Ids of older versions\n", source["older"], "", "| Older | Now |", "|---|---|"]
    parts += [f"| `{older}:…` | `{current_id(f'{older}:…')}` |" for older in ALIASES]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip("\n") + "\n"


def _table(rows: Sequence[dict[str, Any]], anchored: set[str]) -> Iterator[str]:
    """The messages of a part of a section, a row each, with its code. Links lead to the first row of a code."""
    head = HEADS["line" if "line" in rows[0] else "says"]
    if all("line" not in row and not sample(row["says"], row.get("code", "")) for row in rows):
        head = (head[0], head[2])
    coded = any("code" in row for row in rows)
    columns = (*["Code"] * coded, *head)
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        what = "; ".join(text for text in (row.get("means", ""), row.get("do", "")) if text) or hint(row["says"])
        line = row.get("example", sample(row["says"], row.get("code", "")))
        cells = (row["line"], row["says"], what) if "line" in row else (row["says"], f"`{line}`" if line else "", what)
        told = cells if len(head) == 3 else (cells[0], cells[2])
        code = row.get("code", "")
        anchor = "" if not code or code in anchored else f'<a id="{code}"></a>'
        anchored.add(code)
        yield f"| {' | '.join((*[f'{anchor}`{code}`' if code else ''] * coded, *told))} |"


def _rule(path: Path) -> str:
    """The section of a rule: what it looks for, what its sample says (without the id, its heading), what to do."""
    text = re.sub(r"^```yaml\n.*?^```\n+", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(```text\n.*\n) +" + re.escape(path.stem) + r":.*\n", r"\1", text, flags=re.MULTILINE)
    return f"### {path.stem}\n\n{text}"


def _sections(sections: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the page has, and how a message is found on it: its words are the index."""
    titles = [*(section["title"] for section in sections[2:]), "Findings"]
    links = (f"[{title}](#{re.sub(r'[^a-z0-9 _-]', '', title.lower()).replace(' ', '-')})" for title in titles)
    yield (
        "\nTo find a message, search this page for its words without the values (*there is no item*, *unknown key*).\n"
        "A finding is under the first part of its id. By what they are about:\n\n" + " ·\n".join(links) + "\n"
    )


def said(says: str) -> list[str]:
    """The single messages that an entry is about."""
    return re.split(r"; (?=\S)|(?<=`), (?=`)", says)


def pattern(text: str) -> re.Pattern[str]:
    """What fits the messages that a text of the catalogue is about: values in backticks, and `…`, stand for any."""
    plain = re.sub(r"`[^`]*`", "\0", _unwrapped(text))
    return re.compile(".*".join(re.escape(part) for part in re.split(VARYING, plain)))


def codes() -> str:
    """The codes of problems as JSON: for each message of the catalogue its code and its words, without what differs."""
    found = []
    for section in yaml.safe_load(SOURCE.read_text("utf-8"))["problems"]:
        for row in (row for part in section["parts"] for row in part.get("rows", ()) if "code" in row):
            texts = [*said(row["says"]), *row.get("fits", ())]
            found += [(row["code"], re.split(VARYING, hide_values(_unwrapped(text)))) for text in texts]
    lines = ",\n".join(dict.fromkeys(json.dumps(entry, ensure_ascii=False) for entry in found))
    return f"[\n{lines}\n]\n"


def _unwrapped(text: str) -> str:
    """A message without the backticks around the whole of it."""
    whole = re.fullmatch(r"`([^`]*)`", text)
    return (whole[1] if whole and " " in whole[1] else text).replace("**", "")


@cache
def samples() -> tuple[tuple[str, str], ...]:
    """All that is told of the samples, without its place, each with the line of the ledger that it is told of."""
    found = []
    for path in sorted(ERRORS.glob("*.txt")):
        pieces = re.split(r"^== (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        files = dict(zip(pieces[::2], pieces[1::2], strict=True))
        for told in filter(None, (TOLD.fullmatch(line) for line in files.pop("problems", "").splitlines())):
            found.append((told[3], _line(files, told[1] or "", int(told[2] or 0))))
    return tuple(found)


def _line(files: dict[str, str], path: str, number: int) -> str:
    """A line of a file of a sample; empty where it cannot stand in a table."""
    text = next((text for name, text in files.items() if path.endswith((f"/{name}.yaml", f"/{name}"))), "")
    lines = text.splitlines()
    number -= ABOVE if path.endswith("/p/project.yaml") and not text.startswith("title") else 0
    line = lines[number - 1].strip().removeprefix("- ") if 0 < number <= len(lines) else ""
    return line if len(line) <= MOST and not re.search(r"[`|\x00-\x1f]", line) else ""


@cache
def sample(says: str, code: str = "") -> str:
    """The line of a ledger that is told so in a sample; empty where none is short enough.

    The very words first; else what differs in its values, if the line has the value that is told of it. With a code it
    is a line of a message of that code.
    """
    for text in said(says):
        exact = (line for told, line in samples() if line and told.startswith(text))
        known = pattern(text)
        telling = len(known.pattern.replace("\\", "").replace(".*", "")) >= TELLING
        alike = (
            line
            for told, line in samples()
            if telling and line and known.match(told) and _quoted(told) in line and _is_of(told, code)
        )
        if found := next(exact, "") or next(alike, ""):
            return found
    return ""


def _is_of(told: str, code: str) -> bool:
    return not code or code_of(Problem(Place("", 0, 0), told)) == code


def hint(says: str) -> str:
    """What a message itself says to do, where the catalogue adds nothing to that."""
    known = pattern(said(says)[0])
    return next((told.partition("; ")[2] for told, _ in samples() if known.match(told)), "")


def _quoted(told: str) -> str:
    """The first value in backticks of a message."""
    return next(iter(re.findall(r"`([^`]*)`", told)), "")
