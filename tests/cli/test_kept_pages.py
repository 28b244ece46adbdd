"""What `render` takes of what was kept: drawings and compiled templates. Counted, and the same to the byte without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from jinja2.environment import Environment

from reckon import entry, user_cache
from reckon.cli import drawing, main
from reckon.present.charts import drawer
from reckon.present.charts.words import FONT
from reckon.present.render.printing import Printer
from reckon.present.sandbox import COMPILED, Within
from reckon.present.template_cache import remembered
from reckon.present.templating import environment_of
from reckon.present.word_templates import load_words
from reckon.user_cache import MOST_DRAWINGS, Aids, Store
from tests.present.samples import SAMPLES
from tests.reading import ROOT
from tests.small import SMALL, plant

RUN = "- {date: 2026-02-03, item: train, seed: 2, gpus: 2, wall_hours: 4, status: out-of-memory}\n"
TWO = SMALL | {
    name.replace("/demo/", "/other/"): text.replace("Demo", "Second").replace("hours: 40", "hours: 41")
    for name, text in SMALL.items()
    if "/demo/" in name
}
PICTURES = 5
"""Of the small ledger."""
Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache, and a process that has compiled nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(COMPILED, "_codes", {})
    load_words.cache_clear()
    return tmp_path / "cache" / "budget-ledger"


def draw_here(specifications: Sequence[str]) -> list[str]:
    """As where no other process can begin."""
    return drawer.svgs(str(FONT), specifications)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The specifications that are drawn, each time that one is; here, and not by other processes."""
    found: list[str] = []
    real = drawer.svgs

    def counted(font: str, specifications: list[str]) -> list[str]:
        found.extend(specifications)
        return real(font, specifications)

    monkeypatch.setattr(drawer, "svgs", counted)
    monkeypatch.setattr(drawing, "_draw_in_process", draw_here)
    return found


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the templates that are compiled, each time that one is."""
    found: list[str] = []
    real = Environment.compile

    def counted(self: Environment, source: str, name: str | None = None, *more: object) -> object:
        found.append(str(name))
        return real(self, source, name, *more)  # type: ignore[call-overload]

    monkeypatch.setattr(Environment, "compile", counted)
    return found


def aids(program: str = "this") -> Aids:
    return Aids(None, Store("drawings", MOST_DRAWINGS), Store("templates", 8, program))


def rendered(root: Path, with_: Aids | None = None, *words: str) -> Files:
    assert main(["render", "--root", str(root), *words], with_ or aids()) == 0
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / "docs").rglob("*.*"))}


def forget() -> None:
    """As a new process: nothing is compiled."""
    COMPILED._codes.clear()
    load_words.cache_clear()


def test_after_one_run_was_added_only_pictures_that_show_it_are_drawn(tmp_path: Path, drawn: list[str]) -> None:
    root = plant(tmp_path / "tree", TWO)
    before = rendered(root)
    assert len(drawn) == len([name for name in before if name.endswith(".svg")]) == 2 * PICTURES
    drawn.clear()
    runs = root / "ledger/other/runs/2026-02.yaml"
    was = runs.read_text("utf-8")
    runs.write_text(was + RUN, "utf-8")
    after = rendered(root)
    changed = {Path(name) for name in after if name.endswith(".svg") and after[name] != before.get(name)}
    assert len(drawn) == len(changed) > 2
    assert {path.parts[1] for path in changed} == {"other"}
    assert not any("Demo" in specification for specification in drawn)
    drawn.clear()
    assert rendered(root) == after
    runs.write_text(was, "utf-8")
    assert rendered(root) == before, "back again"
    assert drawn == []


def test_pictures_are_the_same_without_what_was_kept(tmp_path: Path, drawn: list[str]) -> None:
    root = plant(tmp_path / "tree")
    kept = [rendered(root), rendered(shutil.copytree(root / "ledger", tmp_path / "again" / "ledger").parent)]
    assert len(drawn) == PICTURES
    fresh = shutil.copytree(root / "ledger", tmp_path / "fresh" / "ledger").parent
    assert kept == [rendered(fresh, Aids())] * 2
    assert len(drawn) == 2 * PICTURES


def test_other_processes_draw_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever draws, and in whatever order: one process or several, or this one."""
    pictures = [SAMPLES[name] for name in ("One step", "Near", "Some bars", "Memory")]
    monkeypatch.setattr(drawing, "FEW", 3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert [len(share) for share in drawing.deal(["a", "b", "c", "d"])] == [2, 2]

    def never(*_: object) -> list[str]:
        raise AssertionError("other processes draw")

    with monkeypatch.context() as patched, drawing.draw_beside(pictures) as wait:
        patched.setattr(drawer, "svgs", never)
        beside = wait()
    monkeypatch.setattr(drawing, "_draw_in_process", draw_here)
    with drawing.draw_beside(pictures[::-1]) as wait:
        assert list(wait())[::-1] == list(beside)


@pytest.mark.parametrize("python", ["/nowhere/python", "/bin/false"])
def test_where_no_other_process_draws_this_one_does(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(drawer, "svgs", lambda font, some: asked.extend(some) or ["<svg></svg>"] * len(some))
    with drawing.draw_beside([SAMPLES["Near"]]) as wait:
        assert "<svg" in wait()[0].svg
    assert len(asked) == 1


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that are begun to draw."""
    found: list[subprocess.Popen[bytes]] = []
    begin = subprocess.Popen

    def noted(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        found.append(begin(*words, **more))
        return found[-1]

    monkeypatch.setattr(drawing.subprocess, "Popen", noted)
    return found


def test_a_process_that_draws_ends_with_who_asked(begun: list[subprocess.Popen[bytes]]) -> None:
    with pytest.raises(KeyError), drawing.draw_beside([SAMPLES["Near"]]):
        raise KeyError
    assert begun
    assert all(each.returncode is not None for each in begun), "waited for: nothing of it is left"


def test_templates_are_compiled_once(tmp_path: Path, compiled: list[str]) -> None:
    root = plant(tmp_path / "tree")
    first = rendered(root)
    assert len(compiled) == len(set(compiled)) > 20
    compiled.clear()
    forget()
    assert rendered(root) == first
    assert compiled == []
    forget()
    assert rendered(root, aids("another version of the program")) == first
    assert len(compiled) > 20


def test_templates_of_a_tree_are_compiled_each_time_and_never_kept(tmp_path: Path, compiled: list[str]) -> None:
    own = "{% include 'shipped/status.md.j2' %}\nOurs.\n"
    root = plant(tmp_path / "tree", {**SMALL, "templates/status.md.j2": own})
    first = rendered(root)
    assert b"\nOurs.\n\n[" in first["docs/demo/status.md"]
    for _ in range(2):
        compiled.clear()
        forget()
        assert rendered(root) == first
        assert compiled == ["status.md.j2"]
    (root / "templates/status.md.j2").write_text("Others.\n", "utf-8")
    forget()
    assert rendered(root)["docs/demo/status.md"] == b"Others.\n"


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9] + b"forged it")


def close(path: Path) -> None:
    path.parent.chmod(0o777)


def open_(path: Path) -> None:
    path.unlink()
    path.mkdir()


def garble(path: Path) -> None:
    """With the right checksum, but nothing that was ever kept."""
    user_cache.keep(str(path), b"\x00 nothing", 99)


@pytest.mark.full
@pytest.mark.parametrize("harm", [spoil, close, open_])
def test_what_others_could_have_kept_is_not_taken(
    harm: Callable[[Path], None], tmp_path: Path, cache: Path, drawn: list[str], compiled: list[str]
) -> None:
    root = plant(tmp_path / "tree")
    first = rendered(root)
    for path in [*(cache / "drawings").iterdir(), *(cache / "templates").iterdir()]:
        harm(path)
    shutil.rmtree(root / "docs")
    counts = len(drawn), len(compiled)
    forget()
    assert rendered(root) == first
    assert (len(drawn), len(compiled)) == (2 * counts[0], 2 * counts[1])


def test_a_drawing_that_is_none_is_drawn(tmp_path: Path, cache: Path, drawn: list[str]) -> None:
    root = plant(tmp_path / "tree")
    first = rendered(root)
    for path in (cache / "drawings").iterdir():
        garble(path)
    shutil.rmtree(root / "docs")
    assert rendered(root) == first
    assert len(drawn) == 2 * PICTURES


def test_templates_that_are_none_are_compiled(tmp_path: Path, cache: Path, compiled: list[str]) -> None:
    root = plant(tmp_path / "tree")
    first = rendered(root)
    count = len(compiled)
    for path in (cache / "templates").iterdir():
        garble(path)
    shutil.rmtree(root / "docs")
    forget()
    assert rendered(root) == first
    assert len(compiled) == 2 * count


def test_a_template_that_does_not_work_keeps_nothing_of_the_tree(tmp_path: Path, cache: Path) -> None:
    root = plant(tmp_path / "tree", {**SMALL, "templates/status.md.j2": "{{ nothing }}\n"})
    assert main(["render", "--root", str(root)], aids()) == 2
    assert not (cache / "templates").exists() or not any((cache / "templates").iterdir())


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        (["render"], (True, True)),
        (["build"], (True, True)),
        (["render", "--check"], (False, True)),
        (["render", "--redraw"], (False, True)),
        (["check"], (False, False)),
        (["render", entry.ANEW], (False, True)),
    ],
)
def test_who_may_take_what_was_kept(
    words: list[str], taken: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is true is worked out, checked and drawn anew for whoever asks that; CI takes nothing."""
    handed: list[Aids] = []
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("sys.argv", ["budget", *words])
    monkeypatch.setattr("reckon.cli.main", lambda words, aids: handed.append(aids) or 0)
    monkeypatch.setattr(entry, "find_root", lambda words: (_ for _ in ()).throw(entry.Unkept))
    entry.main()
    (found,) = handed
    assert (found.drawings is not None, found.templates is not None) == taken
    assert (found.steps is not None) == taken[0]
    monkeypatch.setenv("CI", "true")
    assert not entry._shows_pages(words)


def test_all_templates_of_the_program_can_be_kept(cache: Path) -> None:
    """Compiled, all of them together are smaller than what is kept at most."""
    folder = ROOT / "templates"
    environment = environment_of(Within([str(folder)]), Printer(""), ())
    store = Store("templates", 8)
    with remembered(folder, store):
        for path in folder.rglob("*.j2"):
            environment.get_template(path.relative_to(folder).as_posix())
    forget()
    with remembered(folder, store):
        assert len(COMPILED._codes) == len([*folder.rglob("*.j2")])
