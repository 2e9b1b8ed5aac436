"""Which halves of registers a 16-bit operation works on (RDNA 3 ISA): short encodings add 128, VOP3 has bits."""

from __future__ import annotations

from typing import Any

from layoutalg.isa.decode.operand import Operand


def halves_of(raw: Any, form: str) -> frozenset[str]:
    """The roles that are of 16 bits, by the decoder's operand table; packed operations pick halves of their own."""
    if not form.startswith("VOP") or form == "VOP3P":
        return frozenset()
    sizes = {key.removeprefix("v"): size for key, (_, size, _) in raw.operands.items()}
    return frozenset(role for key, role in _VECTOR_ROLES.items() if sizes.get(key) == 16)


#: Register fields of vector operations, without a first `v`, → role.
_VECTOR_ROLES = {"src0": "a", "src1": "b", "src2": "c", "dst": "d"}


def pick_halves(roles: frozenset[str], form: str, operands: dict[str, Operand], fields: dict[str, int]) -> None:
    """Which halves a 16-bit operation works on: short encodings add 128 to the register, VOP3 has bits (RDNA 3 ISA)."""
    if not roles:
        return
    picked = fields.pop("opsel", 0)
    for role, bit in (("a", 1), ("b", 2), ("c", 4), ("d", 8)):
        operand = operands.get(role)
        if operand is not None and operand.kind == "v" and role in roles:
            high = operand.index >= 128 if form != "VOP3" else bool(picked & bit)
            index = operand.index % 128 if form != "VOP3" else operand.index
            operands[role] = Operand("v", index, high)
            picked &= ~bit
    if picked:  # of what is no half of a vector register
        fields["opsel"] = picked
