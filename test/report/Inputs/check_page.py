"""check_page.py PAGE WORD...: checks that the page is self-contained, that its plots are well-formed and draw each word,
and that bars add up to the sum of parts on their axis."""
import re
import sys
import xml.etree.ElementTree as tree

page = open(sys.argv[1]).read()
plots = re.findall(r"<svg.*?</svg>", page, re.S)
assert plots, "no plot"
names = "{http://www.w3.org/2000/svg}"
words = set()
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds(figure):
    number, unit = figure.split()
    return float(number) * UNITS[unit]


def check_bars(labels):
    said = next(filter(None, (re.search(r"sum of parts ([\d.]+ \w+)$", label) for _, label in labels)), None)
    if not said:
        return 0
    bars = [label for element, label in labels
            if element.get("text-anchor") != "middle" and re.fullmatch(r"[\d.]+ (s|ms|us|ns)", label)]
    assert abs(sum(map(seconds, bars)) / seconds(said[1]) - 1) < 0.02, (said[1], bars)
    return 1


charts_of_bars = 0
for text in plots:
    plot = tree.fromstring(text)
    width, height = float(plot.get("width")), float(plot.get("height"))
    labels = [(element, element.text) for element in plot.iter(names + "text")]
    words |= {label for _, label in labels}
    charts_of_bars += check_bars(labels)
    places = [(element.get("x"), element.get("y"), element.get("transform")) for element, _ in labels]
    assert len(set(places)) == len(places), "two labels in one place"
    for element, label in labels:
        x, y = float(element.get("x")), float(element.get("y"))
        assert 0 <= x <= width and 0 <= y <= height, (label, x, y)
assert charts_of_bars, "no bars"
for word in sys.argv[2:]:
    assert any(word in label for label in words), f"no plot has '{word}'"
rest = page
for text in plots:
    rest = rest.replace(text, "")
tree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", rest))
assert not re.search(r"<script|<link|<img|href|url\(|@import", page), "something from outside"
assert re.findall(r"https?://[^\"]*", page) == ["http://www.w3.org/2000/svg"] * len(plots)
