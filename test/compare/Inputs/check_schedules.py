"""check_schedules.py PAGE MEASURED|- WORD...: checks a page of `planc timeline --format=html`.

The page is self-contained. Its charts, one of the prediction and one of the measurement where there is one, have the same
rows with the same runs in the same colours, inside the chart; the table has each WORD.
"""
import re
import sys
import xml.etree.ElementTree as tree

page, is_measured, words = open(sys.argv[1]).read(), sys.argv[2] == "measured", sys.argv[3:]
charts = re.findall(r"<svg.*?</svg>", page, re.S)
assert len(charts) == (2 if is_measured else 1), len(charts)
assert not re.search(r"<script|<link|<img|href|url\(|@import", page), "something from outside"
svg = "{http://www.w3.org/2000/svg}"


def read(text):
    """The rows' names, and of each run, by row, its name and colour."""
    chart = tree.fromstring(text)
    width, height = float(chart.get("width")), float(chart.get("height"))
    names = {float(text.get("y")): re.sub(r" \(of.*", "", text.text) for text in chart.iter(svg + "text")
             if text.get("text-anchor") == "end" and "rank " in text.text}
    runs = {name: [] for name in names.values()}
    for bar in chart.iter(svg + "rect"):
        tip = bar.find(svg + "title")
        if tip is None:
            continue
        x, y, length = (float(bar.get(key)) for key in ("x", "y", "width"))
        assert 0 <= x and x + length <= width + 0.1 and 0 <= y <= height, bar.attrib
        if run := re.match(r"([FBIWU][\d.]*): (.*) of stage \d+, micro-batch \d+, ", tip.text):
            row = min(names, key=lambda at: abs(at - 17 - y))
            runs[names[row]].append((x, run[1], run[2], bar.get("fill")))
    return names, {name: [run[1:] for run in sorted(all)] for name, all in runs.items()}


charts = [read(text) for text in charts]
names, runs = charts[0]
assert names and all(runs.values()), runs
for other_names, other_runs in charts[1:]:
    assert names == other_names, (names, other_names)
    # A run that is too short is not drawn, and on a busy machine any may be: what both charts draw is compared.
    for name in runs:
        assert other_runs[name], name
        ours, theirs = ({run[0]: run[1:] for run in drawn[name]} for drawn in (runs, other_runs))
        assert all(ours[run] == theirs[run] for run in ours.keys() & theirs.keys()), (name, ours, theirs)
colours = {}
for _, drawn in charts:
    for run in sum(drawn.values(), []):
        assert colours.setdefault(run[1], run[2]) == run[2], run
assert len(set(colours.values())) == len(colours), colours
table = re.search(r"<table>.*?</table>", page, re.S)[0]
cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", table)
for word in words + ["predicted", "step"] + (["measured"] if is_measured else []):
    assert any(word in cell for cell in cells), (word, cells)
