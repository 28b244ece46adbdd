"""`budget import` from the outside: what it says, writes, takes back, and refuses."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load.reader import load
from reckon.model import bounds
from tests.exported import CEDAR, DUMPS, FOX, FROMAGE, HABROK, MIG, SAMPLES, planted
from tests.killing import COMMAND, killed

ROOT = Path(__file__).resolve().parents[2]
LOCK = "ledger/demo/imports.lock.yaml"
RUNS = "ledger/demo/runs/import"


def started(root: Path, *words: str, given: bytes | None = None) -> tuple[int, str, str]:
    """A command of `budget import` as a process of its own: its code, and what it printed."""
    command = [sys.executable, "budget.py", "--root", str(root), "import", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300, input=given)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def ran(root: Path, *words: str) -> tuple[int, str, str]:
    """The same in this process, which is ten times as quick."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = does(root, *words)
    return code, out.getvalue(), err.getvalue()


def does(root: Path, *words: str) -> int:
    return main(["--root", str(root), "import", *words])


def ledger(root: Path) -> dict[str, str]:
    """Every file of a ledger."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and ".schema" not in path.parts)
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in files}


def changed(text: str) -> str:
    """The line of what is new, replaced and the same."""
    return next(line for line in text.splitlines() if line.startswith("+ "))


def test_an_export_is_imported_shown_and_imported_again(tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    before = ledger(root)
    code, out, err = started(root, str(SAMPLES / "fox.txt"), "--with", "fox", "--dry-run")
    assert (code, err, ledger(root)) == (0, "", before)
    assert changed(out) == "+ 65 new  ~ 0 replaced  = 0 same  – 236 skipped (steps 179, pending 31, without a GPU 26)"
    assert "Fox: 301 lines read" in out.splitlines()
    code, again, err = ran(root, str(SAMPLES / "fox.txt"))
    assert (code, changed(again), err) == (0, changed(out), "")
    written = ledger(root)
    assert set(written) - set(before) == {f"{RUNS}/fox-2025-09.yaml", LOCK}
    code, out, err = ran(root, "demo", str(SAMPLES / "fox.txt"), "--with", "fox")
    assert (code, err, ledger(root)) == (0, "", written)
    assert changed(out).startswith("+ 0 new  ~ 0 replaced  = 65 same")
    assert "Nothing written: everything is already imported." in out.splitlines()


def test_an_export_above_256_mib_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds.EXPORT == 256 * 1024 * 1024
    root = planted(tmp_path, FOX)
    before, export = ledger(root), SAMPLES / "fox.txt"
    monkeypatch.setattr(bounds, "EXPORT", export.stat().st_size - 1)
    code, _, err = ran(root, str(export))
    assert code == 2
    assert "the file is larger than 256 MiB; export fewer days at once" in err
    assert ledger(root) == before
    monkeypatch.setattr(bounds, "EXPORT", export.stat().st_size)
    assert ran(root, str(export))[0] == 0


def test_what_no_rule_fits_is_shown_with_a_rule_that_takes_it(tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    _, out, _ = ran(root, str(SAMPLES / "fox.txt"))
    at = out.splitlines().index("No rule fits 6 jobs with 376 GPU-h; names, each with a draft rule:")
    rule = out.splitlines()[at + 2].strip().replace("RULE", "siam").replace("ITEM", "data")
    file = root / "ledger/demo/imports.yaml"
    file.write_text(file.read_text("utf-8").rstrip("\n") + f"\n    {rule}\n", "utf-8")
    code, out, _ = ran(root, "--check")
    assert (code, out.count("the rules of fox have changed since the last import")) == (1, 1)
    before = ledger(root)[f"{RUNS}/fox-2025-09.yaml"].splitlines()
    _, out, _ = ran(root, "--reapply")
    after = ledger(root)[f"{RUNS}/fox-2025-09.yaml"].splitlines()
    moved = [line for line in after if line not in before]
    assert len(moved) == 1, "a rule touches its own entries alone"
    assert "item: data" in moved[0]
    assert "Fox: 1 of 65 jobs changed" in out.splitlines()
    assert ran(root, "--check")[0] == 0


def test_jobs_that_had_no_gpu_by_a_rule_are_told_no_more(tmp_path: Path) -> None:
    root = planted(tmp_path, HABROK)
    _, out, _ = ran(root, str(SAMPLES / "habrok.txt"), "--dry-run")
    assert out.count("state no GPU, but other jobs there do") == 3
    file = root / "ledger/demo/imports.yaml"
    file.write_text(HABROK + "  gpus:\n    none: {when: {partition: 'gpu.*'}, if: unstated, count: 0}\n", "utf-8")
    _, out, _ = ran(root, str(SAMPLES / "habrok.txt"), "--dry-run")
    assert "state no GPU" not in out


def test_rules_that_changed_are_applied_by_the_next_import(tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    file = root / "ledger/demo/imports.yaml"
    file.write_text(FOX.replace("item: rft}", "item: svd}").replace(r"_lla(?P<seed>\d+)", r"_lla\d+"), "utf-8")
    assert does(root, str(SAMPLES / "fox-mig.txt")) == 0
    assert does(root, "--check") == 0
    assert "item: rft" not in ledger(root)[f"{RUNS}/fox-2025-09.yaml"]


def test_an_export_of_a_header_alone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    header = "JobIDRaw|JobID|Submit|Start|End|State|ElapsedRaw|AllocTRES|JobName|Account|Partition\n"
    (tmp_path / "empty.txt").write_text(header, "utf-8")
    capsys.readouterr()
    assert does(root, str(tmp_path / "empty.txt")) == 0
    assert capsys.readouterr().out.startswith("Fox: 1 line read (1 header)\n")


def test_check_tells_rules_that_were_not_applied_and_how_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    file = root / "ledger/demo/imports.yaml"

    def told(text: str) -> str:
        file.write_text(text, "utf-8")
        capsys.readouterr()
        assert main(["--root", str(root), "check", "--fail-on", "never"]) == 0
        said = capsys.readouterr().out
        at = said.find("warning: Fox: rules have changed")
        return " ".join(said[at:].split("\n\n")[0].split()) if at >= 0 else ""

    assert told(FOX) == told(FOX.replace("title: Fox", "title: Fox\n  notes: A word.")) == ""
    said = told(FOX.replace("item: rft}", "item: svd}"))
    assert "rules-not-applied:demo.imports.fox" in said
    assert "65 jobs with 933 GPU-h, by the rules before" in said
    assert "Apply them: `budget import demo --reapply --with fox`." in said
    home = "rules:\n    home: {when: {directory: '/home/.*'}, item: svd}\n"
    said = told(FOX.replace("rules:\n", home))
    assert "Import its exports again: `home` asks for what no entry keeps." in said
    assert does(root, "--reapply") == 2
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    assert told(FOX.replace("rules:\n", home)) == ""


def test_what_was_edited_by_hand_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    assert does(root, "--check") == 0
    for name, old, new in (
        (f"{RUNS}/fox-2025-09.yaml", "wall_hours: 1192379 s", "wall_hours: 1 s"),
        (f"{RUNS}/fox-2025-09.yaml", "item: unassigned, unassigned: true", "item: data"),
        (LOCK, "jobs: 18", "jobs: 17"),
    ):
        text = (root / name).read_text("utf-8")
        assert text.count(old) >= 1
        (root / name).write_text(text.replace(old, new, 1), "utf-8")
        capsys.readouterr()
        assert does(root, "--check") == 1, name
        assert "ledger/demo/" in capsys.readouterr().out
        (root / name).write_text(text, "utf-8")
    (root / RUNS / "fox-2025-09.yaml").unlink()
    assert does(root, "--check") == 1


def test_an_import_makes_no_edit_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    was, file = ledger(root), root / RUNS / "fox-2025-09.yaml"
    file.write_text(file.read_text("utf-8").replace("wall_hours: 1192379 s", "wall_hours: 9192379 s"), "utf-8")
    edited = ledger(root)
    for words in ([str(SAMPLES / "fox.txt")], ["--reapply"]):
        capsys.readouterr()
        assert does(root, *words) == 2
        told = capsys.readouterr().err
        assert f"{RUNS}/fox-2025-09.yaml: was edited by hand; restore it from your history" in told
        assert ledger(root) == edited
    assert does(root, "--undo", "fox", "--month", "2025-09") == 0
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    assert ledger(root) == was


@pytest.mark.parametrize(
    "rule",
    [
        "home: {when: {directory: '/home/.*'}, item: data}",  # which no entry keeps
        "more: {when: {name: nothing-is-called-so}, item: data}",
    ],
)
def test_an_edit_is_found_where_rules_cannot_be_applied_again(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of rules that ask for what is not kept, or that changed since, it is the checksum that tells an edit."""
    root = planted(tmp_path, FOX.replace("  rules:\n", f"  rules:\n    {rule}\n") if "home" in rule else FOX)
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    assert does(root, "--check") == 0
    file, runs = root / "ledger/demo/imports.yaml", root / RUNS / "fox-2025-09.yaml"
    if "more" in rule:
        file.write_text(file.read_text("utf-8").rstrip("\n") + f"\n    {rule}\n", "utf-8")
    text = runs.read_text("utf-8")
    runs.write_text(text.replace("item: unassigned, unassigned: true", "item: data", 1), "utf-8")
    capsys.readouterr()
    assert does(root, "--check") == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == (
        f"{RUNS}/fox-2025-09.yaml: was edited by hand; restore it from your history and correct imports.yaml "
        "instead; or `budget import demo --undo fox` and importing its exports rebuild it"
    )
    assert len(said) == (2 if "more" in rule else 1)
    assert does(root, "--undo", "fox") == 0
    assert does(root, str(SAMPLES / "fox.txt")) == 0
    assert (does(root, "--check"), runs.read_text("utf-8")) == (0, text), "the way that was told works"


def test_all_projects_are_checked_at_once_and_a_tree_without_imports_says_nothing(tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    for name in ("other", "plain"):
        shutil.copytree(root / "ledger/demo", root / "ledger" / name)
    (root / "ledger/plain/imports.yaml").unlink()
    second = FOX.replace("  title: Fox\n", "  title: Fox\n  cluster: second\n")  # a job is of one project
    (root / "ledger/other/imports.yaml").write_text(second, "utf-8")
    assert [ran(root, name, str(SAMPLES / "fox.txt"))[0] for name in ("demo", "other")] == [0, 0]
    said = [f"Imported entries of {name} are unchanged." for name in ("demo", "other")]
    assert ran(root, "--check") == (0, "\n".join([*said, ""]), "")
    file = root / "ledger/other/imports.yaml"
    file.write_text(second.replace("item: rft}", "item: svd}"), "utf-8")
    code, out, _ = ran(root, "--check")
    assert (code, out) == (
        1,
        "ledger/other/imports.yaml: the rules of fox have changed since the last import; "
        "`budget import other --reapply --with fox` applies them\n",
    )
    assert ran(root, "demo", "--check") == (0, f"{said[0]}\n", "")
    for name in ("demo", "other"):
        shutil.rmtree(root / "ledger" / name)
    assert ran(root, "--check") == (0, "", "")


def test_an_import_is_taken_out_whole_or_by_month(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    before = ledger(root)
    assert does(root, str(SAMPLES / "fox.txt"), str(SAMPLES / "fox-mig.txt")) == 0
    both = ledger(root)
    assert {f"{RUNS}/fox-2024-11.yaml", f"{RUNS}/fox-2025-09.yaml"} < set(both)
    assert does(root, "--undo", "fox", "--month", "2024-11") == 0
    assert f"{RUNS}/fox-2024-11.yaml" not in ledger(root)
    assert ledger(root)[f"{RUNS}/fox-2025-09.yaml"] == both[f"{RUNS}/fox-2025-09.yaml"]
    assert does(root, "--check") == 0
    assert does(root, str(SAMPLES / "fox-mig.txt")) == 0
    assert ledger(root) == both
    assert does(root, "--undo", "fox") == 0
    assert ledger(root) == before
    capsys.readouterr()
    assert does(root, "--undo", "fox") == 2
    assert "nothing was imported from fox; nothing written" in capsys.readouterr().err


def test_a_job_is_explained_step_by_step_before_and_after_it_is_imported(tmp_path: Path) -> None:
    root = planted(tmp_path, FOX + MIG)
    dump = str(SAMPLES / "fox.txt")
    code, early, _ = ran(root, "--explain", "1902893", dump)
    assert code == 0
    assert ran(root, "--explain", "1902893")[0] == 2
    assert ran(root, dump)[0] == 0
    code, late, _ = ran(root, "--explain", "1902893")
    assert late == early.replace(" (line 4)", "")
    for line in (
        "  elapsed   256072 s = 71.1 h",
        "  GPUs      a100_80=4",
        "  rule      notebooks",
        "  hours     4 x 256072 s = 285 GPU-h for interactive, a100-80gb",
    ):
        assert line in early.splitlines()
    _, out, _ = ran(root, "--explain", "974724", str(SAMPLES / "fox-mig.txt"))
    assert "  hours     1/7 x 234 s = 0.0093 GPU-h for unassigned, a100-40gb" in out.splitlines()


@pytest.mark.parametrize(("source", "name"), [(FOX, "fox.txt"), (CEDAR, "cedar.json"), (FROMAGE, DUMPS[0])])
def test_a_pipe_is_an_export_too(source: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, pipe = planted(tmp_path / "file", source), planted(tmp_path / "pipe", source)
    assert ran(file, str(SAMPLES / name))[0] == 0
    if name == "fox.txt":
        assert started(pipe, "-", given=(SAMPLES / name).read_bytes())[::2] == (0, "")
    else:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((SAMPLES / name).read_bytes())))
        assert ran(pipe, "-")[::2] == (0, "")
    assert ledger(pipe) == ledger(file)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in SAMPLES.iterdir() if path.is_file() and path.name != "README.md")
)
def test_a_draft_loads_once_it_is_completed(name: str, tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    code, out, err = ran(root, "--suggest", str(SAMPLES / name))
    assert (code, err) == (0, "")
    draft = out.replace("???", "v100")
    (root / "ledger/demo/imports.yaml").write_text(draft, "utf-8")
    assert [str(problem) for problem in load(root)[1]] == []
    if name.endswith("json"):
        assert ran(root, str(SAMPLES / name))[0] == 0
        assert "unassigned" not in "".join(ledger(root).values()), "its rules take every job"


def test_what_is_not_there_is_told_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX)
    dump = str(SAMPLES / "fox.txt")
    for words, says in (
        ([dump, "--with", "foks"], "there is no source `foks` in imports.yaml; there are `fox`"),
        (["nowhere.txt"], "nowhere.txt cannot be read: No such file or directory; name an export of the source"),
        ([], "name the export to read: budget import FILE --with SOURCE"),
        (["--undo", "fox"], "nothing was imported from fox; nothing written"),
        (["--explain", "7"], "no job `7` was imported; name a FILE to search that export"),
    ):
        assert does(root, *words) == 2
        assert says in capsys.readouterr().err
    for words in (["--check", dump], [dump, "--month", "2025-01"]):
        with pytest.raises(SystemExit):
            does(root, *words)
    (root / "ledger/demo/imports.yaml").unlink()
    capsys.readouterr()
    assert does(root, dump) == 2
    assert (
        "ledger/demo/imports.yaml is missing; draft it with `budget import --suggest FILE`" in capsys.readouterr().err
    )


def test_of_several_projects_and_sources_one_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, FOX + HABROK)
    for name in ("project", "plan"):
        text = (root / f"ledger/demo/{name}.yaml").read_text("utf-8")
        (root / "ledger/other").mkdir(exist_ok=True)
        (root / f"ledger/other/{name}.yaml").write_text(text, "utf-8")
    dump = str(SAMPLES / "habrok.txt")
    assert does(root, "demo", dump) == 2
    assert "name the source with --with; there are `fox`, `habrok`" in capsys.readouterr().err
    assert does(root, "demo", dump, "--with", "habrok") == 0
    assert does(root, dump, "--with", "habrok", "--project", "demo") == 0
    assert does(root, "other", dump) == 2
    assert not (root / "ledger/other/runs").exists()
    assert does(root, "demo", str(SAMPLES / "fox.txt"), "--with", "fox") == 0
    text = (root / LOCK).read_text("utf-8")
    assert [line for line in text.splitlines() if re.fullmatch(r"\w+:", line)] == ["fox:", "habrok:"]
    assert does(root, "demo", "--check") == 0
    assert does(root, "demo", "--undo", "habrok") == 0
    assert "habrok:" not in (root / LOCK).read_text("utf-8")


def test_one_bad_row_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path / "tree", FOX)
    before = ledger(root)
    dump = tmp_path / "fox.txt"
    dump.write_text((SAMPLES / "fox.txt").read_text("utf-8") + "9|9|\n", "utf-8")
    assert does(root, str(SAMPLES / "fox-mig.txt"), str(dump)) == 2
    err = capsys.readouterr().err
    assert ":302:1: this row has 3 cells, the first line 32; " in err
    assert "Nothing written." in err
    assert ledger(root) == before


@pytest.mark.full
@pytest.mark.parametrize("step", ["os.replace", "os.fsync"])
def test_who_is_killed_leaves_all_of_an_import_or_nothing(step: str, tmp_path: Path) -> None:
    """The dump replaces entries, adds files and rewrites the lock: the next command finishes or undoes all of it."""
    root = planted(tmp_path / "before", FROMAGE)
    assert does(root, str(SAMPLES / DUMPS[0])) == 0
    after = shutil.copytree(root, tmp_path / "after")
    assert does(after, str(SAMPLES / DUMPS[1])) == 0
    wholes = [ledger(root), ledger(after)]
    assert [does(tree, "--check") for tree in (root, after)] == [0, 0]
    seen = set()
    for number in range(1, 40):
        root = shutil.copytree(tmp_path / "before", tmp_path / f"killed-{number}")
        if not killed(*COMMAND, step, number, "before", "--root", root, "import", SAMPLES / DUMPS[1]):
            assert number > 2
            break
        assert does(root, str(SAMPLES / DUMPS[0]), "--dry-run") == 0  # any command that may write sees to it
        left = {name: text for name, text in ledger(root).items() if not Path(name).name.startswith(".")}
        assert left in wholes
        seen.add(wholes.index(left))
        assert does(root, str(SAMPLES / DUMPS[1])) == 0
        assert {name: text for name, text in ledger(root).items() if not Path(name).name.startswith(".")} == wholes[1]
    assert seen, "somebody was killed"
