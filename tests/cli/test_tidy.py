# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""`tidy`: entries in files of their own go into the files of their months, whatever they look like; nothing is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.cli import tidy as tidying
from reckon.compute.calculation import calculate
from reckon.compute.versions.canonical import essence
from reckon.load.reader import load
from reckon.load.run_format import SCHEMA_COMMENT, loose, together, written
from reckon.publish import journal
from tests.small import SMALL, plant

RUNS = "ledger/demo/runs"
LINE = "- {date: 2026-01-26, item: test, gpu_hours: 1}\n"
JANUARY = SMALL[f"{RUNS}/2026-01.yaml"]
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree")


def tidy(tree: Path, *words: str) -> int:
    return main(["--root", str(tree), "tidy", *words])


def put(tree: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (tree / RUNS / f"{name}.yaml").write_bytes(text.encode("utf-8"))


def files(tree: Path) -> dict[str, str]:
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted((tree / RUNS).iterdir())}


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def said(tree: Path) -> tuple[Counter[Hashable], dict[str, object]]:
    """What the runs say, and all figures."""
    ledger, problems = load(tree)
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    runs = Counter(essence(run) for file in ledger.projects["demo"].runs for run in file.runs)
    return runs, {name: (one.value, one.missing) for name, one in book.figures.items()}


def test_entries_go_into_their_months_in_order_of_day_and_name(tree: Path, capsys: Printed) -> None:
    put(
        tree,
        {
            "2026-01-26-train-s2-a1b2c3": f"{SCHEMA_COMMENT}- {{date: 2026-01-26, item: train, seed: 2, gpu_hours: 1}}\n",
            "2026-01-26-test-ffffff": f"{SCHEMA_COMMENT}{LINE}",
            "a name of ours": "- {end: 2026-01-25T10:00, item: train, gpu_hours: 2}\n",
            "x": "- {start: 2026-02-27, end: 2026-03-01, item: test, gpu_hours: 3}\n",
            "two": LINE.replace("26,", "24,") * 2,
        },
    )
    before, two = said(tree), files(tree)["two"]
    assert tidy(tree, "--check") == 1
    out = capsys.readouterr().out
    assert out.startswith(f"would merge {RUNS}/a name of ours.yaml into {RUNS}/2026-01.yaml\n")
    assert out.endswith("Next: python budget.py tidy\n")
    assert tidy(tree) == 0
    assert (
        capsys.readouterr().out
        == f"""\
merged {RUNS}/a name of ours.yaml into {RUNS}/2026-01.yaml
merged {RUNS}/2026-01-26-test-ffffff.yaml into {RUNS}/2026-01.yaml
merged {RUNS}/2026-01-26-train-s2-a1b2c3.yaml into {RUNS}/2026-01.yaml
merged {RUNS}/x.yaml into {RUNS}/2026-03.yaml

Next: python budget.py render
"""
    )
    assert files(tree) == {
        "2026-01": f"{JANUARY}- {{end: 2026-01-25T10:00, item: train, gpu_hours: 2}}\n{LINE}"
        "- {date: 2026-01-26, item: train, seed: 2, gpu_hours: 1}\n",
        "2026-02": SMALL[f"{RUNS}/2026-02.yaml"],
        "2026-03": f"{SCHEMA_COMMENT}- {{start: 2026-02-27, end: 2026-03-01, item: test, gpu_hours: 3}}\n",
        "two": two,
    }
    assert said(tree) == before
    assert sorted(path.name for path in (tree / "ledger/demo").iterdir()) == ["plan.yaml", "project.yaml", "runs"]
    whole = state(tree)
    assert (tidy(tree), tidy(tree, "--check")) == (0, 0)
    assert capsys.readouterr().out == "Nothing to merge.\n" * 2
    assert state(tree) == whole


def test_a_check_writes_nothing_and_makes_no_lock(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tree, {"mine": LINE})
    before = state(tree)
    monkeypatch.delattr(journal, "opened")
    assert tidy(tree, "--check") == 1
    assert state(tree) == before


BLOCK = "- date: 2026-01-26\n  item: train\n  seed: 1\n  gpu_hours: 1\n"
# A file of its own, and what of it stands in the file of the month.
SHAPES = {
    "a comment above, inside and behind": (
        f"{SCHEMA_COMMENT}# Above.\n\n- {{date: 2026-01-26, item: test, # inside\n   gpu_hours: 1}}  # behind\n# Below.\n",
        "# Above.\n- {date: 2026-01-26, item: test, # inside\n   gpu_hours: 1}  # behind\n# Below.\n",
    ),
    "a block with comments": (
        BLOCK.replace("  seed", "  # the first\n  seed") + "\n  # the end\n",
        BLOCK.replace("  seed", "  # the first\n  seed") + "\n  # the end\n",
    ),
    "an indented block": ("".join(f"    {line}\n" for line in BLOCK.splitlines()), BLOCK),
    "a dash by itself": (
        "-\n  date: 2026-01-26\n  item: test\n  gpu_hours: 1\n",
        "-\n  date: 2026-01-26\n  item: test\n  gpu_hours: 1\n",
    ),
    "a text over several lines": (
        f"  # why\n  {BLOCK.rstrip().replace(chr(10), chr(10) + '  ')}\n    note: |\n      It broke.\n\n       # no comment\n",
        f"# why\n{BLOCK}  note: |\n    It broke.\n\n     # no comment\n",
    ),
    "a text that keeps its empty lines": (
        f"{BLOCK}  note: |+\n    It broke.\n\n\n",
        f"{BLOCK}  note: |+\n    It broke.\n\n\n",
    ),
    "a text without an end of line": (
        f"{BLOCK}  note: |\n    It broke.",
        "- {date: 2026-01-26, item: train, seed: 1, gpu_hours: 1, note: It broke.}\n",
    ),
    "a folded text": (f"{BLOCK}  note: It\n    broke\n", f"{BLOCK}  note: It\n    broke\n"),
    "lines that end otherwise": (BLOCK.replace("\n", "\r\n"), BLOCK),
    "no end of line": (LINE.rstrip("\n"), LINE),
    "empty lines at both ends": (f"\n\n{LINE}\n\n", LINE),
    "a mark of the order of bytes": (f"\ufeff{SCHEMA_COMMENT}{LINE}", LINE),
    "the mark where a document begins": (f"---\n{LINE}", LINE),
    "the mark where it ends": (f"{LINE}...\n", LINE),
    "a version of YAML": (f"%YAML 1.1\n---\n{LINE}", LINE),
    "quoted keys": (
        "- {'date': 2026-01-26, \"item\": test, gpu_hours: 1}\n",
        "- {'date': 2026-01-26, \"item\": test, gpu_hours: 1}\n",
    ),
    "keys with a question mark": ("- ? date\n  : 2026-01-26\n  ? item\n  : test\n  ? gpu_hours\n  : 1\n",) * 2,
    "brackets": (f"{SCHEMA_COMMENT}[{{date: 2026-01-26, item: test, gpu_hours: 1}}]\n", LINE),
    "brackets behind a mark": (f"\ufeff{SCHEMA_COMMENT}[{{date: 2026-01-26, item: test, gpu_hours: 1}}]\n", LINE),
    "brackets over several lines": ("[\n  {item: 'test', date: '2026-01-26',\n   gpu_hours: 1}\n]\n", LINE),
    "brackets with all kinds of fields": (
        "[{date: 2026-01-26, item: train, gpus: 4, wall_hours: 1 h 30 min, progress: {done: 3, total: 5}, utilisation: 85%}]\n",
        "- {date: 2026-01-26, item: train, gpus: 4, wall_hours: 1 h 30 min, progress: {done: 3, total: 5}, utilisation: 85%}\n",
    ),
    "another schema": (f"# yaml-language-server: $schema=https://example.org/runs.json\n{LINE}", LINE),
}


@pytest.mark.full
@pytest.mark.parametrize(("text", "line"), SHAPES.values(), ids=SHAPES)
def test_an_entry_of_any_shape_goes_over(text: str, line: str, tree: Path, capsys: Printed) -> None:
    put(tree, {"mine": text})
    before = said(tree)
    assert tidy(tree) == 0, capsys.readouterr().err
    assert capsys.readouterr().out.startswith(f"merged {RUNS}/mine.yaml into {RUNS}/2026-01.yaml\n")
    assert files(tree) == {"2026-01": JANUARY + line, "2026-02": SMALL[f"{RUNS}/2026-02.yaml"]}
    assert said(tree) == before
    assert tidy(tree) == 0
    assert capsys.readouterr().out == "Nothing to merge.\n"
    assert (
        main(
            [
                "--root",
                str(tree),
                "add",
                "run",
                "--item",
                "test",
                "--gpu-hours",
                "1",
                "--date",
                "2026-01-27",
                "--file",
                "2026-01",
            ]
        )
        == 0
    )


STAY = {
    "brackets with a comment": ("[{date: 2026-01-26, item: test, gpu_hours: 1}]  # why\n", "cannot follow others"),
    "an end with a comment": (f"{LINE}...\n# why\n", "cannot follow others"),
    "no day": ("- {item: test, gpu_hours: 1}\n", "its run names no month"),
    "a year": ("- {date: 2026, item: test, gpu_hours: 1}\n", "its run names no month"),
}


@pytest.mark.parametrize(("text", "says"), STAY.values(), ids=STAY)
def test_what_cannot_go_over_stays_and_is_said(text: str, says: str, tree: Path, capsys: Printed) -> None:
    put(tree, {"mine": text, "other": LINE})
    assert tidy(tree) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"{RUNS}/mine.yaml stays: ")
    assert says in err
    assert f"merged {RUNS}/other.yaml" in out
    assert files(tree)["mine"] == text
    assert (tidy(tree, "--check"), capsys.readouterr().out) == (0, "Nothing to merge.\n")


@pytest.mark.parametrize("twin", [LINE, ""], ids=["its twin is there", "it stands twice in files of their own"])
def test_an_entry_that_an_accepted_finding_is_about_stays(twin: str, tree: Path, capsys: Printed) -> None:
    """The id of such a finding has the place of the run in it: folded, the acceptance would be lost."""
    alike = {"2026-01": JANUARY + twin, "mine": LINE, **({} if twin else {"yours": LINE})}
    put(tree, alike | {"other": LINE.replace("01-26", "01-27")})
    main(["--root", str(tree), "check", "--format", "json", "--fail-on", "never"])
    found = re.findall(r"run-entered-twice:[^\"]+", capsys.readouterr().out)
    assert found
    with open(tree / "ledger/demo/project.yaml", "a", encoding="utf-8") as file:
        file.write(f"accept:\n  - {{finding: '{found[0]}', reason: Two runs that were alike., until: 2.0}}\n")
    before = said(tree)
    assert tidy(tree) == 0
    out, err = capsys.readouterr()
    assert f"{RUNS}/mine.yaml stays: an accepted finding names its place\n" in err
    assert f"merged {RUNS}/other.yaml" in out
    assert "mine" in files(tree)
    assert said(tree) == before
    assert main(["--root", str(tree), "check"]) == 0
    assert "1 accepted" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "# Nothing yet.\n", LINE * 2])
def test_files_of_people_stay(text: str, tree: Path, capsys: Printed) -> None:
    put(tree, {"mine": text})
    before = state(tree)
    assert tidy(tree) == 0
    assert capsys.readouterr() == ("Nothing to merge.\n", "")
    assert state(tree) == before


# The file of the month, and what it is then.
MONTHS = {
    "indented": (
        f"# Ours.\n\n  {LINE}",
        f"# Ours.\n\n  {LINE}  # why\n  - date: 2026-01-27\n    item: test\n\n    gpu_hours: 1\n",
    ),
    "other ends of lines": (
        LINE.replace("\n", "\r\n"),
        f"{LINE}# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n".replace("\n", "\r\n"),
    ),
    "no end of line": (LINE.rstrip("\n"), f"{LINE}# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n"),
    "a mark of the order of bytes": (
        f"\ufeff{LINE}",
        f"\ufeff{LINE}# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n",
    ),
    "empty": ("", f"{SCHEMA_COMMENT}# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n"),
    "comments": ("# Ours.\n", "# Ours.\n# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n"),
}


@pytest.mark.parametrize(("month", "after"), MONTHS.values(), ids=MONTHS)
def test_the_file_of_the_month_keeps_its_looks(month: str, after: str, tree: Path) -> None:
    put(tree, {"2026-01": month, "mine": "# why\n- date: 2026-01-27\n  item: test\n\n  gpu_hours: 1\n"})
    before = said(tree)
    assert tidy(tree) == 0
    assert files(tree)["2026-01"] == after
    assert "mine" not in files(tree)
    assert said(tree) == before


@pytest.mark.parametrize("month", [f"[{LINE[2:-1]}]\n", f"{LINE}...\n", f"{BLOCK}  note: |\n    It broke."])
def test_a_month_that_takes_no_lines_keeps_none(month: str, tree: Path, capsys: Printed) -> None:
    put(tree, {"2026-01": month, "mine": LINE.replace("-26", "-27"), "x": LINE.replace("-01-", "-02-")})
    before = said(tree)
    assert tidy(tree) == 0
    assert capsys.readouterr().err == f"{RUNS}/mine.yaml stays: {RUNS}/2026-01.yaml takes no lines at its end\n"
    assert files(tree)["2026-01"] == month
    assert "mine" in files(tree)
    assert "x" not in files(tree)
    assert said(tree) == before


def test_a_ledger_with_problems_stays_as_it_is(tree: Path, capsys: Printed) -> None:
    put(tree, {"mine": LINE, "broken": LINE.replace("test", "tset")})
    before = state(tree)
    assert (tidy(tree), tidy(tree, "--check")) == (2, 2)
    assert capsys.readouterr().err.count("there is no item `tset` in the plan") == 2
    assert state(tree) == before


def test_projects_can_be_named(tree: Path, capsys: Printed) -> None:
    twin = {path.replace("demo", "twin"): text for path, text in SMALL.items() if "/demo/" in path}
    plant(tree, twin)
    put(tree, {"mine": LINE})
    (tree / RUNS.replace("demo", "twin") / "mine.yaml").write_text(LINE)
    assert tidy(tree, "twni") == 2
    assert "did you mean `twin`?" in capsys.readouterr().err
    assert tidy(tree, "twin") == 0
    assert capsys.readouterr().out.startswith("merged ledger/twin/runs/mine.yaml into")
    assert "mine" in files(tree)
    assert tidy(tree) == 0
    assert "mine" not in files(tree)


def test_the_list_is_bounded(tree: Path, capsys: Printed) -> None:
    put(tree, {f"x{number}": LINE for number in range(23)})
    assert tidy(tree) == 0
    out = capsys.readouterr().out
    assert out.count("merged ") == 20
    assert "\n… and 3 more\n" in out
    assert files(tree)["2026-01"] == JANUARY + LINE * 23


def test_links_stay(tree: Path, capsys: Printed) -> None:
    (tree / "ledger/demo/real.txt").write_text(LINE)
    (tree / RUNS / "mine.yaml").symlink_to("../real.txt")
    assert tidy(tree) == 0
    assert f"{RUNS}/mine.yaml stays: it is a link" in capsys.readouterr().err
    assert (tree / RUNS / "mine.yaml").is_symlink()


def test_what_would_change_what_the_ledger_says_is_not_written(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    put(tree, {"mine": LINE})
    before, right = state(tree), tidying.figures_of
    monkeypatch.setattr(tidying, "figures_of", lambda book: {"at": (len(right(book)), id(book))})
    assert tidy(tree) == 2
    assert capsys.readouterr() == ("", "merging would change what ledger/demo says; nothing written\n")
    assert state(tree) == before


def test_a_file_that_is_written_meanwhile_is_not_lost(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tree, {"mine": LINE})
    sound = tidying._verify_fold

    def late(*words: object) -> None:
        sound(*words)  # type: ignore[arg-type]
        put(tree, {"mine": LINE.replace("1}", "2}")})

    monkeypatch.setattr(tidying, "_verify_fold", late)
    assert tidy(tree) == 2
    assert files(tree)["mine"] == LINE.replace("1}", "2}")
    assert files(tree)["2026-01"] == JANUARY


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
COMMENTS = WORDS.map(lambda text: "# " + " ".join(text.split()))


@st.composite
def entries(draw: st.DrawFn) -> str:
    """The text of a file with one entry: a line, a block or a list in brackets, with comments here and there."""
    note = " ".join(draw(WORDS).split()) or "x"
    indent, end = " " * draw(st.integers(0, 3)), draw(st.sampled_from(["\n", "\r\n"]))
    fields = {"date": "2026-01-26", "item": "test", "gpu_hours": "1", "note": note}
    line = written(fields)
    comment = draw(st.one_of(st.just(""), COMMENTS))
    match draw(st.sampled_from(["line", "block", "literal", "brackets"])):
        case "line":
            body = [line + (f"  {comment}" if comment else "")]
        case "block":
            body = ["- date: 2026-01-26", "  item: test", *([f"  {comment}"] if comment else []), "  gpu_hours: '1'"]
        case "literal":
            body = ["- date: 2026-01-26", "  item: test", "  note: |", f"    {comment or 'x'}", "  gpu_hours: 1"]
        case _:
            body = [f"[{line[2:]}]" + (f" {comment}" if comment else "")]
    above, below = draw(st.lists(COMMENTS, max_size=2)), draw(st.lists(st.one_of(COMMENTS, st.just("")), max_size=2))
    lines = [*([SCHEMA_COMMENT.rstrip()] if draw(st.booleans()) else []), *above, *body, *below]
    return ("\ufeff" if draw(st.booleans()) else "") + "".join(f"{indent if one else ''}{one}{end}" for one in lines)


@given(
    st.lists(entries(), min_size=1, max_size=4), st.sampled_from(["", JANUARY, f"  {LINE}", LINE.replace("\n", "\r\n")])
)
def test_whatever_stands_in_entries_stands_in_the_month(texts: list[str], month: str) -> None:
    found = [loose(text) for text in texts]
    some = [one for one in found if one is not None]
    for text, one in zip(texts, found, strict=True):
        assert one is not None or ("[{" in text and "#" in text.replace(SCHEMA_COMMENT.rstrip(), ""))
    whole = together(month, some)
    assert whole is not None
    assert whole.removeprefix(SCHEMA_COMMENT).startswith(month)
    for text, one in zip(texts, found, strict=True):
        for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") if one and "[{" not in text else ():
            assert line.strip() in whole or line.strip() == SCHEMA_COMMENT.strip()
    again = together(month, some[:-1])
    assert again is not None
    assert whole.startswith(again)
