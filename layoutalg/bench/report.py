"""The figures of a run as a table, as JSON and as a plot (SVG, a bar for each case)."""

from __future__ import annotations

from html import escape

from layoutalg.bench.measure import Results, Row

WIDTH, LEFT, BAR = 960, 420, 18


def table(results: Results) -> str:
    """The fastest candidate of each case, a line each."""
    head = f"{results.device}, {results.date}, beside {results.instead}"
    columns = f"{'case':46s} {'':8s} {'µs':>10s} {'instead':>10s} {'faster':>7s} {'of limit':>9s}  {'who':13s}  kernel"
    return "\n".join([head, columns, *map(line, results.best)])


def line(row: Row) -> str:
    """One row of the table."""
    verdict = "exact" if row.exact else "WRONG"
    figures = (
        _figure(row.microseconds, "10.2f"), _figure(row.instead, "10.2f"), _figure(row.over_instead, "7.2f"),
        _figure(row.of_limit and 100 * row.of_limit, "7.1f"),
    )  # fmt: skip
    ours, instead, faster, limit = figures
    return f"{row.case:46s} {verdict:8s} {ours} {instead} {faster} {limit} %  {row.fastest_rival:13s}  {row.kernel}"


def _figure(number: float | None, form: str) -> str:
    return format(number, form) if number is not None else "–".rjust(int(form.split(".")[0]))


def plot(results: Results) -> str:
    """Each case's fastest candidate: what part of the limit it reaches (bar), and what a user's own way does (mark)."""
    rows = [row for row in results.best if row.of_limit is not None]
    height = 60 + len(rows) * (BAR + 8)
    scale = (WIDTH - LEFT - 80) / max([1.0, *(row.of_limit or 0 for row in rows)])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="10" y="20" font-size="14">{escape(results.device)}, {results.date}: part of the limit reached; '
        f"the line marks {escape(results.instead)}</text>",
    ]
    for number, row in enumerate(rows):
        y = 36 + number * (BAR + 8)
        reached = row.of_limit or 0.0
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(row.case)}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{reached * scale:.1f}" height="{BAR}" fill="#3b6ea5"/>',
            f'<text x="{LEFT + reached * scale + 4:.1f}" y="{y + 13}">{100 * reached:.1f} %</text>',
        ]
        if row.instead:
            x = LEFT + row.limit / row.instead * scale
            parts.append(f'<path d="M{x:.1f} {y - 3}v{BAR + 6}" stroke="#c0392b" stroke-width="2"/>')
    x = LEFT + scale
    parts.append(f'<path d="M{x:.1f} 30V{height - 10}" stroke="#888" stroke-dasharray="4 3"/>')
    return "\n".join([*parts, "</svg>\n"])
