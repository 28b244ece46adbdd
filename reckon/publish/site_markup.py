"""What a site needs of a page beyond its markdown, put in while it is staged, so that no committed page changes.

Tables get room where words stand and places where addresses may break; what a search is to find is told from what it is
to leave out; figures stay in one line with their units; a script of one page alone is loaded in a way that every
builder leaves as it is. All of it is HTML inside markdown, or front matter: any builder takes it, and a forge never
sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import PurePosixPath
from textwrap import shorten

from reckon.model.pages import DERIVATIONS
from reckon.model.release import HOME as RELEASED

from .no_break import DONE, undivided

FEW, SOME, MANY, LONG, LONGER = 9, 18, 24, 36, 150
"""A cell of more visible letters than these has a least width: in a narrower column it would be a tower of words. The
first is for headings; one of more than the third has room for two words a line on every screen."""

WHOLE, MOST_WHOLE = 40, 2
"""Code of at most so many letters stays in one line on paper, with the number of its line: words make way for it. Where
more than so many cells of a row have some, there would be no room."""

GUIDE, CATALOGUE = "guide", "catalog"

WEIGHTS = {
    "index": 4,
    "status": 4,
    "proposals": 2,
    "what": 4,  # what-if
    "findings": 0.1,
    "history": 0.5,
    "attempts": 0.5,
    "runs": 0.5,
    DERIVATIONS: 0.1,
    CATALOGUE: 2,
}
"""How much the words of a page weigh in a search, by the name of its file, against 1 of other pages."""

LISTS = ("messages", "reference", "addresses", "columns")
"""Pages of the guide that list everything, and weigh less than its others."""

MOST_DESCRIBED = 160
"""The letters of a page's description."""

_CODE = re.compile(r"(?<!`)`([^`\\]+)`(?!`)(?P<line> \d+)?")
_BLOCKS = re.compile(
    r"(?<![^\s|>])(?P<bar>[█░]{10}▶?)"
    r"(?P<share> (?:\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|[\d.,]+%))?(?![^\s|<:])"
)
_ENDING = re.compile(r"\.(?:ya?ml|md|json|csv|py|sh)(?=:\d+$|$)")
_BAR = re.compile(r"(?<!\\)\|")
_TARGET = re.compile(r"\]\([^)]*\)|<[^>]*>|[\[*`]")
_DAY = re.compile(
    r"`[^`]*`|!\[[^\]]*\]|\]\([^)]*\)|\]\[[^\]]*\]|<[^>]*>"  # what is no text
    r"|(?<![\w./-])(?P<day>\d{4}-\d\d(?:-\d\d)?)(?![\w/-])",
    re.ASCII,
)
_PROSE = re.compile(r"(?:> ?|[-*+] |\d+[.)] )*(?![\s<#!?=:{~`]|\[[^\]]*\]:)")
_MARKUP = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|<[^>]*>|(?<!\\)[*`]")
_WITH_OPTION = re.compile(r"(?<!`)`((?:[^`\n\\]* )?--?[a-z][^`\n\\]*)`(?!`)")
_OPTION = re.compile(r"(?<![^ ])(--?[a-z][a-z-]*)")
_MEASURED = re.compile(r"(?<=, )[^,]{1,6} [^,]{1,6}$")
_UNITED = re.compile(r"\b[\w/$]{1,8}, [^\s,]{1,2}$")
_WHOLE_UNIT = r'<bdi class="unit">\g<0></bdi>'
_HEADING_CELL = re.compile(r"(?<=\| )(?:[^|<>`\[\]*]|<br>)+(?= +\|)")
_SENTENCE = re.compile(r"[a-z]+ [a-z]+ [a-z]+")
_WHOLE = re.compile(r'(?<!\\)<(code|span) class="whole">')
_RULE = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_FENCED = re.compile(r"(^ {0,3}(?:```|~~~)[\s\S]*?^ {0,3}(?:```|~~~))", re.MULTILINE)
_SCRIPT = re.compile(r'<script(?P<how>(?: defer| type="module")*) src="(?P<path>[\w./-]+)"></script>', re.ASCII)
_MADE = re.compile(r"\A\s*<!-- .* -->\s*")  # above the heading it would be a section of its own to the search
_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?---[ \t]*\n")
_HEADING = re.compile(r"^# +(.+?)[ \t]*$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IMAGE = re.compile(r"^!\[.*\]\(([\w.-]+\.svg)\)$", re.MULTILINE)
_SIZE = re.compile(r' width="(\d+)(?:\.\d+)?" height="(\d+)')
_UNSOUGHT = re.compile(r"^(?:- \*\*(?:Where|Change)\*\*|Next:) .*")
"""Of a page, what a search does not look at: where a finding is, what to change, and links to what to read next."""
_LEDGER_CELL = re.compile(r"(?<=\| )[^|]*\bledger(?:/|&#47;)[^|]*(?= \|)")
"""A cell that names lines of a ledger; a search does not look at it either."""
Found = re.Match[str]


def laid_out(markdown: str, path: str) -> str:
    """The text of a page as it is staged; `path` is relative to docs/."""
    front = _FRONT.match(markdown)
    start = front.end() if front else 0
    text = _MADE.sub("", markdown[start:])
    if PurePosixPath(path).parts[0] != GUIDE:
        text = "\n".join(_page_lines(text.split("\n"), PurePosixPath(path).stem))
    else:  # it is written by hand, for forges too: its tables stay as they are
        parts = enumerate(_FENCED.split(text))  # what stands between fences has odd numbers
        text = "".join(part if at % 2 else _WITH_OPTION.sub(_optioned, part) for at, part in parts)
    return _headed(markdown[:start], undivided(text).replace(DONE, ""), path, _describe(markdown[start:]))


def sized(markdown: str, folder: PurePosixPath, files: Mapping[str, str]) -> str:
    """The text of a page in a folder whose pictures among `files` have their size, so that nothing moves when they
    come."""

    def with_size(image: Found) -> str:
        size = _SIZE.search(files.get(f"{folder / image[1]}", ""))
        return (
            f'{image[0]}{{ width="{size[1]}" height="{size[2]}" style="--height: {size[2]}px" }}' if size else image[0]
        )

    return _IMAGE.sub(with_size, markdown)


def _page_lines(lines: list[str], name: str) -> Iterator[str]:
    """The lines of a page of that name, those of tables laid out. What stands between fences is left as it is."""
    fence, sides = "", list[str]()
    for number, line in enumerate(lines):
        if found := _FENCE.match(line):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        if fence:
            sides = []
            yield line
        elif not line.startswith("|"):
            sides = []
            text = _kept_days(line) if _PROSE.match(line) else _SCRIPT.sub(_loaded, line)
            yield _UNSOUGHT.sub(r"\g<0>\n{ data-search-exclude=true }", text)
        else:
            if sides:
                row = _BLOCKS.sub(_barred, _format_row(line, number, sides, name))
            else:
                if _RULE.fullmatch(line.rstrip()) and number and lines[number - 1].startswith("|"):
                    sides = [side.strip() for side in line.strip().strip("|").split("|")]
                row = _kept_days(_HEADING_CELL.sub(_format_heading, line))
            yield _LEDGER_CELL.sub(r"\g<0> { data-search-exclude=true }", row)


def _barred(found: Found) -> str:
    """A bar of blocks beside its figure. Nobody wants the blocks read out: the figure says the same."""
    bar = f'<span aria-hidden="true">{found["bar"]}</span>'
    return f'<span class="bar">{bar}{found["share"]}</span>' if found["share"] else bar


def _format_heading(found: Found) -> str:
    """A heading of a column: GPU-hours stay in one line; several words have room where nobody sees them at first."""
    words = found[0]
    if words == "GPU-hours":
        return f'<span class="whole">{words}</span>'
    words = _UNITED.sub(_WHOLE_UNIT, words)
    if " " not in words or len(found[0]) <= FEW:
        return words
    kind = "words many" if len(found[0]) > MANY or "<br>" in words else "words"
    return f'<span class="{kind}">{_MEASURED.sub(_WHOLE_UNIT, words)}</span>'


def _kept_days(text: str) -> str:
    """Text whose days stay in one line each: browsers break a word behind any of its hyphens."""
    return _DAY.sub(lambda found: f'<span class="day">{found[0]}</span>' if found["day"] else found[0], text)


def _optioned(found: Found) -> str:
    """Code whose options stay in one line each: browsers break a word behind its hyphens."""
    pieces = list(map(_coded, _OPTION.split(found[1])))  # options have odd places
    pieces[1::2] = [f'<span class="option">{option}</span>' for option in pieces[1::2]]
    return f"<code>{''.join(pieces)}</code>"


def _coded(text: str, plain: str = " .") -> str:
    """A text as HTML inside markdown, with all that could act as either of them as entities: all but words and some
    `plain` signs."""
    return "".join(letter if letter.isalnum() or letter in plain else f"&#{ord(letter)};" for letter in text)


def _loaded(script: Found) -> str:
    """What loads a script in the place of a tag that names it: builders differ on whether they rewrite its address."""
    kind = ', type: "module"' if "module" in script["how"] else ""
    how = f'{{src: "{script["path"]}", async: false{kind}}}'  # in their order
    return f'<script>document.head.append(Object.assign(document.createElement("script"), {how}))</script>'


def _format_row(line: str, number: int, sides: list[str], name: str) -> str:
    """A row of a table on a page of that name, with sides as the rule below the heading states them. One of another
    number of cells stays. The search finds the note of a run as it does a heading."""
    bare = _CODE.sub(lambda found: _breakable(found[1], found["line"] or ""), line.strip()).replace("<br>", " <br>")
    cells = _BAR.split(bare)[1:-1]
    if len(cells) != len(sides):
        return line
    first, *others = (cell.strip() for cell in cells)
    is_figure = name.startswith((DERIVATIONS, CATALOGUE)) and " <br>" in first
    is_long = len(sides) > 2 and len(_TARGET.sub("", first)) > LONG  # a first column has a least width of its own
    first = _roomy(first, "") if is_long and not is_figure else undivided(first)
    shown = [*map(_kept_days, (first, *map(_roomy, others, sides[1:])))]
    if name == "runs" and shown[-2] and sides[-2] == "---":
        shown[-2] = f'<h6 id="note-{number}" role="none">{shown[-2]}</h6>'
    if sum(_WHOLE.search(cell) is not None for cell in shown) > MOST_WHOLE:
        shown = [_WHOLE.sub(r"<\1>", cell) for cell in shown]
    return f"{DONE}| {' | '.join(shown)} |"


def _breakable(code: str, line: str) -> str:
    """Code of a table that may break between the parts of an address, and never inside a word; with what may follow it,
    the number of a `line`."""
    if not any(mark in code for mark in "./_-"):
        return f"`{code}`{line}"
    letters = map(_coded, code)
    named = _ENDING.search(code)  # what kind of file it is stands with its name; the number of a line may stand below
    whole = (named.start(), named.end()) if named else ()
    told = (
        f"{told}<wbr>" if at + 1 in whole[1:] or (letter in "./_-:" and at not in whole) else told
        for at, (letter, told) in enumerate(zip(code, letters, strict=True))
    )
    shown = "".join(told).removesuffix("<wbr>")
    if len(code) > WHOLE or " " in code:
        return f"<code>{shown}</code>{line}"
    return f'<span class="whole"><code>{shown}</code>{line}</span>' if line else f'<code class="whole">{shown}</code>'


def _roomy(cell: str, side: str) -> str:
    """A cell with a least width if it has many words."""
    of_figures, letters = side.endswith(":"), len(_TARGET.sub("", cell))
    if of_figures:
        kind = "words" if _SENTENCE.search(cell) and "`" not in cell else ""
    elif letters > LONG:
        kind = "long longer" if letters > LONGER else "long"
    else:
        kind = "some" if letters > SOME and "<code" not in cell else ""
    shown = undivided(cell, of_figures)
    return f'<span class="{kind}">{shown}</span>' if kind else shown


def _headed(front: str, text: str, path: str, description: str) -> str:
    """The page with its description and its weight in a search, where its front matter has none. Pages of a release are
    not looked for; they are kept without front matter, so that their titles are put in here."""
    parts, stem = PurePosixPath(path).parts, PurePosixPath(path).stem
    weight = WEIGHTS.get(stem.partition("-")[0], 1)  # further derivations are as the first
    if parts[0] == GUIDE:
        weight = 0.2 if stem in LISTS else 2
    lines = search = ""
    if weight != 1 and path != "index.md" and len(parts) < 3:
        search = f"search:\n  boost: {weight}\n"
    if len(parts) > 3 and parts[1] == RELEASED:
        lines = "" if front else _titled(text) + ("hide: [toc]\n" if stem == "status" else "")
        search, description = "search:\n  exclude: true\n", ""
    if "\nsearch:" not in front:
        lines += search
    if description and "\ndescription:" not in front:
        lines += f'description: "{description}"\n'
    if not lines:
        return f"{front}{text}"
    front = front or "---\n---\n"
    end = front.rindex("---")
    return f"{front[:end]}{lines}{front[end:]}{text}"


def _describe(text: str) -> str:
    """What a page says first in bold, or else in its first paragraph, above its first section, as plain text for front
    matter; empty where it has no heading."""
    heading = _HEADING.search(text)
    below = text[heading.end() :].partition("\n## ")[0] if heading else ""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", below.strip("\n"))]
    blocks = [part for part in parts if _PROSE.match(part) and not part.startswith("|")]
    bold = [block for block in blocks if block.startswith("**")]
    first = next(iter(bold or blocks), "")
    plain = unescape(_ESCAPED.sub(r"\1", _MARKUP.sub(r"\1", first)))
    return _coded(shorten(plain, MOST_DESCRIBED, placeholder="…"), " .,:()-")


def _titled(text: str) -> str:
    """The title of a page as its heading says it, with all that could act as entities: a theme that takes it from the
    heading itself undoes those."""
    heading = _HEADING.search(text)
    if not heading:
        return ""
    plain = unescape(_ESCAPED.sub(r"\1", heading[1]))
    return f'title: "{_coded(plain, " .,:()-")}"\n'
