#!/usr/bin/env python3
"""heddle view in Debian's chromium, without a screen: the canvas against what the command draws, and what a user does.

    HEDDLE=PATH browser_test.py                          PATH is the executable
    HEDDLE=PATH browser_test.py --pictures FOLDER        writes a picture of each view for the documentation instead
"""
import base64
import io
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
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

from viewed import HEDDLE, PATIENCE, Server, has_server

if not has_server():
    print("skipped: this build has no server: libwebsockets-dev is missing")
    sys.exit(77)

# The canvas's pixels as it shows them: width, height and RGBA.
PIXELS = """canvas => {
  const {width, height} = canvas;
  return [width, height, [...canvas.getContext("2d").getImageData(0, 0, width, height).data].join()];
}"""


def command(*words):
    """The array that a command ends with."""
    done = subprocess.run([HEDDLE, *map(str, words), "-o", "-", "--format", "npy"], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return np.load(io.BytesIO(done.stdout))


class Browser:
    """One chromium for all tests."""

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        return self

    def __exit__(self, *_):
        self.chromium.close()
        self.playwright.stop()

    def page(self, server, **context):
        context = self.chromium.new_context(viewport={"width": 900, "height": 600}, **context)
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        self.faults = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.goto(server.address)
        return page


def canvas(page):
    """The red of the canvas's pixels."""
    width, height, pixels = page.eval_on_selector("#picture", PIXELS)
    return np.array(pixels.split(","), np.uint8).reshape(height, width, 4)[..., 0]


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


def in_the_middle(pixels, width, height):
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top:top + height, left:left + width]


class LifeTest(unittest.TestCase):
    WORDS = ["--random", "300x200", "--seed", "4"]

    def open(self, *words, **options):
        self.server = Server("life", *(words or self.WORDS), **options)
        self.addCleanup(self.server.__exit__)
        page = browser.page(self.server)
        self.addCleanup(page.context.close)
        self.addCleanup(lambda: self.assertEqual(browser.faults, []))
        shown(page, "of.frame > 0")
        return page

    def expects(self, page, generations, words=None):
        """The canvas shows a grid of 300x200 cells, a pixel a cell, as the command draws it."""
        cells = command("life", *(words or self.WORDS), "--generations", generations)
        np.testing.assert_array_equal(in_the_middle(canvas(page), 300, 200), 255 * cells)

    def at_one(self, page):
        """A pixel a cell."""
        page.click("#home")
        page.focus("#picture")
        while float(page.get_attribute("#picture", "data-scale")) < 1:
            before = page.get_attribute("#picture", "data-scale")
            page.click("#farther")
            shown(page, f"of.scale !== '{before}'")
        shown(page, "of.scale === '1'")

    def test_it_begins_with_the_whole(self):
        page = self.open()
        scale = page.get_attribute("#picture", "data-scale")
        page.click("#home")
        page.click("#step")
        shown(page, "of.steps === '1'")
        self.assertEqual(page.get_attribute("#picture", "data-scale"), scale)

    def test_the_canvas_is_the_commands_picture(self):
        page = self.open()
        self.at_one(page)
        self.expects(page, 0)
        page.click("#step")
        shown(page, "of.steps === '1'")
        page.focus("#picture")
        page.keyboard.press(".")
        shown(page, "of.steps === '2'")
        self.expects(page, 2)
        page.keyboard.press(" ")
        shown(page, "Number(of.steps) > 50")
        page.keyboard.press(" ")
        wait(page, "at('play').textContent === 'Play'")
        generations = int(page.get_attribute("#picture", "data-steps"))
        self.expects(page, generations)
        self.assertIn(f"generation {generations}", page.text_content("#text"))
        page.click("#command")
        words = page.text_content("#command-line:not([hidden])").split()
        self.assertEqual(words[:2], ["heddle", "life"])
        np.testing.assert_array_equal(command(*words[1:]), command("life", *self.WORDS, "--generations", generations))
        page.click("#restart")
        shown(page, "of.steps === '0'")
        self.expects(page, 0)

    def test_target_and_palette(self):
        page = self.open(*self.WORDS, "--target", "serial")
        self.at_one(page)
        other = next(name for name in page.eval_on_selector("#target", "select => [...select.options].map(one => one.value)") if name.startswith("parallel"))
        page.select_option("#target", other)
        shown(page, "of.frame > 0")
        page.click("#step")
        shown(page, "of.steps === '1'")
        self.assertEqual(page.input_value("#target"), other)
        self.expects(page, 1)
        page.select_option("#palette", "paper")
        wait(page, """(() => {
          const canvas = at('picture');
          const one = canvas.getContext('2d').getImageData(canvas.width / 2 - 150, canvas.height / 2 - 100, 300, 200).data;
          let sum = 0;
          for (let i = 0; i < one.length; i += 4) sum += one[i];
          return sum > 255 * 300 * 100;
        })()""")
        np.testing.assert_array_equal(in_the_middle(canvas(page), 300, 200), 255 * (1 - command("life", *self.WORDS, "--generations", 1)))

    def test_drawing_dropping_and_saving(self):
        page = self.open("--random", "300x200", "--density", "0")
        self.at_one(page)
        box = page.locator("#picture").bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        # The pointer draws the cells under it.
        page.get_by_label("Draw", exact=True).check()
        page.mouse.move(middle[0] - 20 + 0.5, middle[1] + 0.5)
        page.mouse.down()
        page.mouse.move(middle[0] + 20 + 0.5, middle[1] + 0.5, steps=5)
        page.mouse.up()
        text(page, "text.endsWith('population 41')")
        cells = np.zeros((200, 300), int)
        cells[100, 130:171] = 1
        np.testing.assert_array_equal(in_the_middle(canvas(page), 300, 200), 255 * cells)
        page.get_by_label("Erase", exact=True).check()
        page.mouse.click(middle[0] + 0.5, middle[1] + 0.5)
        text(page, "text.endsWith('population 40')")
        # An RLE that is pasted is put where the pointer is pressed.
        page.evaluate("""() => {
          const data = new DataTransfer();
          data.setData("text/plain", "x = 3, y = 3\\nbo$2bo$3o!");
          dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
        }""")
        page.mouse.click(middle[0] + 50.5, middle[1] + 50.5)
        text(page, "text.endsWith('population 45')")
        # One that is dropped goes where it is dropped.
        page.evaluate("""([x, y]) => {
          const data = new DataTransfer();
          data.items.add(new File(["x = 2, y = 2\\n2o$2o!"], "block.rle"));
          dispatchEvent(new DragEvent("drop", { dataTransfer: data, clientX: x, clientY: y, cancelable: true }));
        }""", [middle[0] - 50, middle[1] - 50])
        text(page, "text.endsWith('population 49')")
        cells[100, 150] = 0
        cells[149:152, 199:202] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
        cells[49:51, 99:101] = 1
        with tempfile.TemporaryDirectory() as folder:
            page.select_option("#format", "rle")
            with page.expect_download() as download:
                page.click("#save")
            saved = pathlib.Path(folder) / download.value.suggested_filename
            download.value.save_as(saved)
            np.testing.assert_array_equal(command("life", saved, "--generations", 0), cells)
        page.click("text=Fill with random cells")
        text(page, "!text.endsWith('population 49')")
        page.click("text=Clear")
        text(page, "text.endsWith('population 0')")
        page.get_by_label("Rule").fill("B9")
        page.keyboard.press("Enter")
        wait(page, "at('error').textContent.includes('B9')")

    def test_zooming_keeps_the_place_under_the_pointer(self):
        page = self.open()
        self.at_one(page)
        box = page.locator("#picture").bounding_box()
        at = [box["x"] + 200, box["y"] + 150]

        def place():
            # Whole pixels: what the pointer is over is what the window says.
            return page.evaluate("""([x, y]) => {
              const canvas = document.getElementById("picture"), of = canvas.dataset, box = canvas.getBoundingClientRect();
              return [Number(of.x) + (x - box.left - canvas.width / 2) * of.scale, Number(of.y) + (y - box.top - canvas.height / 2) * of.scale];
            }""", at)

        before = place()
        page.mouse.move(*at)
        page.mouse.wheel(0, -120)
        shown(page, "Number(of.scale) < 0.6")
        np.testing.assert_allclose(place(), before, atol=1e-6)
        page.keyboard.press("Tab")
        page.focus("#picture")
        page.keyboard.press("-")
        shown(page, "Number(of.scale) > 0.6")
        page.keyboard.press("0")
        shown(page, f"Number(of.scale) !== {1.5 * 0.5488116360940264}")
        x = float(page.get_attribute("#picture", "data-x"))
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(at[0] - 60, at[1], steps=3)
        page.mouse.up()
        scale = float(page.get_attribute("#picture", "data-scale"))
        shown(page, f"Math.abs(Number(of.x) - {x + 60 * scale}) < 1e-6")

    def test_it_connects_again(self):
        page = self.open()
        port = self.server.port
        page.click("#step")
        shown(page, "of.steps === '1'")
        self.server.interrupt()
        wait(page, "at('state').textContent.includes('connecting again')")
        again = Server("life", *self.WORDS, port=port)
        self.addCleanup(again.__exit__)
        shown(page, "of.steps === '0'")
        page.click("#step")
        shown(page, "of.steps === '1'")
        browser.faults = [fault for fault in browser.faults if "WebSocket" not in fault]

    def test_gallery_and_small_screens(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)
        page = browser.page(self.server, color_scheme="dark")
        self.addCleanup(page.context.close)
        page.set_viewport_size({"width": 360, "height": 740})
        page.get_by_role("button", name="Open Glider gun").click()
        shown(page, "of.frame > 0")
        text(page, "text.includes('population 36')")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        # Everything that can be used has a name.
        unnamed = page.evaluate("""() => [...document.querySelectorAll("button, select, input, canvas")].filter(
          (one) => one.offsetParent && !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML)""")
        self.assertEqual(unnamed, [])
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.emulate_media(color_scheme="light")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), back)
        self.assertEqual(browser.faults, [])


def red_of(picture):
    """The red of a PNG file, as a page of no server reads it."""
    page = browser.chromium.new_page()
    width, height, pixels = page.evaluate("""async (text) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return [image.width, image.height, context.getImageData(0, 0, image.width, image.height).data.join()];
    }""", base64.b64encode(picture.read_bytes()).decode())
    page.close()
    return np.array(pixels.split(","), np.uint8).reshape(height, width, 4)[..., 0]


class MandelbrotTest(unittest.TestCase):
    def finished(self, page, condition="true"):
        """Waits until the canvas shows a window that is counted to the end."""
        shown(page, f"of.finished === of.frame && ({condition})")

    def expects(self, page):
        """The canvas is what the command draws that the page gives."""
        page.eval_on_selector("#command-line", "one => { one.textContent = ''; }")
        page.click("#command")
        wait(page, "at('command-line').textContent.includes(`--center=${at('picture').dataset.x},`)")
        words = shlex.split(page.text_content("#command-line:not([hidden])"))
        with tempfile.TemporaryDirectory() as folder:
            words[words.index("-o") + 1] = str(pathlib.Path(folder) / "x.png")
            done = subprocess.run([HEDDLE, *words[1:]], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((words[0], done.returncode, done.stderr), ("heddle", 0, ""))
            drawn = red_of(pathlib.Path(words[-1]))
        np.testing.assert_array_equal(canvas(page), drawn)
        self.assertGreater(len(np.unique(drawn)), 3)

    def test_the_canvas_is_the_commands_picture(self):
        for words in ([], ["--center=0.25e-60,1", "--zoom", "1e60", "--iterations", "400"]):
            with Server("mandelbrot", *words) as server:
                page = browser.page(server)
                page.set_viewport_size({"width": 600, "height": 420})
                page.focus("#picture")
                self.finished(page)
                page.click("#home")
                self.finished(page)
                scale = page.get_attribute("#picture", "data-scale")
                self.expects(page)
                page.focus("#picture")
                page.keyboard.press("+")
                self.finished(page, f"of.scale !== '{scale}'")
                x = page.get_attribute("#picture", "data-x")
                self.expects(page)
                page.focus("#picture")
                page.keyboard.press("ArrowRight")
                self.finished(page, f"of.x !== '{x}'")
                self.expects(page)
                page.get_by_label("Smooth", exact=True).check()
                wait(page, "at('text').textContent.endsWith(' s')")
                self.assertEqual(browser.faults, [])
                page.context.close()


def draw_pictures(folder):
    """A picture of each view, for the pages."""
    with Server("life", "--random", "256x192", "--seed", "2") as server:
        page = browser.page(server)
        page.set_viewport_size({"width": 1024, "height": 640})
        shown(page, "of.frame > 0")
        page.focus("#picture")
        for _ in range(60):
            page.keyboard.press(".")
        shown(page, "of.steps === '60'")
        page.select_option("#palette", "sea")
        page.click("#home")
        page.evaluate("document.activeElement.blur()")
        wait(page, """(canvas => canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[0] !== 0)(at("picture"))""")
        page.screenshot(path=folder / "view-life.png")
        page.context.close()
    with Server("mandelbrot", "--center=0.3e-100,1", "--zoom", "1e100", "--palette", "ocean", "--smooth") as server:
        page = browser.page(server)
        page.set_viewport_size({"width": 1024, "height": 640})
        shown(page, "of.finished === of.frame")
        # The whole is that of the last frame's window.
        while float(page.get_attribute("#picture", "data-scale")) > 1e-102:
            page.click("#home")
            shown(page, "of.finished === of.frame")
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=folder / "view-mandelbrot.png")
        page.context.close()


if __name__ == "__main__":
    with Browser() as browser:
        if sys.argv[1:2] == ["--pictures"]:
            draw_pictures(pathlib.Path(sys.argv[2]))
        else:
            unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
