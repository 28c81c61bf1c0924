"""A real browser without a window, Debian's Chromium, for the tests of the pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WINDOW, PHONE = (1200, 900), (390, 844)


class Chromium:
    """A browser, with what the tests do in it.

    Parameters
    ----------
    driver : WebDriver
        Selenium's.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str, size: tuple[int, int] = WINDOW, *, dark: bool = False) -> None:
        """Load a page at a size of the window."""
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(url)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.all(selector)]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def hover(self, element: Any) -> None:
        from selenium.webdriver import ActionChains

        self.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def until_left(self, act: Callable[[], None]) -> None:
        """Do what leads to another page, and wait for it."""
        self.run("window.isOld = true")
        act()
        while self.run("return window.isOld || document.readyState !== 'complete'"):
            time.sleep(0.02)

    @property
    def tip(self) -> str:
        return str(self.one("#tip").text)

    def is_wider_than_its_window(self) -> bool:
        return bool(self.run("return document.documentElement.scrollWidth > window.innerWidth"))

    def messages(self) -> list[str]:
        """What the console has: errors of scripts, and what the policy refused."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]


@contextmanager
def chromium(downloads: Path) -> Iterator[Chromium]:
    """Start the browser; skip the tests where it, its driver or Selenium is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.service import Service

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (program and driver):
        pytest.skip("needs a browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Chromium(started)
    finally:
        started.quit()
