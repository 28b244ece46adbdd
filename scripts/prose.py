"""What the project says to people, line by line: pages, templates, messages, scripts of the site, ledgers, workflows.

Code, links, comments and names in backquotes are left out; a value that is filled in stands as `⟨x⟩`, a name in
backquotes as `⟨c⟩`. Released pages stay as they were, and are not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import String

GENERATED = ("messages.md", "reference.md", "commands.md")
"""Pages of the guide that are made from what the engine says."""
TEXT_KEYS = frozenset(
    ("title", "text", "why", "note", "notes", "description", "message", "remedy", "means", "do", "name", "summary")
)
"""Keys of YAML whose values are read as texts."""
FENCE = re.compile(r"\s*(?:```|~~~)")
COMMENT = re.compile(r"<!--.*?-->|\{#.*?#\}", re.DOTALL)
STATEMENT = re.compile(r"\{%.*?%\}", re.DOTALL)
EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
BEGINNING = re.compile(r"(?:#{1,6}|[-*+]|\d+\.|\||>)(?=\s)|\|")
"""How a line begins that does not go on with the one before it."""
REFERENCE = re.compile(r"\[[^\]]+\]:\s")
CODE, TARGET, TAG = re.compile(r"`[^`]*`"), re.compile(r"\](?:\([^)]*\)|\[[^\]]*\])"), re.compile(r"<[^>]+>")
QUERY = re.compile(r"\b(?:SELECT|CREATE|INSERT|WHERE|JOIN|GROUP BY)\b")
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")


class Line(NamedTuple):
    """A line of text that people read: what kind of source it is of, its file and line, and the text."""

    source: str
    path: Path
    number: int
    text: str


def read_prose(root: Path) -> Iterator[Line]:
    """Every line of text of a checkout that people read, source by source, in order of files."""
    for path in _files(root, "templates/**/*.j2"):
        yield from _lines("templates", path, read_markdown(path.read_text("utf-8")))
    for path in _files(root, "reckon/**/*.py"):
        yield from _lines("engine", path, read_strings(path.read_text("utf-8")))
    for path in _files(root, "docs/assets/**/*.js"):
        if "vendor" not in path.parts:
            yield from _lines("site scripts", path, read_script(path.read_text("utf-8")))
    for path in _files(
        root, "README.md", "CHANGELOG.md", "changes/0.*.md", "RELEASING.md", "SECURITY.md", "starter/*.md"
    ):
        yield from _lines("front pages", path, read_markdown(path.read_text("utf-8")))
    for path in _files(root, "docs/guide/*.md"):
        source = "guide, generated" if path.name in GENERATED else "guide"
        yield from _lines(source, path, read_markdown(path.read_text("utf-8")))
    for path in _files(root, "ledger/**/*.yaml", "starter/ledger/**/*.yaml"):
        if not {"releases", "imported"} & {*path.parts}:
            yield from _lines("ledgers", path, read_yaml(path.read_text("utf-8")))
    for path in _files(root, "starter/.g*/**/*.yml", "starter/.gitlab-ci.yml", ".github/**/*.yml", "action.yml"):
        yield from _lines("workflows", path, read_yaml(path.read_text("utf-8")))
    for path in _files(root, "docs/*.md", "docs/*/*.md"):
        if not {"guide", "releases"} & {*path.parts} and not path.name.startswith("derivations"):
            yield from _lines("pages", path, read_markdown(path.read_text("utf-8")))


def _files(root: Path, *patterns: str) -> list[Path]:
    return sorted({path for pattern in patterns for path in root.glob(pattern)})


def _lines(source: str, path: Path, texts: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for number, text in texts:
        yield Line(source, path, number, text)


def read_markdown(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of a page, or of the template of one, each as one line; headings, items of lists and rows of
    tables are paragraphs of their own."""
    for pattern in (COMMENT, STATEMENT, FRONT):
        text = pattern.sub(_blank, text)
    text = EXPRESSION.sub(lambda found: "⟨x⟩" + _blank(found), text)
    is_code = False
    first, parts = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_fence = FENCE.match(line) is not None
        is_code = is_code != is_fence
        is_prose = not (is_fence or is_code or REFERENCE.match(line))
        plain = TAG.sub(" ", TARGET.sub("]", CODE.sub("⟨c⟩", line))).strip() if is_prose else ""
        if parts and (not plain or BEGINNING.match(plain) or (BEGINNING.match(parts[-1]) and parts[-1][0] in "#|")):
            yield first, " ".join(parts)
            parts = []
        if plain:
            first = first if parts else number
            parts.append(plain)


def _blank(found: re.Match[str]) -> str:
    """The line ends of what is left out, so that lines keep their numbers."""
    return "\n" * found.group().count("\n")


def read_strings(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a Python module that are texts: of more than a word, and neither documentation nor a query."""
    tree = ast.parse(text)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
            yield from _text_of(node.lineno, "".join(map(_piece, node.values)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from _text_of(node.lineno, node.value)


def _piece(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "⟨x⟩"


def read_script(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a script of the site that are texts."""
    number = 1
    for kind, part in JavascriptLexer().get_tokens(text):
        if kind in String:
            yield from _text_of(number, part.strip("'\"`"))
        number += part.count("\n")


def _text_of(number: int, text: str) -> Iterator[tuple[int, str]]:
    plain = " ".join(CODE.sub("⟨c⟩", text).split())
    if " " in plain and len(WORD.findall(plain)) > 1 and not QUERY.search(plain):
        yield number, plain


def read_yaml(text: str) -> Iterator[tuple[int, str]]:
    """The texts of a YAML file: values of keys that hold one, and scalars of several lines."""
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return
    if document is not None:
        yield from _texts_below(document, "")


def _texts_below(node: yaml.Node, key: str) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _texts_below(value, str(name.value))
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _texts_below(value, key)
    elif key in TEXT_KEYS:
        yield from _text_of(node.start_mark.line + 1, str(node.value))
