"""What a reader sees stays where it is: on a telephone no kind of page moves while it loads and while it is read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser import Browser, Page
from kinds import KINDS
from pictures import resize
from test_small_screens import homes  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full

MOST = 0.05
"""The most that a page may move in all, as the layout-shift score of browsers counts it; 0.1 is what they call good."""

# Two seconds after it has loaded a page is read to its end, some screens at most. What moves when a reader acts does
# not count; scrolling is no such act.
READ = """new Promise(async done => {
  let moved = 0;
  const count = list => list.getEntries().forEach(entry => { if (!entry.hadRecentInput) moved += entry.value; });
  new PerformanceObserver(count).observe({ type: "layout-shift", buffered: true });
  const wait = time => new Promise(then => setTimeout(then, time));
  await wait(2000);
  for (let top = 0; top < Math.min(document.documentElement.scrollHeight, 12000); top += 600) {
    scrollTo(0, top);
    await wait(120);
  }
  await wait(300);
  done(moved);
})"""


@pytest.fixture
def telephone(chromium: Browser) -> Iterator[Page]:
    page = chromium.open("about:blank")
    resize(page, 390, 844)
    yield page
    page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_does_not_move_while_it_is_read(telephone: Page, homes: dict[str, str], kind: str) -> None:  # noqa: F811
    telephone.go(homes[kind])
    assert telephone.ask(READ) <= MOST
