#!/usr/bin/env python3
"""heddle view in Debian's chromium, without a screen: the canvas against what the command draws, and what a user does.

    HEDDLE=PATH browser_test.py                          PATH is the executable
    HEDDLE=PATH browser_test.py --pictures FOLDER        writes a picture of each view for the documentation instead
"""
import shlex

import numpy as np
from PIL import Image

from in_browser import ViewTest, browser, canvas, in_the_middle, main, shown, text, wait
from viewed import Server, counted, drawn, has_mpfr


def next_of(cells):
    """The next generation on a torus."""
    around = sum(np.roll(cells, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)) - cells
    return ((around == 3) | ((around == 2) & (cells == 1))).astype(int)


class LifeTest(ViewTest):
    WORDS = ["life", "--random", "300x200", "--seed", "4"]

    def expects(self, page, cells):
        """The canvas shows a grid of 300x200 cells, a pixel a cell."""
        np.testing.assert_array_equal(in_the_middle(canvas(page), 300, 200)[..., 0], 255 * cells)

    def expects_generation(self, page, generations):
        self.expects(page, counted(*self.WORDS, "--generations", generations))

    def test_it_begins_with_the_whole(self):
        page = self.open(*self.WORDS)
        scale = page.get_attribute("#picture", "data-scale")
        page.click("#home")
        self.step(page, 1)
        self.assertEqual(page.get_attribute("#picture", "data-scale"), scale)

    def test_the_canvas_is_the_commands_picture(self):
        page = self.open(*self.WORDS)
        self.at_one(page)
        self.expects_generation(page, 0)
        self.step(page, 1)
        page.focus("#picture")
        page.keyboard.press(".")
        shown(page, "of.steps === '2'")
        self.expects_generation(page, 2)
        page.keyboard.press(" ")
        shown(page, "Number(of.steps) > 50")
        page.keyboard.press(" ")
        wait(page, "at('play').textContent === 'Play'")
        generations = int(page.get_attribute("#picture", "data-steps"))
        self.expects_generation(page, generations)
        self.assertIn(f"generation {generations}", page.text_content("#text"))
        page.click("#command")
        words = page.text_content("#command-line:not([hidden])").split()
        self.assertEqual(words[:2], ["heddle", "life"])
        np.testing.assert_array_equal(counted(*words[1:]), counted(*self.WORDS, "--generations", generations))
        page.click("#restart")
        shown(page, "of.steps === '0'")
        self.expects_generation(page, 0)

    def test_target_and_palette(self):
        page = self.open(*self.WORDS, "--target", "serial")
        self.at_one(page)
        other = next(name for name in page.eval_on_selector("#target", "select => [...select.options].map(one => one.value)") if name.startswith("parallel"))
        page.select_option("#target", other)
        shown(page, "of.frame > 0")
        self.step(page, 1)
        self.assertEqual(page.input_value("#target"), other)
        self.expects_generation(page, 1)
        page.select_option("#palette", "paper")
        wait(page, """(() => {
          const canvas = at('picture');
          const one = canvas.getContext('2d').getImageData(canvas.width / 2 - 150, canvas.height / 2 - 100, 300, 200).data;
          let sum = 0;
          for (let i = 0; i < one.length; i += 4) sum += one[i];
          return sum > 255 * 300 * 100;
        })()""")
        self.expects(page, 1 - counted(*self.WORDS, "--generations", 1))

    def test_drawing_dropping_and_saving(self):
        page = self.open("life", "--random", "300x200", "--density", "0")
        self.at_one(page)
        middle = self.middle(page)
        # The pointer draws the cells under it.
        page.get_by_label("Draw", exact=True).check()
        page.mouse.move(middle[0] - 20 + 0.5, middle[1] + 0.5)
        page.mouse.down()
        page.mouse.move(middle[0] + 20 + 0.5, middle[1] + 0.5, steps=5)
        page.mouse.up()
        text(page, "text.endsWith('population 41')")
        cells = np.zeros((200, 300), int)
        cells[100, 130:171] = 1
        self.expects(page, cells)
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
        np.testing.assert_array_equal(counted("life", self.saved(page, "rle"), "--generations", 0), cells)
        page.click("text=Fill with random cells")
        text(page, "!text.endsWith('population 49')")
        page.click("text=Clear")
        text(page, "text.endsWith('population 0')")
        page.get_by_label("Rule").fill("B9")
        page.keyboard.press("Enter")
        wait(page, "at('error').textContent.includes('B9')")

    def test_patterns_of_the_library_are_placed(self):
        page = self.open("life", "--random", "300x200", "--density", "0")
        self.at_one(page)
        middle = self.middle(page)
        page.locator("label", has_text="Pattern").locator("select").select_option(label="R-pentomino")
        page.mouse.click(middle[0] + 0.5, middle[1] + 0.5)
        text(page, "text.endsWith('population 5')")
        cells = np.zeros((200, 300), int)
        cells[99:102, 149:152] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]
        self.expects(page, cells)
        page.locator("label", has_text="Pattern").locator("select").select_option(label="Glider")
        page.locator("label", has_text="Turned").locator("select").select_option(label="a quarter")
        page.get_by_label("Mirrored").check()
        page.mouse.click(middle[0] - 49.5, middle[1] + 0.5)
        text(page, "text.endsWith('population 10')")
        glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]])
        cells[99:102, 99:102] = np.fliplr(np.rot90(glider, -1))
        self.expects(page, cells)
        self.step(page, 1)
        np.testing.assert_array_equal(counted("life", self.saved(page, "rle"), "--generations", 0), next_of(cells))

    def test_the_window_is_saved_as_it_is_shown(self):
        page = self.open(*self.WORDS)
        self.at_one(page)
        with page.expect_download() as download:
            page.click("#save-window")
        self.assertEqual(download.value.suggested_filename, "life-window.png")
        with Image.open(download.value.path()) as picture:
            saved = np.asarray(picture.convert("RGB"))
        np.testing.assert_array_equal(saved, canvas(page))
        np.testing.assert_array_equal(in_the_middle(saved, 300, 200), drawn(*self.WORDS, "--generations", 0))

    def test_a_speed_is_chosen(self):
        page = self.open(*self.WORDS)
        self.at_one(page)
        page.select_option("#speed", label="5 a second")
        page.get_by_role("button", name="Play").click()
        shown(page, "Number(of.steps) > 2")
        # A page that is loaded again knows it from the state alone.
        page.reload()
        shown(page, "Number(of.steps) > 3")
        self.assertEqual(page.input_value("#speed"), "5")
        self.at_one(page)
        page.focus("#picture")
        page.keyboard.press(" ")
        wait(page, "at('play').textContent === 'Play'")
        self.expects_generation(page, int(page.get_attribute("#picture", "data-steps")))
        page.select_option("#speed", label="as fast as it goes")
        page.focus("#picture")
        page.keyboard.press(" ")
        shown(page, "Number(of.steps) > 100")
        self.assertEqual(page.input_value("#speed"), "")

    def test_zooming_keeps_the_place_under_the_pointer(self):
        page = self.open(*self.WORDS)
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

    def test_two_fingers_zoom(self):
        page = self.open(*self.WORDS, has_touch=True)
        self.at_one(page)
        x, y = self.middle(page)
        fingers = page.context.new_cdp_session(page)
        for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80)):
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        shown(page, "Math.abs(Number(of.scale) - 0.5) < 1e-6")
        # The place between them stays, and one finger moves the picture.
        shown(page, "Math.abs(of.x) < 1e-6 && Math.abs(of.y) < 1e-6")
        for kind, right in (("touchStart", 0), ("touchMove", 30), ("touchMove", 60)):
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + right, "y": y, "id": 0}]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        shown(page, "Math.abs(Number(of.x) + 30) < 1e-6")

    def test_it_connects_again(self):
        page = self.open(*self.WORDS)
        port = self.server.port
        self.step(page, 1)
        self.server.interrupt()
        wait(page, "at('state').textContent.includes('connecting again')")
        again = Server(*self.WORDS, port=port)
        self.addCleanup(again.__exit__)
        shown(page, "of.steps === '0'")
        self.step(page, 1)
        browser.faults[:] = [fault for fault in browser.faults if "WebSocket" not in fault]

    def test_gallery_and_small_screens(self):
        page = self.page(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 740})
        for title, kind, state in (("Glider gun", "life", "population 36"), ("The whole set", "mandelbrot", "3 wide"), ("Walls and charges", "laplace", "cycle 0"),
                                   ("Wind tunnel", "lbm", "step 0")):
            page.get_by_role("button", name=f"Open {title}").click()
            wait(page, f"at('title').textContent === '{kind}'")
            text(page, f"text.includes('{state}')")
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
            # Everything that can be used has a name.
            unnamed = page.evaluate("""() => [...document.querySelectorAll("button, select, input, canvas")].filter(
              (one) => one.offsetParent && !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML)""")
            self.assertEqual(unnamed, [])
            page.get_by_role("button", name="Gallery").click()
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.emulate_media(color_scheme="light")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), back)


class MandelbrotTest(ViewTest):
    def finished(self, page, condition="true"):
        """Waits until the canvas shows a window of its size that is counted to the end."""
        shown(page, f"of.finished === of.frame && Number(of.width) === at('picture').width && ({condition})")

    def expects(self, page):
        """The canvas is what the command draws that the page gives."""
        page.eval_on_selector("#command-line", "one => { one.textContent = ''; }")
        page.click("#command")
        wait(page, "at('command-line').textContent.includes(`--center=${at('picture').dataset.x},`)")
        words = shlex.split(page.text_content("#command-line:not([hidden])"))
        at = words.index("-o")
        self.assertEqual((words[0], words.pop(at), words.pop(at)), ("heddle", "-o", "mandelbrot.png"))
        picture = drawn(*words[1:])
        np.testing.assert_array_equal(canvas(page), picture)
        self.assertGreater(len(np.unique(picture)), 3)

    def test_the_canvas_is_the_commands_picture(self):
        deep = [["--center=0.25e-60,1", "--zoom", "1e60", "--iterations", "400"]] if has_mpfr() else []
        for words in ([], *deep):
            page = self.open("mandelbrot", *words, viewport={"width": 600, "height": 420})
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
    main(draw_pictures)
