"""Line charts as SVG, drawn by hand: both axes logarithmic, several panels beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 470, 330
LEFT, RIGHT, TOP, BOTTOM = 62, 18, 62, 46
COLOURS = ("#1f6f8b", "#c8553d", "#6a7b3c", "#7d5ba6")
INK, FAINT = "#333", "#ddd"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together, joined in their order. A `dashed` one is a goal and not a measurement."""

    name: str
    points: Sequence[Point]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart: lines over the same axes. All values are above zero."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]


def picture(panels: Sequence[Panel]) -> str:
    """The panels from left to right as one SVG document."""
    width = WIDTH * len(panels)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="{INK}">'
    )
    ground = f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>'
    body = [part for at, panel in enumerate(panels) for part in _panel(panel, at * WIDTH)]
    return "\n".join([head, ground, *body, "</svg>\n"])


def short(value: float) -> str:
    """A number for an axis: 1,000 as 1k, 1,000,000 as 1M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


class _Axis:
    """Whole powers of ten around all values, over a length in pixels."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return round(self._start + part * (self._end - self._start), 1)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def _panel(panel: Panel, left: float) -> Iterator[str]:
    points = [point for line in panel.lines for point in line.points]
    across = _Axis([x for x, _ in points], left + LEFT, left + WIDTH - RIGHT)
    up = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    yield _text(left + LEFT, 20, panel.title, size=14)
    for x in across.ticks():
        yield _stroke(across.at(x), TOP, across.at(x), HEIGHT - BOTTOM)
        yield _text(across.at(x), HEIGHT - BOTTOM + 17, short(x), anchor="middle")
    for y in up.ticks():
        yield _stroke(left + LEFT, up.at(y), left + WIDTH - RIGHT, up.at(y))
        yield _text(left + LEFT - 7, up.at(y) + 4, short(y), anchor="end")
    yield _text(left + (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, panel.across, anchor="middle")
    yield _text(left + LEFT - 7, TOP - 9, panel.up, anchor="end")
    for number, line in enumerate(panel.lines):
        yield from _line(line, COLOURS[number % len(COLOURS)], across, up)
        yield from _legend(line, COLOURS[number % len(COLOURS)], left + LEFT + number * 125)


def _line(line: Line, colour: str, across: _Axis, up: _Axis) -> Iterator[str]:
    places = [(across.at(x), up.at(y)) for x, y in line.points]
    joined = " ".join(f"{x:g},{y:g}" for x, y in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"{_dash(line)}/>'
    for (x, y), (_, value) in zip(places, line.points, strict=True):
        told = f"<title>{escape(line.name)}: {value:,.4g}</title>"
        yield f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{colour}">{told}</circle>'


def _legend(line: Line, colour: str, left: float) -> Iterator[str]:
    yield f'<path d="M{left:g},36 h18" stroke="{colour}" stroke-width="2"{_dash(line)}/>'
    yield _text(left + 23, 40, line.name)


def _dash(line: Line) -> str:
    return ' stroke-dasharray="5 4"' if line.dashed else ""


def _stroke(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path d="M{x:g},{y:g} L{to_x:g},{to_y:g}" stroke="{FAINT}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'
