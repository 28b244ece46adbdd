"""The search for levers: what is found by hand, that nothing cheaper is missed, and overrides that can be read back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.compute.choosing.memory import FITS
from reckon.compute.fitting.effective_settings import Configured, derived, is_same_setting
from reckon.compute.fitting.search import LeverSearch
from reckon.compute.fitting.verdict import slowdown_of
from reckon.load.reader import load
from tests.fitting import FITTING
from tests.small import plant
from tests.trying import examples
from tests.work import work

reused = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))


def book_of(root: Path, **changed: str) -> Book:
    files = {**FITTING, **{f"ledger/p/{name}.yaml": text for name, text in changed.items()}}
    ledger, problems = load(plant(root, files))
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return book


def search(book: Book, name: str = "short") -> LeverSearch:
    return LeverSearch(book.figures, book.ledger, book.ledger.projects["p"], name)


def test_the_cheapest_levers_for_the_middle_card(tmp_path: Path) -> None:
    """35.2 + 8 GiB of 44, 2 to stay free: 1.2 GiB too much. A smaller batch frees 1 GB, 0.93 GiB: not enough."""
    one = search(book_of(tmp_path)).on("middle")
    assert one.found
    # half: 1 + 40% x (1 / 0.8 - 1) = 1.1 times as long; checkpointing: 1 + 60% x 50% = 1.3 times
    assert one.found.levers == ("half",)
    assert one.found.hours
    assert one.found.hours.use == Fraction("1.1")
    # 22 GiB, and not 14 GB less once more
    assert one.found.figures["need_gib"].use == 30
    assert one.found.overrides.yaml == "server.share: 0.5\n"
    assert one.unstated == ()


POOLED = {
    "configurations": """\
usual: {title: Usual, settings: {share: 0.5}, memory: {pool: {pool: share}, held: {gib: 25, within: pool}}}
short: {title: Short, base: usual}
""",
    "levers": """\
all: {title: All, part: held, saves: 20%, throughput_lower: 20%}
some: {title: Some, part: held, saves: 10%, throughput_lower: 10%}
""",
}


def test_a_lever_is_found_for_a_pool_that_is_too_small_for_what_is_in_it(tmp_path: Path) -> None:
    """Half of the middle card are 22 GiB: 25 less a tenth are 22.5, less a fifth 20."""
    one = search(book_of(tmp_path, **POOLED)).on("middle")
    assert one.found
    assert one.found.levers == ("all",)
    book = book_of(tmp_path / "more", **{**POOLED, "configurations": POOLED["configurations"].replace("25", "32")})
    one = search(book).on("middle")
    # Both leave 32 x 0.8 x 0.9 = 23.04.
    assert one.found is None
    assert one.nearest
    assert one.nearest.levers == ("all", "some")
    assert one.lacking_gib
    assert one.lacking_gib.use == Fraction("1.04")


def test_what_is_missing_on_the_small_card(tmp_path: Path) -> None:
    """Half of 16, and 12 x 0.75 less 1 GB needed, 2 to stay free: 19 GiB - 1 GB, of 16."""
    text = FITTING["ledger/p/configurations.yaml"].replace("gib: 8", "gib: 12")
    one = search(book_of(tmp_path, configurations=text)).on("small")
    assert one.found is None
    assert one.nearest
    assert one.nearest.levers == ("checkpointing", "half", "batch")
    assert one.lacking_gib
    assert one.lacking_gib.use == 8 + 9 - Fraction(10**9, 2**30) + 2 - 16


def test_the_smallest_cards(tmp_path: Path) -> None:
    assert search(book_of(tmp_path)).smallest() == ("large", "small")
    text = FITTING["ledger/p/configurations.yaml"].replace("gib: 8", "gib: 12")
    assert search(book_of(tmp_path, configurations=text)).smallest() == ("large", "middle")
    text = FITTING["ledger/p/configurations.yaml"].replace("gib: 8", "gib: 99")
    assert search(book_of(tmp_path, configurations=text)).smallest() == ("", "")


def test_it_fits_as_it_is(tmp_path: Path) -> None:
    one = search(book_of(tmp_path)).on("large")
    assert one.found
    assert one.found.levers == ()


def test_which_levers_may_be_tried(tmp_path: Path) -> None:
    found = search(book_of(tmp_path)).candidates
    assert [one.name for one in found.effects] == ["checkpointing", "half", "batch"]
    assert found.left_out == {"vague": "what it saves is not stated"}
    # `other` names `long`; both it and `batch` set the batch, so they are never tried together
    long = search(book_of(tmp_path), "long")
    assert [one.name for one in long.candidates.effects] == ["checkpointing", "half", "batch", "other"]
    assert not any(
        {"batch", "other"} <= {one.name for one in state.levers} for state in long.weighing.lever_sets(Fraction(1))
    )


def test_a_lever_that_sets_what_an_applied_one_sets_is_left_out(tmp_path: Path) -> None:
    text = FITTING["ledger/p/configurations.yaml"].replace("  base: short", "  base: short\n  levers: [batch]")
    found = search(book_of(tmp_path, configurations=text), "long").candidates
    assert found.left_out["other"] == "it sets what batch sets already"


def test_a_slow_down_that_is_not_stated_counts_as_worse_than_any_that_is(tmp_path: Path) -> None:
    text = FITTING["ledger/p/levers.yaml"].replace(", throughput_lower: 20%", "")
    one = search(book_of(tmp_path, levers=text)).on("middle")
    assert one.found
    assert one.found.levers == ("checkpointing",)
    text = text.replace("saves: 25%", "saves: 1%")
    one = search(book_of(tmp_path, levers=text)).on("middle")
    assert one.found
    assert (one.found.levers, one.unstated) == (("half",), ("half",))


def test_without_shares_the_time_is_judged_by_its_upper_bound(tmp_path: Path) -> None:
    text = FITTING["ledger/p/configurations.yaml"].replace("  time: {training: 60%, serving: 40%}\n", "")
    one = search(book_of(tmp_path, configurations=text)).on("middle")
    assert one.found
    assert one.bounded
    assert one.found.levers == ("half",)
    assert one.found.hours
    assert one.found.hours.value.high == Fraction("1.25")


def test_an_unknown_part_is_named(tmp_path: Path) -> None:
    text = FITTING["ledger/p/configurations.yaml"].replace("gib: 8", "gib: unknown")
    one = search(book_of(tmp_path, configurations=text)).on("middle")
    assert (one.best, one.missing) == (None, ("p.configurations.short.memory.trainer.gib",))


def many(count: int, saves: str = "1 GiB", parts: int = 3) -> str:
    return "".join(
        f"l{one}: {{title: L{one}, sets: {{k{one}: 1}}, part: part{one % parts}, saves_gb: {saves}, "
        f"slows: training, slower: {one + 1}%}}\n"
        for one in range(count)
    )


def wide(parts: int = 3, size: int = 20) -> str:
    memory = ", ".join(f"part{one}: {{gib: {size}}}" for one in range(parts))
    return f"short: {{title: Short, hours: 1, time: {{training: 100%}}, memory: {{{memory}}}}}\n"


def test_twelve_levers_are_tried_in_every_set(tmp_path: Path) -> None:
    search_of = search(book_of(tmp_path, configurations=wide(), levers=many(12)))
    # 60 GiB of 44 less 2: 18 must go, and twelve levers free 12
    found = search_of.on("middle")
    assert found.found is None
    assert found.lacking_gib
    assert found.lacking_gib.use == 6
    assert not found.greedy
    assert len(search_of.weighing.lever_sets(Fraction(1))) == 2**12
    assert search_of.trials.number == 2, "the sheet is written for the configuration as it is, and for what is nearest"


def test_a_lever_more_is_twice_the_work_and_no_more(tmp_path: Path) -> None:
    def on_middle(count: int) -> Callable[[], object]:
        search_of = search(book_of(tmp_path / str(count), configurations=wide(), levers=many(count)))
        return lambda: search_of.on("middle")

    on_middle(6)()
    assert work(on_middle(9)) < 2.5 * work(on_middle(8))


def test_the_cheapest_of_twelve(tmp_path: Path) -> None:
    found = search(book_of(tmp_path, configurations=wide(size=15), levers=many(12))).on("middle")
    assert found.found
    # 45 GiB, 42 to be had: three of them, and those that cost least
    assert found.found.levers == ("l0", "l1", "l2")


def test_more_than_twelve_levers_are_tried_one_after_the_other(tmp_path: Path) -> None:
    found = search(book_of(tmp_path, configurations=wide(size=15), levers=many(14))).on("middle")
    assert found.greedy
    assert found.found
    assert found.found.fitted.verdict
    assert found.found.fitted.verdict.use == FITS
    assert len(found.found.levers) == 3


shares, slow = st.integers(0, 99), st.integers(0, 200)
lever = st.tuples(
    st.sampled_from(["trainer", "held", "server", ""]),
    shares,
    st.integers(0, 9),
    st.integers(5, 95),
    st.sampled_from(["training", "serving", ""]),
    slow,
    shares,
)


def ledger_of(levers: list[tuple[str, int, int, int, str, int, int]], known: bool) -> dict[str, str]:
    lines = []
    for number, (part, saves, saved, pool, slows, slower, lower) in enumerate(levers):
        fields = [f"title: L{number}", f"sets: {{{'server.share' if part == 'server' else f'k{number}'}: 0.{pool:02}}}"]
        fields += [f"part: {part}", f"saves: {saves}%", f"saves_gb: {saved}"] if part else []
        fields += [f"slows: {slows}", f"slower: {slower}%", f"throughput_lower: {lower}%"] if slows else []
        lines.append(f"l{number}: {{{', '.join(fields)}}}\n")
    time = "time: {training: 60%, serving: 30%}" if known else "time: {training: unknown}"
    text = (
        "short:\n  title: Short\n  hours: 1\n  settings: {server.share: 0.8}\n"
        "  memory: {server: {pool: server.share}, trainer: {gib: 8}, held: {gib: 6, within: server}}\n  " + time + "\n"
    )
    return {"configurations": text, "levers": "".join(lines) or "none: {title: None}\n"}


@reused
@given(st.lists(lever, max_size=4), st.booleans())
def test_nothing_cheaper_is_missed_and_the_arithmetic_is_that_of_the_sheet(
    tmp_path: Path, levers: list[tuple[str, int, int, int, str, int, int]], known: bool
) -> None:
    """Every set of levers by the sheet: need, verdict and time are those of the weighing, and the first is cheapest."""
    one = search(book_of(tmp_path, **ledger_of(levers, known)))
    usable = Fraction(44 * 2**30)
    times = {}
    needs: dict[frozenset[str], Fraction] = {}
    for state in one.weighing.lever_sets(usable):
        names = tuple(effect.name for effect in state.levers)
        tried = one.trials("short", "middle", names)
        assert tried
        assert tried.fitted.verdict
        assert tried.hours
        need = tried.figures["need_gib"].use
        assert need is not None
        needs[frozenset(names)] = need
        assert need * 2**30 == one.weighing.need(state, usable)
        fits = tried.fitted.verdict.use == FITS
        assert fits == (one.weighing.lacking(state, usable) == 0)
        slower, bounded = one.weighing.time(state)
        time = tried.hours.value.high if bounded else tried.hours.use
        assert time == slower
        times[names] = (slower, len(names)) if fits else None
        # What is within a pool takes no more of the card than the pool.
        sizes = [tried.figures[key].use or 0 for key in ("server_gib", "memory.trainer.need_gib")]
        assert need == sum(sizes)
    # A lever that saves and makes no pool larger never raises the need.
    growing = {effect.name for effect in one.candidates.effects for _, share in effect.pools if share > Fraction("0.8")}
    for names, less in chain(((a, b) for a, b in combinations(needs, 2)), ((b, a) for a, b in combinations(needs, 2))):
        if names < less and not less & growing:
            assert needs[less] <= needs[names]
    fitting = [cost for cost in times.values() if cost]
    found = one.on("middle").found
    assert (found is None) == (not fitting)
    if found:
        assert times[found.levers] == min(fitting)


AWKWARD = [
    "true",
    "0.80",
    "1.10",
    "3600",
    "8-10",
    "<5",
    "-1",
    "~",
    "null",
    "a: b",
    "a:",
    "#x",
    "x #y",
    "- a",
    "-a",
    "'q'",
    '"',
    "[a",
    "{b",
    "50%",
    "*a",
    "&b",
    "!c",
    "@",
    "`",
    "? a",
    "<<",
    "---",
    "a, b",
]
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), min_size=1, max_size=12)
values = st.one_of(
    words.filter(str.strip),
    st.sampled_from(AWKWARD),
    st.lists(st.sampled_from(["a", "b, c", "d: e", "[", "f g"]), min_size=1, max_size=3),
)
maps = st.dictionaries(st.sampled_from(["alpha", "b.c", "d_e", "hours", "f-g", "yes", "on"]), values, max_size=5)


def quoted(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(quoted, value)) + "]"
    return "'" + str(value).replace("'", "''") + "'"


def lines(found: dict[str, object], indent: str) -> str:
    return "".join(f"{indent}{key}: {quoted(value)}\n" for key, value in found.items())


@reused
@given(maps, maps)
def test_overrides_read_back_with_the_base_give_the_same_settings(
    tmp_path: Path, base: dict[str, object], own: dict[str, object]
) -> None:
    text = "".join(
        f"{name}:\n  title: T\n{above}" + ("  settings:\n" + lines(found, "    ") if found else "")
        for name, above, found in (("short", "", base), ("long", "  base: short\n", own))
    )
    ledger, problems = load(plant(tmp_path, {**FITTING, "ledger/p/configurations.yaml": text}))
    assert problems == []
    one = ledger.projects["p"]
    overrides = derived(ledger, one, "long")
    wanted = Configured(one, "long").settings
    before = Configured(one, "short").settings
    differing = [
        key for key in wanted if key not in before or not is_same_setting(before[key].value, wanted[key].value)
    ]
    assert list(overrides.changes) == differing
    inner = "".join(f"    {line}\n" for line in overrides.yaml.splitlines())
    again = (
        text.partition("long:\n")[0] + "long:\n  title: T\n  base: short\n" + (f"  settings:\n{inner}" if inner else "")
    )
    ledger, problems = load(plant(tmp_path, {**FITTING, "ledger/p/configurations.yaml": again}))
    assert problems == []
    read = Configured(ledger.projects["p"], "long").settings
    assert set(read) == set(wanted)
    assert all(is_same_setting(read[key].value, wanted[key].value) for key in wanted)


def test_overrides_against_another_configuration_and_defaults(tmp_path: Path) -> None:
    text = FITTING["ledger/p/configurations.yaml"] + (
        "apart: {title: Apart, framework: frame, settings: {epochs: 2, timeout_seconds: 7200, extra: a b}}\n"
        "same: {title: Same, base: short, settings: {timeout_seconds: 3600}}\n"
    )
    book = book_of(tmp_path, configurations=text)
    one = book.ledger.projects["p"]
    found = derived(book.ledger, one, "apart", "short")
    assert found.yaml == "timeout_seconds: 7200\nextra: a b\n"
    assert found.lost == ("batch", "server.share", "name")
    # Back again the time-out is what the framework takes by itself.
    assert "timeout_seconds: 3600\n" in derived(book.ledger, one, "long", "apart").yaml
    assert derived(book.ledger, one, "same").changes == {}
    assert derived(book.ledger, one, "long").yaml == "epochs: 3\n"


def test_a_lever_that_may_stop_all_work_does_not_say_by_how_much(tmp_path: Path) -> None:
    """A throughput that is lower by 20 % or more may be none at all: no time can be told, and nothing fails."""
    levers = FITTING["ledger/p/levers.yaml"].replace("throughput_lower: 20%", "throughput_lower: 20%+")
    book = book_of(tmp_path, levers=levers)
    assert slowdown_of(book.figures, book.ledger.projects["p"], "half") is None
    assert search(book).on("small").unstated == ("half",)


@pytest.mark.parametrize("name", ["short", "long"])
def test_the_search_writes_nothing_into_the_ledger(tmp_path: Path, name: str) -> None:
    book = book_of(tmp_path)
    before = dict(book.figures)
    search(book, name).smallest()
    assert dict(book.figures) == before
    assert set(book.ledger.projects["p"].configurations) == {"short", "long"}
