"""Pictures of layouts: SVG for notebooks and files, an explorer in HTML, text for the terminal, formulas in LaTeX.

>>> from layoutalg.layout import make_naive_tensor_descriptor
>>> tile = make_naive_tensor_descriptor((8, 64), (72, 1))
>>> show(tile, by="bank").title
'bank of each of 8 × 64 elements'
"""

from layoutalg.draw.access import LaneAccess, along, down, held, in_order, operand
from layoutalg.draw.collision import collision, escape, refutation
from layoutalg.draw.conflicts import conflicts
from layoutalg.draw.dataflow import dataflow
from layoutalg.draw.files import Explorer, explore, save
from layoutalg.draw.formula import latex
from layoutalg.draw.frames import frames
from layoutalg.draw.graph import graph
from layoutalg.draw.grid import cells, grid
from layoutalg.draw.holders import holders
from layoutalg.draw.memory import memory
from layoutalg.draw.page import access_page, page
from layoutalg.draw.show import show, svg
from layoutalg.draw.svg import Picture, below, beside
from layoutalg.draw.swizzle import compare
from layoutalg.draw.text import plain, table, tree
from layoutalg.draw.timeline import lane_groups, timeline
from layoutalg.errors import DrawError
from layoutalg.lazy import called

__all__ = [
    "DrawError", "Explorer", "LaneAccess", "Picture", "access_page", "along", "below", "beside", "cells", "collision",
    "compare", "conflicts", "dataflow", "down", "escape", "explore", "frames", "graph", "grid", "held", "holders",
    "in_order", "lane_groups", "latex", "memory", "operand", "page", "plain", "refutation", "save", "show", "svg",
    "table", "timeline", "tree",
]  # fmt: skip

called(__name__, show)  # `la.draw(…)`
