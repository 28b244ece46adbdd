"""Times `cover` on a document of many words, made of one that is there again and again.

    python -m benchmarks.documents [--words 10000] [--project pixelis] [--rounds 3]

Prints how many words and figures the document has, and the median of the wall-clock times: of reading it and comparing
it with the ledger of the project, without reading the ledger. It judges none.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from reckon.cli.books import load_sound_book
from reckon.compute.cover.coverage import Coverage, cover
from reckon.compute.cover.document import read_document
from reckon.compute.cover.holdings import holdings_of

OURS = Path(__file__).resolve().parents[1]
SECTION = """\
## Part {number}

Training takes **{number} GPU-hours** on {number}x A100 40GB, some ~8-10 hours a day, and {number}.5 kWh.

| Run | GPU-hours | Cost, $/hr |
|---|---:|---:|
| first, {number} | 45 | $1.89 |
| second | 1,335 | $2-4 |
"""


def make_document(words: int) -> str:
    """A document of about so many words."""
    per_section = len(SECTION.split())
    return "".join(SECTION.format(number=number) for number in range(1, words // per_section + 1))


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--project", default="pixelis")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    book = load_sound_book(OURS)
    text = make_document(options.words)
    seconds: list[float] = []
    found: Coverage | None = None
    for _ in range(options.rounds):
        begun = time.perf_counter()
        found = cover([read_document(text)], holdings_of(book.projects[options.project], book))
        seconds.append(time.perf_counter() - begun)
    figures = len(found.figures) if found else 0
    print(f"{len(text.split()):,} words, {figures:,} figures: {statistics.median(seconds):.2f} s")


if __name__ == "__main__":
    main()
