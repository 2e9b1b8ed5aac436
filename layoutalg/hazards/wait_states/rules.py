"""Wait states that software must put between two instructions: the manuals' tables, and the compiler's, as data.

A rule is a line: what the first instruction does to a register, what the second does with it, and how many wait states
must lie between, as AMD's manual and as LLVM has it: a number, or one for each of 2, 4, 8 and 16 passes of a matrix
product.  None stands for a source that was not read, 0 for one that asks nothing.

| first, `v_mfma_f32_16x16x16_f16` (4 passes, gfx942) writes v[0:3] | second | wait states |
|---|---|---|
| | the same product, its C is v[0:3] | 0 |
| | an `xdl` product, its C is v[2:5] | 5 |
| | one whose A or B is among v[0:3] | 7 |
| | anything else that reads or writes one of v[0:3] | 7 |

An instruction counts as one wait state, `s_nop n` as n + 1 (CDNA 3 ISA, S_NOP; LLVM, SIInstrInfo::getNumWaitStates);
between RDNA's products vector instructions count, and they alone.

| target | AMD's manual | LLVM, GCNHazardRecognizer |
|---|---|---|
| gfx90a | not read | checkVMEMHazards, checkVALUHazards, checkDPPHazards, checkDivFMasHazards, |
| gfx942 | CDNA 3: 4.5, table 11; 7.5, table 37 | checkRWLaneHazards, checkReadM0Hazards, checkGetRegHazards, |
| gfx950 | CDNA 4: 4.5, table 11; 7.6, table 38 | checkMAIHazards90A, checkMAIVALUHazards, checkPermlaneHazards |
| gfx1100, gfx1151 | RDNA 3 and 3.5: 7.9.1 | fixWMMAHazards |
| gfx1201 | not read | fixWMMAHazards |

Left out, since no code that was seen has them or the decoder refuses them: VSKIP, VCCZ and EXECZ as sources, VCC under
its other name, RFE, S_MOVEREL, S_SENDMSG.  Left out, since one source alone asks it and the other says that none is
needed: LLVM's two before a mask is read (CDNA 3 ISA, table 11: carry-in).  Left out, since LLVM alone
speaks of it: what it works around on single processors (gfx90a: products of f64 between others; gfx11, gfx12: partial
forwarding, transcendental results, masks that scalar instructions overwrite).
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.records import dataclass
from layoutalg.target.read import kin

Count = int | tuple[int, int, int, int] | None
"""Wait states, or those of 2, 4, 8 and 16 passes; None: the source was not read."""

#: Target → what its manual is called.
MANUALS = {
    "gfx90a": "", "gfx942": "CDNA 3 ISA", "gfx950": "CDNA 4 ISA", "gfx1100": "RDNA 3 ISA", "gfx1151": "RDNA 3.5 ISA",
    "gfx1201": "",
}  # fmt: skip


def ruled_as(target: str) -> str:
    """The target by whose rules a processor goes, which has the same instruction set.

    >>> ruled_as("gfx1101"), ruled_as("gfx942")
    ('gfx1100', 'gfx942')
    """
    return kin().get(target, target)


_PASSES = (2, 4, 8, 16)


@dataclass(frozen=True, eq=False)
class WaitRule:
    """Wait states between a first instruction, which did `first` to a register, and a second that does `second` to it.

    `same`: of a matrix product's C: whether it is the first one's whole result; None: whichever.
    """

    first: str
    second: str
    counts: Mapping[str, tuple[Count, Count]]
    same: bool | None = None

    def __str__(self) -> str:
        return f"{self.first}, then {self.second}"

    def needed(self, target: str, passes: int) -> tuple[int | None, int | None]:
        """Wait states as the manual has them, and as LLVM, after a first instruction of so many passes."""
        manual, compiler = self.counts[target]
        return _of_passes(manual, passes), _of_passes(compiler, passes)


def _of_passes(count: Count, passes: int) -> int | None:
    return count[_PASSES.index(passes)] if isinstance(count, tuple) else count


def _every(count: Count) -> Mapping[str, tuple[Count, Count]]:
    return {"gfx90a": (None, count), "gfx942": (count, count), "gfx950": (count, count)}


def _since_gfx940(manual: Count, compiler: Count = None) -> Mapping[str, tuple[Count, Count]]:
    both = manual, manual if compiler is None else compiler
    return {"gfx942": both, "gfx950": both}


#: What a vector instruction writes, and who reads it too early.
VECTOR: tuple[WaitRule, ...] = (
    WaitRule("vector writes scalar", "memory's scalar", _every(5)),
    WaitRule("vector writes scalar", "lane select", _every(4)),
    WaitRule("vector writes scalar", "mask of v_div_fmas", _every(4)),
    WaitRule("vector writes scalar", "constant of a vector instruction", _since_gfx940(2)),
    WaitRule("vector writes exec", "data-parallel primitive", _every(5)),
    WaitRule("vector writes exec", "matrix product", _every(4)),
    WaitRule("vector writes exec", "constant of a vector instruction", _since_gfx940(2)),
    WaitRule("vector writes exec", "v_readlane, v_readfirstlane, v_writelane", _since_gfx940(4)),
    WaitRule("vector writes exec", "v_permlane", {"gfx950": (4, 4)}),
    WaitRule("vector writes", "source of a data-parallel primitive", _every(2)),
    WaitRule("vector writes", "source of a matrix product", _every(2)),
    WaitRule("vector writes", "source of v_readlane", _since_gfx940(1)),
    WaitRule("vector writes", "source of v_permlane", {"gfx950": (2, 2)}),
    WaitRule("transcendental writes", "source of another vector instruction", _since_gfx940(1)),
    WaitRule("part of a register written", "source of a vector instruction", _since_gfx940(1)),
    WaitRule("dot product writes", "source of another instruction", _every(3), same=False),
    WaitRule("dot product writes", "A or B of the same dot product", _every(3), same=True),
    WaitRule("dot product writes", "result of another vector instruction", _every(3), same=False),
)

#: What others than vector instructions do.
OTHERS: tuple[WaitRule, ...] = (
    WaitRule("m0 written", "load to LDS, LDS access by lane", _every(1)),
    WaitRule("m0 written", "buffer load to LDS", {"gfx90a": (None, 1), **_since_gfx940(0, 1)}),
    WaitRule("register of the machine set", "s_getreg", _every(2)),
    WaitRule("register of the machine set", "s_setreg", _every(2)),
    WaitRule("wide store's data", "result of a vector instruction", {"gfx90a": (None, 1), **_since_gfx940(2)}),
)

_X942, _X950, _X90A = (5, 7, 11, 19), (5, 8, 12, 20), (5, 0, 11, 19)
_S = (4, 6, 10, 18)
_SAME = (2, 0, 0, 0)


def _xdl(second: str) -> WaitRule:
    return WaitRule("xdl", second, {"gfx90a": (None, _X90A), "gfx942": (_X942, _X942), "gfx950": (_X950, _X950)})


#: Matrix products; the numbers are those of the first one's passes.  Where C is the whole result of a product of
#: another kind, the manual has it among what overlaps, and LLVM among what is the same.
MATRIX: tuple[WaitRule, ...] = (
    WaitRule("xdl", "C of xdl", {"gfx90a": (None, 0), **_since_gfx940(_SAME)}, same=True),
    WaitRule("xdl", "C of xdl", {
        "gfx90a": (None, (2, 0, 8, 16)), "gfx942": ((3, 5, 9, 17),) * 2, "gfx950": ((4, 6, 10, 18),) * 2,
    }, same=False),
    WaitRule("xdl", "C of sgemm, dgemm", {
        "gfx90a": (None, 0), "gfx942": ((3, 5, 9, 17), _SAME), "gfx950": ((3, 6, 10, 18), _SAME),
    }, same=True),
    WaitRule("xdl", "C of sgemm, dgemm", {
        "gfx90a": (None, (3, 0, 9, 17)), "gfx942": ((3, 5, 9, 17),) * 2, "gfx950": ((3, 6, 10, 18),) * 2,
    }, same=False),
    _xdl("A or B"),
    _xdl("memory reads"),
    _xdl("vector reads"),
    _xdl("vector writes"),
    WaitRule("sgemm", "C of sgemm, dgemm", _since_gfx940(_SAME), same=True),
    WaitRule("sgemm", "C of sgemm, dgemm", _since_gfx940((2, 4, 8, 16)), same=False),
    WaitRule("sgemm", "A or B", _since_gfx940(_S)),
    *(WaitRule("sgemm", second, _since_gfx940(_S)) for second in ("memory reads", "vector reads", "vector writes")),
    WaitRule("dgemm16", "C of sgemm, dgemm", {"gfx90a": (None, 9), "gfx942": (9, 9), "gfx950": (17, 17)}, same=False),
    WaitRule("dgemm16", "A or B", {"gfx90a": (None, 11), "gfx942": (11, 11), "gfx950": (19, 19)}),
    WaitRule("dgemm16", "vector reads", {"gfx90a": (None, 11), "gfx942": (11, 11), "gfx950": (19, 19)}),
    WaitRule("dgemm16", "vector writes", {"gfx90a": (None, 11), "gfx942": (11, 11), "gfx950": (19, 11)}),
    WaitRule("dgemm16", "memory reads", _every(18)),
    WaitRule("dgemm4", "C of sgemm, dgemm", _every(4)),
    *(WaitRule("dgemm4", second, _every(6)) for second in ("A or B", "vector reads", "vector writes")),
    WaitRule("dgemm4", "memory reads", _every(9)),
    WaitRule("C of xdl", "vector writes", _every((1, 3, 7, 15))),
    WaitRule("wmma", "A or B of wmma", {"gfx1100": (1, 1), "gfx1151": (1, 1), "gfx1201": (None, 1)}),
)  # fmt: skip

RULES: tuple[WaitRule, ...] = (*VECTOR, *OTHERS, *MATRIX)

#: Beyond so many wait states no rule asks anything.
FARTHEST = 20
