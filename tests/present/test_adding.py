"""The links with which readers add and correct runs: where they lead, what they carry, and where there are none."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import cmarkgfm
import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.budget.add_run_link import LONGEST
from reckon.present.pages import present
from reckon.present.render.printing import unmarked
from tests.present.test_traced import marked, stray_lines
from tests.small import SMALL, plant
from tests.test_flow import budget

ROOT = Path(__file__).resolve().parents[2]
GITHUB = {"ledger/tree.yaml": "format: 2\nforge: {address: https://github.com/team/budgets}\n"}
GITLAB = {"ledger/tree.yaml": "format: 2\nforge: {address: https://gitlab.com/group/team/budgets, branch: work/main}\n"}
FOLDER = {"ledger/tree.yaml": "format: 2\nforge: {address: https://github.com/team/mono, folder: research/budgets}\n"}
ADD = re.compile(r'\[Add a run\]\((\S+) "([^"]+)"\)')


def pages(root: Path, files: dict[str, str], mark: object = unmarked) -> dict[str, str]:
    book, problems = calculate(load(plant(root, files))[0])
    assert problems == []
    return present(book, [ROOT / "templates"], lambda path: None, mark)  # type: ignore[arg-type]


def link(text: str) -> tuple[str, str]:
    (found,) = ADD.findall(text)
    return found


def carried(address: str) -> dict[str, str]:
    return {name: one for name, (one,) in parse_qs(urlsplit(address).query, strict_parsing=True).items()}


@pytest.mark.parametrize(
    ("files", "path", "key", "folder"),
    [
        (GITHUB, "/team/budgets/new/main/ledger/demo/runs", "value", "ledger/demo/runs/"),
        (GITLAB, "/group/team/budgets/-/new/work/main/ledger/demo/runs", "content", "ledger/demo/runs/"),
        (
            FOLDER,
            "/team/mono/new/main/research/budgets/ledger/demo/runs",
            "value",
            "research/budgets/ledger/demo/runs/",
        ),
    ],
)
def test_the_link_opens_a_new_file_in_the_folder_of_the_runs(
    tmp_path: Path, files: dict[str, str], path: str, key: str, folder: str
) -> None:
    address, title = link(pages(tmp_path, SMALL | files)["docs/demo/status.md"])
    assert (urlsplit(address).path, title) == (path, folder)
    (text,) = carried(address).values()
    assert set(carried(address)) == {key}, "no name of a file: two who click would get the same"
    assert "#: Items: train, test\n#: Seeds: 1, 2\n" in text
    assert text.endswith("\n- {date: YYYY-MM-DD, item: ITEM, seed: SEED, gpus: GPUS, wall_hours: HOURS}\n")


def test_the_text_is_refused_until_each_word_in_capitals_is_a_persons(tmp_path: Path) -> None:
    files = SMALL | GITHUB
    address, _ = link(pages(tmp_path, files)["docs/demo/status.md"])
    text = carried(address)["value"]
    for word, said in {"YYYY-MM-DD": "2026-02-03", "ITEM": "train", "SEED": "2", "GPUS": "4", "HOURS": "5.5"}.items():
        plant(tmp_path, {"ledger/demo/runs/new.yaml": text})
        done = budget(tmp_path, "check")
        assert done.returncode == 2
        assert re.search(rf"^ledger/demo/runs/new\.yaml:5:\d+: .*`{word}`", done.stdout, re.MULTILINE)
        text = text.replace(word, said)
    plant(tmp_path, {"ledger/demo/runs/new.yaml": text})
    assert budget(tmp_path, "check", "--fail-on", "never").returncode == 0
    assert budget(tmp_path, "tidy").returncode == 0
    month = (tmp_path / "ledger/demo/runs/2026-02.yaml").read_text("utf-8")
    assert month == SMALL["ledger/demo/runs/2026-02.yaml"] + text.splitlines()[-1] + "\n", "the help is left behind"


def test_what_is_known_is_filled_in_but_never_all(tmp_path: Path) -> None:
    files = {
        **SMALL,
        **GITHUB,
        "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n",
        "ledger/demo/plan.yaml": "all: {title: All, items: {train: {title: T, scope: one-time, gpu_hours: 9}}}\n",
        "ledger/demo/runs/2026-01.yaml": "- {date: 2026-01-02, item: train, gpus: 4, wall_hours: 2}\n"
        "- {date: 2026-01-03, item: train, gpus: 16, wall_hours: 2}\n",
        "ledger/demo/runs/2026-02.yaml": "",
    }
    address, _ = link(pages(tmp_path, files)["docs/demo/status.md"])
    assert carried(address)["value"].endswith("\n- {date: YYYY-MM-DD, item: train, gpus: 16, wall_hours: HOURS}\n")
    assert "Seeds" not in carried(address)["value"]


@pytest.mark.full
def test_the_address_is_bounded_however_many_items_there_are(tmp_path: Path) -> None:
    items = "".join(f"    {'long-' * 15}{n}: {{title: T, scope: per-seed, gpu_hours: 1}}\n" for n in range(60))
    seeds = ", ".join(f"{'seed-' * 10}{n}" for n in range(40))
    files = (
        SMALL
        | GITHUB
        | {
            "ledger/demo/plan.yaml": f"all:\n  title: All\n  items:\n{items}",
            "ledger/demo/project.yaml": f"title: D\nversion: 1\nas_of: 2026-01-01\ngpu: card\nseeds: [{seeds}]\n",
            "ledger/demo/runs/2026-01.yaml": "",
            "ledger/demo/runs/2026-02.yaml": "",
        }
    )
    address, _ = link(pages(tmp_path, files)["docs/demo/status.md"])
    assert 600 < len(address) < LONGEST
    assert ", …" in carried(address)["value"]
    assert "\n- {date: YYYY-MM-DD, item: ITEM" in carried(address)["value"]


def test_a_ledger_line_leads_to_where_it_is_corrected(tmp_path: Path) -> None:
    found = pages(tmp_path, SMALL | GITHUB)
    at = "https://github.com/team/budgets/edit/main/ledger/demo"
    assert f"| [`runs/2026-01.yaml:2`]({at}/runs/2026-01.yaml#L2) |" in found["docs/demo/attempts.md"]
    assert f"[`ledger/demo/plan.yaml:7`]({at}/plan.yaml#L7)" in found["docs/demo/derivations.md"]
    assert "/edit/main/ledger/catalog/" in found["docs/catalog.md"]


@pytest.mark.parametrize(
    "name", ["a) [x](javascript:alert(1)).yaml", 'a" onclick="x.yaml', "a|b`c`.yaml", "#?&%41.yaml", "ä b.yaml"]
)
def test_no_name_of_a_file_breaks_out_of_its_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "ledger/demo/runs").mkdir(parents=True)
    text = pages(
        tmp_path, SMALL | GITHUB | {f"ledger/demo/runs/{name}": "- {date: 2026-03-01, item: test, gpu_hours: 1}\n"}
    )
    (row,) = [line for line in text["docs/demo/attempts.md"].splitlines() if line.startswith("| 2026-03-01 ")]
    html = cmarkgfm.github_flavored_markdown_to_html(
        f"| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n{row}\n"
    )
    (href,) = re.findall(r'<a href="([^"]*)"[^>]*>', html)
    assert "javascript:" not in href
    path = unescape(href).removeprefix("https://github.com/team/budgets/edit/main/").removesuffix("#L1")
    assert unquote(path) == f"ledger/demo/runs/{name}"


def test_every_numeral_beside_links_is_traced(tmp_path: Path) -> None:
    for number, files in enumerate((GITHUB, GITLAB)):
        found = pages(tmp_path / str(number), SMALL | files, marked)
        assert "Add a run" in found["docs/demo/status.md"].replace("\ue000", "").replace("\ue001", "")
        assert stray_lines(found) == {}


def test_gitlab_shows_the_line_too_for_it_may_open_the_file_empty(tmp_path: Path) -> None:
    shown = "```yaml\n- {date: YYYY-MM-DD, item: ITEM, seed: SEED, gpus: GPUS, wall_hours: HOURS}\n```"
    assert shown in pages(tmp_path / "one", SMALL | GITLAB)["docs/demo/status.md"]
    assert shown not in pages(tmp_path / "two", SMALL | GITHUB)["docs/demo/status.md"]


def test_there_are_no_links_where_no_forge_is_known_nor_on_what_is_frozen(tmp_path: Path) -> None:
    without = {"ledger/tree.yaml": "format: 2\n"}
    bare, told = pages(tmp_path / "a", SMALL), pages(tmp_path / "b", SMALL | without)
    assert [page for page, text in {**bare, **told}.items() if "://" in text and page.endswith(".md")] == []
    root = plant(tmp_path / "c", SMALL | GITHUB)
    assert budget(root, "render").returncode == 0
    assert budget(root, "release", "demo", "1.0", "-m", "First").returncode == 0
    frozen = list((root / "docs/demo/releases/1.0").glob("*.md"))
    assert len(frozen) > 3
    assert [page for page in frozen if "github.com" in page.read_text("utf-8")] == []
    assert "github.com/team" in (root / "docs/demo/status.md").read_text("utf-8")
