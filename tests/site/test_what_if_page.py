"""What a page calculates is to the digit what `budget export --set` says: values, ends, printed texts, refusals."""

from __future__ import annotations

import json
import re
import shlex
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from shutil import copytree
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser import Browser, Page
from conftest import ROOT, Quiet
from reckon.cli.books import read
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import loader_of
from reckon.present.render.numbers import figure_text
from reckon.present.view import View
from reckon.present.whatif.limits import Limits
from reckon.present.whatif.page import DAYS_LEFT, SCRIPTS, what_if_files
from reckon.present.whatif.page import LEFT as LEFT_AFTER
from serving import built
from tests.small import SMALL, plant
from tests.trying import examples

pytestmark = pytest.mark.full

WORKSHOP = SMALL | {
    "ledger/catalog/gpus.yaml": """\
card: {title: Card, vram_gib: 24}
quick: {title: Quick card, vram_gib: 80, counts_as: {card: 2-2.5x}}
third: {title: Card of three, vram_gib: 16}
slow: {title: Slow card, vram_gib: 16, counts_as: {card: 0.3x, quick: 0.1x}}
""",
    "ledger/catalog/providers.yaml": "cloud: {title: Cloud}\n",
    "ledger/catalog/prices.yaml": """\
here: {provider: cloud, as_of: 2026-01-01, usd_per_gpu_hour: {card: 1.50, quick: 3-4}}
there: {provider: cloud, as_of: 2026-01-01, usd_per_gpu_hour: {slow: 0.20}}
""",
    "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "prices: [here, there]\nceiling: 400\n",
    "ledger/demo/runs/2026-01.yaml": "- {date: 2026-01-02, item: train, seed: 1, gpu_hours: 2.5}\n",
    "ledger/demo/runs/2026-02.yaml": "- {date: 2026-02-01, item: evaluate, gpu_hours: 1.5}\n",
    "ledger/demo/plan.yaml": """\
work:
  title: Work
  items:
    train:
      title: Train
      scope: per-seed
      gpu_hours: {formula: 'ceil(samples / samples_per_batch) * hours_per_batch * min(gpus, most_gpus)', samples: 1000,
                  samples_per_batch: 64, hours_per_batch: 0.5-0.75, gpus: 8, most_gpus: 4}
    sweep:
      title: Sweep
      scope: single-seed
      gpu_hours: {formula: 'runs * gpu_hours_per_run - max(saved_gpu_hours, 1 gpu_hour) / share', runs: 12,
                  gpu_hours_per_run: 2-3, saved_gpu_hours: 2, share: 50%}
    evaluate:
      title: Evaluate
      scope: one-time
      gpu_hours: 17.5
      estimate: 15-20
    judge:
      title: Judge
      scope: per-seed
      gpu_hours: 6
      estimate: {formula: judges * hours_per_judge * gpus, judges: 3, hours_per_judge: 1-2, gpus: 1}
    elsewhere: {title: Elsewhere, scope: one-time, gpu: slow, gpu_hours: 30}
""",
}
TREES = {"birdsong": "birdsong", "pixelis": "pixelis", "workshop": "demo"}
NUMBERS = st.one_of(st.integers(1, 40), st.integers(0, 10**7), st.decimals("0.01", "5000", places=2)).map(str)
TYPED = st.one_of(
    st.integers(1, 12).map(str),
    NUMBERS,
    st.tuples(st.integers(0, 90), st.integers(0, 90)).map(lambda ends: f"{ends[0]}-{ends[1]}"),  # some the wrong way
    st.tuples(NUMBERS, st.sampled_from(["%", "k", "x", "+", " h", " gpu_hours", " usd"])).map("".join),
    st.sampled_from(
        [
            "3-2",
            "-1",
            "x",
            "",
            "007",
            "1001",
            "0.5-0.9",
            "64.000001",
            "0.5M",
            "90 min",
            "1 d 12 h",
            "<20",
            "unknown",
            "1e2",
            "15%",
            "8-10%",
            "2x",
        ]
    ),
)
"""What people type: numbers, ranges, parts of a whole, units, and what no input takes."""
LEFT = "run the command below"
ELSEWHERE = "this page cannot calculate it; run the command below"
Asked: TypeAlias = tuple[str, Sequence[tuple[str, str]]]
"""A GPU, and what is typed for inputs by their addresses."""
PAGE = "<!doctype html><meta charset=utf-8><title>What if</title><div class=what-if></div>" + "".join(
    f"<script defer src={path}.js></script>" for path in (*(f"what-if/{name}" for name in SCRIPTS), "model")
)
ASK = """(async changes => {
  const page = document.querySelector(".what-if").whatIf, found = [];
  for (const [card, sets] of changes) {
    page.change(new Map(), card);
    while (page.model.card !== card) await new Promise(wait => setTimeout(wait, 5));
    for (const [address, text] of sets) page.type(page.fields.get(address).input, text, false);
    const said = page.refused;
    const texts = ({shown, cells}) => (shown.limit && !/^[rtu]/.test(cells[0].textContent) ? "" : cells[0].textContent);
    found.push([page.command.textContent, said ? said.message : "", said ? null : page.results.map((row) => [
      row.shown.address, texts(row), page.after.values[row.shown.node].map(end => end === null ? null : `${end}`)])]);
  }
  return found;
})"""


def tree(name: str, at: Path) -> Path:
    """A tree with one of the projects and all that it rests on."""
    if name == "workshop":
        return plant(at, WORKSHOP)
    for part in (TREES[name], "catalog"):
        copytree(ROOT / "ledger" / part, at / "ledger" / part)
    return at


@contextmanager
def served(
    chromium: Browser, root: Path, project: str, web: Path, changes: Sequence[tuple[str, str]] = ()
) -> Iterator[Page]:
    """The page of a project, without what a theme puts around it."""
    ledger, wrong = load(root, changes)
    book, more = calculate(ledger, audited=False)
    assert [*wrong, *more] == []
    copytree(ROOT / "docs/assets/what-if", web / "what-if")
    made = what_if_files(View(book, ledger.projects[project]), loader_of([ROOT / "templates"]), "model", flat=True)
    plant(web, made | {"index.html": PAGE})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(web))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.open(f"http://127.0.0.1:{server.server_port}/")
        page.wait("Boolean(document.querySelector('.what-if').whatIf)")
        yield page
        assert [told for told in page.complaints if "favicon" not in told] == []
        page.close()
        server.shutdown()


@pytest.fixture(scope="module", params=sorted(TREES))
def opened(
    request: pytest.FixtureRequest, chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, dict[str, Any], Page]]:
    """A tree, what its page calculates with, and the page."""
    at = tmp_path_factory.mktemp(request.param)
    root = tree(request.param, at / "tree")
    with served(chromium, root, TREES[request.param], at / "web") as page:
        yield root, model(at / "web/model.js"), page


def model(path: Path) -> dict[str, Any]:
    """What a page calculates with, as its script hands it over."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8").removeprefix("budgetWhatIf.take(").removesuffix(");\n"))
    return found


def exported(root: Path, command: str, shown: list[dict[str, Any]]) -> tuple[str, list[Any] | None]:
    """What the program says of the shown figures by a command of the page; or why it refuses, and None. Of a limit that
    the table has words for, the ends that `Limits` give of the changed ledger."""
    words = shlex.split(command)
    changes = [tuple(words[at + 1].split("=", 1)) for at, word in enumerate(words) if word == "--set"]
    book, problems = read(root, changes, "--convert" in words)  # type: ignore[arg-type]
    if problems:
        return "\n".join(problem.text for problem in problems), None
    limits = {each.address: each for each in Limits(View(book, book.ledger.projects[words[2]])).all()}
    found: list[Any] = []
    for each in shown:
        left = (
            limits.get(each["address"]) if each["group"] in (LEFT_AFTER, DAYS_LEFT) else book.figures[each["address"]]
        )
        if left is None or left.missing:
            found.append([each["address"], "unknown", [None] * 3])
            continue
        ends = [None if end is None else str(end) for end in (left.value.low, left.value.use, left.value.high)]
        found.append([each["address"], "" if each["limit"] else figure_text(left), ends])
    return "", found


def compared(root: Path, data: dict[str, Any], page: Page, changes: Sequence[Asked]) -> int:
    """Holds what the page says of some changes against what the program says of its commands; how many are refused."""
    refused = 0
    for asked, (command, why, told) in zip(changes, page.ask(f"{ASK}({json.dumps(changes)})"), strict=True):
        if why == ELSEWHERE:
            assert re.search(r"prices\S+=unknown", command)
            continue
        problem, said = exported(root, command, data["shown"])
        left = [told[0] for told in told or () if told[1] == LEFT]
        assert set(left) <= {each["address"] for each in data["shown"] if each["group"] in (LEFT_AFTER, DAYS_LEFT)}
        told, said = ([row for row in rows or () if row[0] not in left] or rows for rows in (told, said))
        assert told == said, (asked, command, why, problem)
        assert why.partition("; runs of it")[0] in problem, (asked, command)
        refused += told is None
    return refused


def told_as_exported(opened: tuple[Path, dict[str, Any], Page], sheet: dict[str, Any], many: int) -> None:
    """Holds changes that hypothesis makes of one to three inputs of a sheet against the program."""
    root, _, page = opened
    addresses = [each["address"] for each in sheet["inputs"]]
    pair = st.tuples(st.sampled_from(addresses), TYPED)
    refused: list[int] = []

    @settings(max_examples=many)
    @given(sets=st.lists(pair, min_size=1, max_size=3, unique_by=lambda each: each[0]))
    def one_change(sets: list[tuple[str, str]]) -> None:
        refused.append(compared(root, sheet, page, [(sheet["card"], sets)]))

    one_change()
    assert len(refused) >= many
    assert many // 10 <= sum(refused) <= len(refused) - many // 3, f"{sum(refused)} of {len(refused)} are refused"


@pytest.mark.long
def test_every_printed_result_is_that_of_export(opened: tuple[Path, dict[str, Any], Page]) -> None:
    """201 changes of three projects in the long tests: each printed figure and both ends, or why it is refused."""
    told_as_exported(opened, opened[1], examples(67))


@pytest.mark.long
def test_each_gpu_has_a_sheet_that_equals_the_command(opened: tuple[Path, dict[str, Any], Page]) -> None:
    """Planned hours turned by the ratio, unless they are typed, which is in hours on that GPU; runs stay on theirs."""
    root, data, page = opened
    others = [card for card, _, file in data["cards"] if file]
    assert others == {"birdsong": ["l40s"], "demo": ["quick", "slow"], "pixelis": []}[data["project"]]
    for card in others:
        sheet = model(root.parent / f"web/model-{card}.js")
        assert compared(root, sheet, page, [(card, [])]) == 0
        told_as_exported(opened, sheet, examples(40))


def test_a_share_that_is_added_to_a_number_needs_its_sign(pixelis: Page) -> None:
    """`1 + overhead`: a number alone is in per cent there, as the ledger has it; `1k` would be a thousand times."""
    field = "it.fields.get('pixelis.plan.continual-learning.estimate.overhead')"
    refused = "overhead is added to a bare number; write its value with % (10%) or x (1.1x)"
    for typed, why in (("1k", refused), ("30", "")):
        on_page(pixelis, f"(it.type({field}.input, '{typed}', false), null)")
        assert on_page(pixelis, f"{field}.why.textContent") == why


def test_what_follows_otherwise_is_left_to_the_command(opened: tuple[Path, dict[str, Any], Page]) -> None:
    """Without the price of a card, money is that of the other cards, at least: the page has no formula for it."""
    _, data, page = opened
    price = next((each["address"] for each in data["inputs"] if each["rule"] == "price"), None)
    if price:
        ((command, why, told),) = page.ask(f"{ASK}({json.dumps([[data['card'], [[price, 'unknown']]]])})")
        assert (why, told) == (ELSEWHERE, None)
        assert on_page(page, "it.commandLine.hidden") is False
        assert command.endswith(f"--set {price}=unknown ")


HOSTILE = SMALL | {
    "ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace(
        "title: Training", "title: '<img src=x onerror=alert(1)> `{{ 7 * 7 }}`'"
    )
}


def on_page(page: Page, script: str) -> Any:
    """What a script gives that has the page as `it`."""
    return page.ask(f"(() => {{ const it = document.querySelector('.what-if').whatIf; return {script}; }})()")


@pytest.fixture
def pixelis(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of the Pixelis proposal that takes 238 and 1,680 GPU-hours a seed, and evaluates once."""
    root = tree("pixelis", tmp_path / "tree")
    changes = [
        ("pixelis.plan.sft.gpu_hours", "238"),
        ("pixelis.plan.rft.gpu_hours", "1680"),
        ("pixelis.plan.evaluation.scope", "one-time"),
    ]
    with served(chromium, root, "pixelis", tmp_path / "web", changes) as page:
        yield page


def test_two_more_seeds_of_the_proposal_by_the_keyboard(pixelis: Page) -> None:
    """238, 1,680, 30 and 60 GPU-hours a seed over five seeds, 5 + 40 + 55 once, 15%, and 800 of extensions."""
    pixelis.ask("document.querySelector('label[for] + input').focus()")
    pixelis.ask("document.activeElement.select()")
    pixelis.type("5")
    pixelis.ask("document.activeElement.blur()")
    cells = dict(on_page(pixelis, "it.results.map(({shown, cells}) => [shown.address, cells[0].textContent])"))
    names = ("subtotal", "contingency", "final", "extended")
    assert [cells[f"pixelis.budget.{name}"] for name in names] == SUMS
    assert on_page(pixelis, "it.told.textContent").startswith("Final budget: 11,661 GPU-h, where")
    assert on_page(pixelis, "it.command.textContent.trim()") == "budget status pixelis --set pixelis.seeds=5"
    assert pixelis.ask("location.hash") == "#set=seeds=5"


SUMS = ["10,140 GPU-h", "1,521 GPU-h", "11,661 GPU-h", "12,461 GPU-h"]


def test_what_is_refused_says_why_and_changes_nothing(pixelis: Page) -> None:
    before = on_page(pixelis, "it.results.map(({cells}) => cells[0].textContent)")
    pixelis.ask("location.hash = '#set=seeds=1001&set=contingency=20%25'")
    pixelis.wait("Boolean(document.querySelector('[aria-invalid]'))")
    assert on_page(pixelis, "it.told.textContent").startswith("Not calculated: 1001 is not a number of seeds; write")
    assert on_page(pixelis, "it.results.map(({cells}) => cells[0].textContent)") == before
    assert on_page(pixelis, "it.commandLine.hidden")


def test_a_range_is_told_by_both_ends_and_a_slider_at_the_value_to_plan_with(pixelis: Page) -> None:
    """3 x 2,008 GPU-hours and 100 once are 6,124, of which a tenth to a fifth is contingency."""
    pixelis.ask("location.hash = '#set=contingency=10-20%25'")
    pixelis.wait("document.querySelector('.what-if').whatIf.set.size === 1")
    contingency = "it.fields.get('pixelis.contingency')"
    assert on_page(pixelis, f"[{contingency}.slider.value, {contingency}.field.value]") == ["15", "10-20"]
    cells = on_page(pixelis, CELLS)
    names = ("subtotal", "contingency", "final")
    assert [cells[f"pixelis.budget.{name}"] for name in names] == [
        "6,124 GPU-h",
        "612–1,225 GPU-h",
        "6,736–7,349 GPU-h",
    ]


def test_steps_are_undone_one_by_one_and_all_at_once(pixelis: Page) -> None:
    final = "it.results.find(({shown}) => shown.address === 'pixelis.budget.final').cells[0].textContent"
    seeds, contingency = ("it.fields.get('pixelis.seeds')", "it.fields.get('pixelis.contingency')")
    planned = on_page(pixelis, final)
    moved = f"({seeds}.slider.value = 5, {seeds}.slider.dispatchEvent(new Event('input')), "
    on_page(pixelis, moved + f"{seeds}.slider.dispatchEvent(new Event('change')), null)")
    five = on_page(pixelis, final)
    typed = f"({contingency}.field.value = '20%', {contingency}.field.dispatchEvent(new Event('change')), null)"
    on_page(pixelis, typed)
    assert len({planned, five, on_page(pixelis, final)}) == 3
    assert pixelis.ask("location.hash") == "#set=seeds=5&set=contingency=20%25"
    on_page(pixelis, "it.undo.click()")
    assert on_page(pixelis, final) == five
    on_page(pixelis, "it.undo.click()")
    assert (on_page(pixelis, final), on_page(pixelis, "it.undo.disabled")) == (planned, True)
    pixelis.ask("location.hash = '#set=seeds=5'")
    pixelis.wait(f"(() => {{ const it = document.querySelector('.what-if').whatIf; return {final} === '{five}'; }})()")
    on_page(pixelis, "it.reset.click()")
    assert (on_page(pixelis, final), pixelis.ask("location.hash")) == (planned, "")


CELLS = "Object.fromEntries(it.results.map(({shown, cells}) => [shown.address, cells[0].textContent]))"


@pytest.fixture(scope="module")
def folder(example_with_pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the made-up example, built for a folder."""
    return built(example_with_pages, tmp_path_factory.mktemp("offline") / "site", "--offline")


@pytest.fixture
def from_a_folder(chromium: Browser, folder: Path) -> Iterator[Page]:
    """The page of what if as a browser opens it from there, with another GPU and five seeds."""
    page = chromium.open((folder / "birdsong/what-if.html").as_uri() + "#card=l40s&set=seeds=5")
    page.wait("document.querySelector('.what-if').whatIf?.model.card === 'l40s'")
    yield page
    assert page.complaints == []
    assert all(url.startswith("file:") for url in page.requests if not url.startswith(("data:", "blob:")))
    page.close()


def test_another_gpu_is_chosen_and_undone_on_a_page_of_a_folder(from_a_folder: Page) -> None:
    """An hour on an L40S counts as 0.6. Of five seeds 80 hours are there already, and (96 + 5 x 220 + 5 x 60 + 48 + 108
    + 5 x 20) / 0.6 are 2,920 more; with 15% they are 3,450. At $0.95 the 3,000 cost $2,850."""
    page = from_a_folder
    cells = on_page(page, CELLS)
    assert [cells[f"birdsong.{name}"] for name in ("budget.subtotal", "budget.final", "money.subtotal")] == [
        "3,000 GPU-h",
        "3,450 GPU-h",
        "$2,850",
    ]
    convert = "budget status birdsong --set birdsong.gpu=l40s --set birdsong.seeds=5 --convert"
    assert on_page(page, "it.command.textContent") == convert
    hours = on_page(page, "it.fields.get('birdsong.plan.finetune.gpu_hours').field.value")
    assert hours == "100"  # 60 on an A100
    on_page(page, "it.type(it.fields.get('birdsong.plan.finetune.gpu_hours').input, '90', false)")
    assert on_page(page, CELLS)["birdsong.budget.subtotal"] == "2,950 GPU-h"
    choose = "(it.cards.value = '{}', it.cards.dispatchEvent(new Event('change')), null)"
    on_page(page, choose.format("a100-80gb"))
    # Seeds are taken along, hours that were typed for another GPU are not: 1,200 and two seeds of 300 more.
    assert on_page(page, CELLS)["birdsong.budget.subtotal"] == "1,800 GPU-h"
    assert page.ask("location.hash") == "#set=seeds=5"
    on_page(page, "it.undo.click()")
    assert on_page(page, CELLS)["birdsong.budget.subtotal"] == "2,950 GPU-h"
    assert page.ask("location.hash") == "#card=l40s&set=seeds=5&set=plan.finetune.gpu_hours=90"
    on_page(page, "it.reset.click()")
    assert on_page(page, CELLS)["birdsong.budget.subtotal"] == "1,200 GPU-h"
    assert on_page(page, "[it.model.card, it.commandLine.hidden, it.assumed.hidden]") == ["a100-80gb", True, True]


def test_paper_has_what_was_changed_and_no_fields(from_a_folder: Page) -> None:
    page = from_a_folder
    shown = "[...document.querySelectorAll({!r})].map(each => getComputedStyle(each).display !== 'none')"
    parts = ".what-if-assumed, .what-if-inputs, .what-if-buttons, .what-if-command"
    assert page.ask(shown.format(parts)) == [True, True, False, True]  # as they stand on the page: inputs come first
    page.browser.call("Emulation.setEmulatedMedia", {"media": "print"}, page.session)
    assert page.ask(shown.format(parts)) == [False, False, True, True]
    lines = page.ask("[...document.querySelectorAll('.what-if-assumed li')].map(line => line.textContent)")
    gpu = "GPU: NVIDIA L40S, where the plan has NVIDIA A100 80GB"
    assert lines == [gpu, "Seeds: 5 seeds, where the plan has 3 seeds"]
    bars = "[...document.querySelectorAll('{} .what-if-bar')].map(each => getComputedStyle(each).display)"
    assert {*page.ask(bars.format(".what-if-changed"))} == {"grid"}
    assert {*page.ask(bars.format("tr:not(.what-if-changed)"))} <= {"none"}


def test_a_phone_has_all_four_columns_of_ranges(from_a_folder: Page) -> None:
    page = from_a_folder
    chrome = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.browser.call("Emulation.setDeviceMetricsOverride", chrome, page.session)
    on_page(page, "(it.change(new Map([['birdsong.contingency', '15-20%']]), 'a100-80gb'), null)")
    assert on_page(page, CELLS)["birdsong.budget.final"] == "1,380–1,440 GPU-h"
    assert on_page(page, "it.table.place.scrollWidth - it.table.place.clientWidth") <= 0


def test_the_keyboard_alone_changes_the_gpu_and_a_number(from_a_folder: Page) -> None:
    page = from_a_folder
    page.ask("document.querySelector('#what-if-card').focus()")
    page.press("Tab")  # the heading of the part
    page.press("Tab")
    assert page.ask("document.activeElement.labels[0].textContent") == "Seeds"
    page.ask("document.activeElement.select()")
    page.type("4")
    page.press("Tab")
    assert page.ask("document.activeElement.type") == "range"
    assert on_page(page, CELLS)["birdsong.budget.per-seed"] == "2,000 GPU-h"  # 4 x 300 / 0.6
    assert page.ask("document.querySelector('.what-if-was').textContent") == "As planned: 3 seeds"


def test_text_of_a_ledger_is_never_markup(chromium: Browser, tmp_path: Path) -> None:
    with served(chromium, plant(tmp_path / "tree", HOSTILE), "demo", tmp_path / "web") as page:
        assert page.ask("document.querySelectorAll('.what-if img').length") == 0
        assert "<img src=x" in page.ask("document.querySelector('.what-if').textContent")


def test_without_scripts_the_page_says_first_that_it_shows_the_plan(site: Path) -> None:
    page = (site / "pixelis/what-if/index.html").read_text("utf-8")
    assert 0 < page.index("This is the plan as it stands. To change it on this page") < page.index("<table")


def test_the_site_has_the_page_for_plans_that_are_not_done(site: Path, visit: Any) -> None:
    """A budget that is done has none, and no tree keeps one: it is made with the site."""
    assert (site / "pixelis/what-if/index.html").is_file()
    assert not (site / "llama/what-if").exists()
    assert not (ROOT / "docs/pixelis/what-if.md").exists()
    page = visit("pixelis/what-if/#set=seeds=5")
    page.wait("Boolean(document.querySelector('.what-if').whatIf)")
    assert "where 1,535 GPU-h are planned" in page.ask("document.querySelector('.what-if-told').textContent")
    for width in (390, 768, 1440):
        chrome = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        page.browser.call("Emulation.setDeviceMetricsOverride", chrome, page.session)
        page.wait(f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}")
        cells = "[...document.querySelectorAll('.what-if-table tbody td:nth-child(2)')]"
        assert max(page.ask(f"{cells}.map(td => td.getBoundingClientRect().right)")) <= width
