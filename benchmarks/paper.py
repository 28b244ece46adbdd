"""Times how long Typst takes for the editions on paper of three projects.

    python benchmarks/paper.py [--rounds 9]

The figures and pictures are there before: what is timed is the PDF itself, each time in a process of its own that has
not imported Typst yet, since it remembers what it made. Prints medians. Linux and macOS.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from multiprocessing import get_context
from pathlib import Path

OURS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(OURS))

from reckon.cli.books import read  # noqa: E402
from reckon.present.paper.blocks import Paper, PaperHead  # noqa: E402
from reckon.present.paper.edition import edition  # noqa: E402
from reckon.present.paper.typeset import pdf  # noqa: E402
from reckon.present.view import View  # noqa: E402

DOCUMENTS = ("pixelis", "phase2-collection", "birdsong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    book = read(OURS)[0]
    print(f"{'':20} {'CPU ms':>8} {'wall ms':>8} {'KiB':>6}")
    for name in DOCUMENTS:
        view = View(book, book.ledger.projects[name])
        paper = edition(view, PaperHead(str(view.project.version), view.through, draft=True))
        with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
            times = [pool.apply(timed, (paper,)) for _ in range(rounds)]
        cpu, wall, size = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:20} {1000 * cpu:8.0f} {1000 * wall:8.0f} {size / 1024:6.0f}")


def timed(paper: Paper) -> tuple[float, float, int]:
    """The seconds of the processor and of the clock that a PDF takes, and its size in bytes."""
    cpu, wall = time.process_time(), time.perf_counter()
    made = pdf(paper)
    return time.process_time() - cpu, time.perf_counter() - wall, len(made)


if __name__ == "__main__":
    main()
