"""Writes the pages of the guide that are made (fields, addresses, columns of tables, messages), codes of messages, the
schemas for editors, and the commands that shells complete.

python -m scripts.guide            # write them
python -m scripts.guide --check    # say which are stale, and end with code 1
"""

from __future__ import annotations

import sys

from reckon.load.schema import SHAPES
from reckon.model.message_codes import CATALOGUE
from scripts.addresses import addresses
from scripts.columns import columns
from scripts.editor_schemas import editor_schemas
from scripts.messages import codes, messages
from scripts.reference import GUIDE, reference
from scripts.shell_words import SHELL_WORDS, shell_words


def made() -> dict[str, str]:
    """The pages that are made, by their names."""
    return {
        "reference.md": reference(),
        "addresses.md": addresses(),
        "columns.md": columns(),
        "messages.md": messages(),
    }


def main(words: list[str]) -> int:
    """Writes what differs, or tells it; the exit code."""
    stale = 0
    others = {CATALOGUE: codes(), SHAPES: editor_schemas(), SHELL_WORDS: shell_words()}
    for path, text in {**others, **{GUIDE / name: text for name, text in made().items()}}.items():
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale += 1
        print(f"{'stale' if '--check' in words else 'wrote'}: {path.name}")
        if "--check" not in words:
            path.write_text(text, "utf-8")
    return int(bool(stale) and "--check" in words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
