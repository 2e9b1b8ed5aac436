"""A descriptor explained: in words and formulas what it does, what holds, where the risk is and what would fix it.

    explain(item)  →  Explanation  →  text, data (JSON), latex

| part     | from                                                                                       |
|----------|--------------------------------------------------------------------------------------------|
| steps    | each transform's own map, forwards and back (`words`)                                       |
| claims   | the file's claims, as `layoutalg check` decides them                                        |
| findings | index width, overlap, waste, padding, vectors (`memory`); LDS bank conflicts (`lds`)        |
| fixes    | transforms or strides in the place of others (`fix`); a synthesized layout (`lds`)          |

Every number is from a verdict or from counting, and each sentence names how it was decided.
What it cannot represent: what a layout is meant for, beyond the file's claims.
"""

from layoutalg.explain.explanation import explain
from layoutalg.explain.finding import Fix, Remark
from layoutalg.explain.report import Explanation, data, latex, text
from layoutalg.explain.words import TransformStep, steps
from layoutalg.lazy import called

__all__ = [
    "Explanation",
    "Fix",
    "Remark",
    "TransformStep",
    "data",
    "explain",
    "latex",
    "steps",
    "text",
]

called(__name__, explain)  # `la.explain(…)`
