#!/usr/bin/env python3
"""heddle view laplace and lbm in Debian's chromium, without a screen: the canvas against what the commands draw, and what a user draws.

    HEDDLE=PATH solvers_browser_test.py                          PATH is the executable
    HEDDLE=PATH solvers_browser_test.py --pictures FOLDER        writes a picture of each for the documentation instead
"""
import numpy as np

from in_browser import ViewTest, browser, canvas, in_the_middle, main, shown, text, wait
from viewed import Server, drawn


class SolverTest(ViewTest):
    def expects(self, page, width, height, *words):
        """The middle of the canvas is what a command draws, a pixel a cell."""
        seen = in_the_middle(canvas(page), width, height)
        np.testing.assert_array_equal(seen, drawn(*words))
        return seen


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
        held = np.load(self.saved(page, "held.npy"))
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
        # y grows upwards: what is below the middle has smaller rows.
        rows, columns = np.nonzero(np.load(self.saved(page, "obstacles.npy")))
        self.assertEqual((rows.mean(), columns.mean()), (79, 109))
        page.locator("label", has_text="Shown").locator("select").select_option("density")
        checkpoint = self.saved(page, "checkpoint")
        self.step(page, 3)
        self.expects(page, 300, 200, "lbm", "free", "--resume", checkpoint, "--steps", 1, "--field", "density")
        page.click("#play")
        wait(page, "at('rate').textContent.includes('LUPS') && at('rate').textContent.includes('% of a copy')")

    def test_a_cylinder_is_dragged_by_keys_mouse_and_touch(self):
        page = self.open("lbm", "free", "--size", "300x200", "--reynolds", "30", has_touch=True)
        self.at_one(page)

        def expect_cylinder(left, below, steps):
            """A disc of radius 4, around the corner of four cells, in the server's obstacles, and on the canvas as the command draws it, grey."""
            y, x = np.mgrid[:200, :300]
            disc = (x + 0.5 - left)**2 + (y + 0.5 - below)**2 <= 16
            np.testing.assert_array_equal(np.load(self.saved(page, "obstacles.npy")) != 0, disc)
            checkpoint = self.saved(page, "checkpoint")
            self.step(page, steps)
            seen = self.expects(page, 300, 200, "lbm", "free", "--resume", checkpoint, "--steps", 1)
            np.testing.assert_array_equal((seen == 110).all(2)[::-1], disc)

        page.focus("#picture")
        page.keyboard.press("c")
        expect_cylinder(150, 100, 1)
        page.focus("#picture")
        for key in ("Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowUp", "Shift+ArrowDown", "Shift+ArrowDown"):
            page.keyboard.press(key)
        expect_cylinder(147, 99, 2)
        # The middle of the canvas is the middle of the grid; y grows upwards.
        x, y = self.middle(page)
        page.get_by_label("Drag", exact=True).check()
        page.mouse.move(x - 3.5, y + 1.5)
        page.mouse.down()
        page.mouse.move(x - 63.5, y + 21.5, steps=5)
        page.mouse.up()
        expect_cylinder(87, 79, 3)
        finger = page.context.new_cdp_session(page)
        path = [(x - 63.5 + 4 * i, y + 21.5 - 5 * i) for i in range(6)]
        for i, (to_x, to_y) in enumerate(path):
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove" if i else "touchStart", "touchPoints": [{"x": to_x, "y": to_y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect_cylinder(107, 104, 4)
        # Keys go on with what was dragged.
        page.focus("#picture")
        page.keyboard.press("Shift+ArrowRight")
        expect_cylinder(108, 104, 5)
        # More moves than a client may have waiting, faster than any of them is made: the sum of them counts.
        page.evaluate("""() => {
          for (let i = 0; i < 90; ++i)
            document.getElementById("picture").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", shiftKey: true }));
        }""")
        expect_cylinder(18, 104, 6)
        page.click("text=Remove obstacles")
        page.focus("#picture")
        page.keyboard.press("Shift+ArrowRight")
        wait(page, "at('error').textContent.includes('no obstacle is held')")


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
    main(draw_pictures)
