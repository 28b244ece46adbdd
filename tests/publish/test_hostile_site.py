"""A stranger's change to the site runs nothing and reads nothing: what it was after is in no output, page or site.

Each way in is tried with every command that reads settings or pages. What is kept from it is a word in a file beside
the tree, in the environment, and in what git keeps; it is looked for as it is, reversed and in base64.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.publish import package_files
from tests.small import plant

CANARY = "canary-5f0c2a91-of-the-runner"
TOUCHED = "touched"
RUNS = f"!!python/object/apply:os.system ['touch {TOUCHED}; echo $CANARY > docs/assets/told']"
HOOK = f"open({TOUCHED!r}, 'w').close()\n"
INHERITS = "INHERIT: docs/nav.yml\nsite_name: S\n"


def link(name: str, target: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            path.rename(root / f"was-{path.name}")
        path.unlink(missing_ok=True)
        path.symlink_to(target.replace("TOP", str(root.parent)))

    return make


def text(**files: str) -> Callable[[Path], None]:
    return lambda root: plant(root, {name.replace("__", "/").replace("_", "."): text for name, text in files.items()})  # type: ignore[return-value]


def settings(lines: str) -> Callable[[Path], None]:
    ours = package_files.part("settings").read_text("utf-8").replace("  - pymdownx.superfences\n", "")
    return lambda root: plant(
        root,
        {
            "mkdocs.yml": ours + lines,
            "hook.py": HOOK,
            "main.html": "{{ config }}",
            "docs/guide/x.md": '# X\n\n--8<-- "TOP/secret"\n'.replace("TOP", str(root.parent)),
        },
    )  # type: ignore[return-value]


# What is wrong with the settings: `check` has to tell it.
OF_SETTINGS: dict[str, Callable[[Path], None]] = {
    "code in the settings": text(mkdocs_yml=f"{INHERITS}site_description: {RUNS}\n"),
    "code in the order": text(mkdocs_yml=INHERITS, docs__nav_yml=f"nav:\n  - {RUNS}\n"),
    "settings in the order": text(
        mkdocs_yml=INHERITS, docs__nav_yml="nav: [index.md]\nhooks: [hook.py]\n", hook_py=HOOK
    ),
    "a variable": text(mkdocs_yml=f"{INHERITS}copyright: !ENV CANARY\n"),
    "a hook": settings("hooks: [hook.py]\n"),
    "a theme of its own": text(
        mkdocs_yml=f"{INHERITS}theme: {{name: material, custom_dir: theirs}}\n",
        theirs__main_html="{{ cycler.__init__.__globals__.os.popen('touch touched') }}",
    ),
    "a template": settings("extra_templates: [guide/x.md]\n"),
    "a snippet": settings("  - pymdownx.snippets: {restrict_base_path: false, base_path: [/]}\n"),
    "a picture as data": settings("  - pymdownx.b64: {base_path: /}\n"),
    "a function": settings(
        "  - pymdownx.superfences:\n      custom_fences:\n"
        "        - {name: x, class: x, format: !!python/name:os.system }\n"
    ),
    "a docs_dir": text(mkdocs_yml="{site_name: S, docs_dir: ..}"),
    "an inheritance": text(mkdocs_yml="{site_name: S, INHERIT: ../secret}"),
    "settings that are a link": link("mkdocs.yml", "TOP/secret.yml"),
}
# Links that a site would be made of.
LINKS: dict[str, Callable[[Path], None]] = {
    "a file of assets": link("docs/assets/x.txt", "TOP/secret"),
    "the environment": link("docs/assets/x.txt", "/proc/self/environ"),
    "a folder of assets": link("docs/assets/x", "TOP/away"),
    "the folder of assets": link("docs/assets", "TOP/away"),
    "a page of the guide": link("docs/guide/x.md", "TOP/secret"),
    "the guide": link("docs/guide", "TOP/away"),
    "docs": link("docs", "TOP/away"),
    "a project's pages": link("docs/demo", "TOP/away"),
    "releases": link("docs/demo/releases", "TOP/away"),
    "what git keeps": link("docs/assets/x.txt", "../../.git/config"),
    "a folder of git": link("docs/assets/x", "../../.git"),
    "a template": link("templates/history.md.j2", "TOP/secret"),
    "shared records": link("ledger/allocations.yaml", "TOP/secret.yml"),
    "runs": link("ledger/demo/runs", "TOP/away"),
    "the ledger": link("ledger", "TOP/away"),
}
COMMANDS = (
    ["check"],
    ["check", "--format", "github"],
    ["render", "--check", "--diff"],
    ["review"],
    ["render", "--out", "TOP/staged"],
    ["build"],
    ["release", "demo", "2", "-m", "W"],
    ["render"],
)


def forms(word: str) -> Iterator[str]:
    """A word as it is, reversed, and as it comes out of base64 at each place of its three letters."""
    for one in (word, word[::-1]):
        yield one
        for before in range(3):
            raw = base64.b64encode(b"x" * before + one.encode()).decode()
            yield raw[4 : len(raw) - 4]


@pytest.fixture
def hostile(rendered: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with what is to be kept in it and around it."""
    top = rendered.parent
    secret = {
        "secret": CANARY,
        "secret.yml": f"site_name: {CANARY}\n{CANARY}: {{title: {CANARY}}}\n",
        "away/x.md": f"# {CANARY}\n",
        f"away/{CANARY}.md": f"# {CANARY}\n",
        "away/x.yaml": f"- {CANARY}\n",
        "tree/.git/config": f"{CANARY}: 1\n",
    }
    plant(top, secret)
    plant(rendered, {"docs/guide/start.md": "# Start\n", "docs/assets/a.txt": "a"})
    assert main(["render", "--root", str(rendered)]) == 0
    monkeypatch.setenv("CANARY", CANARY)
    monkeypatch.chdir(rendered)
    return rendered


def leaked(root: Path, said: str) -> list[str]:
    """Where the word came out, beside the places that it was put in."""
    top = root.parent
    kept = {top / "secret", top / "secret.yml", root / ".git/config"}
    files = [Path(folder, name) for folder, _, names in os.walk(top) for name in names]
    found = [path for path in files if not path.is_symlink() and path not in kept and top / "away" not in path.parents]
    texts = {"output": said, **{str(path): f"{path.name} {path.read_bytes().decode('latin-1')}" for path in found}}
    return [name for name, text in texts.items() if any(form in text for form in forms(CANARY))]


@pytest.mark.parametrize("name", OF_SETTINGS)
def test_settings_of_a_stranger_are_told_and_run_nothing(
    hostile: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    OF_SETTINGS[name](hostile)
    for words in COMMANDS:
        code = main([*(word.replace("TOP", str(hostile.parent)) for word in words), "--root", str(hostile)])
        said = "".join(capsys.readouterr())
        if words == ["review"]:
            assert code == 0
            assert "mkdocs.yml" in said or "docs/nav.yml" in said
        elif words == ["render"] and "order" in name:
            assert code == 0  # it writes that file anew
        else:
            assert code == 2, words
            assert any(f"{file}{end}" in said for file in ("mkdocs.yml", "docs/nav.yml") for end in (":", ",")), said
        assert leaked(hostile, said) == []
        assert not list(hostile.parent.rglob(TOUCHED)), words
        assert "Traceback" not in said
    assert not (hostile / "site").exists()
    assert not (hostile.parent / "staged").exists()


@pytest.mark.full
@pytest.mark.parametrize("name", OF_SETTINGS)
@pytest.mark.usefixtures("zensical")
def test_another_builder_sees_no_settings_of_a_stranger(
    hostile: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    OF_SETTINGS[name](hostile)
    assert main(["build", "--builder", "zensical", "--root", str(hostile)]) == 2
    said = "".join(capsys.readouterr())
    assert any(f"{file}{end}" in said for file in ("mkdocs.yml", "docs/nav.yml") for end in (":", ",")), said
    assert leaked(hostile, said) == []
    assert not list(hostile.parent.rglob(TOUCHED))
    assert not (hostile / "site").exists()


@pytest.mark.full
@pytest.mark.usefixtures("zensical")
def test_a_page_of_a_stranger_leads_another_builder_to_no_file(
    hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top = hostile.parent
    page = f'---\nhooks: [hook.py]\n---\n# X\n\n--8<-- "{top}/secret"\n\n{{{{ config }}}} $CANARY\n'
    settings = package_files.part("settings").read_text("utf-8")
    plant(hostile, {"mkdocs.yml": settings, "docs/guide/x.md": page, "hook.py": HOOK})
    assert main(["build", "--builder", "zensical", "--root", str(hostile)]) == 0
    assert "{{ config }} $CANARY" in (hostile / "site/guide/x/index.html").read_text("utf-8")
    assert leaked(hostile, "".join(capsys.readouterr())) == []
    assert not list(top.rglob(TOUCHED))


@pytest.mark.full
@pytest.mark.parametrize("name", LINKS)
def test_links_of_a_stranger_lead_nowhere(hostile: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    LINKS[name](hostile)
    for words in COMMANDS:
        code = main([*(word.replace("TOP", str(hostile.parent)) for word in words), "--root", str(hostile)])
        said = "".join(capsys.readouterr())
        if "--out" in words or words == ["build"]:
            assert code in (1, 2), words
            assert "link" in said or "lead" in said or "not a folder" in said, said
        assert leaked(hostile, said) == []
        assert "Traceback" not in said
    assert not (hostile / "site").exists()
    assert not (hostile.parent / "staged").exists()


def test_the_order_of_a_tree_without_settings_is_not_read(hostile: Path) -> None:
    plant(hostile, {"docs/nav.yml": f"nav:\n  - {RUNS}\n"})
    assert main(["build", "--root", str(hostile)]) == 0
    assert not list(hostile.parent.rglob(TOUCHED))
    assert leaked(hostile, "") == []


def test_a_site_is_not_written_through_a_link(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (hostile.parent / "elsewhere").mkdir()
    (hostile / "site").symlink_to(hostile.parent / "elsewhere")
    assert main(["build", "--root", str(hostile)]) == 2
    assert capsys.readouterr().err.startswith("site leads out of the root; ")
    assert list((hostile.parent / "elsewhere").iterdir()) == []


def test_who_trusts_a_tree_may_run_what_is_in_it(hostile: Path) -> None:
    """Of one's own: with the order of the pages that was rendered, though none lies in the tree."""
    hook = "def on_page_markdown(markdown, **_):\n    return markdown + '\\nHooked.\\n'\n"
    plant(
        hostile,
        {
            "mkdocs.yml": f"{INHERITS}hooks: [hook.py]\nuse_directory_urls: !ENV [NONE, true]\n"
            "exclude_docs: /nav.yml\n",
            "hook.py": hook,
        },
    )
    (hostile / "docs/nav.yml").unlink()
    for path in (hostile / "docs").rglob("*"):
        if path.is_file() and path.parent.name not in ("guide", "assets"):
            path.unlink()
    assert main(["build", "--root", str(hostile)]) == 2
    assert main(["build", "--trust", "--root", str(hostile)]) == 0
    page = (hostile / "site/demo/index.html").read_text("utf-8")
    assert "Hooked." in page
    assert "Catalogue" in page
