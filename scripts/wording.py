"""Counts the words that the project does not use, in every text that people read.

    python scripts/wording.py [--show RULE] [--update] [--root FOLDER]

Prints the words read of each source, how long its sentences are, and how often each rule of `wording.yaml` is broken
there; with --show each place that breaks a rule, and what to write there. A banned word may stand where
`wording_counts.yaml` counts it, and nowhere else: a count may only fall, and --update lets it. The exit code is 1 where
a file has more than that.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from scripts.prose import WORD, Line, read_prose  # noqa: E402

RULES_FILE = Path(__file__).with_name("wording.yaml")
COUNTS_FILE = Path(__file__).with_name("wording_counts.yaml")
MARKDOWN = (".md", ".j2")
SENTENCE_END = re.compile(r"(?<=[.!?:])[*_)]*\s+(?=[A-Z⟨*`])")
LONG, FEWEST = 30, 4
"""Words above which a sentence is long, and below which it is none."""


class Rule(NamedTuple):
    """What is not written: a name, what finds it, what to write instead, whether it is banned (else it is advice),
    and whether it is sought in Markdown alone."""

    name: str
    pattern: re.Pattern[str]
    write: str
    banned: bool
    markdown: bool


class Hit(NamedTuple):
    """A place that breaks a rule."""

    rule: Rule
    line: Line
    start: int
    end: int


def read_rules(path: Path = RULES_FILE) -> list[Rule]:
    """The rules, in order of their file."""
    rules = []
    for name, said in yaml.safe_load(path.read_text("utf-8")).items():
        flags = 0 if said.get("exact") else re.IGNORECASE
        pattern = re.compile(said["not"], flags)
        rules.append(Rule(name, pattern, said["write"], not said.get("advice"), bool(said.get("markdown"))))
    return rules


def find_hits(lines: Iterable[Line], rules: Iterable[Rule]) -> Iterator[Hit]:
    """The places of some lines that break a rule."""
    every = list(rules)
    for line in lines:
        for rule in every:
            if rule.markdown and line.path.suffix not in MARKDOWN:
                continue
            for found in rule.pattern.finditer(line.text):
                yield Hit(rule, line, found.start(), found.end())


def count_banned(hits: Iterable[Hit], root: Path) -> Mapping[str, int]:
    """How often files have what is banned, by their paths below the root."""
    return Counter(hit.line.path.relative_to(root).as_posix() for hit in hits if hit.rule.banned)


def sentences(text: str) -> list[int]:
    """How many words each sentence of a text has. Rows of tables, headings and names have none."""
    if text.startswith(("|", "#")):
        return []
    counts = [len(WORD.findall(part)) for part in SENTENCE_END.split(text)]
    return [count for count in counts if count >= FEWEST]


def read_counts() -> dict[str, int]:
    """How often a file may have what is banned."""
    return yaml.safe_load(COUNTS_FILE.read_text("utf-8")) or {}


def find_excess(counts: Mapping[str, int], allowed: Mapping[str, int]) -> list[str]:
    """What has more of what is banned than it may, a line for each file."""
    return [
        f"{path}: {count} banned words or phrases, {allowed.get(path, 0)} allowed"
        for path, count in sorted(counts.items())
        if count > allowed.get(path, 0)
    ]


def write_counts(counts: Mapping[str, int], allowed: Mapping[str, int]) -> None:
    """Lowers what files may have to what they have; raises none."""
    kept = {path: min(count, allowed.get(path, 0)) for path, count in counts.items()}
    lines = [f"{path}: {count}\n" for path, count in sorted(kept.items()) if count]
    COUNTS_FILE.write_text("".join(lines), "utf-8")


def report(lines: list[Line], hits: list[Hit]) -> Iterator[str]:
    """The words read, the sentences, and the broken rules, by source."""
    sources = list(dict.fromkeys(line.source for line in lines))
    yield f"{'':34}" + "".join(f"{source:>17}" for source in sources) + f"{'all':>8}"
    words: Counter[str] = Counter()
    lengths: dict[str, list[int]] = defaultdict(list)
    for line in lines:
        words[line.source] += len(WORD.findall(line.text))
        lengths[line.source] += sentences(line.text)
    yield _row("words read", words, sources)
    yield _row("sentences above 30 words", {name: sum(n > LONG for n in lengths[name]) for name in sources}, sources)
    means = "".join(f"{sum(lengths[name]) / len(lengths[name]):17.1f}" for name in sources)
    yield f"{'mean words of a sentence':34}{means}"
    by_rule: dict[Rule, Counter[str]] = defaultdict(Counter)
    for hit in hits:
        by_rule[hit.rule][hit.line.source] += 1
    for rule, counts in sorted(by_rule.items(), key=lambda pair: (not pair[0].banned, -pair[1].total())):
        yield _row(("! " if rule.banned else "  ") + rule.name, counts, sources)
    banned: Counter[str] = Counter(hit.line.source for hit in hits if hit.rule.banned)
    yield _row("banned", banned, sources)


def _row(name: str, counts: Mapping[str, int], sources: Iterable[str]) -> str:
    cells = [counts.get(source, 0) for source in sources]
    return f"{name:34}" + "".join(f"{cell:17,}" for cell in cells) + f"{sum(cells):8,}"


def show(hits: Iterable[Hit], name: str, root: Path) -> Iterator[str]:
    """The places that break a rule, each with what stands around it."""
    for hit in hits:
        if hit.rule.name == name:
            around = hit.line.text[max(0, hit.start - 50) : hit.end + 50]
            yield f"{hit.line.path.relative_to(root)}:{hit.line.number}: …{around}…  → {hit.rule.write}"


def main() -> int:
    """Prints what was counted; 1 where a file has more of what is banned than it may."""
    parser = argparse.ArgumentParser(description="Count the words that the project does not use.")
    parser.add_argument("--show", metavar="RULE", help="list the places that break a rule")
    parser.add_argument("--update", action="store_true", help="lower what files may have to what they have")
    parser.add_argument("--root", type=Path, default=HERE, help="the checkout to read (this one)")
    options = parser.parse_args()
    lines = list(read_prose(options.root))
    hits = list(find_hits(lines, read_rules()))
    for text in show(hits, options.show, options.root) if options.show else report(lines, hits):
        print(text)
    counts = count_banned(hits, options.root)
    if options.update:
        write_counts(counts, read_counts())
    excess = find_excess(counts, read_counts())
    for text in excess:
        print(text)
    return 1 if excess else 0


if __name__ == "__main__":
    sys.exit(main())
