"""Templates may come from a stranger: they see data and run nothing. Each way out that is known is tried here."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, TemplateNotFound, UndefinedError
from jinja2.exceptions import SecurityError, TemplateAssertionError

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.budget.status import Standing
from reckon.present.pages import loader_of, project_data
from reckon.present.render.printing import Printer
from reckon.present.sandbox import COMPILED
from reckon.present.templating import render_page
from reckon.present.view import View
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
CANARY = "canary-5f0c1d"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the templates of a project see, and two things that they should never get to see."""
    ledger, problems = load(plant(tmp_path_factory.mktemp("tree")))
    book, more = calculate(ledger)
    assert not problems + more
    return {
        **project_data(Standing(View(book, ledger.projects["demo"]))),
        "path": Path(__file__),
        "opened": open,
        "a_class": Path,
    }


def rendered(text: str, data: Mapping[str, Any]) -> str:
    return render_page(DictLoader({"t": text}), "t", Printer("index.md"), [], data)


@pytest.mark.parametrize("name", ["cycler", "joiner", "namespace", "lipsum", "dict", "range"])
def test_jinjas_own_globals_are_not_there(name: str, data: Mapping[str, Any]) -> None:
    """`lipsum.__globals__` has `os`, as has `cycler.__init__.__globals__`; none of them is needed."""
    with pytest.raises(UndefinedError, match=f"'{name}' is undefined"):
        rendered(f"{{{{ {name}() }}}}", data)


READ = [
    # what leads from any object to the interpreter
    *(f"view.{name}" for name in ("__class__", "__init__", "__dict__", "__reduce_ex__", "__module__")),
    "view['__class__']",
    "view.fig.__globals__",
    "view.fig.__func__",
    "view.fig.__self__",
    "words.__globals__",
    "words['__globals__']",
    "words.__code__",
    "words.__closure__",
    "words.__kwdefaults__",
    "''.__class__.__mro__",
    "[].__class__",
    "header.__class__",
    "view.project.title.__class__",
    "view.fig.__init__.__globals__",
    # what Jinja itself hands to a template
    "self.__init__",
    "self.__class__",
    "self._TemplateReference__context",
    "mine.__call__",
    "mine._func",
    "mine._environment",
    "mine.name",
    # what records can do: be read from anything, and be changed
    *(
        f"view.project.{name}"
        for name in ("model_construct", "model_copy", "model_dump", "model_fields_set", "model_validate", "sort_keys")
    ),
    # what other objects can do
    *(f"path.{name}" for name in ("read_text", "open", "unlink", "parent", "resolve", "write_text")),
    "a_class.home",
    "view.book.place",
    "view.book.quoted",
    "view.fig('seeds').unit.to_base",
    "view.project.title.encode",
    "view.project.title.ljust",
    "view.project.title.zfill",
    "view.project.title.expandtabs",
    "view.project.title.translate",
    "view.project.title.maketrans",
    "view.project.versions.clear",
    "view.project.versions.update",
    "view.lines.append",
    "view.lines.sort",
    "view.shown.add",
]


@pytest.mark.parametrize("what", READ)
def test_what_may_not_be_read_is_refused(what: str, data: Mapping[str, Any]) -> None:
    for template in ("{{ %s }}", "{%% set x = %s %%}", "{%% if %s is defined %%}{%% endif %%}"):
        with pytest.raises(SecurityError, match="cannot be read in a template"):
            rendered("{% macro mine() %}{% endmacro %}" + template % what, data)


@pytest.mark.parametrize(
    "way",
    [
        "{{ view | attr('__class__') }}",
        "{{ [view] | map('attr', '__class__') | list | length }}",
        "{% for one in [view] | map(attribute='__class__') %}x{% endfor %}",
        "{% for one in [view] | map(attribute='fig.__globals__') %}x{% endfor %}",
        "{% for one in [view] | sort(attribute='__class__') %}x{% endfor %}",
        "{% for one in [view] | groupby('__class__') %}x{% endfor %}",
        "{% for one in [view] | unique(attribute='__class__') %}x{% endfor %}",
        "{% for one in [view] | selectattr('__class__') %}x{% endfor %}",
        "{% for one in [view] | rejectattr('__init__.__globals__') %}x{% endfor %}",
        "{% set x = [view] | sum(attribute='__class__', start=1) %}",
        "{% set x = [view, view] | max(attribute='__class__') %}",
        "{% set x = [view, view] | min(attribute='__class__') %}",
        "{% for one in [view] %}{{ loop.__class__ }}{% endfor %}",
        "{% for one in [view] %}{{ loop._iterable }}{% endfor %}",
        "{% macro m() %}{{ caller.__call__ }}{% endmacro %}{% call m() %}{% endcall %}",
        "{% macro m() %}{{ varargs.__class__ }}{% endmacro %}{{ m(1) }}",
        "{% block b %}{{ super.__init__ }}{% endblock %}",
    ],
)
def test_filters_and_tags_ask_the_same(way: str, data: Mapping[str, Any]) -> None:
    with pytest.raises((SecurityError, UndefinedError)) as refused:
        rendered(way, data)
    assert "cannot be read in a template" in str(refused.value) or "super" in way


@pytest.mark.parametrize(
    "call",
    [
        "opened('/etc/passwd')",
        "a_class('/etc/passwd')",
        "'{0.__class__}'.format(view)",
        "'{0.__init__.__globals__}'.format(view.fig)",
        "'{a.__class__}'.format_map({'a': view})",
        "('{0.__class__}' | safe).format(view)",
        "view.project.title.format(view)",
        "view()",
        "view.project()",
    ],
)
def test_what_may_not_be_called_is_refused(call: str, data: Mapping[str, Any]) -> None:
    with pytest.raises(SecurityError, match="cannot be called in a template"):
        rendered(f"{{{{ {call} }}}}", data)


@pytest.mark.parametrize(
    "name",
    [
        "format",
        "pprint",
        "tojson",
        "xmlattr",
        "urlize",
        "join",
        "random",
        "center",
        "indent",
        "batch",
        "slice",
        "round",
        "filesizeformat",
    ],
)
def test_filters_that_format_pad_or_print_the_insides_of_objects_are_not_there(
    name: str, data: Mapping[str, Any]
) -> None:
    with pytest.raises(TemplateAssertionError, match=f"No filter named '{name}'"):
        rendered(f"{{{{ view.project.title | {name} }}}}", data)


@pytest.mark.parametrize(
    "sum_",
    [
        "'x' * 10**9",
        "10**9 * 'x'",
        "[1] * 10**9",
        "'%1000000000d' % 1",
        "'%c' % 65",
        "9**9**9",
        "10**1000",
        "(-9)**99",
    ],
)
def test_one_sign_cannot_fill_the_memory(sum_: str, data: Mapping[str, Any]) -> None:
    with pytest.raises(SecurityError):
        rendered(f"{{% set x = {sum_} %}}", data)


def test_what_templates_need_is_there(data: Mapping[str, Any]) -> None:
    text = (
        "{% for key, phase in view.one.plan.items() if loop is defined or true %}{% if loop.index0 %}, {% endif %}"
        "{{ phase.title.upper().partition('X')[0] }}{{ loop.cycle('a', 'b') }}{% endfor %} {{ '-' * 3 }}"
        " {{ view.fig('budget.final') | bare }} {{ [view] | map(attribute='project.title') | first }}"
        " {{ counted(7 % 4, 'things') }} {{ view.project.title | attr('place') }}"
    )
    assert rendered(text, data) == "FIRST PHASEa --- 99 Demo 3 `ledger/demo/project.yaml:1`\n"


def test_code_compiled_without_the_sandbox_is_never_taken() -> None:
    with pytest.raises(AssertionError, match="sandbox"):
        Environment(loader=DictLoader({"t": "x"}), bytecode_cache=COMPILED).get_template("t")


# Templates of other files: none outside the root, and none of the hidden files that a checkout has.


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A tree with templates of its own; beside it and in its hidden folder stands what no page may show."""
    plant(
        tmp_path,
        {
            "secret.md.j2": CANARY,
            "tree/.git/config": CANARY,
            "tree/shared/part.md.j2": "Part.",
            "tree/templates/mine.md.j2": "Mine.",
        },
    )
    return tmp_path / "tree"


@pytest.mark.parametrize(
    "tag",
    ["{{% include '{}' %}}", "{{% import '{}' as x %}}{{{{ x }}}}", "{{% extends '{}' %}}", "{{% include ['{}'] %}}"],
)
@pytest.mark.parametrize(
    "name",
    [
        "../secret.md.j2",
        "shipped/../../secret.md.j2",
        "a/../../secret.md.j2",
        "..",
        "/{out}",
        "{out}",
        "file",
        "folder/secret.md.j2",
        "folder/../secret.md.j2",
        "hidden/config",
    ],
)
def test_no_template_is_taken_from_elsewhere(own: Path, name: str, tag: str) -> None:
    """`folder` is a link inside the root, and what is behind it leads out: looking at the links among the templates
    before a render does not show it."""
    (own / "stuff").mkdir()
    (own / "stuff/secret.md.j2").symlink_to(own.parent / "secret.md.j2")
    (own / "templates/folder").symlink_to(own / "stuff")
    (own / "templates/file").symlink_to(own.parent / "secret.md.j2")
    (own / "templates/hidden").symlink_to(own / ".git")
    (own / "templates/t").write_text(tag.format(name.format(out=own.parent / "secret.md.j2")))
    with pytest.raises(TemplateNotFound):
        render_page(loader_of([own / "templates", ROOT / "templates"]), "t", Printer("index.md"), [], {})


def test_links_inside_a_tree_keep_working(own: Path) -> None:
    (own / "templates/shared").symlink_to(own / "shared")
    (own / "templates/t").write_text("{% include 'shared/part.md.j2' %} {% include 'mine.md.j2' %}")
    loader = loader_of([own / "templates", ROOT / "templates"])
    assert render_page(loader, "t", Printer("index.md"), [], {}) == "Part. Mine.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{{ cycler.__init__.__globals__.os.popen('echo x').read() }}", "UndefinedError: 'cycler' is undefined"),
        ("{{ view.one.__class__ }}", "SecurityError: `__class__` of ProjectLedger cannot be read in a template"),
        ("{{ view.project.model_validate('/etc/passwd') }}", "SecurityError: `model_validate` of Project cannot be"),
        ("{{ view.fig.__func__.__globals__ }}", "SecurityError: `__func__` of method cannot be read in a template"),
        ("{% include '../secret.md.j2' %}", "TemplateNotFound: ../secret.md.j2"),
        ("{% set x = 'x' * 10**9 %}", "SecurityError: nothing is repeated to more than 10,000 in a template"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "RecursionError: maximum recursion depth exceeded"),
    ],
)
def test_it_is_told_at_its_line_and_nothing_is_written(
    small_with_pages: Path, tmp_path: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = shutil.copytree(small_with_pages, tmp_path / "tree")
    plant(root, {"templates/history.md.j2": f"First.\n{line}\n"})
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    for words in (["render"], ["render", "--check"], ["review"]):
        code = main(["--root", str(root), *words])
        out, err = capsys.readouterr()
        assert code == (0 if words == ["review"] else 2)
        told = out.replace("\\", "") if words == ["review"] else err
        assert "templates/history.md.j2:2:1" in told
        assert words == ["review"] or f": the template does not work: {said}" in told
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "text",
    [
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ 1" + "+1" * 5000 + " }}",
        "{{ view" + ".x" * 400 + " }}",
        "{% for x in [1] %}" * 30 + "{% endfor %}" * 30,
        "{% if 1 %}" * 150 + "{% endif %}" * 150,
        "{{ " + "9" * 5000 + " }}",
    ],
    ids=["brackets", "sums", "attributes", "loops", "conditions", "digits"],
)
@pytest.mark.parametrize("where", ["history.md.j2", "inner.md.j2"])
def test_a_template_that_python_cannot_take_is_a_mistake_in_it(
    small_with_pages: Path, tmp_path: Path, text: str, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = shutil.copytree(small_with_pages, tmp_path / "tree")
    plant(root, {"templates/history.md.j2": "{% include 'inner.md.j2' %}", f"templates/{where}": text})
    assert main(["--root", str(root), "render"]) == 2
    said = capsys.readouterr().err
    assert f"templates/{where}:1:1: the template does not work: TemplateSyntaxError: this is nested too deep" in said
