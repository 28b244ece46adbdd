"""`propose`: lists what is proposed, drafts a proposal from its estimates, or adopts one into the ledger."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load import reader, value_edits
from reckon.load.run_format import scalar
from reckon.model.kinds import PROPOSALS
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Proposal
from reckon.model.release import numeric
from reckon.model.scalars import ID
from reckon.present.render.numbers import figure_text
from reckon.present.versions.estimate_proposals import ALL, TITLE, from_estimates
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from . import clock, proposal_results
from .arguments import Parser
from .books import figures_of, load_sound_book, read_texts, refusal, sound
from .output import CommandError, no_such, program, progress, say
from .transaction import Draft, asked_project, run_transaction

Put: TypeAlias = tuple[str, tuple[str, ...], str, bool]
"""A file, the keys that lead to a value in it, the value, and whether it is a word."""
DRAFT = "own-estimates"
SCHEMA = "# yaml-language-server: $schema=../../.schema/proposals.schema.json\n"
EPILOG = """\
A proposal is a file of its own, ledger/PROJECT/proposals/ID.yaml: values by address, each
with a reason. It is calculated and shown on a page of its own, and counts nowhere else
until it is adopted. Without --from-estimates and --adopt, all proposals are listed."""


def declare_propose(parser: Parser) -> None:
    """The command line of `propose`."""
    parser.does(propose, _goes_together, EPILOG)
    parser.option("project", "PROJECT", "the project (default: the only one)", nargs="?")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("--from-estimates", action="store_true", help="draft a plan from the project's estimates")
    does.add_argument("--adopt", metavar="ID", help="write a proposal into the ledger; remove its file")
    parser.option("--id", "ID", f"with --from-estimates: its id (default: {DRAFT})")
    parser.option("--by", "NAME", "with --from-estimates: who proposes it")
    parser.option(
        "--for",
        "VERSION",
        "with --adopt: version that includes it (default: the next unreleased one)",
        dest="version",
    )


def _goes_together(parser: Parser, options: Namespace) -> None:
    if (options.id or options.by) and not options.from_estimates:
        parser.error("--id and --by need --from-estimates")
    if options.version and not options.adopt:
        parser.error("--for needs --adopt")


def propose(options: Namespace) -> None:
    """Lists, drafts or adopts. Raises CommandError where it cannot."""
    root, project_id = options.root, asked_project(options)
    if options.from_estimates:
        run_transaction(root, project_id, lambda book: _drafted(root, book, project_id, options))
    elif options.adopt:
        run_transaction(root, project_id, lambda book: _adopted(root, book, project_id, options))
    else:
        _list(root, project_id)


def _list(root: Path, project_id: str) -> None:
    found = sound(proposal_results.proposed(root, load_sound_book(root), [project_id]))
    lines = [f"{each.id}: {each.record.title}\n  not approved: {each.said}" for each in found.get(project_id, ())]
    say("\n".join(lines).splitlines() or [f"{project_id} has no proposals"])


def _drafted(root: Path, book: Book, project_id: str, options: Namespace) -> Draft:
    """The proposal that the estimates of a project ask for. Raises CommandError where they ask for nothing."""
    name = options.id or DRAFT
    if not ID.fullmatch(name):
        raise CommandError(f"`{name[:60]}` is not a proposal id; use lower-case letters, digits and single dashes")
    path = f"ledger/{project_id}/{PROPOSALS.id}/{name}.yaml"
    if (root / path).exists():
        raise CommandError(f"{path} already exists; name another with --id, or remove it")
    found = from_estimates(book, project_id)
    if not found:
        raise CommandError(f"no line of the plan of {project_id} is below its estimate; there is nothing to propose")
    head = {"title": TITLE, "by": options.by, "date": f"{clock.current_time():%Y-%m-%d}"}
    lines = [f"{key}: {scalar(value, key != 'date')}" for key, value in head.items() if value]
    lines.append("changes:")
    for address, to, reason in found:
        lines += [f"  {address}:", f"    to: {scalar(to, to == ALL)}", f"    reason: {scalar(reason, True)}"]
    text = SCHEMA + "".join(f"{line}\n" for line in lines)
    ledger = sound(reader.with_proposal(book.ledger, project_id, path, text))
    step = proposal_results.calculate_draft(root, book, ledger, project_id, name)
    adopt = f"Not approved. To adopt it: {program()} propose {project_id} --adopt {name}"
    return Draft([FileChange(path, None, text)], [f"{path}: {step.said}", adopt])


def _adopted(root: Path, book: Book, project_id: str, options: Namespace) -> Draft:
    """The ledger with a proposal written into it, and without its file. Raises CommandError where it does not take
    it."""
    own = book.projects[project_id]
    if options.adopt not in own.proposals:
        raise CommandError(no_such("proposal", options.adopt, own.proposals, f"`{program()} propose` shows them"))
    ledger, problems, spots = reader.proposed(root, book.ledger, project_id, options.adopt)
    after, more = calculate(ledger)
    if problems or more:
        raise refusal([*problems, *more])
    if all(change.was == change.value for change in ledger.changes):
        raise CommandError(f"the ledger already has all of {options.adopt}; remove its file")
    version = options.version or _next(own)
    path = f"ledger/{project_id}/{PROPOSALS.id}/{options.adopt}.yaml"
    puts: list[Put] = [(*spots[change.address], change.value, False) for change in ledger.changes]
    puts += _reasons(own, own.proposals[options.adopt], version)
    texts = {name: (root / name).read_bytes().decode("utf-8-sig") for name in book.ledger.files}
    made = _put_values(texts, puts)
    del made[path]
    _verify_files(made, after, project_id, options.adopt)
    files = sorted(name for name in made if made[name] != texts[name])
    changes = [FileChange(name, journal.current(root, name), made[name]) for name in files]
    changes.append(FileChange(path, journal.current(root, path), None))
    said = f"Adopted {options.adopt} for {version}: {', '.join(files)}; removed {path}"
    return Draft(changes, [said, f"Next: {program()} render"])


def _reasons(own: ProjectLedger, record: Proposal, version: str) -> Iterator[Put]:
    """What is put into project.yaml: the version that brings a proposal, where it is new, and the reasons below it."""
    head, versions = f"ledger/{own.id}/project.yaml", {str(name): entry for name, entry in own.project.versions.items()}
    if numeric(version) is None:
        raise CommandError(f"`{version[:60]}` is not a version; write numbers with dots between, as 1.1.0")
    if version not in versions:
        yield head, ("versions", version, "status"), "pending", True
        yield head, ("versions", version, "note"), record.title, True
    elif versions[version].status == "released":
        raise CommandError(f"{version} is released and never changes; name another version with --for")
    for address, change in record.changes.items():
        yield head, ("versions", version, "reasons", address), str(change.reason), True


def _next(own: ProjectLedger) -> str:
    """The first version under `versions` that is not released. Raises CommandError where there is none."""
    entries = own.project.versions.items()
    found = sorted((numeric(name) or (), str(name)) for name, entry in entries if entry.status != "released")
    if not found:
        raise CommandError("all `versions` are released; name a new one, such as --for 1.1.0")
    return found[0][1]


def _put_values(texts: Mapping[str, str], puts: Iterable[Put]) -> dict[str, str]:
    """The files with some values put into them. Raises CommandError where one does not take its value."""
    made = dict(texts)
    for file, keys, value, word in puts:
        try:
            made[file] = value_edits.put_value(made[file], keys, value, word)
        except value_edits.NoPlace as why:
            raise CommandError(f"{file} has no place for `{'.'.join(keys)}`: {why}; write it by hand") from None
    return made


def _verify_files(made: Mapping[str, str], after: Book, project_id: str, name: str) -> None:
    """Makes sure that the files say what was proposed, and nothing else. Raises CommandError."""
    with progress("Trying the ledger"):
        found = sound(read_texts(made))
    wanted, figures = figures_of(after), figures_of(found)
    if wanted != figures:
        at = next((at for at in wanted if wanted[at] != figures.get(at)), project_id)
        said = f"{figure_text(after[at])} is proposed there" if at in wanted else "it differs"
        raise CommandError(f"the ledger cannot adopt {name} as written ({at}: {said}); edit it by hand")
