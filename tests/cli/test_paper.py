"""Editions on paper: tagged, with their fonts, the same bytes from any folder, sealed with the release; and drafts."""

from __future__ import annotations

import importlib.util
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reckon.extras import install
from reckon.model.release import checksum
from reckon.present.charts import Drawing
from reckon.present.paper import blocks, typeset
from reckon.present.paper.blocks import Blocks, NotTypeset, Paper, PaperHead, Row
from tests.commands import given
from tests.released import tree
from tests.small import SMALL, plant

pytest.importorskip("typst")
pypdf = pytest.importorskip("pypdf")

FORGE = "https://github.com/team/budgets"
CI = {"ledger/tree.yaml": f"format: 2\npages: ci\nforge: {{address: {FORGE}}}\n"}
PDF = "docs/pixelis/releases/1.0.1/pixelis-1.0.1.pdf"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'


def release(root: Path, *words: str) -> str:
    done = given(root, "release", "pixelis", "1.0.1", "-m", "For a funder.", "--date", "2025-09-01", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def pixelis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pixelis as it was published, released once more with an edition on paper."""
    root = plant(tree(tmp_path_factory.mktemp("pixelis")), CI)
    release(root, "--pdf", "--as-published")
    return root


def nodes(node: Any) -> Iterator[Any]:
    """The elements of a tree of tags."""
    kids = node.get("/K", [])
    for kid in kids if isinstance(kids, list) else [kids]:
        kid = kid.get_object() if hasattr(kid, "get_object") else kid
        if isinstance(kid, dict) and "/S" in kid:
            yield kid
            yield from nodes(kid)


def fonts(pages: Any) -> Iterator[Any]:
    for page in pages:
        found = [page["/Resources"]]
        for resources in found:
            inner = (form.get_object() for form in resources.get("/XObject", {}).values())
            found += [form["/Resources"] for form in inner if "/Resources" in form]
            yield from (font.get_object() for font in resources.get("/Font", {}).values())


def told(reader: Any) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def test_an_edition_of_pixelis_is_two_tagged_pages_with_their_fonts(pixelis: Path) -> None:
    reader = pypdf.PdfReader(pixelis / PDF)
    assert len(reader.pages) == 2
    assert {tuple(map(round, page.mediabox[2:])) for page in reader.pages} == {(595, 842)}
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"].startswith("en")
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_object().get_data()
    tags = list(nodes(root["/StructTreeRoot"]))
    kinds = [tag["/S"] for tag in tags]
    assert {"/H1", "/H2", "/P", "/Table", "/TH", "/TD", "/L", "/Link"} <= {*kinds}
    figures = [tag for tag in tags if tag["/S"] == "/Figure" and "/Alt" in tag]
    assert [str(tag["/Alt"])[:40] for tag in figures] == ["The budget adds up from one-time 5 GPU-h"]
    used = list(fonts(reader.pages))
    assert {str(font["/BaseFont"]).partition("+")[2] for font in used} == {"ReckonSans-Regular", "ReckonSans-SemiBold"}
    for font in used:
        described = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]
        assert {"/FontFile2", "/FontFile3"} & {*described}


def test_it_says_verdict_phases_method_risks_and_history(pixelis: Path) -> None:
    reader = pypdf.PdfReader(pixelis / PDF)
    text = told(reader)
    said = (
        "Version 1.0.1, as published 2025-09-01, with data through 2025-08-13. For a funder.",
        "Verdict",
        "2,335 GPU-h with extensions",
        "Phase 1: offline training 890",
        "Final budget 1,535",
        "Method",
        "contingency is 15% of the subtotal",
        "Risks",
        "Memory runs out",
        "1 / 2",
        "2 / 2",
        "Pixelis, version 1.0.1, 2025-09-01",
    )
    places = [text.find(words) for words in said]
    assert -1 not in places, [words for words, at in zip(said, places, strict=True) if at < 0]
    assert reader.metadata.creation_date.date().isoformat() == "2025-09-01"
    assert "draft" not in text.lower()


def test_the_same_bytes_from_another_folder(pixelis: Path, tmp_path: Path) -> None:
    other = plant(tree(tmp_path / "elsewhere" / "deeper"), CI)
    release(other, "--pdf", "--as-published")
    assert checksum((other / PDF).read_bytes()) == checksum((pixelis / PDF).read_bytes())


def test_a_link_leads_to_the_pages_of_the_release(pixelis: Path) -> None:
    address = f"{FORGE}/blob/main/docs/pixelis/releases/1.0.1/index.md"
    (link,) = (each.get_object() for each in pypdf.PdfReader(pixelis / PDF).pages[0]["/Annots"])
    assert link["/A"]["/URI"] == address


def test_it_is_sealed_with_the_release_and_linked_from_it(pixelis: Path, tmp_path: Path) -> None:
    snapshot = json.loads((pixelis / "ledger/pixelis/releases/1.0.1.json").read_text("utf-8"))
    assert snapshot["pages"][PDF] == checksum((pixelis / PDF).read_bytes())
    page = (pixelis / PDF).with_name("index.md").read_text("utf-8")
    assert "[On paper](pixelis-1.0.1.pdf)" in page
    again = given(pixelis, "release", "pixelis", "1.0.1", "-m", "Again.", "--pdf", "--as-published")
    assert again.returncode == 2
    assert "is already released and never changes" in again.stderr
    assert given(pixelis, "check", "--fail-on", "never").returncode == 0
    whole = (pixelis / PDF).read_bytes()
    try:
        (pixelis / PDF).write_bytes(whole + b"%")
        done = given(pixelis, "check", "--fail-on", "never")
        assert done.returncode == 1
        assert f"{PDF}:1:1: this page of release 1.0.1 was changed" in done.stdout + done.stderr
    finally:
        (pixelis / PDF).write_bytes(whole)


HOSTILE = '#panic() $x^2$ \\ @ref <label> *b* _i_ `c` // /* #read("/etc/passwd") [ ] { } = - ~ \''


def test_text_of_a_ledger_is_no_markup(tmp_path: Path) -> None:
    quoted = HOSTILE.replace("'", "''")
    files = {
        **SMALL,
        "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"].replace("Demo", f"'{quoted}'"),
        "ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("First phase", f"'{quoted}'"),
    }
    root = plant(tmp_path, files)
    done = given(root, "release", "demo", "1.0", "-m", "#panic()", "--draft", "out.pdf")
    assert (done.returncode, done.stdout) == (0, "wrote out.pdf\n")
    assert {path.name for path in root.iterdir()} == {"ledger", "out.pdf"}
    reader = pypdf.PdfReader(root / "out.pdf")
    assert reader.metadata.title == f"{HOSTILE}: compute budget"
    text = told(reader)
    assert text.count(HOSTILE) >= 2
    assert "Draft of version 1.0: not released. From the ledger with data through 2026-02-02." in text
    assert all("draft" in page.extract_text().lower() for page in reader.pages)
    assert reader.metadata.creation_date.date().isoformat() == "2026-02-02"


def test_letters_that_the_fonts_lack_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    files = {**SMALL, **CI, "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"].replace("Demo", "演示")}
    root = plant(tmp_path, files)
    done = given(root, "release", "demo", "1.0", "-m", "Why.", "--date", "2026-03-01", "--pdf")
    assert done.returncode == 2
    assert "have letters that the fonts on paper lack: U+6F14, U+793A; they have Latin" in done.stderr
    assert not (root / "docs").exists()
    assert not (root / "ledger/demo/releases").exists()


def test_without_typst_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "typst" else found(name, *more)
    )
    root = plant(tmp_path)
    for words in (("--pdf",), ("--draft", "out.pdf")):
        done = given(root, "release", "demo", "1.0", "-m", "Why.", *words)
        assert done.returncode == 2
        assert done.stderr == f"the package typst is needed and not installed; to get it: {install('typst')}\n"
    assert given(root, "release", "demo", "1.0", "-m", "Why.", "--pdf", "--draft", "a.pdf").returncode == 2


def paper(parts: Blocks, title: str = "T") -> Paper:
    return Paper(title, "budget", "Draft.", "T, draft", PaperHead("1.0", "2026-01-01", draft=True), parts)


def test_a_picture_without_text_is_refused() -> None:
    parts = Blocks()
    for alt in ("", " \n\u200b"):
        with pytest.raises(NotTypeset, match="the picture waste has no text that says what it shows"):
            parts.picture("waste", SVG, alt, 80)
    parts.picture("waste", SVG, "A square.", 80)
    assert b"/Figure" in typeset.pdf(paper(parts))


def test_typst_refuses_a_picture_without_text_too() -> None:
    parts = Blocks()
    parts.parts.append({"is": "picture", "svg": SVG, "alt": None, "width": 80, "least": 80})
    with pytest.raises(NotTypeset, match="missing alt text"):
        typeset.pdf(paper(parts))


def test_a_release_with_a_picture_without_text_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path, {**SMALL, **CI})
    monkeypatch.setattr("reckon.present.pages.draw", lambda picture: Drawing(SVG, "{}"))
    monkeypatch.setattr("reckon.present.paper.edition.pictures", untold)
    done = given(root, "release", "demo", "1.0", "-m", "Why.", "--date", "2026-03-01", "--pdf")
    assert done.returncode == 2
    assert "the picture budget-waterfall has no text" in done.stderr
    assert not (root / "docs").exists()


def untold(*_: object) -> dict[str, Any]:
    class Untold:
        alt = ""

    return {"budget-waterfall": Untold()}


@pytest.mark.full
@pytest.mark.parametrize("many", [0, 3, 100])
@pytest.mark.parametrize("letters", ["Wort ", "WWWWWWWWW ", "W", "i"])
def test_a_document_is_never_more_than_four_pages(letters: str, many: int) -> None:
    """As long as everything may be: what is longer is cut."""
    word, parts = letters * 10_000, Blocks()
    tall = SVG.replace('height="9"', 'height="90"', 1)
    parts.paragraph(word)
    parts.table(["H" * 99] * 4, [Row([word] * 4)] * many, "<>>>")
    parts.picture("a", tall, word, 86)
    parts.table(["H" * 99] * 3, [Row([word] * 3)] * many, "<<<", wide=True)
    parts.picture("b", tall, word, 86)
    for _ in range(9):
        parts.heading(word)
        parts.prose(f"{word}\n\n- {word}\n- {word}")
        parts.bullets([word] * 100)
    reader = pypdf.PdfReader(io.BytesIO(typeset.pdf(paper(parts, word))))
    assert len(reader.pages) <= 4
    assert re.search(r"more points: see the pages|There is more than four pages have room for", told(reader))


@pytest.mark.parametrize(
    ("markdown", "flat"),
    [
        ("**a** [b](c.md) `d` \\*e", "a b d *e"),
        ("a ** b", "a b"),
        ("[[x]](y)", "[[x]](y)"),
        ("  a\n\tb\u200b ", "a b"),
    ],
)
def test_marks_of_markdown_are_left_out(markdown: str, flat: str) -> None:
    assert re.sub(" +", " ", blocks.flat(markdown)) == flat


def test_what_stands_out_stands_out() -> None:
    assert blocks.spans("a **b `c`** d") == [("a ", False), ("b c", True), (" d", False)]
