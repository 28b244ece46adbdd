"""The daily loop, played on a forge of our own: people edit ledger files in the browser, CI does the rest.

Nobody has an installation but the runners. `hub` is the forge, `runners` runs the shell that `init` writes.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.hub import CANARY, QUIET, ROOT, Hub, Runner
from tests.runners import GitHub, GitLab
from tests.test_flow import budget

pytestmark = [
    pytest.mark.full,
    *(pytest.mark.skipif(not shutil.which(one), reason=f"{one} is not here") for one in ("git", "curl", "jq")),
]
FORGES = (GitHub, GitLab)
both = pytest.mark.parametrize("kind", FORGES, ids=lambda kind: kind.__name__.lower())
ANN = ("ledger/example/runs/ann.yaml", "- {date: 2026-01-27, item: train, seed: 2, gpus: 4, wall_hours: 3}\n")
BEN = (
    "ledger/example/runs/2026-01-28-train-s2-0a1b2c.yaml",
    "- {date: 2026-01-28, item: train, seed: 2, gpus: 4, wall_hours: 5}\n",
)
GOOD = "- {date: 2026-01-28, item: train, seed: 2, gpus: 4, wall_hours: 11, progress: {done: 2, total: 5}}\n"
MONTH = "ledger/example/runs/2026-01.yaml"
PLAN = "ledger/example/plan.yaml"


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a warm `budget` listens."""
    place = tmp_path_factory.mktemp("warm") / "socket"
    server = subprocess.Popen([sys.executable, "-m", "tests.warm", str(place)], cwd=ROOT, stdin=subprocess.DEVNULL)
    while not place.exists() and server.poll() is None:
        time.sleep(0.05)
    yield place
    server.kill()
    server.wait()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `init` writes, to be copied."""
    tree = tmp_path_factory.mktemp("team") / "tree"
    assert budget(Path(), "init", str(tree)).returncode == 0
    (tree / "requirements.txt").write_text("the base's program\n", "utf-8")
    return tree


def hub_of(tree: Path, home: Path) -> Hub:
    (home / "forge/team").mkdir(parents=True)
    return Hub.of(Path(shutil.copytree(tree, home / "first")), home / "forge/team/budgets.git")


@pytest.fixture
def hub(team: Path, tmp_path: Path) -> Hub:
    """The team's repository on the forge."""
    return hub_of(team, tmp_path)


def runner(kind: type[Runner], hub: Hub, warm: Path, builds: bool = True) -> Runner:
    return kind(hub, hub.place.parents[2] / "runner", warm, builds=builds)


def forms(token: str) -> Iterator[str]:
    """A token as it could be said: as it is, turned round, or in base64, wherever it begins there."""
    for text in (token, token[::-1]):
        yield text
        for shift in range(3):
            yield base64.b64encode(b" " * shift + text.encode()).decode().rstrip("=")[4:-4]


def leaked(texts: Iterable[str]) -> list[str]:
    return [form for text in texts for form in forms(CANARY) if form in text]


def texts(folder: Path | None) -> list[str]:
    assert folder
    return [path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()]


@both
def test_two_people_add_a_run_at_the_same_time_and_both_are_on_the_site(kind: type, hub: Hub, warm: Path) -> None:
    run = runner(kind, hub, warm)
    ended = [run.main()] if kind is GitHub else []  # of the first push
    assert hub.git("log", "--format=%an", "main").splitlines() == ["Ann"], "nothing differs, nothing is pushed"
    before = hub.read("docs/example/index.md")
    for branch, (path, text) in {"ann": ANN, "ben": BEN}.items():
        hub.edit(branch, {path: text})
    reviews = [run.change(branch)["review"] for branch in ("ann", "ben")]
    assert [one.code for one in reviews] == [0, 0], reviews[0].log + reviews[1].log
    hub.merge("ann")
    second = hub.merged("ben")
    # While the job of the first merge pushes, the second is merged.
    hub.at_a_push('test -e raced && exit 0; touch raced; git update-ref refs/heads/main "$(cat merge-of-both)"')
    hub.edit("both", {})
    hub.git("update-ref", "refs/heads/both", second)
    (hub.place / "merge-of-both").write_text(second)
    ended += [run.main(), run.main()]  # of the first merge, which renders both; of the second
    assert {one.code for one in ended} == {0}, "".join(one.log for one in ended)
    assert (hub.place / "raced").exists()
    runs = hub.read(MONTH)
    assert [runs.count(text.strip()) for _, text in (ANN, BEN)] == [1, 1]
    assert hub.files("ledger/example/runs") == [MONTH]
    assert hub.by(machine=False) == sorted([ANN[0], BEN[0]])
    assert [path for path in hub.by(machine=True) if not path.startswith(("docs/", "ledger/example/runs/"))] == []
    machine = [one for one in hub.git("log", "--format=%an", "main").splitlines() if one not in ("Ann",)]
    assert len(machine) == 1, "one commit for both, and none where nothing differs"
    assert hub.read("docs/example/index.md") != before
    assert run.published
    for page in (hub.read("docs/example/status.md"), (run.published / "example/status/index.html").read_text("utf-8")):
        assert "2026-01-28" in page
    assert leaked([*(one.log for one in ended), *texts(run.published), hub.git("log", "-p", "main")]) == []


def added(hub: Hub, name: str, text: str = ANN[1]) -> None:
    """A run that somebody typed, merged."""
    hub.edit(name, {f"ledger/example/runs/{name}.yaml": text})
    hub.merge(name)


REFUSED = 'echo "GH006: Protected branch update failed for refs/heads/main." >&2; echo "::error::##[error]" >&2; exit 1'


@both
def test_where_main_refuses_the_push_the_site_is_made_and_the_message_says_what_to_set(
    kind: type, hub: Hub, warm: Path
) -> None:
    run = runner(kind, hub, warm)
    hub.at_a_push(REFUSED)
    added(hub, "late", GOOD)
    merged = hub.tip()
    ran = run.main()
    assert ran.code == 0, ran.log
    assert hub.tip() == merged
    assert run.published
    assert "2026-01-28" in (run.published / "example/status/index.html").read_text("utf-8")
    wanted = {GitHub: ("LEDGER_DEPLOY_KEY", "an app"), GitLab: ("LEDGER_PUSH_TOKEN", "allow job tokens to push")}
    (said,) = [line for line in ran.log.splitlines() if "refuses commits of this job" in line]
    assert [one for one in (*wanted[kind], "pages: none") if one not in said] == []
    assert said.startswith("::warning " if kind is GitHub else "warning: ")
    assert "Protected branch update failed" in ran.log
    assert [line for line in ran.log.splitlines() if line.startswith("::error")] == []
    assert "##[" not in ran.log
    assert leaked([ran.log, *texts(run.published)]) == []


@both
def test_two_changes_that_have_a_problem_together_leave_all_as_it_was(kind: type, hub: Hub, warm: Path) -> None:
    run = runner(kind, hub, warm, builds=False)
    for name, (_, text) in {"one": ANN, "two": BEN}.items():
        hub.edit(name, {f"ledger/example/runs/{name}.yaml": text.replace("gpus", "job: 17, gpus")})
    assert run.change("two")["review"].code == 0
    hub.merge("one")
    assert run.main().code == 0
    site, before = run.published, hub.tip()
    assert site
    hub.merge("two")
    merged = hub.tip()
    ran = run.main()
    assert ran.code == 2, ran.log
    assert hub.tip() == merged != before
    assert run.published == site
    assert "the site stays as it was" in ran.log
    if kind is GitHub:
        assert "::error file=ledger/example/runs/" in ran.log


@both
def test_a_release_is_made_by_a_job_and_no_change_may_touch_it(kind: type, hub: Hub, warm: Path) -> None:
    run = runner(kind, hub, warm, builds=kind is GitHub)
    added(hub, "late", GOOD)  # the committed pages are behind, as they always are
    reason = 'It is "ours"; $(touch released) `id` -x'
    ran = run.main(project="example", version="1.0.0", reason=reason)
    assert ran.code == 0, ran.log
    assert hub.git("log", "-1", "--format=%s", "main") == "Release example 1.0.0"
    assert reason in hub.read("ledger/example/project.yaml").replace('\\"', '"').replace("''", "'")
    page = "docs/example/releases/1.0.0/index.md"
    assert "2026-01-28" in hub.read(page.replace("index", "status"))
    assert run.published
    assert (run.published / "example/releases/1.0.0/index.html").is_file() == (kind is GitHub)
    hub.edit("touch", {page: hub.read(page).replace("GPU", "TPU")})
    ran = run.change("touch")["review"]
    assert ran.code
    assert f"{page}" in ran.log
    assert run.main(project="example", version="1.0.0", reason="Again").code == 2, "a release is made once"
    if kind is GitHub:
        hub.at_a_push(REFUSED)
        ran = run.main(project="example", version="1.1.0", reason="More")
        assert ran.code == 1
        assert "nothing was released" in ran.log


@both
def test_what_a_reviewer_is_told_never_stops_a_true_entry(kind: type, hub: Hub, warm: Path) -> None:
    """A plan that is breached, and pages that somebody rendered at home: told both, and the gate is green."""
    run = runner(kind, hub, warm, builds=False)
    pages = {"docs/example/index.md": "by hand\n", "docs/example/status.md": "too\n", "docs/guide/ours.md": "# Ours\n"}
    hub.edit("breach", {PLAN: hub.read(PLAN).replace("gpu_hours: 110", "gpu_hours: 60"), **pages})
    ran = run.change("breach")["review"]
    assert ran.code == 0, ran.log
    said = ran.outputs["comment"] if kind is GitHub else (ran.work / "review.md").read_text("utf-8")
    assert "Findings, each cause once: `example` 1 error" in said
    carried = "<b>This change carries 2 pages and pictures.</b> They are rendered after the merge; leave them out."
    assert f"{carried}</summary>\n\n- `docs/example/index.md`\n- `docs/example/status.md`\n\n</details>" in said
    assert "not up to date" not in said + ran.log
    assert "out of date" not in said + ran.log
    if kind is GitHub:
        assert "::error file=ledger/example/plan.yaml" in ran.log


@both
def test_the_program_is_the_one_that_the_base_names(kind: type, hub: Hub, warm: Path) -> None:
    run = runner(kind, hub, warm, builds=False)
    hub.edit("other", {"requirements.txt": "a stranger's program\n", ".budget/main.sh": "touch stolen\n"})
    ran = run.change("other")
    assert {name: one.code for name, one in ran.items()} == {"review": 0, "try": 0}, ran["review"].log
    first, second = run.installed
    assert all(one.startswith("-I -m pip install ") for one in (first, second)), "no module of the change comes first"
    assert first.endswith(": the base's program")
    assert second.endswith(": a stranger's program")
    assert "This change alters where CI gets the program." in ran["review"].log
    review = ran["review"]
    said = review.outputs["comment"] if kind is GitHub else (review.work / "review.md").read_text("utf-8")
    assert "**This change alters what CI runs, or where it gets the program from.**" in said
    assert "- `.budget/main.sh`\n- `requirements.txt`\n" in said
    assert leaked(one.log for one in ran.values()) == []
    hub.edit("without", {"requirements.txt": None})
    hub.git("update-ref", "refs/heads/main", "refs/heads/without")
    hub.edit("brings", {"requirements.txt": "the first program\n"})
    ran = run.change("brings")
    assert {name: one.code for name, one in ran.items()} == {"review": 0, "try": 0}, ran["review"].log
    assert "only the job try checks this change" in ran["review"].log
    assert [one.rpartition(": ")[2] for one in run.installed[2:]] == ["the first program"]


@both
def test_nothing_of_a_change_is_run_before_it_is_merged(kind: type, hub: Hub, warm: Path, tmp_path: Path) -> None:
    run = runner(kind, hub, warm)
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').close()\n"
    names = ("json.py", "uuid.py", "sitecustomize.py", "pip/__main__.py", "pip/__init__.py", "budget.py", "budget")
    hub.edit("hostile", {**dict.fromkeys(names, code), "mkdocs.yml": f"site_name: X\nhooks: [{mark}.py]\n"})
    ran = run.change("hostile")["review"]
    assert ran.code == 2, ran.log
    assert "hooks" in ran.log
    assert not mark.exists()
    assert leaked([ran.log, *texts(ran.work)]) == []


def test_a_main_that_others_push_to_at_every_try_ends_green(hub: Hub, warm: Path) -> None:
    run = runner(GitHub, hub, warm, builds=False)
    added(hub, "late")
    move = 'new=$(git commit-tree -p main -m More "main^{tree}") && git update-ref refs/heads/main "$new"'
    hub.at_a_push(f"export GIT_AUTHOR_NAME=B GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=B GIT_COMMITTER_EMAIL=b; {move}")
    ran = run.main()
    assert ran.code == 0, ran.log
    assert hub.git("log", "--format=%s", "main").splitlines().count("More") == 5
    assert "::notice title=Budget ledger::Others pushed to main at each of 5 tries." in ran.log
    assert run.published


@pytest.mark.parametrize("way", ["people", "none"])
def test_the_other_ways_of_keeping_pages(way: str, hub: Hub, warm: Path) -> None:
    run = runner(GitHub, hub, warm, builds=False)
    hub.edit("way", {"ledger/tree.yaml": f"format: 2\npages: {way}\n"})
    assert run.change("way")["review"].code == 0
    hub.merge("way")
    hub.edit("late", {ANN[0]: GOOD})
    ran = run.change("late")["review"]
    assert (ran.code, ran.failed) == ((1, ["Pages"]) if way == "people" else (0, [])), ran.log
    hub.merge("late")
    merged = hub.tip()
    ran = run.main()
    assert ran.code == (1 if way == "people" else 0), ran.log
    assert hub.tip() == merged
    assert bool(run.published) == (way == "none")
    if way == "none":
        ran = run.job_of_main(project="example", version="1.0.0", reason="It is the first.")
        assert ran.code == 0, ran.log
        changed = hub.git("diff", "--name-only", merged, "main").splitlines()
        home = ("docs/example/releases/1.0.0/", "ledger/example/releases/1.0.0.json", "ledger/example/project.yaml")
        assert [path for path in changed if not path.startswith(home)] == []
        assert len(changed) > len(home)


@both
def test_schemas_for_editors_follow_the_ledger(kind: type, hub: Hub, warm: Path) -> None:
    """Where CI renders it writes them; where people render it refuses a change that left them behind. A team may remove
    them."""
    run, schema = runner(kind, hub, warm, builds=False), "ledger/.schema/runs.schema.json"
    more = "more:\n  title: More\n  items:\n    new-item: {title: New, scope: one-time, gpu_hours: 1}\n"
    hub.edit("more", {PLAN: hub.git("show", f"main:{PLAN}") + "\n" + more})
    assert run.change("more")["review"].code == 0
    hub.merge("more")
    assert "new-item" not in hub.git("show", f"main:{schema}")
    assert run.main().code == 0
    assert "new-item" in hub.git("show", f"main:{schema}")
    hub.edit("way", {"ledger/tree.yaml": "format: 2\npages: people\n"})
    assert run.change("way")["review"].code == 0
    hub.merge("way")
    hub.edit("behind", {schema: "{}\n"})
    ran = run.change("behind")["review"]
    assert ran.code == 1, ran.log
    assert "Fix: run budget schema" in ran.log
    hub.merge("behind")
    assert run.main().code == 1


@both
def test_no_token_reaches_the_program(kind: type, hub: Hub, warm: Path) -> None:
    """Neither in a job of a change, nor in the one that may push; here of a program that shows what it is given."""
    run = runner(kind, hub, warm)
    shown = run.home / "shown"
    text = f'#!/bin/sh\nenv >> {shown}\nprintf "%s\\n" "$@" >> {shown}\n[ "$3" = tree ] && echo ci\nexit 0\n'
    (run.home / "tools/budget").write_text(text)
    hub.edit("late", {ANN[0]: ANN[1]})
    assert run.change("late")["review"].code == 0
    ran = run.job_of_main()
    assert ran.code == 0, ran.log
    assert "--site-dir" in shown.read_text("utf-8")
    assert leaked([shown.read_text("utf-8"), ran.log, *texts(ran.work)]) == []


COMMANDS = ("review", "check", "import", "tree", "render", "build", "tidy", "release")


@both
def test_a_mistake_of_the_program_is_red_whichever_command_makes_it(kind: type, hub: Hub, warm: Path) -> None:
    """Exit code 4; here of a program that does nothing else."""
    run = runner(kind, hub, warm, builds=False)
    hub.edit("late", {ANN[0]: ANN[1]})
    red = []
    for command in COMMANDS:
        text = f'#!/bin/sh\nshift 2\n[ "$1" = {command} ] && exit 4\n[ "$1" = tree ] && echo ci\nexit 0\n'
        (run.home / "tools/budget").write_text(text)
        release = {"project": "example", "version": "1", "reason": "R"} if command == "release" else {}
        codes = [run.change("late")["review"].code, run.job_of_main(**release).code]
        red.append((command, codes))
    merged, change = ("tidy", "release"), ("review", "import")
    assert red == [(one, [4 * (one not in merged), 4 * (one not in change)]) for one in COMMANDS]


@both
def test_a_tree_may_be_a_folder_of_a_larger_repository(kind: type, team: Path, warm: Path, tmp_path: Path) -> None:
    """With its workflow file at the top, and one variable in it that names the folder."""
    whole = tmp_path / "whole"
    shutil.copytree(team, whole / "lab/budgets")
    (whole / "ledger").mkdir()
    (whole / "ledger/ours.txt").write_text("of somebody else\n", "utf-8")
    run = runner(kind, hub := hub_of(whole, tmp_path), warm, builds=False)
    run.tree_at = "lab/budgets"
    hub.edit("ann", {f"lab/budgets/{ANN[0]}": ANN[1], "lab/budgets/requirements.txt": "other\n"})
    ran = run.change("ann")
    assert {name: one.code for name, one in ran.items()} == {"review": 0, "try": 0}, ran["review"].log
    assert [one.rpartition(": ")[2] for one in run.installed] == ["the base's program", "other"]
    hub.merge("ann")
    ran_on_main = run.main()
    assert ran_on_main.code == 0, ran_on_main.log
    assert ANN[1].strip() in hub.read(f"lab/budgets/{MONTH}")
    assert [path for path in hub.by(machine=True) if not path.startswith("lab/budgets/")] == []


HIDING = {
    ".gitignore": "*2026-02*\n",
    ".gitattributes": "*2026-02* filter=lfs\n",
    "ledger/.gitattributes": "*.yaml working-tree-encoding=UTF-16LE\n",
}


@both
@pytest.mark.parametrize("name", HIDING)
def test_no_file_of_the_tree_keeps_a_run_out_of_what_main_commits(
    kind: type, name: str, hub: Hub, warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of its month is one that git is told to leave out, or to keep as something else: with a filter that
    machines have, which puts the real content where it is never sent from, or in another encoding."""
    (tmp_path / "settings").write_text('[filter "lfs"]\n\tclean = "echo kept elsewhere"\n\tsmudge = cat\n')
    monkeypatch.setitem(QUIET, "GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    run = runner(kind, hub, warm, builds=False)
    entry = ANN[1].replace("2026-01-27", "2026-02-03")
    hub.edit("feb", {ANN[0]: entry, name: HIDING[name]})
    ran = run.change("feb")["review"]
    assert ran.code == 0, ran.log
    hub.merge("feb")
    ran = run.main()
    assert ran.code == 0, ran.log
    assert hub.read("ledger/example/runs/2026-02.yaml").splitlines()[-1] == entry.strip()
    assert "2026-02-03" in hub.read("docs/example/status.md")
    assert ANN[0] not in hub.files()


@both
@pytest.mark.parametrize("folder", ["./lab/budgets", "lab/budgets/", "./lab/budgets/"])
def test_a_folder_may_be_written_in_any_way(kind: type, folder: str, team: Path, warm: Path, tmp_path: Path) -> None:
    shutil.copytree(team, tmp_path / "whole/lab/budgets")
    run = runner(kind, hub := hub_of(tmp_path / "whole", tmp_path), warm, builds=False)
    run.tree_at = folder
    hub.edit("other", {"lab/budgets/requirements.txt": "a stranger's program\n", f"lab/budgets/{ANN[0]}": ANN[1]})
    ran = run.change("other")
    assert {name: one.code for name, one in ran.items()} == {"review": 0, "try": 0}, ran["review"].log
    assert [one.rpartition(": ")[2] for one in run.installed] == ["the base's program", "a stranger's program"]
    hub.merge("other")
    ran_on_main = run.main()
    assert ran_on_main.code == 0, ran_on_main.log
    assert run.installed[2].endswith(": a stranger's program")
    assert ANN[1].strip() in hub.read(f"lab/budgets/{MONTH}")


def test_a_deploy_key_pushes_where_there_is_one_and_is_gone_after(hub: Hub, warm: Path) -> None:
    """Git is given an `ssh` that is none: it shows what it was called with, and has the repository at hand."""
    run = runner(GitHub, hub, warm, builds=False)
    shown = run.home / "ssh.log"
    tools = {
        "ssh": f'{{ echo "$@"; cat "$2"; }} >> {shown}\nfor last; do :; done\nexec "${{last%% *}}" {hub.place}',
        "curl": 'cat > /dev/null; echo \'{"ssh_keys": ["ssh-ed25519 AAAA"]}\'',
    }
    for name, text in tools.items():
        (run.home / "tools" / name).write_text(f"#!/bin/sh\n{text}\n")
        (run.home / "tools" / name).chmod(0o755)
    program = run.home / "tools/budget"
    program.write_text(program.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\nenv >> {run.home / 'env.log'}\n"))
    added(hub, "late")
    told = {"secrets.LEDGER_DEPLOY_KEY": CANARY, "github.server_url": "https://forge.example"}
    ran = run.job("main", hub.tip(), told)
    assert ran.code == 0, ran.log
    assert "merged ledger/" in ran.log
    assert hub.git("log", "-1", "--format=%an", "main") == "github-actions[bot]"
    calls = [line for line in shown.read_text("utf-8").splitlines() if line != CANARY]
    assert all("git@forge.example git-" in line and "StrictHostKeyChecking=yes" in line for line in calls)
    key = Path(calls[0].split()[1])
    assert not key.exists()
    assert not key.parent.exists()
    assert leaked([ran.log]) == []
    assert str(key) not in (run.home / "env.log").read_text("utf-8"), "the program is not told where the key lies"
