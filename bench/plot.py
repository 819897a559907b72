# SPDX-License-Identifier: MIT
"""Line plots as SVG: logarithmic axes, a label at the end of every line."""

import html
import math
from dataclasses import dataclass

WIDTH, HEIGHT = 1050, 560
LEFT, RIGHT, TOP, BOTTOM = 84, 370, 72, 58
INK, FAINT, GRID = "#1f2328", "#57606a", "#e3e6ea"
LABEL_HEIGHT = 15


@dataclass
class Style:
    colour: str
    marker: str = "circle"
    width: float = 1.6
    dash: str = ""


@dataclass
class Point:
    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass
class Series:
    name: str
    style: Style
    points: list[Point]


@dataclass
class Axis:
    title: str
    ticks: list[tuple[float, str]]


@dataclass
class Level:
    """A horizontal line that parts the plot, and what it means to be above or below it."""

    y: float
    above: str
    below: str


def superscript(number):
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def powers(values):
    """The exponents of powers of two around these values; not more than a dozen of them, 0 among them if it can be."""
    first, last = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    step = math.ceil((last - first + 1) / 12)
    return range(first // step * step, last + step, step)


def count_ticks(values):
    return [(2.0**k, "2" + superscript(k)) for k in powers(values)]


def ratio_ticks(values):
    return [(2.0**k, f"{2**k}×" if k >= 0 else f"1/{2**-k}×") for k in powers(values)]


def decade_ticks(values, label):
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [(10.0**k, label(10.0**k)) for k in range(first, max(last, first + 1) + 1)]


def text(x, y, content, size=12, colour=INK, anchor="start", more=""):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{more}>'
        f"{html.escape(content)}</text>"
    )


def line(x1, y1, x2, y2, colour, width=1.0, more=""):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{more}/>'
    )


def marker(x, y, style):
    size = 2.2 + style.width * 0.7
    fill = f'fill="{style.colour}" stroke="white" stroke-width="0.8"'
    if style.marker == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" {fill}/>'
    corners = {
        "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "diamond": [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
        "triangle": [(0, -1.3), (1.25, 1), (-1.25, 1)],
    }[style.marker]
    points = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" {fill}/>'


def spread_labels(wanted, top, bottom):
    """Heights as near to the wanted ones, in the same order, as their own height allows."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    height = min(LABEL_HEIGHT, (bottom - top) / max(len(wanted) - 1, 1))
    placed = dict.fromkeys(order, 0.0)
    lowest = top
    for i in order:
        placed[i] = max(wanted[i], lowest)
        lowest = placed[i] + height
    highest = bottom
    for i in reversed(order):
        placed[i] = min(placed[i], highest)
        highest = placed[i] - height
    return [placed[i] for i in range(len(wanted))]


def plot(title, subtitle, x_axis, y_axis, series, level=None):
    """An SVG document. The ticks of an axis span it."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    x_range = [math.log(x_axis.ticks[0][0]), math.log(x_axis.ticks[-1][0])]
    y_range = [math.log(y_axis.ticks[0][0]), math.log(y_axis.ticks[-1][0])]

    def x_of(value):
        return LEFT + (math.log(value) - x_range[0]) / ((x_range[1] - x_range[0]) or 1) * (right - LEFT)

    def y_of(value):
        return bottom - (math.log(value) - y_range[0]) / ((y_range[1] - y_range[0]) or 1) * (bottom - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="Inter, Helvetica, Arial, sans-serif">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 28, title, 17, more=' font-weight="600"'),
        text(LEFT, 49, subtitle, 12.5, FAINT),
    ]
    if level:
        y = y_of(level.y)
        parts.append(f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{y - TOP:.1f}" fill="#f1f8f2"/>')
        parts.append(f'<rect x="{LEFT}" y="{y:.1f}" width="{right - LEFT}" height="{bottom - y:.1f}" fill="#fdf1f0"/>')
    for value, label in x_axis.ticks:
        parts.append(line(x_of(value), TOP, x_of(value), bottom, GRID))
        parts.append(text(x_of(value), bottom + 20, label, 12.5, FAINT, "middle"))
    for value, label in y_axis.ticks:
        parts.append(line(LEFT, y_of(value), right, y_of(value), GRID))
        parts.append(text(LEFT - 9, y_of(value) + 4, label, 12.5, FAINT, "end"))
    parts.append(line(LEFT, bottom, right, bottom, FAINT))
    parts.append(text((LEFT + right) / 2, HEIGHT - 14, x_axis.title, 13, anchor="middle"))
    middle = (TOP + bottom) / 2
    parts.append(text(20, middle, y_axis.title, 13, anchor="middle", more=f' transform="rotate(-90 20 {middle})"'))
    if level:
        parts.append(line(LEFT, y_of(level.y), right, y_of(level.y), INK, 1.4))

    for one in sorted(series, key=lambda s: s.style.width):
        style = one.style
        for point in one.points:
            if point.low is not None and point.high is not None:
                x = x_of(point.x)
                parts.append(line(x, y_of(point.low), x, y_of(point.high), style.colour, 3, ' opacity="0.35"'))
        path = " ".join(f"{x_of(p.x):.1f},{y_of(p.y):.1f}" for p in one.points)
        dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{style.colour}" stroke-width="{style.width}" '
            f'stroke-linejoin="round"{dash}/>'
        )
        parts.extend(marker(x_of(p.x), y_of(p.y), style) for p in one.points)

    if level:
        halo = ' font-style="italic" paint-order="stroke" stroke="white" stroke-width="4" stroke-linejoin="round"'
        parts.append(text(LEFT + 8, TOP + 18, level.above, 12.5, more=halo))
        parts.append(text(right - 8, bottom - 10, level.below, 12.5, anchor="end", more=halo))

    ends = [y_of(one.points[-1].y) for one in series]
    for one, end, height in zip(series, ends, spread_labels(ends, TOP, bottom)):
        style = one.style
        x = x_of(one.points[-1].x)
        parts.append(
            f'<polyline points="{x + 5:.1f},{end:.1f} {right + 8:.1f},{end:.1f} {right + 18:.1f},{height:.1f} '
            f'{right + 22:.1f},{height:.1f}" fill="none" stroke="{style.colour}" stroke-width="0.8" opacity="0.6"/>'
        )
        parts.append(marker(right + 28, height, style))
        weight = ' font-weight="600"' if style.width > 2 else ""
        parts.append(text(right + 37, height + 4, one.name, 12.5, style.colour, more=weight))
    parts.append("</svg>\n")
    return "\n".join(parts)
