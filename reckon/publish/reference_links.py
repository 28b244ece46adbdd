"""A page as it is kept in a tree, for who reads the file itself or sees it on a forge; a site takes it as it was made.

Front matter goes: a forge shows it as a table above the page, and what the builder of a site needs of it is put in when
that is staged. A link to a figure, or to a long address of a forge, is by reference (`[1,335 GPU-h][budget.final]`), so
that a table can be read in its source; where it leads stands at the end of the page. The label comes from where the
link leads and from nothing else, and the list is in order of labels: where a figure changes, its own line alone does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

LONG = 40
"""An address of another host with more letters than these is told at the end of the page."""

FRONT = re.compile(r"---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*\n", re.MULTILINE | re.DOTALL)

_FENCED = r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
_CODE = r"(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]|\n(?!\n))*?(?<!`)(?P=ticks)(?!`)"
PASSED = rf"{_FENCED}|{_CODE}|\\."
"""What of a page is taken as it stands: what is between fences, code, and signs behind a backslash."""

_TEXT = r"\[(?P<text>(?:[^\[\]\\`]|\\.|`[^`\n]*`)*+)\]"
_INLINE = re.compile(rf"{PASSED}|{_TEXT}\((?P<target>[^\s()<>\[\]\\`|]+)\)", re.MULTILINE | re.DOTALL)
_REFERRED = re.compile(rf"{PASSED}|{_TEXT}\[(?P<label>[^\s\[\]\\`|]+)\]", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"\[(?P<label>[^\s\[\]\\`|]+)\]: (?P<target>[^\s()<>\[\]\\`|]+)")
_FIGURES = re.compile(r"|(?:.*/)?(?:derivations(?:-\d+)?|catalog)\.md")


def as_kept(markdown: str, path: str) -> str:
    """The text of a page as it stands in its file; `path` is relative to docs/."""
    front = FRONT.match(markdown)
    text = markdown[front.end() :].lstrip("\n") if front else markdown
    links = [link for link in _INLINE.finditer(text) if link["target"]]
    labels = _labels(dict.fromkeys(link["target"] for link in links), PurePosixPath(path).parts[0])
    if not labels:
        return text
    pieces, end = list[str](), 0
    for link in links:
        if label := labels.get(link["target"]):
            pieces += text[end : link.start()], f"[{link['text']}][{label}]"
            end = link.end()
    body = "".join([*pieces, text[end:]]).rstrip("\n")
    return "\n".join([body, "", *sorted(f"[{label}]: {target}" for target, label in labels.items()), ""])


def all_as_kept(pages: Mapping[str, str], home: str) -> Iterator[tuple[str, str]]:
    """Files by path below the root, each page among them as it is kept; all others stay. One by one: pages of many
    projects fill the memory, and most are only compared."""
    for path, text in pages.items():
        yield path, as_kept(text, path.removeprefix(f"{home}/")) if path.endswith(".md") else text


def _labels(targets: Iterable[str], project: str) -> dict[str, str]:
    """The labels of those addresses that are told at the end of a page: the shortest that no other has."""
    names = {target: some for target in targets if (some := list(_names(target, f"{project}.")))}
    labels: dict[str, str] = {}
    while names:
        by_name = defaultdict[str, list[str]](list)
        for target, (name, *_) in names.items():
            by_name[name.casefold()].append(target)
        taken = {label.casefold() for label in labels.values()}
        alone = {its[0]: names[its[0]][0] for key, its in by_name.items() if len(its) == 1 and key not in taken}
        labels |= alone
        names = {target: rest for target, (_, *rest) in names.items() if target not in alone and rest}
    return labels


def _names(target: str, own: str) -> Iterator[str]:
    """What an address may be called on a page, the shortest first; nothing for one that stays where it is."""
    page, _, anchor = target.partition("#")
    if "://" in target:
        path = target.partition("://")[2].split("/")
        if len(target) > LONG and "?" not in target and path[-1]:
            yield from (path[-1], "/".join(path[-2:]), target)
    elif _FIGURES.fullmatch(page) and "." in anchor:
        yield from dict.fromkeys((anchor.removeprefix(own), anchor, target))


def as_made(markdown: str) -> str:
    """The text of a page with each link where it is followed, as it was before it was kept. Any other text stays."""
    body, blank, end = markdown.rstrip("\n").rpartition("\n\n")
    lines = [_LINE.fullmatch(line) for line in end.split("\n")]
    targets = {line["label"]: line["target"] for line in lines if line}
    if not blank or len(targets) < len(lines):
        return markdown

    def follow(link: re.Match[str]) -> str:
        target = targets.get(link["label"] or "")
        return f"[{link['text']}]({target})" if target else link[0]

    return f"{_REFERRED.sub(follow, body)}\n"
