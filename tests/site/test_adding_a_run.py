"""*Add a run* as a reader follows it: the day and the name of the file come to be when the link is followed."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from browser import Browser
from serving import Quiet
from tests.present.test_adding import FOLDER, GITHUB, GITLAB
from tests.small import SMALL, plant
from tests.test_flow import budget

pytestmark = pytest.mark.full

TREES = {"github": GITHUB, "gitlab": GITLAB, "folder": FOLDER}
# Follows the link and gives where it leads; the way there is not gone.
FOLLOW = """(kind => {
  const link = [...document.links].find(link => link.textContent === "Add a run");
  window.addEventListener(kind, event => event.preventDefault());
  link.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true }));
  return link.href;
})"""
TODAY = "new Date(Date.now() - new Date().getTimezoneOffset() * 6e4).toISOString().slice(0, 10)"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The status page of a small project on each forge, built and served."""
    top = tmp_path_factory.mktemp("trees")
    for name, files in TREES.items():
        root = plant(top / name, SMALL | files)
        assert budget(root, "render").returncode == 0
        assert budget(root, "build").returncode == 0
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(top))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}"
        yield {name: f"{home}/{name}/site/demo/status/" for name in TREES}
        server.shutdown()


@pytest.mark.parametrize(
    ("name", "path", "key", "folder"),
    [
        ("github", "/team/budgets/new/main", "filename", "ledger/demo/runs/"),
        ("folder", "/team/mono/new/main", "filename", "research/budgets/ledger/demo/runs/"),
        ("gitlab", "/group/team/budgets/-/new/work/main/ledger/demo/runs", "file_name", ""),
    ],
)
def test_following_the_link_names_the_day_and_the_file(
    chromium: Browser, addresses: dict[str, str], name: str, path: str, key: str, folder: str
) -> None:
    page = chromium.open(addresses[name])
    before, today = page.ask("[...document.links].find(link => link.textContent === 'Add a run').href"), page.ask(TODAY)
    assert key not in parse_qs(urlsplit(before).query)
    found = [urlsplit(page.ask(f"{FOLLOW}('{kind}')")) for kind in ("click", "auxclick", "click")]
    names = [parse_qs(one.query)[key][0] for one in found]
    assert {one.path for one in found} == {path}
    assert len(set(names)) == 3, "each time another file"
    assert all(re.fullmatch(rf"{folder}{today}-[0-9a-f]{{6}}\.yaml", one) for one in names)
    for one in found:
        (text,) = (value for key, (value,) in parse_qs(one.query).items() if "name" not in key)
        assert f"\n- {{date: {today}, item: ITEM" in text
        assert "wall_hours: HOURS" in text
    assert page.complaints == []
    page.close()
