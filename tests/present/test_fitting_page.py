"""Blocks on configurations: a small ledger worked by hand, and what they say when little is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.charts.memory import Memory, configured
from reckon.present.pages import present
from reckon.present.view import View
from tests.present.fitted import LEDGER
from tests.present.test_traced import marked, stray_lines
from tests.reading import files_of, plain, sections
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]


def changed(**texts: str) -> dict[str, str]:
    """The small ledger with some files of its project in other words."""
    return {**LEDGER, **{f"ledger/p/{name}.yaml": text for name, text in texts.items()}}


def with_sections(lines: str) -> str:
    """The project with other sections of its page."""
    return LEDGER["ledger/p/project.yaml"].split("      Side by side")[0] + lines


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(plant(tmp_path_factory.mktemp("fitting"), LEDGER))


@pytest.fixture(scope="module")
def page(files: dict[str, str]) -> str:
    return files["docs/p/fit.md"]


@pytest.fixture(scope="module")
def tables(page: str) -> dict[str, list[list[str]]]:
    return sections(page)


def rows(table: list[list[str]]) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table}


def picture(tmp_path: Path, files: dict[str, str] = LEDGER, card: str = "middle") -> Memory | None:
    book, more = calculate(load(plant(tmp_path, files))[0])
    assert not more
    found = configured(View(book, book.ledger.projects["p"]))
    return found.get(f"configurations-on-{card}")


def test_configurations_stand_side_by_side_in_the_groups_of_their_framework(tables: dict[str, list[list[str]]]) -> None:
    """What differs from the first is bold, defaults and what levers set are marked; `unused` is set by none of them."""
    assert tables["Side by side"][:12] == [
        ["Setting", "Plain", "Longer", "Thrifty"],
        ["File", "`plain.yaml`", "–", "`thrifty.yaml`"],
        ["Derived from", "–", "Plain", "Longer"],
        ["**Training**", "", "", ""],
        ["Batch<br>`batch`", "8", "8", "**4** (lever)"],
        ["Epochs<br>`epochs`", "2", "**3**", "**3**"],
        ["**Serving**", "", "", ""],
        ["Share of the server<br>`share`", "0.5", "0.5", "**0.25** (lever)"],
        ["Patience<br>`patience`", "60 seconds (default)", "60 seconds (default)", "**90 seconds**"],
        ["**Other settings**", "", "", ""],
        ["Name<br>`name`", "first", "first", "**a: b**"],
        ["Rollouts<br>`rollouts`", "–", "–", "**2** (lever)"],
    ]
    # The two of another chain have a table of their own, of what is said beside settings.
    assert tables["Side by side"][12:] == [
        ["Setting", "Apart", "Sharded"],
        ["Derived from", "–", "Apart"],
        ["**What runs**", "", ""],
        ["Model", "Four", "Four"],
        ["Number format", "bf16", "bf16"],
        ["Sharding", "–", "**zero-2**"],
        ["GPUs", "–", "**4**"],
    ]


def test_changes_are_told_once(page: str) -> None:
    """In the table, and in the YAML; those of fields, which no YAML has, below the table."""
    beside, alone = plain(page).split("## By itself")
    assert "changes 1 setting" not in beside
    assert "- **Sharded** changes 2 settings of Apart: Sharding zero-2; GPUs 4" in beside
    assert "It changes 5 settings of Longer: Batch 8 → 4; " in alone
    assert "Patience 60 seconds → 90 seconds" in alone


def test_overrides_are_yaml_with_exactly_the_keys_that_differ(page: str) -> None:
    """Open where the configuration stands by itself, folded away under the table elsewhere, and never both.

    Of Longer a single setting differs, which the table shows well enough."""
    fences = re.findall(r"```yaml\n(.*?)\n```", page, re.DOTALL)
    assert set(fences[0].splitlines()) == {"batch: 4", "share: 0.25", "rollouts: 2", "patience: 90", 'name: "a: b"'}
    assert len(fences) == 1
    assert page.index("## By itself") < page.index(fences[0])


def test_overrides_are_folded_away_under_the_table_that_they_belong_to(tmp_path: Path) -> None:
    project = with_sections("      Side by side: [configurations]\n")
    page = files_of(plant(tmp_path, changed(project=project)))["docs/p/fit.md"]
    assert re.findall(r"<summary>(.*?): settings that differ from (.*?)</summary>", page) == [("Thrifty", "Longer")]
    assert "patience: 90" in page


def test_overrides_that_stand_above_already_are_not_said_again(tmp_path: Path) -> None:
    """Brief sets beside Plain, in one line more, what Swift sets."""
    own = "settings: {batch: 4, share: 0.25}"
    more = f"swift: {{title: 'Plain, swift', base: plain, {own}}}\n"
    more += f"brief: {{title: Brief, base: plain, {own[:-1]}, name: other}}}}\n"
    configurations = LEDGER["ledger/p/configurations.yaml"] + more
    project = with_sections("      Side by side: [configurations]\n")
    page = files_of(plant(tmp_path, changed(configurations=configurations, project=project)))["docs/p/fit.md"]
    said = (
        "The settings of “Brief” that differ from “Plain” are those above of “Plain, swift”, with `name: other` added."
    )
    assert f"{said}\n" in page


def test_a_derivation_names_the_configuration_that_it_differs_least_from(tmp_path: Path) -> None:
    sibling = LEDGER["ledger/p/configurations.yaml"] + (
        "saving: {title: Saving, base: plain, settings: {batch: 4, share: 0.25, rollouts: 2, patience: 90, name: x}}\n"
    )
    text = plain(files_of(plant(tmp_path, changed(configurations=sibling)))["docs/p/fit.md"])
    assert "It differs least from Saving, in 2 settings: Epochs 2 → 3; Name x → a: b." in text


def test_memory_part_by_part(page: str, tables: dict[str, list[list[str]]]) -> None:
    """20 GiB: half of them the server's, with 3 GiB of cache in it, beside 9 GiB of trainer: 1 GiB left, 2 to stay.

    Plain and Longer take the same, so they share a column. What belongs to another chain has a table of its own."""
    assert tables["On Maker Middle"] == [
        ["GiB", "Plain;<br>Longer", "Thrifty"],
        ["Server<br>a share of the card, `share`", "10<br>0.5 × 20 GiB", "5<br>0.25 × 20 GiB"],
        ["in Server: Cache<br>stated", "3<br>3 GiB", "2.1<br>max(3 GiB − 1 GB, 0 GB) (after Fewer)"],
        ["Trainer<br>stated", "9<br>9 GiB", "4.5<br>9 GiB × (100% − 50%) (after Half)"],
        ["**Needed**", "**19**", "**9.5**"],
        ["Share of the card", "95%", "47.5%"],
        ["Left", "1", "10.5"],
        ["**Verdict**", "**tight**", "**fits**"],
        ["GiB", "Apart", "Sharded"],
        # 2^32 parameters of two bytes are 8 GiB; gradients as much, or a quarter of it over four GPUs.
        ["Weights<br>by formula", "8<br>4.295B parameters × 2 bytes", "8<br>4.295B parameters × 2 bytes"],
        [
            "Gradients<br>by formula",
            "8<br>4.295B parameters × 2 bytes",
            "2<br>4.295B parameters × 2 bytes / (4 GPUs / 1 GPU)",
        ],
        ["**Needed**", "**16**", "**10**"],
        ["Share of the card", "80%", "50%"],
        ["Left", "4", "10"],
        ["**Verdict**", "**fits**", "**fits**"],
    ]
    assert "20 GiB can be used, of which 2 GiB must stay free: what leaves less is tight." in plain(page)
    assert page.count("- Weights: parameters × bytes of the number format (Rajbhandari et al., ZeRO)") == 1


def test_the_memory_of_one_configuration_says_how_it_comes_about(tables: dict[str, list[list[str]]]) -> None:
    """40 GiB, named by its address: 20 of server and 9 of trainer."""
    assert tables["Plain on Maker Much"] == [
        ["Part", "Calculation", "GiB", "Share of the card"],
        ["Server", "a share of the card, `share`: 0.5 × 40 GiB", "20", "50%"],
        ["in Server: Cache", "stated: 3 GiB", "3", "7.5%"],
        ["Trainer", "stated: 9 GiB", "9", "22.5%"],
        ["**Needed**", "", "**29**", "72.5%"],
        ["Usable", "", "40", ""],
        ["To stay free", "", "2", ""],
        ["Left", "", "11", ""],
        ["**Verdict**", "**fits**", "", ""],
    ]


def test_a_part_of_a_pool_of_which_nothing_is_known_has_no_row(tmp_path: Path) -> None:
    unknown = "gib: unknown, within: server, notes: Nobody said.}"
    text = LEDGER["ledger/p/configurations.yaml"].replace("gib: 3, within: server}", unknown)
    shown = with_sections("      Memory: [memory]\n")
    page = files_of(plant(tmp_path, changed(configurations=text, project=shown)))["docs/p/fit.md"]
    assert [row[0].partition("<br>")[0] for row in sections(page)["On Maker Middle"][:4]] == [
        "GiB",
        "Server",
        "Trainer",
        "**Needed**",
    ]
    assert "- Cache: Nobody said." in page
    assert "What would settle it" not in page


def test_more_configurations_than_fit_beside_each_other_have_another_table(tmp_path: Path) -> None:
    more = "".join(f"c{at}: {{title: C{at}, base: plain, memory: {{trainer: {{gib: {at}}}}}}}\n" for at in range(1, 7))
    text = LEDGER["ledger/p/configurations.yaml"] + more
    page = files_of(plant(tmp_path, changed(configurations=text)))["docs/p/fit.md"]
    heads = [row for row in sections(page)["On Maker Middle"] if row[0] == "GiB"]
    assert heads == [
        ["GiB", "Plain;<br>Longer", "Thrifty", "C1", "C2", "C3", "C4"],
        ["GiB", "C5", "C6"],
        ["GiB", "Apart", "Sharded"],
    ]


def test_a_pool_that_is_too_small_is_told(tmp_path: Path) -> None:
    text = LEDGER["ledger/p/configurations.yaml"].replace("gib: 3, within", "gib: 11, within")
    page = files_of(plant(tmp_path, changed(configurations=text)))["docs/p/fit.md"]
    assert "> [!WARNING]\n> Server is too small for its parts." in page
    assert rows(sections(page)["On Maker Middle"][:8])["**Verdict**"] == ["**does not fit**"] * 2


def test_every_configuration_on_every_card(page: str, tables: dict[str, list[list[str]]]) -> None:
    """On 10 GiB: 5 of server and 9 of trainer lack 4; thrifty takes 2.5 and 4.5. On 40 GiB all fit."""
    assert tables["Cards"] == [
        ["Card", "Usable", "Plain;<br>Longer", "Thrifty", "Apart", "Sharded"],
        [
            "Maker Little",
            "10 (nominal)",
            "○ does not fit<br>−4",
            "● **fits**<br>3",
            "○ does not fit<br>−6",
            "◐ tight<br>0",
        ],
        ["Maker Middle", "20", "◐ tight<br>1", "● **fits**<br>10.5", "● **fits**<br>4", "● **fits**<br>10"],
        [
            "Maker Much",
            "40 (nominal)",
            "● **fits**<br>11",
            "● **fits**<br>25.5",
            "● **fits**<br>24",
            "● **fits**<br>30",
        ],
    ]
    text = plain(page)
    assert "A configuration fits where 2 GiB stay free, and is tight where it leaves less." in text
    assert "- Smallest card for Plain and Longer: **Maker Much**" in text
    assert "- Smallest card for Thrifty: **Maker Little**" in text
    assert "The catalogue does not state the memory of Maker Dark." in text


def test_verdicts_alone_have_a_row_for_cards_with_the_same(tmp_path: Path) -> None:
    gpus = LEDGER["ledger/catalog/gpus.yaml"] + "more: {title: Maker More, vram_gib: 50}\n"
    shown = {**changed(project=with_sections("      Cards: [fit.result]\n")), "ledger/catalog/gpus.yaml": gpus}
    page = files_of(plant(tmp_path, shown))["docs/p/fit.md"]
    assert sections(page)["Cards"] == [
        ["Cards of Maker", "Plain;<br>Longer", "Thrifty", "Apart", "Sharded"],
        ["Little", "○ does not fit", "● **fits**", "○ does not fit", "◐ tight"],
        ["Middle", "◐ tight", "● **fits**", "● **fits**", "● **fits**"],
        ["Much, More", "● **fits**", "● **fits**", "● **fits**", "● **fits**"],
    ]
    assert "A configuration fits where 2 GiB stay free" in plain(page)


def test_a_picture_stands_by_itself_and_once(tmp_path: Path) -> None:
    both = with_sections("      Answer: [memory.picture]\n      Memory: [memory]\n")
    page = files_of(plant(tmp_path, changed(project=both)))["docs/p/fit.md"]
    assert page.count("(configurations-on-middle.svg)") == 1
    assert page.index("(configurations-on-middle.svg)") < page.index("| As of |") < page.index("## Memory")
    assert "## Answer" not in page
    alone = with_sections("      Answer: [memory.picture]\n      Cards: [fit]\n")
    files = files_of(plant(tmp_path / "alone", changed(project=alone)))
    assert "(configurations-on-middle.svg)" in files["docs/p/fit.md"]
    assert "docs/p/configurations-on-middle.svg" in files


def test_levers_say_what_they_free_on_the_card_and_cost(page: str, tables: dict[str, list[list[str]]]) -> None:
    """Half of 9 GiB; a quarter of 20; nothing for what lies within the pool. Half the throughput is twice the time."""
    assert tables["Levers"] == [
        ["Lever", "Settings", "Said effect", "Part", "Saves, as stated", "Frees on Maker Middle", "Slow-down"],
        ["Half", "Batch: 8 → 4", "", "Trainer", "50% of it", "50% × 9 GiB = 4.5 GiB", "Training: 1.5× the time"],
        [
            "Quarter",
            "Share of the server: 0.5 → 0.25",
            "",
            "Server",
            "what its setting says",
            "(0.5 − 0.25) × 20 GiB = 5 GiB",
            "Serving: 2× the time",
        ],
        ["Fewer", "Rollouts: 2", "", "Cache", "1 GB", "nothing: within Server", "Serving: by how much is not stated"],
    ]
    assert "No effect was measured: each lever needs measurements without it and with it." in page


def test_a_lever_that_saves_nothing_leaves_two_tables(tmp_path: Path) -> None:
    levers = LEDGER["ledger/p/levers.yaml"] + "named: {title: Named, configuration: longer, sets: {name: x}}\n"
    found = sections(files_of(plant(tmp_path, changed(levers=levers)))["docs/p/fit.md"])["Levers"]
    names = ["Half", "Quarter", "Fewer"]
    assert [row[0] for row in found] == ["Lever", *names, "Named", "Lever", *names]
    assert found[5] == ["Lever", "Part", "Saves, as stated", "Frees on Maker Middle", "Slow-down"]


def test_times_name_the_input_that_would_settle_them(page: str, tables: dict[str, list[list[str]]]) -> None:
    """Three epochs of two hours, of which 40% take twice as long, and the other 60% up to half as long again."""
    times = rows(tables["Time"])
    assert times["Plain"] == ["2", "2 h", "–", "–", "4 h"]
    assert times["Longer"] == ["3", "2 h", "–", "–", "6 h"]
    assert times["Thrifty"][:3] == ["3", "2 h", "6 h"]
    assert "Fewer: by how much is not stated" in times["Thrifty"][3]
    assert times["Thrifty"][4] == "8.4–10.2 h"
    told = page.split("## Time")[1]
    assert "`p.configurations.plain.time.training`, which belongs to `ledger/p/configurations.yaml:" in told
    assert "time.serving" not in told


def test_the_picture_stacks_the_parts_below_the_limit(tmp_path: Path) -> None:
    shown = picture(tmp_path)
    assert shown is not None
    assert [(row.label, row.have, row.verdict) for row in shown.rows][:3] == [
        ("Plain", 20.0, "tight"),
        ("Longer", 20.0, "tight"),
        ("Thrifty", 20.0, "fits"),
    ]
    assert [(part.name, part.amount) for part in shown.needed(shown.rows[2])] == [("Server", 5.0), ("Trainer", 4.5)]
    assert "Plain needs 19 GiB (Server 10 GiB, Trainer 9 GiB) and is tight" in shown.alt
    assert [(limit.label, limit.level) for limit in shown.limits] == [("limit", 18.0)]


def test_a_pool_that_its_parts_fill_is_drawn_as_its_parts(tmp_path: Path) -> None:
    text = """\
one:
  title: One
  memory:
    pool: {title: Pool, share: 50%}
    weights: {title: Weights, gib: 6, within: pool}
    rest: {title: Rest, reckoned: rest, within: pool}
"""
    shown = picture(
        tmp_path, changed(configurations=text, levers="", project=with_sections("      Memory: [memory]\n"))
    )
    assert shown is not None
    assert [(part.name, part.amount) for part in shown.needed(shown.rows[0])] == [("Weights", 6.0), ("Rest", 4.0)]


def test_a_page_without_memory_draws_no_picture(tmp_path: Path) -> None:
    assert picture(tmp_path, changed(project=with_sections("      Cards: [fit]\n"))) is None


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    text = """\
one:
  title: One
  hours: unknown
  memory:
    weights: {title: Weights, reckoned: weights}
    cache: {title: Cache}
"""
    pages = {"project": with_sections("      Memory: [memory, memory.dark]\n      Cards: [fit]\n      Time: [times]\n")}
    page = files_of(plant(tmp_path, changed(configurations=text, levers="", **pages)))["docs/p/fit.md"]
    table = rows(sections(page)["One on Maker Middle"])
    assert table["Weights"] == ["by formula: not known", "–", "–"]
    assert table["Cache"] == ["not stated", "–", "–"]
    assert table["**Verdict**"][0] == "**not known**"
    assert "`p.configurations.one.model`" in page
    assert "`p.configurations.one.hours`" in page
    assert "The catalogue does not state the memory of Maker Dark." in page
    assert "- Smallest card for One: not known" in page
    assert "configurations-on" not in page


def test_without_a_reserve_the_page_says_so(tmp_path: Path) -> None:
    text = LEDGER["ledger/p/project.yaml"].replace("reserve_gib: 2\n", "")
    page = files_of(plant(tmp_path, changed(project=text)))["docs/p/fit.md"]
    assert "20 GiB can be used; no reserve is stated." in plain(page)
    assert rows(sections(page)["Plain on Maker Much"])["To stay free"] == ["no reserve is stated", "–", ""]
    assert "No reserve is stated: a configuration fits where it needs no more than there is." in page
    assert rows(sections(page)["Cards"])["Maker Middle"][1] == "● **fits**<br>1"


def test_the_first_page_has_the_verdicts_and_the_memory_that_no_page_shows(tmp_path: Path) -> None:
    project = LEDGER["ledger/p/project.yaml"].split("pages:")[0]
    page = files_of(plant(tmp_path, changed(project=project)))["docs/p/index.md"]
    tables = sections(page)
    assert rows(tables["P: memory and time"])["Plain"] == ["19 GiB", "1 GiB", "**no, too tight**", "4 h"]
    assert rows(tables["Apart"])["**Needed**"][1] == "**16**"


def test_every_numeral_on_configurations_is_traced(tmp_path: Path) -> None:
    book, problems = calculate(load(plant(tmp_path, LEDGER))[0])
    assert problems == []
    assert stray_lines(present(book, [ROOT / "templates"], lambda path: None, marked)) == {}


HOSTILE = """<b>x</b> | `y` [a](javascript:b) {{ 7 }} \\n```"""


def test_nothing_of_a_ledger_acts_in_the_blocks(tmp_path: Path) -> None:
    quoted = '"' + HOSTILE.replace("\\", "\\\\") + '"'
    text = LEDGER["ledger/p/configurations.yaml"]
    for word in ("title: Plain", "title: Server", "title: Trainer", "title: Longer", "title: Thrifty"):
        text = text.replace(word, f"title: {quoted}")
    text = text.replace("'a: b'", quoted).replace("plain.yaml", quoted)
    levers = LEDGER["ledger/p/levers.yaml"].replace("title: Half", f"title: {quoted}")
    page = files_of(plant(tmp_path, changed(configurations=text, levers=levers)))["docs/p/fit.md"]
    outside = re.sub(r"(`{3,})yaml\n.*?\n\1\n", "", page, flags=re.DOTALL)
    assert "<b>" not in outside
    assert not re.search(r"(?<!\\)\]\(javascript", outside)
    lines = [line for line in outside.splitlines() if line.startswith("|")]
    assert all(not re.search(r"(?<!\\)`y`", line) for line in lines if "<code>" not in line)
    for heads, cells in (
        (line, lines[at + 2]) for at, line in enumerate(lines[:-2]) if lines[at + 1].startswith("|---")
    ):
        assert heads.count("|") == cells.count("|")
    fence = next(one for _, one in re.findall(r"(`{3,})yaml\n(.*?)\n\1\n", page, re.DOTALL) if "name:" in one)
    assert sum(line.startswith("name: ") for line in fence.splitlines()) == 1


def test_projects_stand_under_one_heading_of_the_navigation(files: dict[str, str]) -> None:
    lines = files["docs/nav.yml"].splitlines()
    assert [line for line in lines if re.match(r"  - ", line)] == [
        "  - Portfolio: index.md",
        "  - Projects:",
        "  - Catalogue: catalog.md",
    ]
    assert lines[4:7] == ['      - "P":', "          - Overview: p/index.md", '          - "Will it fit?": p/fit.md']


def test_the_title_of_the_picture_says_what_the_largest_need_leaves(tmp_path: Path) -> None:
    shown = picture(tmp_path)
    assert shown
    assert shown.title == "19 GiB on Maker Middle is tight: 1 GiB free of the 2 GiB reserve"
    assert [limit.level for limit in shown.limits] == [18]
