"""The command line: commands, exit codes, and plain words for whatever is wrong with the input or the machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reckon.cli import main
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("pandas", "pydantic", "jinja2", "altair", "yaml", "numpy", "mkdocs", "vl_convert", "importlib.metadata")
BROKEN = {
    "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"].replace("seeds: 2", "seeds: many"),
    "ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("gpu_hours: 40", "gpu_hours: 4,0"),
    "ledger/demo/claims.yaml": "- {of: budget.finl, states: 3, at: there}\n",
}
CLAIM = {"ledger/demo/claims.yaml": "- {of: budget.final, states: 990, at: there}\n"}
SLIGHT = {"ledger/demo/claims.yaml": "- {of: budget.final, states: 101, at: there}\n"}


def shell(*words: str, python: tuple[str, ...] = (), **more: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as it is used."""
    command = [sys.executable, *python, str(ROOT / "budget.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree")


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_help_is_quick_and_needs_nothing_installed() -> None:
    probe = f"""
import sys
sys.argv = ["budget.py", "--help"]
from reckon.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0
print(sorted(set(sys.modules) & set({HEAVY})), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    named = (
        "add",
        "log",
        "update",
        "import",
        "can-i",
        "status",
        "explain",
        "check",
        "cover",
        "serve",
        "choose",
        "fit",
        "projection",
        "propose",
        "diff",
        "render",
        "build",
        "review",
        "digest",
        "release",
        "close",
        "application",
        "export",
        "init",
        "guide",
        "why",
        "completion",
        "tidy",
        "migrate",
        "tree",
        "template",
        "schema",
    )
    assert tuple(re.findall(r"^ {4}([\w-]+)", done.stdout, re.MULTILINE)) == named
    assert shell("--help", python=("-S",)).returncode == 0


PROBE = """
import sys
before = set(sys.modules)
sys.argv = ["budget.py", *sys.argv[1:]]
from reckon.cli import main
from reckon.user_cache import Aids
code = main(aids=Aids())
new = {name: getattr(sys.modules[name], "__file__", "") for name in set(sys.modules) - before}
new = [name for name, file in new.items() if "site-packages" in (file or "")]
libraries = {name.partition(".")[0] for name in new if not name.startswith("_")} - {"reckon"}
drawn = [name for name in sys.modules if name.startswith(("reckon.present.charts", "reckon.present.templating"))]
print(code, *sorted(libraries), *drawn, file=sys.stderr)
"""
READS = {"yaml", "msgspec", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
ADDED = ("--date", "2026-01-11", "--item", "train", "--seed", "2", "--gpus", "1", "--wall-hours", "3")


@pytest.mark.parametrize(
    ("words", "libraries"),
    [
        (("check",), READS),
        (("status",), {*READS, "markupsafe"}),
        (("add", "run", *ADDED), READS),
        (("render",), {*READS, "markupsafe", "jinja2"}),
    ],
)
def test_a_command_imports_only_the_libraries_that_it_needs(
    tree: Path, words: tuple[str, ...], libraries: set[str]
) -> None:
    """All read YAML into models of pydantic; what prints no page needs no template, picture or table."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "--root", str(tree), *words], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    code, *found = done.stderr.split()
    assert code == "0", done.stdout + done.stderr
    assert {name for name in found if not name.startswith("reckon.")} == libraries
    assert words == ("render",) or not [name for name in found if name.startswith("reckon.")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("staus", ": error: there is no command `staus`; did you mean `status`?"),
        ("--no-cache staus", ": error: there is no command `staus`; did you mean `status`?"),
        ("zzzz", ": error: there is no command `zzzz`; --help lists them"),
        ("check --fromat json", " check: error: there is no option `--fromat`; did you mean `--format`"),
        ("check --zzzz=1", " check: error: there is no option `--zzzz`; there are `--against`, `--all`, `--fail-on`, "),
        ("add run --itm x", " add run: error: there is no option `--itm`; did you mean `--item`?"),
        ("add rum", " add: error: argument WHAT: invalid choice: 'rum' (choose from "),
        ("log a b --sed 3 -- true --x", " log: error: there is no option `--sed`; did you mean `--seed` or `--ended`?"),
        ("st\x1b[2Jaus", ": error: there is no command `st\\x1b[2Jaus`; did you mean `status`?"),
    ],
)
def test_a_slip_in_a_command_or_option_is_named(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words.split(" "))
    assert end.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "build", "schema"])
def test_without_the_dependencies_one_line_says_how_to_install_them(tree: Path, command: str) -> None:
    done = shell(command, "--root", str(tree), python=("-S",))
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("is needed and not installed; to get it: make site\n")


def test_render_writes_checks_and_mends(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--root", str(tree), "--check"]) == 1
    assert "missing: docs/demo/index.md" in capsys.readouterr().out
    assert not (tree / "docs").exists()
    assert main(["--root", str(tree), "render"]) == 0
    assert "wrote docs/demo/index.md" in capsys.readouterr().out
    before = {path: path.stat().st_mtime_ns for path in (tree / "docs").rglob("*")}
    assert main(["render", "--root", str(tree)]) == 0
    assert capsys.readouterr().out == f"All {len([path for path in before if path.is_file()])} files are up to date.\n"
    assert before == {path: path.stat().st_mtime_ns for path in (tree / "docs").rglob("*")}

    (tree / "docs/demo/gone.md").write_text("<!-- Made by `budget render` -->\nan old page\n")
    plan = tree / "ledger/demo/plan.yaml"
    plan.write_text(plan.read_text().replace("gpu_hours: 10", "gpu_hours: 11"))
    assert main(["render", "--check", "--diff", "--root", str(tree)]) == 1
    told = capsys.readouterr().out
    assert "stale: docs/demo/index.md" in told
    assert "left over: docs/demo/gone.md" in told
    assert "+++ docs/demo/index.md (rendered)" in told
    assert told.endswith("Fix: run python budget.py render\n")
    assert (tree / "docs/demo/gone.md").exists()
    assert main(["render", "--root", str(tree)]) == 0
    assert "removed docs/demo/gone.md" in capsys.readouterr().out
    assert main(["render", "--check", "--root", str(tree)]) == 0


def test_render_writes_only_the_projects_that_are_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, {name.replace("/demo/", "/twin/"): text for name, text in SMALL.items() if "/demo/" in name})
    assert main(["render", "demo", "--root", str(tree)]) == 0
    assert sorted(path.name for path in (tree / "docs").iterdir()) == [
        "catalog.md",
        "demo",
        "index.md",
        "nav.yml",
    ]
    assert main(["render", "dmo", "--root", str(tree)]) == 2
    assert capsys.readouterr().err == "there is no project `dmo`; did you mean `demo`?\n"


def test_all_problems_are_told_at_once_and_nothing_is_written(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, BROKEN)
    before = files(tree)
    for command in (["render"], ["render", "--check"], ["status"], ["export"], ["explain", "demo.budget.final"]):
        assert main([*command, "--root", str(tree)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines() == [
            "ledger/demo/plan.yaml:7:18: `4,0` has a comma; write `4.0` [comma]",
            "ledger/demo/project.yaml:5:8: `many` is not a number of seeds; write a whole number from 1 to 1000, or a "
            "list `[0, 1, 2]` [seeds-number]",
            "2 problems in 2 files",
        ]
    assert files(tree) == before


def test_check_tells_problems_in_each_format(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, BROKEN)
    assert main(["check", "--root", str(tree)]) == 2
    assert capsys.readouterr().out.endswith("\n2 problems in 2 files\n")
    assert main(["check", "--root", str(tree), "--format", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [(one["file"], one["line"], one["column"]) for one in told["problems"]] == [
        ("ledger/demo/plan.yaml", 7, 18),
        ("ledger/demo/project.yaml", 5, 8),
    ]
    assert main(["check", "--root", str(tree), "--format", "github"]) == 2
    assert capsys.readouterr().out.startswith(
        "::error file=ledger/demo/plan.yaml,line=7,col=18,title=Problem [comma]::`4,0`"
    )


@pytest.mark.parametrize(("ledger", "code"), [({}, (0, 0, 0)), (SLIGHT, (0, 3, 0)), (CLAIM, (3, 3, 0))])
def test_findings_fail_from_a_severity_on(tree: Path, ledger: dict[str, str], code: tuple[int, ...]) -> None:
    plant(tree, ledger)
    assert (
        tuple(main(["check", "--root", str(tree), "--fail-on", grade]) for grade in ("error", "warning", "never"))
        == code
    )


def test_what_is_found_is_told_of_one_project(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim that does not agree in one project is no word about another; what cannot be read is told all the same."""
    plant(tree, {**CLAIM, **{name.replace("demo", "other"): text for name, text in SMALL.items() if "demo" in name}})
    assert main(["check", "other", "--root", str(tree)]) == 0
    assert capsys.readouterr().out.startswith("other: ")
    assert main(["check", "demo", "--root", str(tree), "--format", "json"]) == 3
    assert {one["project"] for one in json.loads(capsys.readouterr().out)["findings"]} == {"demo"}
    assert main(["check", "otter", "--root", str(tree)]) == 2
    assert "there is no project `otter`; did you mean `other`?" in capsys.readouterr().err
    plant(tree, BROKEN)
    assert main(["check", "other", "--root", str(tree)]) == 2
    assert "2 problems in 2 files" in capsys.readouterr().out


def test_annotations_count_paths_from_the_current_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(tree, CLAIM)
    monkeypatch.chdir(tree.parent)
    assert main(["check", "--root", "tree", "--format", "github"]) == 3
    assert capsys.readouterr().out.startswith("::error file=tree/ledger/demo/claims.yaml,line=1,")


def test_explain_status_and_export(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--root", str(tree)]
    assert main(["explain", "budget.final", *at]) == 0
    assert capsys.readouterr().out.startswith("demo.budget.final = 99 GPU-h   Final budget\n")
    assert main(["explain", "demo.actual.total", "--runs", *at]) == 0
    assert capsys.readouterr().out.endswith("4 runs, page 1 of 1\n")
    assert main(["explain", "--list", *at]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert main(["explain", "demo.budget.finale", *at]) == 2
    assert "did you mean `demo.budget.final`" in capsys.readouterr().err
    assert main(["status", "demo", *at]) == 0
    assert capsys.readouterr().out.startswith("Demo 1.0 (demo)")
    assert main(["export", "--format", "csv", *at]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(listed) + 1
    assert main(["export", *at]) == 0
    assert len(json.loads(capsys.readouterr().out)["figures"]) == len(listed)


def test_schemas_are_written_and_checked(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--root", str(tree)]
    assert main(["schema", "--check", *at]) == 1
    assert main(["schema", *at]) == 0
    assert main(["schema", "--check", *at]) == 0
    (tree / "ledger/.schema/plan.schema.json").write_text("{}")
    (tree / "ledger/.schema/gone.schema.json").write_text("{}")
    capsys.readouterr()
    assert main(["schema", "--check", *at]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "left over: ledger/.schema/gone.schema.json",
        "stale: ledger/.schema/plan.schema.json",
        "2 files are out of date. Fix: run python budget.py schema",
    ]
    assert main(["schema", "--root", str(tree / "docs")]) == 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["paint"],
        ["render", "--diff"],
        ["explain"],
        ["check", "--format", "xml"],
        ["explain", "a", "--page", "0"],
        ["serve", "--port", "0"],
        ["serve", "--port", "99999"],
        ["render", "--chec"],
    ],
)
def test_wrong_usage_is_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_a_root_without_a_ledger_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["check"], ["render"], ["status"], ["build"], ["serve"], ["schema"]):
        assert main([*command, "--root", str(tmp_path / "nowhere")]) == 2
        assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% if %}", ":1:1: the template does not work: TemplateSyntaxError"),
        ("line\n{{ view.fig('nope') }}", ":2:1: the template does not work: KeyError"),
        ("{% include 'gone.j2' %}", ":1:1: the template does not work: TemplateNotFound"),
    ],
)
def test_a_template_of_the_tree_goes_first_and_its_mistakes_are_told(
    rendered: Path, capsys: pytest.CaptureFixture[str], template: str, said: str
) -> None:
    tree = rendered
    plant(tree, {"templates/history.md.j2": "Mine of {{ view.project.title }}.\n"})
    assert main(["render", "--root", str(tree)]) == 0
    assert (tree / "docs/demo/history.md").read_text() == "Mine of Demo.\n"
    plant(tree, {"templates/history.md.j2": template})
    before = files(tree)
    capsys.readouterr()
    assert main(["render", "--root", str(tree)]) == 2
    assert f"templates/history.md.j2{said}" in capsys.readouterr().err
    assert files(tree) == before


def test_what_the_machine_refuses_is_one_plain_line(tree: Path) -> None:
    (tree / "docs").symlink_to(tree / "ledger")
    done = shell("render", "--root", str(tree))
    assert (done.returncode, done.stderr) == (
        2,
        "docs is a link, which `budget` does not follow; replace it by the file or folder itself\n",
    )
    assert not list((tree / "ledger").glob("*.md"))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "budget.py", "explain", "--list"], cwd=ROOT, stdout=full, stderr=-1, text=True, timeout=60
        )
    assert (done.returncode, done.stderr) == (2, "output: No space left on device\n")


def test_nobody_reading_on_is_no_mishap() -> None:
    command = f"{sys.executable} budget.py export; echo $? >&2"
    with subprocess.Popen(["sh", "-c", command], cwd=ROOT, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == "141\n"


def test_no_locale_and_no_colour_change_what_is_printed(tree: Path) -> None:
    plain = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONHASHSEED": "7",
    }
    words = ("explain", "demo.budget.final", "--root", str(tree))
    one, two = shell(*words, encoding="utf-8"), shell(*words, encoding="utf-8", env={**os.environ, **plain})
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr) == (0, one.stdout, "")
    assert "├─" in one.stdout
    assert "\x1b" not in one.stdout


def test_an_interrupt_ends_quietly(tree: Path) -> None:
    probe = f"""
import os, signal, sys, time
import reckon.load.reader
signal.signal(signal.SIGINT, signal.default_int_handler)  # what started the tests may ignore interrupts
def load(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(30)
reckon.load.reader.load = load
from reckon.cli import main
sys.exit(main(["check", "--root", {str(tree)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_killed_render_leaves_each_page_old_or_new(rendered: Path) -> None:
    tree = rendered
    at = ["--root", str(tree)]
    old = files(tree / "docs")
    plan = tree / "ledger/demo/plan.yaml"
    was = plan.read_text()
    plan.write_text(was.replace("gpu_hours: 10", "gpu_hours: 11"))
    assert main(["render", *at]) == 0
    new = files(tree / "docs")
    assert old.keys() == new.keys()
    plan.write_text(was)
    assert main(["render", *at]) == 0
    plan.write_text(was.replace("gpu_hours: 10", "gpu_hours: 11"))
    # Killed at the moment when half of the pages are in place: os.replace is the last step of each.
    probe = f"""
import os, signal, sys
done, real = [], os.replace
def replace(*words):
    if len(done) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(real(*words))
os.replace = replace
sys.path.insert(0, {str(ROOT)!r})
from reckon.cli import main
main(["render", "--root", {str(tree)!r}])
"""
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, timeout=60).returncode == -signal.SIGKILL
    left = {name: text for name, text in files(tree / "docs").items() if not name.rpartition("/")[2].startswith(".")}
    assert left.keys() == new.keys()
    assert all(text in (old[name], new[name]) for name, text in left.items())
    assert left not in (old, new)
    assert main(["render", *at]) == 0
    assert {name: files(tree / "docs")[name] for name in new} == new


@pytest.mark.parametrize("command", ["check", "status"])
def test_an_empty_ledger_is_told_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    (tmp_path / "ledger").mkdir()
    assert main([command, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("There are no projects yet: a project is a folder under ledger/")
