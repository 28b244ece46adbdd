"""The CI files, ours and those that `init` writes: what can only be read off them, and the shell that asks a forge.

What a forge does by itself cannot be run here. It stands in `RIGHTS`, `WHEN_GITHUB`, `WHEN_GITLAB`, `PINNED` and the
tests that use them: that is the whole list. All else is run, here and in `test_loop.py`. No file ran on a real forge.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon.present.versions.review import MARK
from tests.forge import BOT, ME, Forge, forge
from tests.hub import CANARY, ROOT, Hub, read
from tests.runners import GitHub, GitLab
from tests.test_flow import budget

GITHUB = {"ours": ROOT / ".github/workflows/ledger.yml", "theirs": ROOT / "starter/.github/workflows/ledger.yml"}
GITLAB = {"ours": ROOT / ".gitlab-ci.yml", "theirs": ROOT / "starter/.gitlab-ci.yml"}
WHOSE = ("ours", "theirs")
both = pytest.mark.parametrize("whose", WHOSE)
needs = {one: pytest.mark.skipif(not shutil.which(one), reason=f"{one} is not here") for one in ("git", "curl", "jq")}
OF_THE_CHANGE = ("review", "try")  # the jobs that run files of a change

ON_MAIN = "github.event_name != 'pull_request' && github.ref_name == github.event.repository.default_branch"
WHEN_GITHUB = {
    "review": "github.event_name == 'pull_request'",
    "try": "${{ !cancelled() && needs.review.outputs.installs == 'changed' }}",
    "comment": "${{ !cancelled() && github.event_name == 'pull_request' && needs.review.outputs.comment != ''"
    " && github.event.pull_request.head.repo.full_name == github.repository }}",
    "main": ON_MAIN,
    "publish": None,  # where `main` was run, and went well
}
RIGHTS = {
    "comment": {"pull-requests": "write"},
    "main": {"contents": "write"},
    "publish": {"pages": "write", "id-token": "write"},
}
OF_A_CHANGE = '$CI_PIPELINE_SOURCE == "merge_request_event"'
MAIN = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"
MERGED = [f'{MAIN} && $CI_PIPELINE_SOURCE != "web"', f'{MAIN} && $CI_PIPELINE_SOURCE == "web" && $RELEASE_PROJECT']
WHEN_GITLAB = {
    "review": [OF_A_CHANGE],
    "try": [OF_A_CHANGE],
    "main": MERGED,
    "pages": MERGED,
    "comment": [f"{OF_A_CHANGE} && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID"],
}
PINNED = {
    "actions/checkout": "d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0",
    "actions/setup-python": "ece7cb06caefa5fff74198d8649806c4678c61a1 # v6.3.0",
    "actions/upload-pages-artifact": "fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0",
    "actions/deploy-pages": "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0",
    "actions/create-github-app-token": "1b10c78c7865c340bc4f6099eb2f838309f1e8c3 # v3.1.1",
}


def steps(whose: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in read(GITHUB[whose])["jobs"].items():
        for step in job["steps"]:
            yield name, step


@both
def test_a_workflow_may_do_no_more_than_it_has_to(whose: str) -> None:
    tree = read(GITHUB[whose])
    asked_for = {"push", "pull_request"} | ({"workflow_dispatch"} if whose == "theirs" else set())
    assert set(tree[True]) == asked_for, "`on`, which YAML 1.1 takes for true"
    assert tree[True]["push"] == {"branches": ["main"]}
    assert tree["permissions"] == {"contents": "read"}
    assert tree["defaults"] == {"run": {"shell": "bash"}}, "or a failure inside a pipe goes by"
    rights = {name: job["permissions"] for name, job in tree["jobs"].items() if "permissions" in job}
    assert rights == {name: one for name, one in RIGHTS.items() if whose == "theirs" or name != "main"}
    assert {name: job.get("if") for name, job in tree["jobs"].items()} == WHEN_GITHUB
    assert tree["jobs"]["publish"]["needs"] == "main"
    assert tree["concurrency"]["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    if whose == "theirs":  # a newer run takes the place of one that waits, and a release must not be lost so
        assert "'workflow_dispatch' && 'release' || github.ref" in tree["concurrency"]["group"]
        assert tree["jobs"]["main"]["environment"] == "ledger-pages"
    assert all(job["timeout-minutes"] <= 15 for job in tree["jobs"].values())


@both
def test_jobs_that_run_files_of_a_change_hold_nothing(whose: str) -> None:
    jobs = read(GITHUB[whose])["jobs"]
    for name in OF_THE_CHANGE:
        text = yaml.safe_dump(jobs[name])
        assert not re.search(r"secrets\.|github\.token|vars\.|environment", text), name
    for name, step in steps(whose):
        assert "${{" not in step.get("run", ""), "nothing of the event becomes part of a shell's text"
        action = step.get("uses", "").partition("@")[0]
        if action == "actions/checkout":
            assert name in (*OF_THE_CHANGE, "main"), "what may write a comment has nothing of the change"
            assert step["with"]["persist-credentials"] is False
        assert "cache" not in step.get("with", {})
    gitlab = read(GITLAB[whose])
    for name in OF_THE_CHANGE:
        job = gitlab[name]
        assert "environment" not in job
        assert job["script"][0].startswith("unset CI_JOB_TOKEN ")
        assert "LEDGER_TOKEN" not in str(job)
        assert "PUSH_TOKEN" not in str(job)
    assert gitlab["comment"]["environment"] == {"name": "ledger-comment", "action": "access"}
    assert gitlab["comment"]["variables"]["GIT_STRATEGY"] == "none", "there is nothing of the change to run"


OTHERS = [
    ROOT / one
    for one in (
        "starter/.budget/main.sh",
        "starter/.github/workflows/add-run.yml",
        "starter/.gitlab/add-run.yml",
        "examples/ci/gitlab.yml",
        "starter/.github/workflows/digest.yml",
        "starter/.gitlab/digest.yml",
    )
]


@pytest.mark.parametrize(
    "path", [*GITHUB.values(), *GITLAB.values(), *OTHERS], ids=lambda path: str(path.relative_to(ROOT))
)
def test_what_no_file_of_ci_says(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "://" not in text.replace('"${REMOTE#*://}"', "").replace("${REMOTE#*://*/}", ""), "no addresses"
    assert "--trust" not in text
    assert "|| true" not in text, "exit code 4 is never swallowed"
    assert "python -m" not in text.replace("python -I -m", ""), "modules of the change would come first"
    assert "python -c" not in text
    for used in re.findall(r"uses: (.*)", text):
        action, _, commit = used.partition("@")
        assert PINNED[action] == commit


@both
def test_a_pipeline_runs_what_it_is_for(whose: str) -> None:
    tree = read(GITLAB[whose])
    wanted = WHEN_GITLAB if whose == "theirs" else {**WHEN_GITLAB, "main": [MAIN], "pages": [MAIN]}
    jobs = {name: job for name, job in tree.items() if isinstance(job, dict) and "script" in job}
    assert {name: [one["if"] for one in job["rules"]] for name, job in jobs.items()} == wanted
    web = ['$CI_PIPELINE_SOURCE == "web"'] if whose == "theirs" else []
    assert [one["if"] for one in tree["workflow"]["rules"]] == [OF_A_CHANGE, *web, MAIN]
    assert all({"stage", "image"} <= job.keys() and job["stage"] in tree["stages"] for job in jobs.values())
    assert jobs["comment"]["rules"][0]["when"] == "always"
    assert jobs["review"]["artifacts"]["reports"] == {"codequality": "gl-code-quality-report.json"}
    assert jobs["review"]["artifacts"]["paths"] == ["review.md"]
    assert jobs["pages"]["artifacts"]["paths"] == jobs["main"]["artifacts"]["paths"] == ["public"]
    assert jobs["pages"]["needs"] == ["main"]
    if whose == "theirs":
        paths = [f".gitlab/{name}.yml" for name in ("add-run", "digest")]  # either may be removed
        assert tree["include"] == [{"local": path, "rules": [{"exists": [path]}]} for path in paths]
        assert jobs["main"]["environment"] == {"name": "ledger-pages", "action": "access"}
        assert jobs["main"]["resource_group"] == "ledger-main", "one at a time"
        assert "interruptible" not in jobs["main"]
    else:
        assert "environment" not in jobs["main"]


PROGRAM = "budget.py reckon templates docs/assets mkdocs.yml pyproject.toml LICENSE"
"""What the program of this repository consists of: whoever alters it alters what CI runs."""


def as_ours(part: Any, called: str) -> Any:
    """A job of theirs, or a part of it, with the command as it is called in this repository."""
    if isinstance(part, dict):
        return {name: as_ours(inner, called) for name, inner in part.items()}
    if isinstance(part, list):
        return [as_ours(inner, called) for inner in part]
    if not isinstance(part, str):
        return part
    text = part.replace("budget --root", f"{called} --root").replace('inner}.budget")', f'inner}}.budget" {PROGRAM})')
    return text.replace("install --quiet -r", "install --quiet --require-hashes -r")


@pytest.mark.parametrize("files", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_what_a_change_meets_is_the_same_here_as_there(files: dict[str, Path]) -> None:
    """Only what is done after the merge differs: people render here, and nothing is pushed."""
    ours, theirs = (read(files[whose]) for whose in WHOSE)
    ours, theirs = (tree.get("jobs", tree) for tree in (ours, theirs))
    base = "$RUNNER_TEMP/base" if files is GITHUB else "$scratch"
    for name in (*OF_THE_CHANGE, "comment", *(["publish"] if files is GITHUB else [])):
        called = f'python "{base}/budget.py"' if name == "review" else "python budget.py"
        job = as_ours(theirs[name], called)
        if name == "try" and files is GITLAB:
            folders = {f"{part}/**/*" for part in ("reckon", "templates", "docs/assets")}
            brought = set(ours[name]["rules"][0].pop("changes")) - set(job["rules"][0].pop("changes"))
            assert brought == {"budget.py", "mkdocs.yml", "pyproject.toml", *folders}
        assert ours[name] == job, name
    assert "git push" not in str(ours["main"])


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (".pre-commit-hooks.yaml", ["budget-check", "budget-render", "budget-cover"]),
        ("starter/.pre-commit-config.yaml", ["budget-check"]),
    ],
)
def test_hooks_before_a_commit_call_commands_that_there_are(path: str, names: list[str], rendered: Path) -> None:
    tree = yaml.safe_load((ROOT / path).read_text("utf-8"))
    hooks = tree if isinstance(tree, list) else tree["repos"][0]["hooks"]
    assert [one["id"] for one in hooks] == names
    for one in hooks:
        assert one["pass_filenames"] is False
        assert re.match(one["files"], "ledger/demo/plan.yaml")
        command, *words = one["entry"].split()
        assert command == "budget"
        if words[0] == "cover":  # whoever takes the hook names the document and, if it has to be, the project
            document = rendered / "budget.md"
            document.write_text("# A budget\n", "utf-8")
            words += [str(document), "--project", "demo"]
            assert budget(rendered, *words).returncode == 3
            continue
        assert budget(rendered, *words).returncode == 0


# What asks a forge, and what it is told.


@pytest.fixture
def runners(tmp_path: Path) -> dict[str, Any]:
    """Runners without a program: of jobs that need none."""
    hub = Hub(tmp_path / "forge/team/budgets.git")
    return {kind.__name__: kind(hub, tmp_path / "runner", tmp_path / "none") for kind in (GitHub, GitLab)}


def others(count: int) -> list[dict[str, Any]]:
    """Comments that are not ours: of people, one with our mark, and of another bot."""
    somebody = {"user": {"login": "ann", "type": "User"}, "author": {"id": 7}}
    bot = {"user": {"login": "other[bot]", "type": "Bot"}, "author": {"id": 8}}
    marked = [{"id": n, "body": f"{MARK} is what I type", **one} for n, one in enumerate((somebody, bot), 1)]
    return [*marked, *({"id": n, "body": "Looks good", **somebody} for n in range(3, count + 1))]


def kept(there: Forge) -> list[str]:
    return [one["body"] for one in there.comments if one["user"] == BOT]


@needs["curl"]
@needs["jq"]
@pytest.mark.parametrize("before", [2, 100, 250])
def test_the_comment_of_github_is_one_and_written_anew(before: int, runners: dict[str, Any]) -> None:
    with forge() as there:
        run = runners["GitHub"]
        run.api = there.address
        there.comments += others(before)
        for body in (f'{MARK}\n\nfirst `a` "b" $HOME\n', f"{MARK}\n\nsecond – ×\n" + "x" * 59_000):
            told = {"needs.review.outputs.comment": body, "github.event.pull_request.number": "7"}
            ran = run.job("comment", "", told)
            assert ran.code == 0, ran.log
            assert kept(there) == [body]
            assert CANARY not in ran.log
    assert {head for _, _, head in there.asked} == {f"Bearer {CANARY}"}
    at = "/repos/team/budgets/issues"
    assert [(how, path) for how, path, _ in there.asked if how != "GET"] == [
        ("POST", f"{at}/7/comments"),
        ("PATCH", f"{at}/comments/{1000 + before}"),
    ]
    assert there.comments[:before] == others(before)


@needs["curl"]
@pytest.mark.parametrize("before", [2, 100, 250])
def test_the_note_of_gitlab_is_found_by_its_author(before: int, runners: dict[str, Any], tmp_path: Path) -> None:
    told = {"CI_MERGE_REQUEST_IID": "7", "LEDGER_TOKEN": CANARY}
    with forge() as there:
        run = runners["GitLab"]
        run.api = there.address
        there.comments += others(before)
        (tmp_path / "json.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", "utf-8")
        for n in range(2):
            (tmp_path / "review.md").write_text(f"{MARK}\n\n{n}: a&b=c + d\n", "utf-8")
            ran = run.job("comment", "", told, [tmp_path / "review.md", tmp_path / "json.py"])
            assert ran.code == 0, ran.log
            assert CANARY not in ran.log
        assert kept(there) == [f"{MARK}\n\n1: a&b=c + d\n"]
    assert not (tmp_path / "ran").exists()
    at = "/projects/3/merge_requests/7/notes"
    assert [one for one in there.asked if one[0] != "GET"] == [
        ("POST", at, CANARY),
        ("PUT", f"{at}/{1000 + before}", CANARY),
    ]
    assert there.comments[:before] == others(before)
    assert ME not in [one["author"]["id"] for one in others(before)]


@needs["curl"]
def test_what_is_no_review_becomes_no_note(runners: dict[str, Any], tmp_path: Path) -> None:
    told = {"CI_MERGE_REQUEST_IID": "7", "LEDGER_TOKEN": CANARY}
    secret = tmp_path / "secret"
    secret.write_text(f"{MARK}\n", "utf-8")
    with forge() as there:
        run = runners["GitLab"]
        run.api = there.address
        review = tmp_path / "review.md"
        assert run.job("comment", "", told, []).code == 0
        review.symlink_to(secret)
        assert run.job("comment", "", told, [review]).code == 0
        review.unlink()
        review.write_text("x" * 70_000, "utf-8")
        assert run.job("comment", "", told, [review]).code == 0
        review.write_text(f"{MARK}\n", "utf-8")
        ran = run.job("comment", "", {"CI_MERGE_REQUEST_IID": "7"}, [review])
        assert ran.code == 0
        assert "no LEDGER_TOKEN" in ran.log
    assert there.asked == []


@needs["curl"]
@needs["jq"]
@pytest.mark.parametrize(
    ("pages", "on"),
    [
        (None, False),
        ({"build_type": "legacy"}, False),
        ({"build_type": "workflow"}, True),
    ],
)
def test_a_site_is_published_where_pages_are_on_and_that_is_said(
    pages: dict[str, str] | None, on: bool, runners: dict[str, Any], tmp_path: Path
) -> None:
    with forge() as there:
        run = runners["GitHub"]
        run.api, there.pages = there.address, pages
        ran = run.job("publish", "", site=tmp_path)
    assert ran.code == 0, ran.log
    assert run.published == (tmp_path if on else None)
    assert ("::notice title=Budget ledger::The site is not published" in ran.log) != on
    assert CANARY not in ran.log


@needs["git"]
def test_the_first_push_of_a_branch_is_held_against_nothing(rendered: Path) -> None:
    """Forges name a commit of noughts then."""
    done = budget(rendered, "review", "0" * 40)
    assert done.returncode == 0
    assert "\n\n## Budget ledger\n\nThere is no earlier state to compare with.\n\n" in done.stdout
    done = budget(rendered, "review", "gone")
    assert "This change cannot be compared with `gone`: " in done.stdout
