"""The picture of a curve is well-formed and puts every point where its value belongs."""

from __future__ import annotations

import re
from html import unescape
from xml.parsers import expat

from bench.picture import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Line, Panel, picture, short
from bench.scale import Size, drawn

_POINT = re.compile(r'<circle cx="(.+?)" cy="(.+?)".*?><title>(.+?): .*?</title></circle>')


def well_formed(svg: str) -> str:
    expat.ParserCreate().Parse(svg, True)
    return svg


def points(svg: str, name: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y, title in _POINT.findall(svg) if unescape(title) == name]


def test_values_stand_on_logarithmic_axes() -> None:
    svg = well_formed(picture([Panel("time", "items", "ms", [Line("a & b", [(10, 1), (100, 10), (1_000, 100)])])]))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    bottom = HEIGHT - BOTTOM
    assert points(svg, "a & b") == [(LEFT, bottom), (LEFT + width / 2, bottom - height / 2), (LEFT + width, TOP)]
    shown = {unescape(text) for text in re.findall(r"<text.*?>(.*?)</text>", svg)}
    assert {"time", "items", "ms", "1k", "100", "a & b"} <= shown


def test_panels_stand_beside_each_other() -> None:
    one = Panel("x", "x", "y", [Line("first", [(1, 5)])])
    svg = well_formed(picture([one, one]))
    left, right = points(svg, "first")
    assert right[0] - left[0] == WIDTH
    assert f'width="{2 * WIDTH}"' in svg


def test_a_goal_is_dashed_in_the_cost_curve() -> None:
    sizes = [Size(items, items, [1.0, 2.0], [1.0], 9.0, 50.0, 80.0, items, 1.0) for items in (1_000, 1_000_000)]
    svg = well_formed(drawn(sizes))
    assert len(re.findall("<polyline [^>]*stroke-dasharray", svg)) == 1
    assert len(points(svg, "median")) == 2


def test_large_numbers_are_short_on_an_axis() -> None:
    assert [short(one) for one in (0.1, 15, 1_000, 2_500_000, 1e9)] == ["0.1", "15", "1k", "2.5M", "1G"]
