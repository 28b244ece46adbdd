"""The audit knows no project: with every id and title of Pixelis replaced by random words it finds the same."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.ledger import ProjectLedger
from tests.released import files, tree

FILES = ("plan", "figures", "measurements", "projections", "configurations", "texts")
PROSE = (
    "title",
    "summary",
    "source",
    "notes",
    "note",
    "waits_for",
    "text",
    "section",
    "at",
    "status",
    "method",
    "leaves_out",
)
REFERENCES = ("gpu", "cards", "models", "model", "device", "runs", "measurements", "base", "compare", "terms")
RELEASES = ("released", "pending", "future")
ADDRESSES = ("formula", "of", "rows")
KINDS = "plan|figures|projections|measurements|memory|hardware|phases|configurations|on|gpus|models"


class Words:
    """One random word for each text, always the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        if text not in self.known:
            self.known[text] = "".join(self.random.choices("bcdfghjklmnpqrstvwxz", k=12))
        return self.known[text]


def renamed(tree: Any, word: Words, ids: bool = False) -> Any:
    """A tree with its ids (the keys of this level), titles, prose, references and addresses replaced."""
    found = {}
    for key, value in tree.items():
        if (
            key in PROSE
            and isinstance(value, str)
            and not (key == "status" and value in ("released", "pending", "future"))
        ):
            new: Any = word(value)
        elif key in PROSE and isinstance(value, list):
            new = [word(one) for one in value]
        elif key in REFERENCES and not isinstance(value, dict):
            new = (
                [one if one == "contingency" else word(one) for one in value]
                if isinstance(value, list)
                else word(value)
            )
        elif key in ADDRESSES:
            new = [address(one, word) for one in value] if isinstance(value, list) else address(value, word)
        elif key == "memory" and all(isinstance(one, str) for one in value.values()):
            new = {name: word(one) for name, one in value.items()}
        elif isinstance(value, dict):
            new = renamed(value, word, ids=key in ("items", "memory", "hardware"))
        else:
            new = value
        found[word(key) if ids else key] = new
    return found


def address(text: str, word: Words) -> str:
    """An address under the new names; that of a projection goes on with the id of a measurement."""
    of = re.compile(r"(?<=\bprojections\.)([a-z0-9-]+)\.([a-z0-9-]+)")
    text = of.sub(lambda match: f"{match[1]}.{word.known.get(match[2], match[2])}", text)
    return re.sub(rf"\b({KINDS})\.([a-z0-9-]+)", lambda match: f"{match[1]}.{word(match[2])}", text)


def write(path: Path, tree: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(tree, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True), "utf-8")


def read(path: str) -> Any:
    """A file of the ledger of Pixelis as it was first released, which finds much to say."""
    return yaml.load(files()[f"ledger/{path}"], Loader=yaml.BaseLoader)


def unaccepted() -> dict[str, Any]:
    """project.yaml without what is accepted: acceptances name findings by their ids."""
    return {key: value for key, value in read("pixelis/project.yaml").items() if key != "accept"}


def scramble(root: Path, word: Words) -> None:
    """Pixelis and its catalogue under random names."""
    for name in ("gpus", "models"):
        write(root / f"ledger/catalog/{name}.yaml", renamed(read(f"catalog/{name}.yaml"), word, ids=True))
    home = root / "ledger" / word("pixelis")
    write(home / "project.yaml", renamed(unaccepted(), word))
    for name in FILES:
        write(home / f"{name}.yaml", renamed(read(f"pixelis/{name}.yaml"), word, ids=True))
    write(home / "claims.yaml", [renamed(claim, word) for claim in read("pixelis/claims.yaml")])


def reckoned(root: Path) -> Book:
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return book


def told(book: Book, project: str) -> list[tuple[str, str, str, list[Any]]]:
    """Rule, severity, subject and arithmetic of each finding."""
    return [
        (
            one.rule,
            one.severity,
            one.subject,
            [part if isinstance(part, str) else part.value for part in one.arithmetic],
        )
        for one in book.findings[project]
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_is_found_under_random_names(tmp_path: Path, seed: int) -> None:
    word = Words(seed)
    plain, strange = tmp_path / "plain", tmp_path / "strange"
    scramble(strange, word)
    tree(plain)
    write(plain / "ledger/pixelis/project.yaml", unaccepted())
    before, after = reckoned(plain), reckoned(strange)
    wanted = told(before, "pixelis")
    found = told(after, word("pixelis"))
    assert len(wanted) > 15
    assert [(rule, severity) for rule, severity, _, _ in found] == [(rule, severity) for rule, severity, _, _ in wanted]
    for (_, _, subject, parts), (_, _, original, before_parts) in zip(found, wanted, strict=True):
        assert subject == told_as(original, word)
        assert numbers(parts) == numbers(before_parts)
        assert len(parts) == len(before_parts)


def told_as(subject: str, word: Words) -> str:
    """An address under the new names; what the engine reckons for the budget keeps its own."""
    subject, mark, evidence = subject.partition("#")
    project, kind, *rest = subject.split(".")
    told = ".".join([word(project), kind, *(step if kind == "budget" else word.known.get(step, step) for step in rest)])
    return told + mark + evidence


def numbers(parts: list[Any]) -> list[Any]:
    """The values in the arithmetic of a finding; of its words only those that no ledger wrote."""
    return [part for part in parts if not isinstance(part, str)]


def test_no_name_of_the_original_is_left(tmp_path: Path) -> None:
    word = Words(3)
    plain, strange = tree(tmp_path / "plain"), tmp_path / "strange"
    scramble(strange, word)
    before, after = load(plain)[0].projects["pixelis"], load(strange)[0].projects[word("pixelis")]
    assert not ids(before) & ids(after)
    titles = [str(one.title) for one in (*before.items.values(), *before.plan.values(), *before.figures.values())]
    text = "\n".join(path.read_text("utf-8") for path in strange.rglob("*.yaml"))
    assert not [title for title in titles if title in text]


def ids(one: ProjectLedger) -> set[str]:
    kinds = (
        one.plan,
        one.items,
        one.project.hardware,
        one.project.memory,
        one.measurements,
        one.projections,
        one.figures,
        one.texts,
    )
    return {one.id, one.project.gpu, *(name for kind in kinds for name in kind)}


def test_figures_agree_whatever_they_are_called(tmp_path: Path) -> None:
    word = Words(4)
    scramble(tmp_path, word)
    after = reckoned(tmp_path).figures
    for name, use in (("budget.final", Fraction("1535.25")), ("budget.extended", Fraction("2335.25"))):
        assert after[f"{word('pixelis')}.{name}"].use == use


# What measuring has records for, with a name in braces for each that a team gives: ids, titles, names of settings.
MEASURED = {
    "catalog/gpus": "{card}: {{title: {card_title}}}\n",
    "catalog/settings": """\
{framework}:
  title: {framework_title}
  settings:
    {patience}: {{role: request-timeout, unit: seconds}}
    {longest}: {{role: output-cap, of: output_tokens, unit: tokens}}
    {widest}: {{role: input-cap, of: input_tokens, unit: tokens}}
    {heat}: {{role: temperature}}
    {mode}: {{role: decoding, default: greedy}}
""",
    "{project}/project": "{{title: {title}, version: 1, as_of: 2025-01-01, gpu: {card}}}\n",
    "{project}/measurements": """\
{cpu}:
  title: {cpu_title}
  kind: measured
  device: {card}
  gpus: 1
  configuration: {here}
  rows: [{{a_seconds: 50, output_tokens: 90, input_tokens: 9}}, {{a_seconds: 70, output_tokens: 80, input_tokens: 9}}]
  total: [a_seconds]
""",
    "{project}/configurations": """\
{here}: {{title: {here_title}, framework: {framework}, settings: {{{patience}: 1 min, {longest}: 128, {widest}: 8}}}}
""",
    "{project}/levers": """\
{less}:
  title: {less_title}
  status: active
  configuration: {here}
  was: {{{longest}: 100}}
  sets: {{{longest}: 200, {heat}: 0.7}}
  lowers: [{longest}]
""",
    "{project}/projections": """\
{small}: {{title: {small_title}, measurements: [{cpu}], steps: 60, reported: {said}}}
{large}: {{title: {large_title}, base: {small}, gpus: 4}}
""",
    "{project}/figures": "{said}: {{title: {said_title}, minutes: 300}}\n",
    "{project}/claims": """\
- {{of: projections.{small}.{cpu}.hours, states: 1, at: {first}}}
- {{of: projections.{small}.{cpu}.hours, states: 3, at: {second}}}
""",
}
FOUND = [
    "error setting-contradicted",
    "error setting-contradicted",
    "warning stated-differently",
    "warning setting-contradicted",
    "warning setting-contradicted",
    "warning setting-contradicted",
    "warning reported-apart",
    "warning input-missing",
    "note setting-contradicted",
    "note claim-imprecise",
]


class Names(dict[str, str]):
    """What stands in for each name in braces: the name itself, or one random word, always the same."""

    def __init__(self, word: Words | None) -> None:
        super().__init__()
        self.word = word

    def __missing__(self, name: str) -> str:
        return self.word(name) if self.word else name


def measured(root: Path, names: Names) -> list[tuple[str, str, str, list[Any]]]:
    for path, text in MEASURED.items():
        file = root / "ledger" / f"{path.format_map(names)}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format_map(names), "utf-8")
    return told(reckoned(root), names["project"])


def test_the_same_is_found_of_measurements_under_random_names(tmp_path: Path) -> None:
    plain = measured(tmp_path / "plain", Names(None))
    assert sorted(f"{severity} {rule}" for rule, severity, _, _ in plain) == sorted(FOUND)
    for seed in (1, 2):
        names = Names(Words(seed))
        renamed_ = measured(tmp_path / str(seed), names)
        assert [one[:2] for one in renamed_] == [one[:2] for one in plain]
        assert [numbers(one[3]) for one in renamed_] == [numbers(one[3]) for one in plain]
        subjects = ["".join(names.word.known.get(step, step) for step in re.split("([.#])", one[2])) for one in plain]
        assert [one[2] for one in renamed_] == subjects
