"""The guide stays true: what it shows is tried, and what the engine can say stands in it (see CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from reckon.cli import add, main, parse
from reckon.compute.audit.entries import ahead_of
from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.language.calendar_days import first_day
from reckon.load.reader import load
from reckon.load.site import settings
from reckon.model import rules
from reckon.model.record import Record
from reckon.present.dataframes import MAKES
from reckon.present.export_columns import TABLES
from reckon.present.render.numbers import format_sentence
from scripts.guide import made
from scripts.messages import pattern, said
from scripts.messages import samples as samples_of_errors
from scripts.reference import COMMON, DEMO

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "guide"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(GUIDE.glob("*.md"))}
LINES = {**PAGES, "lines.md": (DEMO / "lines.md").read_text("utf-8")}
TEXTS = {**PAGES, "README.md": (ROOT / "README.md").read_text("utf-8")}
RULES = {f"rules/{path.name}": path.read_text("utf-8") for path in sorted((ROOT / "tests" / "rules").glob("*.md"))}
SAMPLES = {**PAGES, **RULES, "refused.md": (ROOT / "tests" / "refused.md").read_text("utf-8")}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (add to )?(ledger/\S+\.yaml|mkdocs\.yml|docs/nav\.yml)(?: \(([a-z-]+)\))?$")
RULE = re.compile(r"^### ([a-z]+(?:-[a-z]+)*)$", re.MULTILINE)
Files = dict[str, str]
MADE = ("reference.md", "addresses.md", "columns.md", "messages.md")
"""Pages that `python -m scripts.guide` makes."""
AFTER = {
    "plan.md": "start.md",
    "runs.md": "plan.md",
    "forecast.md": "runs.md",
    "job.md": "runs.md",
    "energy.md": "runs.md",
    "whatif.md": "runs.md",
    "pays.md": "runs.md",
    "release.md": "runs.md",
}
"""Pages that go on in the ledger of another page, as a reader has it then."""
STARTER = ("python.md",)
"""Pages that go on in the tree that `init` begins."""
ASIDE = (*MADE, "commands.md", "read.md", "index.md")
"""Pages whose commands are named, and not run one after the other."""


class Block(NamedTuple):
    """A fenced block: its language, its text, and the ledger file that it shows with the mark behind its path.

    One that begins with `# add to PATH` is the end of that file, else it is the whole file.
    """

    kind: str
    text: str
    path: str = ""
    mark: str = ""
    adds: bool = False


def blocks(page: str) -> list[Block]:
    found = []
    for kind, text in BLOCK.findall(SAMPLES[page]):
        file = FILE.match(text.split("\n", 1)[0])
        told = (file.group(2), file.group(3) or "", bool(file.group(1))) if file else ()
        found.append(Block(kind, text, *told))
    return found


def whole(page: str) -> Files:
    """The ledger that the unmarked files of a page make, after those of the pages before it."""
    files = whole(AFTER[page]) if page in AFTER else {}
    for one in blocks(page):
        if one.path and not one.mark:
            files[one.path] = files.get(one.path, "") + one.text if one.adds else one.text
    return files


def language() -> Files:
    """The ledger of the tests that has every kind of record: rules, refused files and lines are tried with it."""
    paths = sorted(DEMO.rglob("*.yaml"))
    return {path.relative_to(DEMO).as_posix(): path.read_text("utf-8") for path in paths}


def put(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def tried(root: Path, files: Mapping[str, str]) -> tuple[Book, list[str]]:
    """The book of a ledger, and its problems as the terminal prints them; with what a comment in it says to `--set`."""
    put(root, files)
    changes = re.findall(r"^# with --set (\S+?)=(\S+)$", "".join(files.values()), re.MULTILINE)
    ledger, problems = load(root, changes)
    book, more = calculate(ledger)
    return book, [str(one) for one in sorted({*problems, *more, *settings(root, "site_name: S")[1]})]


def rows(page: str, head: str) -> Iterator[list[str]]:
    """The cells of all rows of the tables whose first column has this heading."""
    inside = False
    for line in LINES[page].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
        if not cells or cells[0] == head:
            inside = bool(cells)
        elif inside and not line.startswith("|---"):
            yield cells


def with_line(line: str) -> Files:
    """The ledger of the tests with one line more, as a figure of its own."""
    files = language()
    name = "ledger/demo/figures.yaml"
    return {**files, name: f"{files[name]}sample:\n  title: Sample\n  {line.strip('`')}\n"}


def samples(*heads: str) -> list[Any]:
    found = [(page, cells) for page in LINES for head in heads for cells in rows(page, head)]
    assert found, heads
    return [pytest.param(*cells[:2], id=cells[0].strip("`")[:60]) for _, cells in found]


def test_the_ledger_of_the_tests_has_no_open_findings(tmp_path: Path) -> None:
    book, problems = tried(tmp_path, language())
    assert not problems
    assert [one.id for one in book.findings["demo"] if not one.accepted] == []


@pytest.mark.parametrize(("line", "means"), samples("Accepted"))
def test_what_is_listed_as_accepted_is_accepted(line: str, means: str, tmp_path: Path) -> None:
    book, problems = tried(tmp_path, with_line(line))
    assert not problems
    assert book.get("demo.figures.sample"), means


@pytest.mark.parametrize(("line", "says"), samples("Refused", "Line"))
def test_what_is_listed_as_refused_is_refused_with_these_words(line: str, says: str, tmp_path: Path) -> None:
    _, problems = tried(tmp_path, with_line(line))
    assert len(problems) == 1
    assert problems[0].split(": ", 1)[1].startswith(says)


@pytest.mark.parametrize(("line", "means"), samples("Condition"))
def test_what_is_listed_as_a_condition_is_judged(line: str, means: str, tmp_path: Path) -> None:
    files = language()
    name = "ledger/demo/project.yaml"
    policy = f"policies:\n  sample: {{require: {line.strip('`')}, message: '{means}'}}\n"
    book, problems = tried(tmp_path, {**files, name: files[name].replace("policies:\n", policy)})
    assert not problems
    (one,) = [one for one in book.policies["demo"] if one.name == "sample"]
    assert one.holds is not None or one.judged.missing


def marked(refused: bool) -> list[Any]:
    """Files with a mark, each with the block after it; files that follow each other with one mark belong together."""
    pairs, together = [], []
    for page in SAMPLES:
        for one, after in pairwise([*blocks(page), Block("", "")]):
            if one.mark and (one.mark == "refused") == refused:
                together.append(one)
                if after.mark != one.mark or refused:
                    files = {each.path: each.text for each in together}
                    pairs.append(
                        pytest.param(files, one.mark, after.text, id=f"{one.mark}-{one.path.rsplit('/', 1)[-1]}")
                    )
                    together = []
    return pairs


@pytest.mark.parametrize(("changed", "mark", "says"), marked(refused=True))
def test_a_refused_file_is_refused_with_these_words(changed: Files, mark: str, says: str, tmp_path: Path) -> None:
    inherits = {"mkdocs.yml": "{INHERIT: docs/nav.yml, site_name: S}"} if "docs/nav.yml" in changed else {}
    _, problems = tried(tmp_path, {**language(), **inherits, **changed})
    assert "\n".join(problems) + "\n" == says


@pytest.mark.parametrize(("changed", "mark", "says"), marked(refused=False))
def test_a_sample_has_the_finding(changed: Files, mark: str, says: str, tmp_path: Path) -> None:
    files = language()
    if any(path.endswith("/plan.yaml") for path in changed):  # what rests on other items would not load with this plan
        files = {path: text for path, text in files.items() if "/catalog/" in path or path.endswith("/project.yaml")}
    book, problems = tried(tmp_path, {**files, **changed})
    assert not problems
    later = ahead_of(book.ledger.projects["demo"], book, first_day("2025-09-10"))  # what `check --today` tells
    found = [
        f"{one.severity}{' in the source' * one.of_source}: {format_sentence(one.title)}\n"
        f"    {one.id}\n    {format_sentence(one.arithmetic)}\n"
        for one in [*book.findings["demo"], *later]
        if one.rule == mark
    ]
    assert says in found


def test_every_rule_has_its_section_and_every_section_its_rule() -> None:
    known = set(rules.RULES)
    sections = RULE.findall(PAGES["messages.md"])
    assert sorted(sections) == sorted(known)
    assert {path.removeprefix("rules/").removesuffix(".md") for path in RULES} == known
    assert {path: {one.mark for one in blocks(path) if one.mark} for path in RULES} == {
        f"rules/{name}.md": {name} for name in known
    }


def test_every_problem_of_a_sample_is_in_the_catalogue_of_messages() -> None:
    entries = yaml.safe_load((ROOT / "scripts" / "messages.yaml").read_text("utf-8"))["problems"]
    known = [
        pattern(text)
        for section in entries
        for part in section["parts"]
        for row in part.get("rows", ())
        for text in said(row["says"])
    ]
    untold = sorted({told for told, _ in samples_of_errors() if not any(one.search(told) for one in known)})
    assert untold == [], "write these into scripts/messages.yaml"


def test_the_made_pages_are_what_is_made() -> None:
    pages = made()
    assert sorted(pages) == sorted(MADE)
    stale = [name for name, text in pages.items() if PAGES[name] != text]
    assert stale == [], "run `python -m scripts.guide`"


def test_every_field_is_described() -> None:
    bare = [
        f"{kind.__name__}.{name}"
        for kind in kinds()
        for name, field in kind.model_fields.items()
        if name not in ("place", kind.free, *kind.derived, *COMMON) and not field.description
    ]
    assert bare == [], "give these a description: editors and the reference show it"


BY_HAND = [page for page in PAGES if page not in MADE]


def test_the_guide_is_short() -> None:
    """Words are counted as `wc -w` does, blocks and tables among them."""
    counted = {page: len(PAGES[page].split()) for page in BY_HAND}
    assert sum(counted.values()) <= 23_000
    assert counted["start.md"] + counted["plan.md"] <= 3_000
    assert {page: count for page, count in counted.items() if count > 1_600} == {}


@pytest.mark.parametrize("page", [page for page in BY_HAND if page != "commands.md"])
def test_a_page_is_one_task(page: str) -> None:
    text = PAGES[page]
    before = text[: text.index("```console")]
    assert len(before.split()) <= 80 + sum(len(one.text.split()) for one in blocks(page) if one.text in before)
    long = [one.path for one in blocks(page) if one.kind == "yaml" and len(one.text.splitlines()) > 21]
    assert long == [], "at most 20 lines of YAML at once, and the path"
    following = text.rpartition("\n## ")[2]
    assert following.startswith("Next\n")
    assert 1 <= following.count("](") <= 3


def kinds(of: type[Record] = Record) -> Iterator[type[Record]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_field_of_every_record_is_in_the_reference() -> None:
    named = set(re.findall(r"`([a-z0-9_]+)`", BLOCK.sub("", PAGES["reference.md"])))
    every = ((kind, field.alias or name) for kind in kinds() for name, field in kind.model_fields.items())
    fields = {name for kind, name in every if name not in ("place", kind.free, *kind.derived)}
    assert fields - named == set()


# Where the words of a problem stand among the arguments of what makes one.
WRONG = {"Refusal": 0, "Problem": 1, "complain": 1, "Stop": 1, "about": 2}


def words(node: ast.AST) -> Iterator[str]:
    """The longest piece of each text that an expression can be: what stands between the names put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield max((str(one.value) for one in node.values if isinstance(one, ast.Constant)), key=len, default="")
    elif isinstance(node, ast.IfExp):
        yield from words(node.body)
        yield from words(node.orelse)


def messages(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in WRONG and len(node.args) > WRONG[name]:
                yield from words(node.args[WRONG[name]])
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("wrong", "said", "what"):
            yield from words(node.value)


def test_every_problem_is_in_the_catalogue_of_messages() -> None:
    rooms = ("language", "model", "load", "compute")
    text = PAGES["messages.md"].replace("`", "").replace("**", "")
    text = re.sub(r"\s+", " ", text)
    said = {one for room in rooms for path in (ROOT / "reckon" / room).rglob("*.py") for one in messages(path)}
    parts = {re.sub(r"\s+", " ", one.replace("`", "")).strip(" :;,") for one in said}
    assert len(parts) > 60
    assert sorted(one for one in parts if one and one not in text) == []


def commands(text: str) -> Iterator[str]:
    """The arguments of each `budget.py` that a page shows, in a block or in a sentence."""
    texts = [re.sub(r"\\\n\s*", "", block) for kind, block in BLOCK.findall(text) if kind in ("console", "sh")]
    shown = [line for block in texts for line in block.splitlines()]
    shown += re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    for line in shown:
        if found := re.match(r"(?:\$ )?(?:python budget\.py|budget) (.+?)(?:  #.*)?$", line):
            yield found[1]


@pytest.mark.parametrize("page", TEXTS)
def test_every_command_is_one(page: str) -> None:
    found = list(commands(TEXTS[page]))
    assert found
    for line in found:
        if line != "--help":
            parse(shlex.split(line))


def shown(page: str) -> Iterator[tuple[str, str]]:
    """In order: the files of a page (path, text), and its `$ budget` commands ("$ …", what they print).

    A page that goes on in the ledger of another has those of that page first, without what they print.
    """
    if page in AFTER:
        yield from ((name, "" if name.startswith("$ ") else text) for name, text in shown(AFTER[page]))
    for one in blocks(page):
        if one.path:
            yield f"{'add to ' * one.adds}{one.path}", one.text
        elif one.kind == "console":
            for part in re.split(r"^(?=\$ )", one.text, flags=re.MULTILINE):
                line, _, says = part.partition("\n")
                while line.endswith("\\"):
                    more, _, says = says.partition("\n")
                    line = f"{line[:-1].rstrip()} {more.strip()}"
                if line.startswith("$ cat "):  # a file beside the ledger, such as a table
                    yield line.removeprefix("$ cat "), says
                elif line.startswith("$ budget "):
                    yield line, says


def is_shown(says: str, text: str) -> bool:
    """Whether a sample is what a command printed; a line `…` of the sample stands for any lines."""
    wanted = ".*?".join(re.escape(part) for part in re.split(r"^ *…\n", text, flags=re.MULTILINE))
    return re.fullmatch(wanted, says, re.DOTALL) is not None


def write_again(page: str, text: str, says: str) -> None:
    """Puts what a command prints in place of a sample. One that leaves lines out has to be cut by hand again."""
    if not is_shown(says, text):
        path = GUIDE / page
        path.write_text(path.read_text("utf-8").replace(text, says, 1), "utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if any(shown(page)) and page not in ASIDE])
def test_a_page_goes_as_it_is_told(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(add, "short_id", lambda: "a1b2c3")
    monkeypatch.setattr(sys, "argv", ["budget"])  # for those who installed the package messages name it so
    if page in STARTER:
        main(["init", "."])
        capsys.readouterr()
    if page == "import.md":
        shutil.copytree(ROOT / "examples" / "exports", tmp_path / "exports")
    for name, text in shown(page):
        if not name.startswith("$ "):
            path = name.removeprefix("add to ")
            before = (tmp_path / path).read_text("utf-8") if path != name else ""
            put(tmp_path, {path: before + text})
            continue
        words = shlex.split(name.removeprefix("$ budget "))
        if words[0] == "log":  # it takes over the signals of its process
            subprocess.run([sys.executable, ROOT / "budget.py", *words], check=False)
        else:
            main(words)
        said = capsys.readouterr()
        if text and os.environ.get("UPDATE"):
            write_again(page, text, said.out + said.err)
        elif text:  # commands are also named without what they print
            assert is_shown(said.out + said.err, text), f"{name}\n{said.out}{said.err}"
    if (tmp_path / "ledger").is_dir():
        book, problems = tried(tmp_path, {})
        assert not problems, "what a page shows makes a ledger in the end"
        assert book.ledger.projects


def test_what_is_typed_into_python_shows_what_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "starter" / "ledger", tmp_path / "ledger")
    typed = "".join(one.text for one in blocks("python.md") if one.kind == "pycon")
    lines = doctest.DocTestParser().get_doctest(typed, {}, "python.md", "python.md", 0)
    assert len(lines.examples) > 10
    failed, _ = doctest.DocTestRunner(verbose=False).run(lines)
    assert not failed, capsys.readouterr().out


def test_every_column_for_notebooks_is_listed_with_its_type() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^##|\Z)", PAGES["columns.md"], re.MULTILINE | re.DOTALL))
    assert set(sections) == set(TABLES)
    for name, table in TABLES.items():
        about = f"A row is {table.about}; the index is `{table.index}`."
        wanted = [about, "", "| Column | Type | Holds |", "|---|---|---|"]
        for column in table.columns:
            names = ", ".join(f"`{column.name}{tail}`" for tail, _ in MAKES[column.kind])
            types = ", ".join(dict.fromkeys(f"`{dtype}`" for _, dtype in MAKES[column.kind]))
            wanted.append(f"| {names} | {types} | {column.about} |")
        assert sections[name].strip().splitlines() == wanted


def test_links_between_the_pages_lead_somewhere() -> None:
    heads = {page: re.findall(r"^#+ (.+)$", text, re.MULTILINE) for page, text in PAGES.items()}
    anchors = {
        page: {re.sub(r"[^a-z0-9 _-]", "", one.lower()).replace(" ", "-") for one in some}
        for page, some in heads.items()
    }
    for page, text in PAGES.items():
        for target, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", text):
            name = target or page
            assert (GUIDE / name).is_file(), f"{page}: {target}"
            assert not anchor or anchor in anchors[name], f"{page}: {target}#{anchor}"
    for target in re.findall(r"\]\(([\w./-]+)\)", TEXTS["README.md"]):
        assert (ROOT / target).is_file(), target
