#!/usr/bin/env python3
"""heddle view laplace and lbm in Debian's chromium, without a screen: the canvas against what the commands draw, and what a user draws.

    HEDDLE=PATH solvers_browser_test.py                          PATH is the executable
    HEDDLE=PATH solvers_browser_test.py --pictures FOLDER        writes a picture of each for the documentation instead
"""
import io
import pathlib
import subprocess
import sys
import unittest

import numpy as np
from PIL import Image

from browser_test import PIXELS, Browser, shown, text, wait
from viewed import HEDDLE, PATIENCE, Server


def drawn(*words):
    """The picture that a command draws, as red, green and blue."""
    done = subprocess.run([HEDDLE, *map(str, words), "--quiet", "-o", "-", "--format", "png"], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    with Image.open(io.BytesIO(done.stdout)) as picture:
        return np.asarray(picture.convert("RGB"))


class SolverTest(unittest.TestCase):
    def open(self, *words):
        self.server = Server(*words)
        self.addCleanup(self.server.__exit__)
        page = browser.page(self.server)
        self.addCleanup(page.context.close)
        self.addCleanup(lambda: self.assertEqual(browser.faults, []))
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

    def expects(self, page, width, height, *words):
        """The middle of the canvas is what a command draws, a pixel a cell."""
        wide, high, values = page.eval_on_selector("#picture", PIXELS)
        canvas = np.array(values.split(","), np.uint8).reshape(high, wide, 4)[..., :3]
        top, left = (high - height) // 2, (wide - width) // 2
        np.testing.assert_array_equal(canvas[top:top + height, left:left + width], drawn(*words))

    def step(self, page, steps):
        page.click("#step")
        shown(page, f"of.steps === '{steps}'")

    def middle(self, page):
        box = page.locator("#picture").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class LaplaceTest(SolverTest):
    def test_the_canvas_is_the_commands_picture_and_takes_walls(self):
        words = ["laplace", "--size", "300x200"]
        page = self.open(*words, "--tolerance", "0")
        self.at_one(page)
        self.expects(page, 300, 200, *words, "--max-iterations", 0)
        self.step(page, 1)
        self.step(page, 2)
        self.expects(page, 300, 200, *words, "--tolerance", 0, "--max-iterations", 2)
        text(page, "text.startsWith('cycle 2, residual ')")
        # A wall of 41 points, down the middle.
        page.locator("label", has_text="Brush").locator("input").fill("0")
        page.get_by_label("Wall", exact=True).check()
        x, y = self.middle(page)
        page.mouse.move(x + 0.5, y - 20 + 0.5)
        page.mouse.down()
        page.mouse.move(x + 0.5, y + 20 + 0.5, steps=4)
        page.mouse.up()
        page.select_option("#format", "held.npy")
        held = None
        for _ in range(50):
            with page.expect_download() as download:
                page.click("#save")
            held = np.load(download.value.path())
            if held.sum() == 41:
                break
        self.assertEqual((list(np.flatnonzero(held.any(0))), held.sum()), ([150], 41))
        page.locator("label", has_text="Method").locator("select").select_option("red-black")
        text(page, "text.startsWith('sweep 2')")


class LbmTest(SolverTest):
    def test_the_canvas_is_the_commands_picture_and_takes_obstacles(self):
        words = ["lbm", "free", "--size", "300x200", "--reynolds", "30", "--field", "vorticity"]
        page = self.open(*words)
        self.at_one(page)
        self.step(page, 1)
        self.expects(page, 300, 200, *words, "--steps", 1)
        x, y = self.middle(page)
        page.get_by_label("Cylinder", exact=True).check()
        page.mouse.click(x - 40.5, y + 20.5)
        self.step(page, 2)
        text(page, "text.includes('drag ')")
        page.select_option("#format", "obstacles.npy")
        with page.expect_download() as download:
            page.click("#save")
        # y grows upwards: what is below the middle has smaller rows.
        rows, columns = np.nonzero(np.load(download.value.path()))
        self.assertEqual((rows.mean(), columns.mean()), (79, 109))
        page.locator("label", has_text="Shown").locator("select").select_option("density")
        page.select_option("#format", "checkpoint")
        with page.expect_download() as download:
            page.click("#save")
        self.step(page, 3)
        self.expects(page, 300, 200, "lbm", "free", "--resume", download.value.path(), "--steps", 1, "--field", "density")
        page.click("#play")
        wait(page, "at('rate').textContent.includes('LUPS') && at('rate').textContent.includes('% of a copy')")


def draw_pictures(folder):
    with Server("laplace", "--size", "257x257", "--tolerance", "1e-9") as server:
        page = browser.page(server)
        shown(page, "of.frame > 0")
        page.click("#home")
        box = page.locator("#picture").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.get_by_label("Wall", exact=True).check()
        for left, top, right, bottom in ((-60, -80, -60, 60), (60, -60, 100, 80)):
            page.mouse.move(x + left, y + top)
            page.mouse.down()
            page.mouse.move(x + right, y + bottom, steps=8)
            page.mouse.up()
        page.click("#play")
        text(page, "Number(text.split(' ')[1].replace(',', '')) > 8")
        page.screenshot(path=folder / "view-laplace.png")
        page.context.close()
    with Server("lbm", "cylinder", "--size", "500x90", "--field", "vorticity") as server:
        page = browser.page(server)
        shown(page, "of.frame > 0")
        page.click("#home")
        page.select_option("#speed", "")
        page.click("#play")
        shown(page, "Number(of.steps) > 20000")
        page.screenshot(path=folder / "view-lbm.png")
        page.context.close()


if __name__ == "__main__":
    with Browser() as browser:
        if sys.argv[1:2] == ["--pictures"]:
            draw_pictures(pathlib.Path(sys.argv[2]))
        else:
            unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
