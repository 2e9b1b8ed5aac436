"""Whether a kernel that anybody compiled does what its launch says: every claim, decided for all sizes.

| room | holds |
|---|---|
| `accesses` | what a trace accesses |
| `global_memory` | which threads of a launch meet in memory |
| `lds` | which threads of a block meet in LDS, and who stored what a thread reads there |
| `meaning` | what stored words mean, held against what the launch's equations say |
| `claims` | the claims |
| `runs`, `trial` | runs that refute |
| `words` | reasons in the words of a launch |
| `audit` | all of it, in order |
| `call` | a call in Python as a launch |
| `figures` | what is known of a kernel without a launch |
"""

from layoutalg.audit.call import audit as _audit
from layoutalg.lazy import called

called(__name__, _audit)  # `la.audit(…)`
