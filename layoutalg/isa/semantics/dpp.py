"""Data-parallel primitives: an instruction's first source comes from another lane, and some lanes are not written.

Rows are of 16 lanes, banks of 4 in a row.  n is the lane's number, k the last four bits of the control:

| control | of | lane n reads lane | there is one |
|---|---|---|---|
| `quad_perm` | all | that of its quad which the control's bits 2(n mod 4) and on name | always |
| `row_shl`, `row_shr` | all | n + k, n − k | in its row |
| `row_ror` | all | n − k, around its row | always |
| `wave_shl`, `wave_shr` | CDNA | n + 1, n − 1 | in the wave |
| `wave_rol`, `wave_ror` | CDNA | the same, around the wave | always |
| `row_mirror`, `row_half_mirror` | all | the row, or its half, from its end | always |
| `row_bcast15`, `row_bcast31` | CDNA | the last of the row, or the 32 lanes, before | from lane 16, 32 on |
| `row_share` (CDNA: `row_newbcast`) | all | k of its row | always |
| `row_xmask` | RDNA | n xor k | always |

DPP8 names the lane of its eight that each lane reads.  What is read where the lane has none, or one that is not active:

| `fi` | `bc` | the lane that is read is not there | is not active |
|---|---|---|---|
| 0 | 0 | not written | not written |
| 0 | 1 | 0 | 0 |
| 1 | 0, 1 | as above | its register |

DPP8 is as with `bc`.  `row_mask` and `bank_mask` say which lanes are written.  (CDNA 3 ISA, "DPP"; RDNA 3 ISA, "DPP";
LLVM's AMDGPUModifierSyntax, `bound_ctrl` and `fi`; LLVM, isSupportedDPPCtrl.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.exchanges import of_its_quad
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.isa.semantics.words import low_bits, never

Reading = tuple[Word, Truth]
"""The number of the lane that is read, and whether there is one."""

#: What the second dword of an encoding with a data-parallel primitive says.
DPP_FIELDS = frozenset({"dpp", "fi", "bc", "row_mask", "bank_mask", *(f"lane_sel_{k}" for k in range(8))})

_ROW = 16


def _always(function: Callable[[Values, Word, int], Word]) -> Callable[[Values, Word, int], Reading]:
    return lambda w, n, control: (function(w, n, control), ~never(w, n))


def _row_of(w: Values, n: Word) -> Word:
    return n & w.const(-_ROW, 32)


def _row_shl(w: Values, n: Word, control: int) -> Reading:
    k = control % _ROW
    return n + w.const(k, 32), w.ult(low_bits(w, n, 4), w.const(_ROW - k, 32))


def _row_shr(w: Values, n: Word, control: int) -> Reading:
    k = control % _ROW
    return n - w.const(k, 32), ~w.ult(low_bits(w, n, 4), w.const(k, 32))


def _row_ror(w: Values, n: Word, control: int) -> Word:
    return _row_of(w, n) | low_bits(w, n - w.const(control % _ROW, 32), 4)


def _before(size: int) -> Callable[[Values, Word, int], Reading]:
    """The last lane before those of so many that lane n is of."""
    return lambda w, n, _: ((n & w.const(64 - size, 32)) - w.const(1, 32), ~w.ult(n, w.const(size, 32)))


#: Control → first and last code, and the lane that lane n reads; waves that it goes around have 64 lanes.
CONTROLS: Mapping[str, tuple[int, int, Callable[[Values, Word, int], Reading]]] = {
    "quad_perm": (0x000, 0x0FF, _always(of_its_quad)),
    "row_shl": (0x101, 0x10F, _row_shl),
    "row_shr": (0x111, 0x11F, _row_shr),
    "row_ror": (0x121, 0x12F, _always(_row_ror)),
    "wave_shl": (0x130, 0x130, lambda w, n, _: (n + w.const(1, 32), w.ult(n, w.const(63, 32)))),
    "wave_rol": (0x134, 0x134, _always(lambda w, n, _: low_bits(w, n + w.const(1, 32), 6))),
    "wave_shr": (0x138, 0x138, lambda w, n, _: (n - w.const(1, 32), ~w.eq(n, w.const(0, 32)))),
    "wave_ror": (0x13C, 0x13C, _always(lambda w, n, _: low_bits(w, n - w.const(1, 32), 6))),
    "row_mirror": (0x140, 0x140, _always(lambda w, n, _: n ^ w.const(15, 32))),
    "row_half_mirror": (0x141, 0x141, _always(lambda w, n, _: n ^ w.const(7, 32))),
    "row_bcast15": (0x142, 0x142, _before(16)),
    "row_bcast31": (0x143, 0x143, _before(32)),
    "row_share": (0x150, 0x15F, _always(lambda w, n, c: _row_of(w, n) | w.const(c % _ROW, 32))),
    "row_xmask": (0x160, 0x16F, _always(lambda w, n, c: n ^ w.const(c % _ROW, 32))),
}


def control_of(fields: Mapping[str, int]) -> str:
    """The name of a control. Raises `UnsupportedInstructionError` of a code that is none.

    >>> control_of({"dpp": 0x118})
    'row_shr'
    """
    code = fields.get("dpp", 0)
    name = next((name for name, (first, last, _) in CONTROLS.items() if first <= code <= last), None)
    if name is None:
        raise UnsupportedInstructionError(f"the data-parallel control {code:#x}")
    return name


def lane_read(w: Values, n: Word, fields: Mapping[str, int], eight: bool) -> Reading:
    """The lane that lane n reads, by the fields of DPP16, or of DPP8 (`eight`)."""
    if not eight:
        return CONTROLS[control_of(fields)][2](w, n, fields.get("dpp", 0))
    picks = w.const(sum(fields.get(f"lane_sel_{k}", 0) << 3 * k for k in range(8)), 32)
    place = low_bits(w, n, 3)
    pick = low_bits(w, w.lshr(picks, w.shl(place, w.const(1, 32)) + place), 3)
    return n & w.const(-8, 32) | pick, ~never(w, n)


def lane_written(w: Values, n: Word, fields: Mapping[str, int]) -> Truth:
    """Whether the masks of rows and banks let DPP16 write lane n."""
    row, bank = w.lshr(n, w.const(4, 32)), low_bits(w, w.lshr(n, w.const(2, 32)), 2)
    return _is_in(w, low_bits(w, row, 2), fields.get("row_mask", 0)) & _is_in(w, bank, fields.get("bank_mask", 0))


def _is_in(w: Values, place: Word, mask: int) -> Truth:
    """Whether a mask of four bits has the bit of this place."""
    found = never(w, place)
    for k in range(4):
        if mask >> k & 1:
            found = found | w.eq(place, w.const(k, 32))
    return ~never(w, place) if mask == 0xF else found
