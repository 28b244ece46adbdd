# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""`add run --form`: forms of forges become entries, and whatever people typed into them stays text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from reckon.cli import clock, forge_forms, main
from reckon.model import bounds
from reckon.model.figure import QUEUED
from reckon.model.records import STATUSES
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
GIVEN = {
    "Project": "demo",
    "Item": "train",
    "Seed": "2",
    "Date": "2026-02-19",
    "GPUs": "4",
    "Hours": "5 h 36 min",
    "Status": "failed",
    "Progress": "3/5",
    "Job": "4711",
    "Note": "node died",
}
ENTRY = "- {date: 2026-02-19, item: train, seed: 2, gpus: 4, wall_hours: 5 h 36 min, status: failed, progress: {done: 3, total: 5}, job: 4711, note: node died}"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger on 20 February 2026."""
    monkeypatch.setattr(clock, "current_time", lambda: datetime(2026, 2, 20, 12, tzinfo=UTC))
    return plant(tmp_path / "tree")


def body(answers: dict[str, str]) -> str:
    """What GitHub makes of a form."""
    return "\n\n".join(f"### {label}\n\n{text or '_No response_'}" for label, text in answers.items())


def event(tree: Path, text: object) -> str:
    file = tree.parent / "event.json"
    file.write_text(json.dumps({"action": "opened", "issue": {"number": 7, "body": text}}), "utf-8")
    return str(file)


def add(tree: Path, form: str, *words: str) -> int:
    return main(["--root", str(tree), "add", "run", "--form", form, *words])


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def new_lines(tree: Path, before: dict[str, bytes]) -> list[str]:
    """The lines of entries that are there since."""
    found = []
    for path, text in state(tree).items():
        old = before.get(path, b"")
        assert text.startswith(old)
        found += [line for line in text[len(old) :].decode("utf-8").splitlines() if line.startswith("- ")]
    return found


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_form_of_an_issue_becomes_the_entry_that_the_options_would_make(tree: Path, ends: str) -> None:
    before = state(tree)
    assert add(tree, event(tree, body(GIVEN).replace("\n", ends))) == 0
    assert new_lines(tree, before) == [ENTRY]


def test_variables_of_a_pipeline_become_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for label, text in GIVEN.items():
        monkeypatch.setenv(f"RUN_{forge_forms.LABELS[label].upper()}", text)
    monkeypatch.setenv("RUN_GPU_HOURS", "  ")
    before = state(tree)
    assert add(tree, "variables") == 0
    assert new_lines(tree, before) == [ENTRY]


def test_what_is_left_empty_is_as_if_it_were_not_said(tree: Path) -> None:
    before = state(tree)
    given = {**dict.fromkeys(GIVEN, ""), "Item": "test", "GPUs": "1", "Hours": "2", "GPU": "_No response_"}
    assert add(tree, event(tree, body(given))) == 0
    assert new_lines(tree, before) == ["- {date: 2026-02-20, item: test, gpus: 1, wall_hours: 2}"]


TEXTS = [
    "$(touch /tmp/x) `id` ; rm -rf /",
    "::error::x ##[error]y",
    "a, status: completed}]",
    "'\"\\",
    "- {item: test}",
    "# x",
    "*x &y !!python/object:os.system",
    "[x](javascript:alert(1)) <script>",
    "@everyone",
    "{{ 7*7 }} ${{ github.token }}",
    "../../etc/passwd",
    "----",
    "x" * 1000,
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", ["issue", "variables"])
def test_a_note_is_a_note_whatever_it_says(tree: Path, monkeypatch: pytest.MonkeyPatch, text: str, form: str) -> None:
    given = {**GIVEN, "Note": text}
    for label, one in given.items():
        monkeypatch.setenv(f"RUN_{forge_forms.LABELS[label].upper()}", one)
    before = state(tree)
    assert add(tree, "variables" if form == "variables" else event(tree, body(given))) == 0
    (line,) = new_lines(tree, before)
    (read,) = yaml.safe_load(line)
    assert read["note"] == text
    assert line.startswith(ENTRY.partition("note: ")[0])


REFUSED = {
    "doubled": (body(GIVEN) + "\n\n### Item\n\ntest", "form:41: `Item` appears twice; keep one"),
    "heading in a value": (
        body({**GIVEN, "Job": "1\n### Status\n\ncompleted"}),
        "form:36: `Status` appears twice; keep one",
    ),
    "a heading of its own": (
        body({**GIVEN, "Note": "### Colour"}),
        "form:39: `Colour` is not a field of a run; there are Project, Item,",
    ),
    "a heading without words": (
        body(GIVEN) + "\n### \n",
        "form:40: `###` is not a field of a run; there are Project, Item,",
    ),
    "two lines": (body({**GIVEN, "Note": "one\n\ntwo"}), "form:41: `Note` continues here; write it on one line"),
    "no form": (
        "- {item: train, gpus: 1, wall_hours: 1}\n\n" + body(GIVEN),
        "form:1: text outside all fields; fill in the form of a run",
    ),
    "unseen": (
        body({**GIVEN, "Note": "a\u202eb"}),
        "form:39: U+202E is invisible; remove it, or retype the field",
    ),
    "bell": (body({**GIVEN, "Item": "tr\x07ain"}), "form:7: U+0007 is invisible;"),
    "half a character": (body({**GIVEN, "Note": "a\ud800"}), "form:39: U+D800 is invisible;"),
    "too long": (body({**GIVEN, "Note": "x" * 65_000}), "form:39: longer than 1,000 characters; shorten it"),
    "progress": (
        body({**GIVEN, "Progress": "half"}),
        "form:31: `half` is not a progress; write done and total, such as 3/5",
    ),
    "no item": (
        body({**GIVEN, "Item": ""}),
        "form: `Item` is empty; enter the item of the plan",
    ),
    "no hours": (body({**GIVEN, "Hours": ""}), "form: `Hours` is empty; enter wall-clock hours"),
    "another project": (body({**GIVEN, "Project": "demos"}), "there is no project `demos`; did you mean `demo`?"),
    "a way out": (body({**GIVEN, "Project": "../demo"}), "there is no project `../demo`;"),
    "the folder above": (body({**GIVEN, "Project": ".."}), "there is no project `..`;"),
    "the catalogue": (body({**GIVEN, "Project": "catalog"}), "there is no project `catalog`;"),
    "item": (body({**GIVEN, "Item": "../train"}), ": there is no item `../train` in the plan;"),
    "more than an amount": (body({**GIVEN, "GPUs": "4, note: x"}), ": `4, note: x` is not a number;"),
    "nothing": ("", "form: `Item` is empty;"),
    "no text": (None, "event.json: not an issue event; give the file that GITHUB_EVENT_PATH names"),
    "a list": ([["### Item"]], "event.json: not an issue event;"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_entry_can_be_made_of_is_refused_with_its_place(
    tree: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    text, said = REFUSED[case]
    before = state(tree)
    assert add(tree, event(tree, text)) == 2
    assert said in (told := capsys.readouterr().err)
    assert "Nothing written" in told or "there is no project" in told
    assert state(tree) == before


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[" * 200_000,
        b'{"issue": 1}',
        b"\xff\xfe",
        b'{"issue": {"body": ' + b"1" * 6000 + b"}}",
        b'{"issue": {"body": "' + b"x" * bounds.EVENT + b'"}}',
    ],
)
def test_a_file_that_is_no_event_is_refused(tree: Path, capsys: pytest.CaptureFixture[str], raw: bytes) -> None:
    file = tree.parent / "event.json"
    file.write_bytes(raw)
    assert add(tree, str(file)) == 2
    assert capsys.readouterr().err.startswith("event.json: not an issue event;")


def test_a_secret_that_a_forge_puts_into_a_text_does_not_reach_the_ledger(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """GitLab reads `$CI_JOB_TOKEN` in the value of a variable as the variable of that name."""
    monkeypatch.setenv("CI_JOB_TOKEN", "glcbt-64_secret")
    for name, text in {
        "RUN_ITEM": "train",
        "RUN_GPUS": "1",
        "RUN_WALL_HOURS": "1",
        "RUN_NOTE": "x glcbt-64_secret",
    }.items():
        monkeypatch.setenv(name, text)
    before = state(tree)
    assert add(tree, "variables") == 2
    told = capsys.readouterr().err
    assert told.startswith("RUN_NOTE: contains the value of CI_JOB_TOKEN; remove the `$`, which names a variable\n")
    assert "secret" not in told
    assert state(tree) == before


def test_a_form_has_all_fields_and_takes_no_options_beside_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, event(tree, body(GIVEN)), "--item", "test") == 2
    assert capsys.readouterr().err.startswith("--form reads all fields; remove the other options\n")
    assert add(tree, str(tree / "none.json")) == 2
    assert state(tree) == before


def test_the_forms_that_init_writes_ask_for_what_is_read() -> None:
    form = yaml.safe_load((ROOT / "starter/.github/ISSUE_TEMPLATE/run.yml").read_text("utf-8"))
    fields = [one for one in form["body"] if one["type"] != "markdown"]
    labels = [one["attributes"]["label"] for one in fields]
    assert labels == list(GIVEN)
    assert {one["type"] for one in fields} == {"input", "dropdown"}, "one line each: no heading can stand in a field"
    (status,) = [one["attributes"] for one in fields if one["type"] == "dropdown"]
    assert set(status["options"]) == {*STATUSES} - {QUEUED}, "the form asks for what a run took, not for its limit"
    assert status["options"][status["default"]] == "completed"
    asked = yaml.safe_load((ROOT / "starter/.gitlab/add-run.yml").read_text("utf-8"))["variables"]
    assert list(asked) == [f"RUN_{forge_forms.LABELS[label].upper()}" for label in labels]
    assert set(asked["RUN_STATUS"]["options"]) == {*STATUSES} - {QUEUED}
    assert asked["RUN_STATUS"]["value"] == "completed"
    assert all(one["description"] and (name == "RUN_STATUS" or one["value"] == "") for name, one in asked.items())
