"""Opens timelines in Chromium, zooms, searches and follows a copy, as a reader does.

usage: timeline_test.py GMM_RUN [FOLDER]    FOLDER: receives a picture of each page
"""

import os
import subprocess
import sys
import tempfile
import unittest

from chromium import Page, find

GMM_RUN = os.path.abspath(sys.argv[1])
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text(page: Page, element: str) -> str:
    return page.value(f"document.getElementById({element!r}).textContent")


class Timeline(unittest.TestCase):
    def page(self, *command: str, dark: bool = False) -> Page:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "timeline.html")
        ran = subprocess.run([GMM_RUN, *command, "--timeline", path], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertTrue(os.path.exists(path), ran.stderr)
        page = Page("file://" + path, dark=dark)
        self.addCleanup(page.__exit__)
        if PICTURES:
            page.picture(os.path.join(PICTURES, self._testMethodName + ".png"))
        return page

    def check_quiet(self, page: Page) -> None:
        self.assertEqual(page.errors, [])
        self.assertEqual([url for url in page.requests if not url.startswith("file://")], [])

    def test_ring_zooms_searches_and_follows_a_copy(self) -> None:
        page = self.page("run", "docs/tutorial/ladder/07_ring_matmul.tsr", "--devices", "4")
        self.assertIn("07_ring_matmul.tsr --devices 4", text(page, "title"))
        span = page.value("to - from")
        page.wheel(700, 300, -300)
        self.assertLess(page.value("to - from"), 0.5 * span)
        page.click_on("#all")
        self.assertAlmostEqual(page.value("to - from"), span)
        # A line of the source.
        page.click_on("#search")
        page.type("07_ring_matmul.tsr:21\n")
        self.assertRegex(text(page, "matches"), r"^1 of \d+$")
        self.assertIn("start slot[now] -> right", page.value("document.querySelector('#source .here').textContent"))
        # From the start of the copy to its flight, and from there to the wait.
        page.value("document.getElementById('search').value = ''")
        page.type("start slot -> slot of device 1\n")
        page.click_on("#details a")
        self.assertRegex(text(page, "details"), "^slot -> slot of device 1.*bytes moved")
        page.value("[...document.querySelectorAll('#details a')].find(a => a.textContent.startsWith('wait arrived')).click()")
        self.assertRegex(text(page, "details"), "^wait arrived.*device 1, core")
        self.check_quiet(page)

    def test_a_click_selects_the_slice_below_it(self) -> None:
        page = self.page("run", "docs/tutorial/ladder/01_copy.tsr")
        where = """(() => { const row = [...rows.values()][0], box = canvas.getBoundingClientRect();
            const i = row.label.findIndex(label => nameOf(label).startsWith('wait'));
            return [box.x + x((row.begin[i] + row.end[i]) / 2), box.y + lines[lineOfRow.get(row.number)].y + 8]; })()"""
        page.click(*page.value(where))
        self.assertRegex(text(page, "details"), "^wait copied")
        self.check_quiet(page)

    def test_race_connects_both_accesses(self) -> None:
        page = self.page("run", "docs/tutorial/ladder/broken/07_ring_matmul.tsr", "--devices", "4")
        self.assertIn("race: dev3.core0/dma#4 writes slot", text(page, "findings"))
        self.assertEqual(page.value("alarms.map(alarm => alarm.finding.kind)"), ["race"])
        ends = page.value("""(({ arrow }) => [0, 2].map(side => {
            const row = rows.get(data.arrows[arrow + side]);
            return [groups[row.track.group].name, nameOf(row.label[data.arrows[arrow + side + 1]])]; }))(alarms[0])""")
        self.assertEqual(ends, [["device 0", "slot -> slot of device 1"], ["device 3", "slot -> slot of device 0"]])
        # Only the devices of the race are unfolded; the others share a line, and a click on it shows them.
        self.assertEqual(page.value("groups.map(group => group.folded)"), [False, True, True, False])
        headings = "lines.filter(line => line.group).map(line => line.group.name)"
        self.assertEqual(page.value(headings), ["device 0", "device 1", "device 3"])
        page.click(*page.value("(box => [box.x + 20, box.y + lines.find(line => line.group === groups[1]).y + 8])(canvas.getBoundingClientRect())"))
        self.assertEqual(page.value(headings), ["device 0", "device 1", "device 2", "device 3"])
        page.click_on("#findings button")
        self.assertIn("race: dev3.core0/dma#4", text(page, "details"))
        self.assertIn("not ordered with", text(page, "details"))
        self.check_quiet(page)

    def test_counter_is_zero_before_its_first_point_and_after_its_wait(self) -> None:
        page = self.page("run", "docs/tutorial/ladder/01_copy.tsr")
        # Heights of the bar of `copied` before its signal, and after the wait at the same time.
        heights = page.value("""(() => { const line = lines.find(each => each.track && each.track.name === 'copied');
            const at = x(line.track.counter.at[0]), wide = 40, first = Math.floor(at) - 20;
            const { data: pixels } = canvas.getContext('2d').getImageData(first, line.y, wide, COUNTER);
            const painted = left => pixels.filter((v, i) => i % 4 === 3 && (i - 3) / 4 % wide === left - first && v > 0).length;
            return [painted(Math.floor(at) - 20), painted(Math.floor(at)), painted(Math.floor(at) + 3)]; })()""")
        self.assertEqual((heights[0], heights[2]), (0, 0))
        self.assertGreater(heights[1], 10)
        self.check_quiet(page)

    def test_deadlock_shows_its_cycle(self) -> None:
        page = self.page("run", "examples/bad_pass_right.tsr", "--devices", "4", dark=True)
        self.assertTrue(page.value("document.documentElement.classList.contains('dark')"))
        edges = page.value("""alarms.map(({ arrow }) => [0, 2].map(side => rows.get(data.arrows[arrow + side]).track.group))""")
        self.assertEqual(sorted(edges), [[0, 1], [1, 2], [2, 3], [3, 0]])
        names = page.value("data.findings[0].at.map(slice => nameOf(rows.get(slice.row).label[slice.position]))")
        self.assertEqual(names, ["blocked: wait arrived >= 4096, has 0"] * 4)
        self.check_quiet(page)

    def test_text_of_a_program_is_no_markup(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".tsr") as file:
            file.write(
                "kernel t(n = 8)\n  in a: f32[n, 128] hbm\n  out o: f32[n, 128] hbm\n{\n"
                '  trace 10 "</script><script>document.title = 1</script><!--" { copy a -> o }\n}\n'
            )
            file.flush()
            page = self.page("run", file.name)
        self.assertIn("gmm-run run", page.value("document.title"))
        page.click_on("#search")
        page.type("</script>\n")
        self.assertRegex(text(page, "details"), "^</script><script>")
        self.check_quiet(page)

    def test_large_run_is_summarised_within_five_megabytes(self) -> None:
        page = self.page(
            "gmm", "--m", "1024", "--k", "1024", "--n", "1024", "--groups", "8", "--tiling", "32,32,32", "--interpret", "--no-math", "--no-verify"
        )
        self.assertLess(page.value("document.documentElement.outerHTML.length"), 5_000_000)
        self.assertRegex(text(page, "note"), r"^\d+ slices; short ones are shown as \d+ summaries")
        everything = page.value(
            "[...rows.values()].reduce((sum, row) => "
            "sum + row.label.length - row.more.size + [...row.more.values()].reduce((n, m) => n + m.count, 0), 0)"
        )
        self.assertEqual(everything, page.value("data.all"))
        self.check_quiet(page)


if __name__ == "__main__":
    if find() is None:
        print("timeline: Skipped\nChromium is not installed")
    else:
        unittest.main(argv=sys.argv[:1])
