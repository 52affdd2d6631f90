"""Drives a page in Chromium by its DevTools protocol, over two pipes."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any


def find() -> str | None:
    """Returns the path of Chromium; None if it is not installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """A page in a browser of its own. Use it with `with`."""

    def __init__(self, url: str, width: int = 1280, height: int = 800, dark: bool = False):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        pipes = {3: to_browser, 4: from_browser}
        command = [
            find(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-pipe",
            f"--user-data-dir={self._profile.name}",
            f"--window-size={width},{height}",
            "about:blank",
        ]
        shell = ["bash", "-c", f'exec "$@" 3<&{pipes[3]} 4>&{pipes[4]}', "-", *command]
        self._browser = subprocess.Popen(shell, pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._number, self._session = b"", 0, None
        self.requests: list[str] = []  # URLs that the page asked for
        self.errors: list[str] = []  # uncaught exceptions and messages of the console
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(domain + ".enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", features=scheme)
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._call("Page.navigate", url=url)
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        self._call("Browser.close")
        self._browser.wait(20)
        os.close(self._read)
        os.close(self._write)
        self._profile.cleanup()

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            if not part:
                raise RuntimeError("Chromium ended")
            self._rest += part
        text, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(text)
        given = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(given["exceptionDetails"]))
        if message.get("method") == "Log.entryAdded":
            self.errors.append(given["entry"]["text"])
        return message

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        call = {"id": self._number, "method": method, "params": arguments}
        if self._session:
            call["sessionId"] = self._session
        os.write(self._write, json.dumps(call).encode() + b"\0")
        while (message := self._message()).get("id") != self._number:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def value(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression, after the next frame."""
        waiting = f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({expression}))))"
        result = self._call("Runtime.evaluate", expression=waiting, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def click(self, x: float, y: float) -> None:
        """Clicks at these pixels of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """Clicks on the middle of the first element that the CSS selector finds."""
        box = self.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector({selector!r}).getBoundingClientRect())")
        self.click(*box)

    def wheel(self, x: float, y: float, by: float) -> None:
        """Turns the mouse wheel with the Ctrl key."""
        self._call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by, modifiers=2)

    def type(self, text: str) -> None:
        """Types into the focused element; a newline is the Enter key."""
        for letter in text:
            key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13} if letter == "\n" else {"key": letter, "text": letter}
            self._call("Input.dispatchKeyEvent", type="keyDown", **key)
            self._call("Input.dispatchKeyEvent", type="keyUp", **key)

    def picture(self, path: str) -> None:
        """Writes a PNG file of the window."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("Page.captureScreenshot")["data"]))
