"""What tests of `heddle view` have of Debian's chromium, without a screen. Without it, without Playwright or without a server a test
that takes this is skipped."""
import os
import pathlib
import shutil
import sys
import unittest

import numpy as np

CHROMIUM = shutil.which("chromium")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
if not CHROMIUM or not sync_playwright:
    print("skipped: needs chromium (`make deps CI=true` installs it) and the Python package playwright")
    sys.exit(77)

from viewed import PATIENCE, Server, skip_without_server

skip_without_server()

# The canvas's pixels as it shows them: width, height and RGBA.
PIXELS = """canvas => {
  const {width, height} = canvas;
  return [width, height, [...canvas.getContext("2d").getImageData(0, 0, width, height).data].join()];
}"""


class Browser:
    """One chromium for all tests."""

    def __init__(self):
        self.faults = []

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        return self

    def __exit__(self, *_):
        self.chromium.close()
        self.playwright.stop()

    def page(self, server, **context):
        context = self.chromium.new_context(**{"viewport": {"width": 900, "height": 600}} | context)
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.goto(server.address)
        return page


browser = Browser()


def canvas(page):
    """The red, green and blue of the canvas's pixels."""
    width, height, pixels = page.eval_on_selector("#picture", PIXELS)
    return np.array(pixels.split(","), np.uint8).reshape(height, width, 4)[..., :3]


def in_the_middle(pixels, width, height):
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top:top + height, left:left + width]


def wait(page, condition):
    """Until an expression holds. Playwright's own way evaluates text in the page, which the page's policy forbids."""
    page.evaluate("""patience => new Promise((done, fail) => {
      const begin = performance.now();
      const at = (id) => document.getElementById(id);
      const look = () => {
        if (%s) done();
        else if (performance.now() - begin > patience) fail(new Error("waited in vain"));
        else setTimeout(look, 20);
      };
      look();
    })""" % condition, 1000 * PATIENCE)


def shown(page, condition):
    """Waits until this is so of the canvas's data, which tell of the frame on it."""
    wait(page, f"(of => {condition})(at('picture').dataset)")


def text(page, condition):
    """Waits until this is so of the line about the state."""
    wait(page, f"(text => {condition})(at('text').textContent)")


class ViewTest(unittest.TestCase):
    def page(self, *words, **context):
        """A page of a server of its own. It is to end without an error of a script."""
        self.server = Server(*words)
        self.addCleanup(self.server.__exit__)
        page = browser.page(self.server, **context)
        browser.faults.clear()
        self.addCleanup(page.context.close)
        self.addCleanup(lambda: self.assertEqual(browser.faults, []))
        return page

    def open(self, *words, **context):
        """A page that shows its first frame."""
        page = self.page(*words, **context)
        shown(page, "of.frame > 0")
        return page

    def at_one(self, page):
        """A pixel a cell."""
        page.click("#home")
        page.focus("#picture")
        while float(page.get_attribute("#picture", "data-scale")) < 1:
            before = page.get_attribute("#picture", "data-scale")
            page.click("#farther")
            shown(page, f"of.scale !== '{before}'")
        shown(page, "of.scale === '1'")

    def middle(self, page):
        """The middle of the canvas, for the mouse."""
        box = page.locator("#picture").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def step(self, page, steps):
        page.click("#step")
        shown(page, f"of.steps === '{steps}'")

    def saved(self, page, form):
        """The path of the state in this format, as a user has saved it."""
        page.select_option("#format", form)
        with page.expect_download() as download:
            page.click("#save")
        return download.value.path()


def main(draw_pictures):
    """Runs the tests of the program, or draws the pictures of the documentation into the folder behind --pictures."""
    with browser:
        if sys.argv[1:2] == ["--pictures"]:
            draw_pictures(pathlib.Path(sys.argv[2]))
        else:
            unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
