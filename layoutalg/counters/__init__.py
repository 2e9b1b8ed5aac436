"""What AMD's profiler would count of a launch, without a GPU: from a run of its machine code, or for all sizes.

| module | holds |
|---|---|
| `definitions` | AMD's counters, and which instruction each counts |
| `count` | a run's figures, each exact, bounded, in doubt or not known |
| `occupancy` | how many waves a unit holds, and which resource says so |
| `roofline` | times by each limit, an estimate |
| `call` | all of it in one call |
| `formulas` | the same for all sizes, as formulas |
"""

from layoutalg.counters.call import counters as _counters
from layoutalg.lazy import called

called(__name__, _counters)  # `la.counters(…)`
