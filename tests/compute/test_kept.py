"""Hours that a release planned on one card, and that are counted as hours on another one now."""

from __future__ import annotations

from typing import Any

from reckon.present.export import snapshot_of

GPUS = "card: {title: Card, counts_as: {other: 2}}\nother: {title: Other}\n"
PLAN = "one:\n  title: One\n  items:\n    a: {title: A, scope: one-time, gpu_hours: 100}\n"
PLAN += "    b: {title: B, scope: one-time, gpu_hours: 20-30}\n"
PLAN += "    c: {title: C, scope: one-time, gpu_hours: 7, gpu: other}\n"
HEAD = "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n"


def released(ledger: Any, *versions: str) -> Any:
    """A tree with releases of its plan on the card."""
    tree = ledger(gpus=GPUS, plan=PLAN)
    tree.write("ledger/p/project.yaml", HEAD)
    book = tree.book()
    files = {name: (tree.root / name).read_text("utf-8") for name in book.ledger.files}
    for version in versions:
        head = files["ledger/p/project.yaml"].replace("1.0.0", version)
        tree.write("ledger/p/project.yaml", head)
        texts = {**files, "ledger/p/project.yaml": head}
        snapshot = snapshot_of(tree.book(), "p", texts, "2025-01-01", "as planned")
        tree.write(f"ledger/p/releases/{version}.json", snapshot.text())
    return tree


def moved(tree: Any, plan: str = PLAN, gpu: str = "other") -> list[Any]:
    """The findings about hours that were kept, once project and plan are edited so."""
    tree.write("ledger/p/project.yaml", HEAD.replace("gpu: card", f"gpu: {gpu}"))
    tree.write("ledger/p/plan.yaml", plan)
    return [found for found in tree.book().findings["p"] if found.judgement == "hours-of-another-card#kept"]


def test_an_edited_card_over_hours_as_they_were_released_is_told(ledger: Any) -> None:
    """100 and 25 hours were planned on the card, each of which is two on the other; 7 were on the other already."""
    tree = released(ledger, "1.9", "1.10")
    assert moved(tree, gpu="card") == [], "the card is that of the release"
    (finding,) = moved(tree)
    words = "".join(part if isinstance(part, str) else f"<{part.use}>" for part in finding.arithmetic)
    assert words == "<125> planned on Card in release 1.10 are counted as hours on Other; at <2> they are <250>"
    more = PLAN + "    d: {title: D, scope: one-time, gpu_hours: 9}\n"
    assert len(moved(tree, more)) == 1, "a line more says nothing of those that were there"


def test_whoever_changed_hours_too_has_looked_at_them(ledger: Any) -> None:
    tree = released(ledger, "1.0.0")
    for was, now in (("gpu_hours: 100", "gpu_hours: 200"), ("20-30", "20-31")):
        assert moved(tree, PLAN.replace(was, now)) == []
    own = PLAN.replace("gpu_hours: 100", "gpu_hours: 100, gpu: card").replace("20-30", "20-30, gpu: card")
    assert moved(tree, own) == [], "the lines say that they are on the card as before"


def test_without_a_release_nothing_is_known_of_before(ledger: Any) -> None:
    tree = released(ledger)
    assert moved(tree) == []
    tree.write("ledger/p/releases/1.0.0.json", "{}")
    assert moved(tree) == [], "what was changed is told by check"


def test_it_can_be_accepted(ledger: Any) -> None:
    tree = released(ledger, "1.0.0")
    accept = "accept:\n- {finding: 'hours-of-another-card:p.gpu#kept', reason: the hours were meant for it}\n"
    tree.write("ledger/p/project.yaml", HEAD.replace("gpu: card", "gpu: other") + accept)
    (finding,) = [found for found in tree.book().findings["p"] if found.judgement == "hours-of-another-card#kept"]
    assert finding.accepted
