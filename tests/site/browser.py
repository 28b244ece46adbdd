"""A headless Chromium, driven through its DevTools pipe with the standard library alone."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 30.0  # seconds to wait for an answer or a condition
LEAVING = "Inspected target navigated or closed"
"""What is said of a question that a page left unanswered."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--window-size=1280,900",
    # Nothing but this machine has an address: a page that asks elsewhere fails, and says so on its console.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27}
# Chromium reads its orders on descriptor 3 and answers on 4; the launcher puts our pipe there.
LAUNCHER = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


def find_chromium() -> str | None:
    """Path of a Chromium: the one named in BUDGET_CHROMIUM, else the first known name on the PATH."""
    for name in (os.environ.get("BUDGET_CHROMIUM"), *NAMES):
        if name and (found := shutil.which(name)):
            return found
    return None


class BrowserError(AssertionError):
    """The browser did not do, or a page did not show, what was asked within PATIENCE."""


def _pipe() -> tuple[int, int]:
    """A pipe whose two ends lie above the descriptors that the launcher writes over."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low)
    for end in low:
        os.close(end)
    return high[0], high[1]


class Browser:
    """One Chromium process; use `open_browser`."""

    def __init__(self, program: str, profile: Path) -> None:
        their_in, self._out = _pipe()
        self._in, their_out = _pipe()
        sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
        command = (program, *FLAGS, *sandbox, f"--user-data-dir={profile}", "about:blank")
        self._process = subprocess.Popen(
            (sys.executable, "-c", LAUNCHER, str(their_in), str(their_out), *command),
            pass_fds=(their_in, their_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._buffer = b""
        self._last_id = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self.pages: dict[str, Page] = {}  # every session, workers' included, to the page it belongs to

    def send(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> int:
        """Send one order without waiting; its number."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return self._last_id

    def call(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        """Send one order and wait for its result; BrowserError when it is refused."""
        number = self.send(method, params, session)
        deadline = time.monotonic() + PATIENCE
        while number not in self._answers:
            self.listen(deadline - time.monotonic(), f"an answer to {method}")
        answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def listen(self, seconds: float, what: str | None = None) -> None:
        """Take in what the browser says within `seconds`; BrowserError after a silence if `what` was awaited."""
        ready, _, _ = select.select([self._in], [], [], max(seconds, 0.0))
        if not ready:
            if what:
                raise BrowserError(f"no {what} within {PATIENCE:.0f} s")
            return
        data = os.read(self._in, 1 << 16)
        if not data:
            raise BrowserError(f"the browser ended (exit {self._process.poll()})")
        *messages, self._buffer = (self._buffer + data).split(b"\0")
        for message in messages:
            self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
        elif page := self.pages.get(message.get("sessionId", "")):
            page.note(message["method"], message["params"])

    def open(self, url: str, scheme: str = "light") -> Page:
        """A new tab on `url` for a reader who prefers the colour `scheme`, when it has loaded."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        page.watch(session)
        self.call("Page.enable", session=session)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.call("Emulation.setEmulatedMedia", media, session)
        page.go(url)
        return page

    def close(self) -> None:
        """End the process and both pipes."""
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            os.close(self._out)
            os.close(self._in)


@dataclass
class Page:
    """One tab, with everything that it and its workers asked for and complained of."""

    browser: Browser
    session: str
    target: str
    requests: list[str] = field(default_factory=list)  # addresses, in order
    complaints: list[str] = field(default_factory=list)  # errors on the console, exceptions, failed loads
    loaded: int = 0

    def watch(self, session: str) -> None:
        """Hear the requests and complaints of a session, and of the workers it starts."""
        for method in ("Network.enable", "Runtime.enable", "Log.enable"):
            self.browser.send(method, session=session)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        self.browser.send("Target.setAutoAttach", auto, session)
        self.browser.send("Runtime.runIfWaitingForDebugger", session=session)

    def note(self, method: str, params: dict[str, Any]) -> None:
        """Keep what an event tells."""
        if method == "Target.attachedToTarget":
            self.browser.pages[params["sessionId"]] = self
            self.watch(params["sessionId"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded += 1
        elif complaint := _complaint(method, params):
            self.complaints.append(complaint)

    def go(self, url: str) -> None:
        """Go to `url` and wait until it has loaded."""
        before = self.loaded
        failed = self.browser.call("Page.navigate", {"url": url}, self.session).get("errorText")
        if failed:
            raise BrowserError(f"{url}: {failed}")
        deadline = time.monotonic() + PATIENCE
        while self.loaded == before:
            self.browser.listen(deadline - time.monotonic(), f"end of loading {url}")

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression on the page; promises are awaited."""
        order = {"expression": script, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        answer = self.browser.call("Runtime.evaluate", order, self.session)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script: str) -> Any:
        """The value of `script` as soon as it is truthy; BrowserError when it stays falsy. While the tab goes from one
        page to the next it is asked again."""
        deadline = time.monotonic() + PATIENCE
        while not (value := self._ask_of_any(script)):
            if time.monotonic() > deadline:
                raise BrowserError(f"never true: {script}; complaints: {self.complaints}")
            self.browser.listen(0.05)
        return value

    def _ask_of_any(self, script: str) -> Any:
        try:
            return self.ask(script)
        except BrowserError as error:
            if not str(error).endswith(LEAVING):
                raise
            return None

    def type(self, text: str) -> None:
        """Type `text` into what has the focus, key by key."""
        for letter in text:
            for kind in ("keyDown", "keyUp"):
                event = {"type": kind, "key": letter, "text": letter if kind == "keyDown" else ""}
                self.browser.call("Input.dispatchKeyEvent", event, self.session)

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press one of KEYS, alone or with modifiers (1 is Alt, 8 is Shift)."""
        known = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" else {}
        for event in ({"type": "keyDown", **known, **text}, {"type": "keyUp", **known}):
            self.browser.call("Input.dispatchKeyEvent", event, self.session)

    def close(self) -> None:
        """Close the tab."""
        self.browser.call("Target.closeTarget", {"targetId": self.target})


def _complaint(method: str, params: dict[str, Any]) -> str | None:
    if method == "Runtime.exceptionThrown":
        details = params["exceptionDetails"]
        return f"exception: {details.get('exception', {}).get('description', details['text'])}"
    if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
        return "console: " + " ".join(str(item.get("value", item.get("description"))) for item in params["args"])
    if method == "Log.entryAdded" and params["entry"]["level"] == "error":
        return f"log: {params['entry']['text']} {params['entry'].get('url', '')}"
    if method == "Network.loadingFailed" and not params.get("canceled"):
        return f"not loaded: {params['errorText']}"
    return None


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A Chromium with a fresh profile folder, closed at the end; `find_chromium` must have found one."""
    program = find_chromium()
    assert program, "no Chromium"
    browser = Browser(program, profile)
    try:
        yield browser
    finally:
        browser.close()
