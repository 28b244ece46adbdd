"""Every message that the engine has for a mistake in a ledger, out of its own source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from reckon.language.quantity import _HINTS

ENGINE = Path(__file__).resolve().parents[2] / "reckon"
ROOMS = ("language", "model", "load", "compute")
# What makes a mistake known, and which of its arguments says what is wrong.
SAYS = {"Refusal": 0, "Problem": 1, "complain": 1, "Stop": 1, "about": 2}


def patterns() -> dict[str, str]:
    """A pattern for each message, with the file and line where it stands."""
    found = {}
    for room in ROOMS:
        for path in sorted((ENGINE / room).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(function, ast.FunctionDef):
                    for text in _of(function):
                        found[text] = f"{path.relative_to(ENGINE)}:{function.lineno} {function.name}"
    for _, said, _ in _HINTS:
        begin = "the\\ value" if said == "is empty" else "`.*`"
        found[begin + re.escape(f" {said}")] = f"language/quantity.py {said}"
    return found


def _of(function: ast.FunctionDef) -> Iterator[str]:
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in SAYS and len(node.args) > SAYS[name]:
                yield from _texts(node.args[SAYS[name]], assigned)


def _texts(node: ast.expr, assigned: dict[str, list[ast.expr]]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield re.escape(text)
        case ast.JoinedStr(values=parts):
            yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from _texts(one, assigned)
            yield from _texts(other, assigned)
        case ast.Name(id=name):
            for value in assigned.get(name, ()):
                yield from _texts(value, assigned)
