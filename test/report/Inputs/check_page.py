"""check_page.py PAGE WORD...: the page needs nothing from outside, its plots are well-formed and draw each word."""
import re
import sys
import xml.etree.ElementTree as tree

page = open(sys.argv[1]).read()
plots = re.findall(r"<svg.*?</svg>", page, re.S)
assert plots, "no plot"
names = "{http://www.w3.org/2000/svg}"
words = set()
for text in plots:
    plot = tree.fromstring(text)
    width, height = float(plot.get("width")), float(plot.get("height"))
    labels = [(element, element.text) for element in plot.iter(names + "text")]
    words |= {label for _, label in labels}
    places = [(element.get("x"), element.get("y"), element.get("transform")) for element, _ in labels]
    assert len(set(places)) == len(places), "two labels in one place"
    for element, label in labels:
        x, y = float(element.get("x")), float(element.get("y"))
        assert 0 <= x <= width and 0 <= y <= height, (label, x, y)
for word in sys.argv[2:]:
    assert any(word in label for label in words), f"no plot has '{word}'"
rest = page
for text in plots:
    rest = rest.replace(text, "")
tree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", rest))
assert not re.search(r"<script|<link|<img|href|url\(|@import", page), "something from outside"
assert re.findall(r"https?://[^\"]*", page) == ["http://www.w3.org/2000/svg"] * len(plots)
