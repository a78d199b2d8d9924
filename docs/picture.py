#!/usr/bin/env python3
"""Draws docs/summary.svg: the first screen of rsmi in color, as a terminal with a dark ground shows it.

The screen is tests/data/screens/h200x8-120-color.txt, which a test compares with what the program writes, so
the picture is what one gets. The script is deterministic: running it again gives the same bytes.

    docs/picture.py          write the picture
    docs/picture.py --check  write nothing; fail if the picture is not as the script would draw it
"""

import html
import pathlib
import re
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCREEN = ROOT / "tests" / "data" / "screens" / "h200x8-120-color.txt"
PICTURE = ROOT / "docs" / "summary.svg"

# Width and height of a cell, and the margin around the screen.
CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 16
GROUND, INK = "#1b1f27", "#d5d9e0"
COLORS = {31: "#ff6b6b", 32: "#7ec97e", 33: "#e5c07b", 36: "#62c4d4"}


def pieces(line):
    """A line as (style, text): the style is what the codes before the text have set."""
    color, bold, dim = None, False, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            for code in (int(code or 0) for code in part[2:-1].split(";")):
                if code in (0, 39):
                    color, bold, dim = None, False if code == 0 else bold, False if code == 0 else dim
                elif code == 1:
                    bold = True
                elif code == 2:
                    dim = True
                elif code in COLORS:
                    color = COLORS[code]
                else:
                    sys.exit(f"{SCREEN.name}: a code that this script does not know: {code}")
        elif part:
            yield (color, bold, dim), part


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def draw(screen):
    lines = screen.splitlines()
    widest = max(columns(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width = round(widest * CELL_WIDTH + 2 * MARGIN)
    height = len(lines) * CELL_HEIGHT + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        "<title>The first screen of rsmi on a machine with eight GPUs</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" '
        f'fill="{INK}" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        y = MARGIN + row * CELL_HEIGHT + 14
        column = 0
        for (color, bold, dim), text in pieces(line):
            wide = columns(text)
            style = f' fill="{color}"' if color else ""
            style += ' font-weight="bold"' if bold else ""
            style += ' opacity="0.55"' if dim else ""
            # Each run is put where its column is, and stretched to its columns: fonts differ.
            if text.strip():
                x, length = MARGIN + column * CELL_WIDTH, wide * CELL_WIDTH
                out.append(
                    f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"{style}>'
                    f"{html.escape(text, quote=False)}</text>"
                )
            column += wide
    return "\n".join([*out, "</g>", "</svg>", ""])


def main():
    picture = draw(SCREEN.read_text())
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text() != picture:
            sys.exit("docs/summary.svg is not as docs/picture.py draws it; run docs/picture.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PICTURE.write_text(picture)


main()
