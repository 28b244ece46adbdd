"""`guide`, `why`, `template` and `schema`: what comes with the program, for whoever has it installed alone."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from reckon.language.text import echoed
from reckon.model.finding import nearest
from reckon.model.pages import template_names
from reckon.model.rules import current_id
from reckon.present.navigation import GUIDE
from reckon.publish import files, package_files

from .arguments import Parser
from .output import FINE, CommandError, no_such, program, say, told_stale, written

ENDING = ".md.j2"


def declare_guide(parser: Parser) -> None:
    """The command line of `guide`."""
    parser.does(guide)
    parser.option("page", "PAGE", "page to print, such as start or language", nargs="?")


def guide(options: Namespace) -> None:
    """Prints a page of the guide in markdown, or lists all of them."""
    pages = {path.removeprefix("guide/").removesuffix(".md"): title for path, title in GUIDE.items()}
    if options.page is None:
        wide = max(map(len, pages))
        say(f"{name:<{wide}}  {title}" for name, title in pages.items())
        say(["", f"Print a page: {program()} guide language"])
        return
    name = options.page.removesuffix(".md")
    if name not in pages:
        raise CommandError(f"there is no page `{echoed(name)}`; {nearest(name, pages, short=len(pages))}")
    print((package_files.part("guide") / f"{name}.md").read_bytes().decode(), end="")


def declare_why(parser: Parser) -> None:
    """The command line of `why`."""
    parser.does(why)
    parser.option("code", "CODE", "code of a problem, such as no-such-item, or id of a finding")


def why(options: Namespace) -> None:
    """Prints what the guide says of a code: what it means, an example, what to do."""
    page = (package_files.part("guide") / "messages.md").read_bytes().decode()
    name = current_id(options.code.strip("[]")).partition(":")[0]
    sections = dict(re.findall(r"^### ([a-z0-9-]+)\n\n(.*?)(?=^##|\Z)", page, flags=re.MULTILINE | re.DOTALL))
    rows = _rows_by_code(page)
    if name in sections:
        say([name, "", *sections[name].rstrip().splitlines()])
    elif name in rows:
        say([name, *(line for row in rows[name] for line in ("", *row))])
    else:
        raise CommandError(no_such("code", options.code, [*rows, *sections], "all of them: `budget guide messages`"))


def _rows_by_code(page: str) -> dict[str, list[list[str]]]:
    """The rows of the tables of messages by their code, each as lines: the head of a column, and what stands there."""
    rows: dict[str, list[list[str]]] = {}
    heads: list[str] = []
    for line in page.splitlines():
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if cells[0] == "Code":
            heads = cells[1:]
        elif coded := re.fullmatch(r"(?:<a id=\S+></a>)?`([a-z0-9-]+)`", cells[0]):
            told = [f"{head}: {cell}" for head, cell in zip(heads, cells[1:], strict=True) if cell]
            rows.setdefault(coded[1], []).append(told)
    return rows


def declare_template(parser: Parser) -> None:
    """The command line of `template`."""
    parser.does(template)
    parser.option("name", "NAME", "template to print, such as budget/summary", nargs="?")


def template(options: Namespace) -> None:
    """Prints the shipped template of a name, or lists all of them and those of the tree."""
    folders = package_files.template_folders(options.root)
    ours = _names(folders[-1])
    own = _names(folders[0]) if len(folders) > 1 else ()
    if options.name is None:
        now = {template_names(name)[0]: name for name in own}
        say(f"{name}{f'   replaced by templates/{now[name]}{ENDING}' if name in now else ''}" for name in ours)
        say(f"{now[name]}   your own: used only where another template names it" for name in now if name not in ours)
        return
    name, *_ = template_names(options.name.removesuffix(ENDING))
    if name not in ours:
        raise CommandError(no_such("template", name, ours, "list all: `budget template`"))
    print((folders[-1] / f"{name}{ENDING}").read_bytes().decode(), end="")


def _names(folder: Path) -> list[str]:
    found = (file.relative_to(folder).as_posix() for file in folder.rglob(f"*{ENDING}") if file.is_file())
    return sorted(path.removesuffix(ENDING) for path in found)


def declare_schema(parser: Parser) -> None:
    """The command line of `schema`."""
    parser.does(schema)
    parser.flag("--check", "write nothing; list outdated files (exit code 1)")


def schema(options: Namespace) -> int:
    """Writes the schemas of ledger files, or says which are stale."""
    from reckon.load.schema import HOME, schema_files

    if not (options.root / "ledger").is_dir():
        raise CommandError("there is no folder `ledger` under the root; run `budget init DIR`, or name one with --root")
    made = schema_files(options.root)
    differences = files.compare(options.root, made, home=HOME)
    if options.check:
        return told_stale(differences, False, f"Fix: run {program()} schema")
    files.settle(options.root, differences, HOME)
    say(written(differences, len(made)))
    return FINE
