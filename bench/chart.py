"""Charts of bandwidth against size on logarithmic axes, as SVG. Every label lies inside the picture."""

import math
from xml.sax.saxutils import escape

WIDTH = 880
FONT = 13
# Of a sans-serif font, on the safe side: the widest digit or letter of ordinary text.
CHARACTER = 0.62 * FONT
LEFT, ABOVE, BELOW, PLOT_HEIGHT = 66, 58, 44, 340
LABEL_DISTANCE = 17
COLOURS = ["#0b62a4", "#d1495b", "#2e8b57", "#d9820a", "#7b3fa0", "#1797a6", "#8c564b"]
GREY = "#606060"


def text_width(text, size=FONT):
    return len(text) * CHARACTER * size / FONT


def spread(heights, least, most):
    """Moves labels apart, as little as possible, so that neighbours are LABEL_DISTANCE apart or more."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    groups = []  # [sum of the ends less the distances, count]: labels that touch
    for rank, i in enumerate(order):
        group = [heights[i] - rank * LABEL_DISTANCE, 1]
        while groups and groups[-1][0] / groups[-1][1] > group[0] / group[1]:
            total, count = groups.pop()
            group = [group[0] + total, group[1] + count]
        groups.append(group)
    highest = most - (len(order) - 1) * LABEL_DISTANCE
    placed, rank = [0.0] * len(heights), 0
    for total, count in groups:
        for _ in range(count):
            placed[order[rank]] = min(max(total / count, least), highest) + rank * LABEL_DISTANCE
            rank += 1
    return placed


def rate_text(rate):
    return f"{rate:g}" if rate < 1000 else f"{rate / 1000:g}k"


def panel(lines, title, subtitle, colours, top, right):
    """The elements of one pair of axes. A line is (name, is_ceiling, [(n, rate)])."""
    ns = [n for _, _, points in lines for n, _ in points]
    rates = [rate for _, _, points in lines for _, rate in points]
    low_n, high_n = math.log2(min(ns)), math.log2(max(ns))
    if low_n == high_n:
        low_n, high_n = low_n - 1, high_n + 1
    low, high = math.floor(math.log10(min(rates))), math.ceil(math.log10(max(rates)))
    high = high if high > low else low + 1
    bottom, width = top + PLOT_HEIGHT, WIDTH - LEFT - right

    def x(n):
        return LEFT + (math.log2(n) - low_n) / (high_n - low_n) * width

    def y(rate):
        return bottom - (math.log10(rate) - low) / (high - low) * PLOT_HEIGHT

    def text(content, at_x, at_y, anchor="start", colour="black", size=FONT, weight="normal"):
        return (f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" fill="{colour}" '
                f'font-size="{size}" font-weight="{weight}">{escape(content)}</text>')

    drawn = [text(title, LEFT, top - 30, size=16, weight="bold"), text(subtitle, LEFT, top - 12, colour=GREY)]
    for decade in range(low, high + 1):
        for factor in (1, 2, 5):
            rate = factor * 10.0**decade
            if not 10.0**low <= rate <= 10.0**high * 1.0001:
                continue
            colour = "#c8c8c8" if factor == 1 else "#ececec"
            drawn.append(f'<path d="M{LEFT} {y(rate):.1f}H{LEFT + width}" stroke="{colour}"/>')
            if factor == 1:
                drawn.append(text(rate_text(rate), LEFT - 8, y(rate) + 4, "end"))
    step = max(1, round((high_n - low_n) / 8))
    for power in range(math.ceil(low_n), math.floor(high_n) + 1):
        if (power - math.ceil(low_n)) % step:
            continue
        at = x(2.0**power)
        drawn.append(f'<path d="M{at:.1f} {top}V{bottom}" stroke="#ececec"/>')
        half = text_width(f"2^{power}") / 2
        drawn.append(text(f"2^{power}", min(at, WIDTH - half), bottom + 18, "middle"))
    drawn.append(text("elements", LEFT + width / 2, bottom + 36, "middle"))
    drawn.append(f'<text transform="translate(16 {top + PLOT_HEIGHT / 2:.1f}) rotate(-90)" '
                 f'text-anchor="middle" font-size="{FONT}">GB/s</text>')
    ends = [y(points[-1][1]) for _, _, points in lines]
    for (name, is_ceiling, points), label in zip(lines, spread(ends, top, bottom)):
        colour = GREY if is_ceiling else colours[name]
        path = "L".join(f"{x(n):.1f} {y(rate):.1f}" for n, rate in points)
        stroke = 3 if name == "Heddle" else 1.6
        dashes = ' stroke-dasharray="6 4"' if is_ceiling else ""
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{stroke}"{dashes}/>')
        for n, rate in points:
            drawn.append(f'<circle cx="{x(n):.1f}" cy="{y(rate):.1f}" r="{stroke}" fill="{colour}"/>')
        last = x(points[-1][0])
        drawn.append(f'<path d="M{last + 4:.1f} {y(points[-1][1]):.1f}L{LEFT + width + 12} {label:.1f}" '
                     f'stroke="{colour}" stroke-width="0.6"/>')
        drawn.append(text(name, LEFT + width + 14, label + 4, colour=colour))
    return drawn


def chart(panels):
    """An SVG with one panel below another; a panel is (title, subtitle, lines)."""
    names = []
    for _, _, lines in panels:
        names += [name for name, is_ceiling, _ in lines if not is_ceiling and name not in names]
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    longest = max(text_width(name) for _, _, lines in panels for name, _, _ in lines)
    right = math.ceil(longest) + 18
    each = ABOVE + PLOT_HEIGHT + BELOW
    drawn = []
    for i, (title, subtitle, lines) in enumerate(panels):
        drawn += panel(lines, title, subtitle, colours, ABOVE + i * each, right)
    height = each * len(panels)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'font-family="sans-serif" role="img">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
            + "\n".join(drawn) + "\n</svg>\n")
