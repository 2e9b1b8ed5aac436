"""What a wave's access to memory costs: banks of the LDS, segments of global memory, and what can be claimed of them.

| module                 | what it is                                                                                 |
|------------------------|--------------------------------------------------------------------------------------------|
| `banks`, `bank_report` | the LDS at given addresses: phases, banks, cycles; as data, in a sentence, as a picture    |
| `coalescing`           | global memory at given addresses: the segments that a wave touches                         |
| `lanes`, `reach`       | accesses as formulas: which elements each lane reaches, in what layout, by what instruction |
| `waves`, `patterns`    | all values of their variables, block by block; which lanes may take part                   |
| `bank_cost`, `traffic` | the price of all waves at once: cycles, segments                                           |
| `conflicts`            | ConflictFree, ConflictDegree, Cycles, ConflictFreeIff: claims that `prove` decides         |
| `coalesced`            | Coalesced: likewise                                                                        |
| `conflict_statements`  | bank conflicts as statements for a solver; `replay`: one wave by the bank model, in words  |

    verdict = prove(ConflictFree(access(tile, lanes, "f16", "gfx942")))
"""

from layoutalg.memory.bank_cost import Cost, price
from layoutalg.memory.coalesced import Coalesced
from layoutalg.memory.conflict_statements import UndividedError
from layoutalg.memory.conflicts import ConflictDegree, ConflictFree, ConflictFreeIff, Cycles, LdsClaim, judged
from layoutalg.memory.lanes import LaneMap, WidthError, distributed, lane_map, operand, transposing
from layoutalg.memory.reach import Access, Reach, access
from layoutalg.memory.replay import addresses, meeting

__all__ = [
    "Access", "Coalesced", "ConflictDegree", "ConflictFree", "ConflictFreeIff", "Cost", "Cycles", "LaneMap", "LdsClaim",
    "Reach", "UndividedError", "WidthError", "access", "addresses", "distributed", "judged", "lane_map", "meeting",
    "operand", "price", "transposing",
]  # fmt: skip
