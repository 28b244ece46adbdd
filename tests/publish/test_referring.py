"""A page as it is kept: by hand-written pages, and all pages of two ledgers read by a site and by a forge."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import ndiff
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import markdown
import pytest

from reckon.cli import main
from reckon.publish.reference_links import FRONT, all_as_kept, as_kept, as_made
from reckon.publish.site_markup import laid_out
from tests.reading import ROOT, files_of
from tests.small import SMALL, plant

BODY = """<!-- Made by `budget render`. -->

# A

| Item | Hours |
|---|---:|
| Total | [36 GPU-h](derivations.md#demo.budget.final) of [40](../catalog.md#allocations.grant.left) |

See the [findings](findings.md), [stated ones](derivations.md#stated-figures) and
[36 GPU-h](derivations.md#demo.budget.final). \\[no\\](derivations.md#demo.x) and `[no](derivations.md#demo.y)`
[`2026-01.yaml:3`](https://forge.example/team/budget/blob/main/ledger/demo/runs/2026-01.yaml#L3)

```
[no](derivations.md#demo.z)
```
"""
KEPT = """<!-- Made by `budget render`. -->

# A

| Item | Hours |
|---|---:|
| Total | [36 GPU-h][budget.final] of [40][allocations.grant.left] |

See the [findings](findings.md), [stated ones](derivations.md#stated-figures) and
[36 GPU-h][budget.final]. \\[no\\](derivations.md#demo.x) and `[no](derivations.md#demo.y)`
[`2026-01.yaml:3`][2026-01.yaml#L3]

```
[no](derivations.md#demo.z)
```

[2026-01.yaml#L3]: https://forge.example/team/budget/blob/main/ledger/demo/runs/2026-01.yaml#L3
[allocations.grant.left]: ../catalog.md#allocations.grant.left
[budget.final]: derivations.md#demo.budget.final
"""


def test_a_page_is_kept_without_front_matter_and_its_links_stand_at_the_end() -> None:
    assert as_kept(f'---\ntitle: "A"\nhide: [toc]\n---\n\n{BODY}', "demo/index.md") == KEPT
    assert as_kept(KEPT, "demo/index.md") == KEPT  # nothing is left to do
    assert as_made(KEPT) == BODY
    assert as_made(BODY) == BODY


def test_a_page_without_figures_is_only_bared() -> None:
    plainly = "# A\n\n---\n\nA rule is no front matter. [B](b.md)\n"
    assert as_kept(plainly, "demo/index.md") == plainly
    assert as_kept(f"---\ntitle: A\n---\n{plainly}", "index.md") == plainly


def test_a_label_that_two_addresses_would_have_is_longer_for_both() -> None:
    """On the page of a project, `demo.` goes from its own addresses; labels are read without regard to capitals."""
    text = "[1](#demo.a.b) [2](derivations.md#a.b) [3](derivations.md#demo.c.D) [4](#c.d)\n"
    assert as_kept(text, "demo/own.md") == (
        "[1][demo.a.b] [2][derivations.md#a.b] [3][demo.c.D] [4][#c.d]\n\n"
        "[#c.d]: #c.d\n[demo.a.b]: #demo.a.b\n[demo.c.D]: derivations.md#demo.c.D\n"
        "[derivations.md#a.b]: derivations.md#a.b\n"
    )


@cache
def made() -> dict[str, str]:
    return {path: text for path, text in files_of(ROOT, known=True).items() if path.endswith(".md")}


def site(text: str) -> str:
    extensions = ["admonition", "attr_list", "md_in_html", "tables", "toc", "pymdownx.quotes", "pymdownx.superfences"]
    return markdown.markdown(text, extensions=extensions, extension_configs={"pymdownx.quotes": {"callouts": True}})


def forge(text: str) -> str:
    """The page as GitHub's parser makes it."""
    import cmarkgfm as gfm

    options = gfm.Options.CMARK_OPT_UNSAFE | gfm.Options.CMARK_OPT_FOOTNOTES
    html: str = gfm.markdown_to_html_with_extensions(text, options, ["table", "strikethrough", "tasklist"])
    return html


READERS = [site, *([forge] if find_spec("cmarkgfm") else [])]


@pytest.mark.full
@pytest.mark.parametrize("read", READERS)
def test_a_page_is_read_as_before_it_was_kept(read: Callable[[str], str]) -> None:
    """Texts and links, byte by byte; the derivations, which are large, by a forge alone."""
    for path, text in made().items():
        if read is forge or "derivations" not in path:
            before = FRONT.sub("", text, count=1).lstrip("\n")
            assert read(as_kept(text, path.removeprefix("docs/"))).rstrip() == read(before).rstrip(), path


@pytest.mark.full
def test_what_is_staged_of_a_kept_page_is_what_is_staged_of_the_page() -> None:
    for path, text in made().items():
        name = path.removeprefix("docs/")
        kept = laid_out(as_made(as_kept(text, name)), name)
        whole = laid_out(text, name)
        assert FRONT.sub("", kept, count=1).strip() == FRONT.sub("", whole, count=1).strip()


def test_pages_read_well_in_their_source() -> None:
    """No front matter; no table right behind another, or without room around it; no link to a figure in a line."""
    for path, text in all_as_kept(made(), "docs"):
        assert text.startswith("<!-- Made by `"), path
        assert not re.search(r"\]\((?:[^()\s]*(?:derivations|catalog)\.md)?#[^()\s]*\.[^()\s]*\)", text), path
        lines = text.splitlines()
        for at, line in enumerate(lines):
            above = lines[at - 1] if at else ""
            assert not line.startswith("#") or not above, f"{path}:{at + 1}: a heading without room"
            if line.startswith("|") and not above.startswith("|"):
                assert not above, f"{path}:{at + 1}: a table without room"
                said = next((before for before in reversed(lines[:at]) if before), "")
                assert not said.startswith("|"), f"{path}:{at + 1}: a table right behind another"


def test_a_changed_figure_changes_its_own_lines_alone(tmp_path: Path) -> None:
    """Hours of an item differ, and with them what follows from them: no line of the addresses does."""
    plant(tmp_path, SMALL)
    main(["render", "--root", str(tmp_path)])
    page = tmp_path / "docs/demo/index.md"
    before = page.read_text("utf-8").splitlines()
    assert any(line.startswith("[budget.final]: ") for line in before)
    plan = SMALL["ledger/demo/plan.yaml"]
    plant(tmp_path, {"ledger/demo/plan.yaml": plan.replace("gpu_hours: 10", "gpu_hours: 11", 1)})
    main(["render", "--root", str(tmp_path)])
    moved = [line for line in ndiff(before, page.read_text("utf-8").splitlines()) if line[0] in "+-"]
    assert moved
    assert not [line for line in moved if line[2:].startswith("[")]
    more = "    more: {title: More, scope: one-time, gpu_hours: 1}\n"
    plant(tmp_path, {"ledger/demo/plan.yaml": f"{plan.rstrip()}\n{more}"})
    main(["render", "--root", str(tmp_path)])
    now = page.read_text("utf-8").splitlines()
    more_of_it = [line for line in ndiff(before, now) if line[0] in "+-" and line[2:].startswith("[")]
    assert more_of_it
    assert [line for line in more_of_it if not line.startswith("+ [plan.more.")] == []
