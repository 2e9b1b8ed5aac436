"""The command line: `layoutalg check`, `offsets`, `demo`, `run`, `emit`, `compile` …

Exit codes: 0 all proved, 1 something refuted, 2 something unknown, 3 bad input (one line on stderr says what).
Of the commands' modules only that of the one named is imported, and it imports what it needs when it runs, so that a
check starts fast.
"""

from layoutalg.cli.app import main

__all__ = ["main"]
