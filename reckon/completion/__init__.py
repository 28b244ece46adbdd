"""What a shell completes at a TAB: commands and options as `commands.txt` lists them, and words of the ledger.

Those are kept whenever a command has calculated the ledger, so that nobody waits for it at a TAB. `entry` imports this
package then: it imports nothing heavy.
"""

from __future__ import annotations

import os
import zlib

from reckon.user_cache import Store

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
STORE = Store("words", 100)
KINDS = ("PROJECT", "ITEM", "SEED", "CARD", "ALLOCATION", "ADDRESS")
"""The kinds of words of a ledger. `commands.txt` has `|` for all that is not completed."""
HARMLESS = "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def keep_words(root: str, words: Iterable[tuple[str, str]]) -> None:
    """Keeps the words of the ledger of a tree, each behind its kind (`ITEM.PROJECT` of an item), where that can be."""
    text = "\n".join(map(" ".join, words))
    STORE.put(zlib.compress(text.encode("utf-8", "replace"), 1), os.path.realpath(root))


def complete(words: Sequence[str], calculate: Callable[[str], None]) -> list[str]:
    """What the last of the words behind `budget` can become; nothing where it is a file, or anything else.

    A ledger whose words were never kept is calculated once, by `calculate`, which is given the root of its tree.
    """
    *before, begun = words or [""]
    prefix = begun[: begun.find("=") + 1]
    begun = begun.removeprefix(prefix)  # `--format=json` is one word in zsh and fish, and three in bash
    before = [part for word in (*before, prefix) for part in word.split("=", 1) if part]
    if "--" in before:  # behind it stands a command of somebody else
        return []
    commands = _load_commands()
    command, place, kind = "", 0, ""
    slots, options = commands[command]
    for word in before:
        deeper = f"{command} {word}".strip()
        if kind:
            kind = ""
        elif word in options:
            kind = options[word]
        elif deeper in commands:
            command, place = deeper, 0
            slots, options = commands[command]
        else:
            place += 1
    kind = kind or slots[min(place, len(slots) - 1)]
    if begun.startswith("-"):
        found = list(options)
    elif kind in KINDS:
        root = before[before.index("--root") + 1] if "--root" in before else "."
        wanted = (kind, *(f"{kind}.{word}" for word in before))
        found = [word for its, _, word in _recall(root, calculate) if its in wanted and _is_harmless(word)]
    else:
        found = kind.split("|")
    found = [word for word in found if word and word.startswith(begun)]
    if kind == "ADDRESS":  # one part at a time, as a shell completes paths
        found = [begun + "".join(word[len(begun) :].partition(".")[:2]) for word in found]
    return sorted({prefix.lstrip("=") + word for word in found})


def _load_commands() -> dict[str, tuple[list[str], dict[str, str]]]:
    """What each command takes: the kinds of its words in order, and those of the values of its options."""
    commands = {}
    with open(os.path.join(HERE, "commands.txt"), encoding="utf-8") as file:
        for line in file:
            command, slots, options = line.split(":")
            pairs = [word.partition("=") for word in options.split()]
            commands[command] = (slots.split(), {name: kind for name, _, kind in pairs})
    return commands


def _is_harmless(word: str) -> bool:
    """Whether a word can be an id or an address: then no shell finds anything to do in it, and no command an option."""
    return word[:1].isalnum() and not word.strip(HARMLESS)


def _recall(root: str, calculate: Callable[[str], None]) -> list[tuple[str, str, str]]:
    """What was kept of a ledger: the kind of each word, a space, and the word."""
    key = os.path.realpath(root)
    kept = STORE.get(key)
    if kept is None and os.path.isdir(os.path.join(root, "ledger")):
        keep_words(root, ())  # so that a ledger that cannot be calculated is tried once
        if STORE.get(key):  # not where nothing can be kept
            calculate(root)
            kept = STORE.get(key)
    return [line.partition(" ") for line in zlib.decompress(kept).decode().splitlines()] if kept else []
