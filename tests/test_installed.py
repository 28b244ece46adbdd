"""The command as it is installed from a wheel, outside the checkout, and the wheel that it packs of itself."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.parser import Parser
from hashlib import sha256
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from reckon import __version__
from reckon.cli.init import PINNED, WHOLE, requirements, source
from reckon.extras import EXTRAS
from reckon.publish import package_files
from tests.small import plant

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]


def run(*words: str | Path, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), cwd=where, capture_output=True, text=True, timeout=300)


def packed() -> tuple[str, bytes]:
    program = package_files.checkout(ROOT)
    assert program
    return package_files.pack(program)


@dataclass(frozen=True)
class Environment:
    """A bare environment with nothing but the wheel of this checkout; all else is looked up in ours."""

    folder: Path
    wheel: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    place = tmp_path_factory.mktemp("installed")
    name, data = packed()
    (place / name).write_bytes(data)
    made = Environment(place / "env", place / name)
    assert run(sys.executable, "-I", "-m", "venv", "--without-pip", made.folder, where=place).returncode == 0
    (made.packages / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    words = ("--python", made.python, "install", "--quiet", "--no-deps", "--no-index", made.wheel)
    done = run(*PIP, *words, where=place)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="the script is one for a shell")
def test_the_installed_command_serves_a_new_team(installed: Environment, tmp_path: Path) -> None:
    done = run(ROOT / ".ci/smoke", installed.folder / "bin/budget", where=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"budget-ledger {__version__}\n")
    assert done.stdout.endswith("The installed command works.\n")
    assert "requirements.txt does not yet say" not in done.stderr


def told(environment: Environment, statement: str) -> str:
    done = run(environment.python, "-I", "-c", statement, where=environment.folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_installed_packs_the_wheel_that_it_came_from(installed: Environment) -> None:
    """So a tree gets the same bytes from a checkout, from its wheel, and from the wheel of another tree."""
    stated = "from reckon.cli.init import source; import sys; sys.stdout.buffer.write(source().wheel[1])"
    done = subprocess.run([installed.python, "-I", "-c", stated], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sha256(done.stdout).hexdigest() == sha256(packed()[1]).hexdigest()


def test_a_wheel_from_a_tree_is_known_where_pip_kept_no_address(installed: Environment) -> None:
    """With --find-links pip keeps none, as with an index; the lines must not name an index all the same."""
    address = next(installed.packages.glob("budget_ledger-*/direct_url.json"))
    was = address.read_bytes()
    address.unlink()
    try:
        assert "--find-links .budget" in told(installed, "from reckon.cli.init import source; print(source().lines)")
    finally:
        address.write_bytes(was)


def test_the_wheel_holds_what_a_checkout_has(installed: Environment) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        assert archive.testzip() is None
        members = archive.namelist()
        data = {path: archive.read(path) for path in members}
    listed = subprocess.run(
        ["git", "ls-files", "reckon", "templates", "starter", "docs/guide", "docs/assets"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout.split()
    inside = {"templates/": "reckon/", "starter/": "reckon/", "docs/": "reckon/", "reckon/": ""}
    for path in listed:
        home = next(new for old, new in inside.items() if path.startswith(old))
        target = f"{home}{path}".replace("docs/guide", "guide").replace("docs/assets", "site/assets")
        assert data[target] == (ROOT / path).read_bytes(), path
    assert data["reckon/pinned.txt"] == (ROOT / "requirements.txt").read_bytes()
    assert data["reckon/site/mkdocs.yml"] == (ROOT / "mkdocs.yml").read_bytes()
    assert not [path for path in members if "__pycache__" in path or path.startswith(("/", ".."))]
    about = Parser().parsestr(data[f"budget_ledger-{__version__}.dist-info/METADATA"].decode())
    assert (about["Name"], about["Version"]) == ("budget-ledger", __version__)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert about["License"] == settings["license"]
    needs = about.get_all("Requires-Dist", [])
    assert len([one for one in needs if "extra" not in one]) == len(settings["dependencies"])
    assert "mkdocs<1.7,>=1.6.1; extra == 'site'" in needs
    assert {*about.get_all("Provides-Extra", [])} == settings["optional-dependencies"].keys() - {"dev", "benchmark"}
    assert not [one for one in needs if "pytest" in one or "torch" in one]


def test_the_extra_all_has_all_that_the_others_have_but_the_other_builder() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = settings["optional-dependencies"]
    left_out = ("all", "dev", "benchmark", "zensical")
    others = {need for name, needs in extras.items() if name not in left_out for need in needs}
    assert {*extras["all"]} == others
    assert {"all", *EXTRAS.values()} == extras.keys() - {"dev", "benchmark"}


def test_leavings_of_an_editor_and_links_are_not_packed(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "pyproject.toml": (ROOT / "pyproject.toml").read_text("utf-8"),
            "LICENSE": "",
            "mkdocs.yml": "",
            "requirements.txt": "",
            "reckon/__init__.py": "",
            "reckon/__pycache__/x.pyc": "",
            "reckon/a.py~": "",
            "reckon/.x.py.swp": "",
            "starter/.gitignore": "",
            "templates/x.md.j2": "",
            "docs/guide/x.md": "",
            "docs/assets/x.css": "",
        },
    )
    (tmp_path / "templates/out.md.j2").symlink_to("/etc/hostname")
    program = package_files.checkout(tmp_path)
    assert program
    assert sorted(program.files) == [
        "reckon/__init__.py",
        "reckon/guide/x.md",
        "reckon/pinned.txt",
        "reckon/site/assets/x.css",
        "reckon/site/mkdocs.yml",
        "reckon/starter/.gitignore",
        "reckon/templates/x.md.j2",
    ]
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\n', "utf-8")
    assert package_files.checkout(tmp_path) is None


# What stands in requirements.txt.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that a tree has for the installation alone, without the pins, which would need a network."""
    for path, data in requirements().items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(data)
    text = (tmp_path / "tree/requirements.txt").read_text("utf-8")
    assert f"-r {PINNED}\n" in text
    (tmp_path / "tree/requirements.txt").write_text(text.replace(f"-r {PINNED}\n", ""), "utf-8")
    return tmp_path / "tree"


def install(tree: Path, where: Path) -> subprocess.CompletedProcess[str]:
    words = ("install", "--no-deps", "--no-index", "--target", where / "target", "-r", tree / "requirements.txt")
    return run(*PIP, *words, where=where)


def test_ci_installs_from_it_wherever_it_stands(tree: Path, tmp_path: Path) -> None:
    done = install(tree, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "target/reckon/starter/.gitattributes").is_file()


def test_a_wheel_that_was_changed_is_not_installed(tree: Path, tmp_path: Path) -> None:
    (path,) = tree.glob(".budget/*.whl")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("reckon/evil.py", "")
    done = install(tree, tmp_path)
    assert done.returncode != 0
    assert "HASHES" in done.stderr or "hash" in done.stderr
    assert not (tmp_path / "target").exists()


def test_every_package_is_pinned_with_its_hashes() -> None:
    files = requirements()
    (name,) = [path for path in files if path.endswith(".whl")]
    assert f"=={__version__} --hash=sha256:{sha256(files[name]).hexdigest()}\n" in files["requirements.txt"].decode()
    pins = [line for line in files[PINNED].decode().splitlines() if not line.startswith((" ", "#"))]
    ours = package_files.part("pinned").read_text("utf-8").splitlines()
    assert pins == [line for line in ours if not line.startswith((" ", "#"))]
    assert all("==" in line and line.endswith("\\") for line in pins)


HOST = "https://host.example"
COMMIT = {"vcs": "git", "commit_id": "0123abc"}
PINS = "# by\na==1 \\\n    --hash=sha256:00\n"
Came = Callable[[object], None]


@pytest.fixture
def came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Came:
    """Lets the running program be one that pip installed from some address."""

    def put(address: object) -> None:
        info = tmp_path / "budget_ledger-1.2.3.dist-info"
        plant(
            info,
            {
                "METADATA": "Name: budget-ledger\nVersion: 1.2.3\nSummary: It.\nRequires-Python: >=3.11\n",
                "WHEEL": "Wheel-Version: 1.0\nGenerator: hatchling 1.33.0\n",
                "licenses/LICENSE": "MIT",
                "RECORD": "reckon/__init__.py,,\nreckon/__pycache__/x.pyc,,\n../../bin/budget,,\n",
            },
        )
        plant(tmp_path / "reckon", {"__init__.py": "", "templates/x.md.j2": "", "pinned.txt": PINS})
        if address is not None:
            (info / "direct_url.json").write_text(json.dumps(address), "utf-8")
        found: Distribution = PathDistribution(info)
        monkeypatch.setattr("reckon.cli.init.distribution", lambda name: found)
        monkeypatch.setattr("reckon.publish.package_files.PACKAGE", tmp_path / "reckon")

    return put


@pytest.mark.parametrize(
    ("address", "line"),
    [
        (None, f"{WHOLE}==1.2.3\n"),
        ({"url": f"{HOST}/b.git", "vcs_info": COMMIT}, f"{WHOLE} @ git+{HOST}/b.git@0123abc\n"),
        (
            {"url": "ssh://git@host.example/b", "vcs_info": COMMIT, "subdirectory": "p"},
            f"{WHOLE} @ git+ssh://git@host.example/b@0123abc#subdirectory=p\n",
        ),
        ({"url": f"{HOST}/b.whl", "archive_info": {}}, f"{WHOLE} @ {HOST}/b.whl\n"),
    ],
)
def test_ci_gets_the_command_from_where_it_was_installed(address: object, line: str, came_from: Came) -> None:
    came_from(address)
    files = requirements()
    assert [one for one in files["requirements.txt"].decode().splitlines(keepends=True) if not one.startswith("#")] == [
        line,
        f"-c {PINNED}\n",
    ]
    # With hashes for some packages, pip would ask for one of this one as well.
    assert files[PINNED].decode().splitlines()[1:] == ["a==1"]
    assert len(files) == 2


@pytest.mark.parametrize(
    "address",
    [
        {"url": "file:///home/me/b", "dir_info": {}},
        {"url": "file:///home/me/b.git", "vcs_info": COMMIT},
        {"url": "https://me:s3cret@host.example/b.git", "vcs_info": COMMIT},
        {"url": "https://s3cret@host.example/b.git", "vcs_info": COMMIT},
        {"url": "ssh://git:s3cret@host.example/b.git", "vcs_info": COMMIT},
        {"url": f"{HOST}/b.whl?token=s3cret", "archive_info": {}},
        {"url": f"{HOST}/b.whl#s3cret", "archive_info": {}},
        {"url": f"{HOST}/b.git\n--index-url {HOST}/s3cret", "vcs_info": COMMIT},
        {"url": f"{HOST}/b.git", "vcs_info": {"vcs": "git", "commit_id": "main\ns3cret"}},
        {"url": f"{HOST}/b.git", "vcs_info": COMMIT, "subdirectory": "p\ns3cret"},
        {"url": "http://host.example/b.whl", "archive_info": {}},
    ],
)
def test_an_address_that_ci_may_not_have_is_not_written_down(address: object, came_from: Came) -> None:
    """The program itself goes along instead, and no secret does."""
    came_from(address)
    files = requirements()
    assert source().lines.startswith("--find-links .budget\nbudget-ledger==1.2.3 --hash=sha256:")
    assert ".budget/budget_ledger-1.2.3-py3-none-any.whl" in files
    assert not [path for path, data in files.items() if b"s3cret" in data or b"home/me" in data]


def test_another_package_of_the_name_is_not_taken_for_this_one(
    came_from: Came, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    came_from(None)
    plant(tmp_path / "vendored", {"reckon/templates/x.md.j2": "", "reckon/pinned.txt": ""})
    monkeypatch.setattr("reckon.publish.package_files.PACKAGE", tmp_path / "vendored/reckon")
    assert source().lines == ""
    assert "The source of this program is unknown" in requirements()["requirements.txt"].decode()


def test_the_version_is_told_in_one_way() -> None:
    program = package_files.checkout(ROOT)
    assert program
    assert program.version == __version__
