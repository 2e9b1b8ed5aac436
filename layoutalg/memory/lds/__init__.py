"""LDS accesses and what can be claimed of them: free of bank conflicts, at most n cycles, exactly n cycles."""

from layoutalg.memory.access import Access, LaneMap, WidthError, access, distributed, lane_map, operand
from layoutalg.memory.lds.claims import ConflictDegree, ConflictFree, ConflictFreeIff, Cycles, LdsClaim, UndividedError
from layoutalg.memory.lds.cost import Cost
from layoutalg.memory.lds.verdicts import addresses, judged, meeting, price, prove_access

__all__ = [
    "Access", "ConflictDegree", "ConflictFree", "ConflictFreeIff", "Cost", "Cycles", "LaneMap", "LdsClaim",
    "UndividedError", "WidthError", "access", "addresses", "distributed", "judged", "lane_map", "meeting", "operand",
    "price", "prove_access",
]  # fmt: skip
