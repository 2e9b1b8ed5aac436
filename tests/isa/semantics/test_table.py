"""The table of arithmetic instructions against AMD's own pseudocode, read and run by `pseudocode`."""

import random
import re

import numpy as np
import pytest

from layoutalg.index import eq, postorder, select, simplify, var
from layoutalg.index.conditions import restricted
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from layoutalg.symex.machine.arithmetic import IndexValues
from tests.fuzzing import FIRST, count
from tests.isa.semantics import pseudocode
from tests.isa.semantics.pseudocode import Pseudocode, cut
from tests.matrix import all_hold


def texts():
    """(instruction, text) of each entry of integers that AMD's tables describe, each different text once."""
    return [(name, text) for name, found in pseudocode.texts().items() for text in found
            if name in ALU and not ALU[name].floats and (name, "lambda" in text) != ("V_PERM_B32", True)]  # fmt: skip


#: Names without a text in the decoder's tables, reviewed by hand against the manuals: what each is the same as.
#: (CDNA 3 ISA: V_ACCVGPR_*; the 32-bit save-exec forms carry RDNA's older names; RDNA 4's S_ADD_NC_U64.)
REVIEWED = {
    "S_ADD_U64", "S_SUB_U64", "S_ANDN2_SAVEEXEC_B32", "S_ORN2_SAVEEXEC_B32",
    "V_ACCVGPR_READ", "V_ACCVGPR_WRITE", "V_ACCVGPR_MOV_B32", "V_PERM_B32",
    # CDNA 5's, whose text is not here: test_audit_gfx1250 and the corpus hold them against their source
    "V_MAD_U32", "V_ADD_NC_U64", "V_SUB_NC_U64", "V_MUL_U64", "V_MIN_U64", "V_MAX_U64", "V_MIN_I64", "V_MAX_I64",
    "V_MAD_NC_U64_U32", "V_MAD_NC_I64_I32", "V_BITOP2_B32",
}  # fmt: skip

WORDS = [0, 1, 2, 31, 32, 33, 63, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x00FF8000]


def test_every_entry_has_a_text_or_was_reviewed():
    floats = {name for name, alu in ALU.items() if alu.floats}
    assert set(ALU) - floats - {name for name, _ in texts()} == REVIEWED


def word(rng, bits):
    parts = [rng.choice(WORDS) if rng.random() < 0.5 else rng.getrandbits(32) for _ in range(bits // 32)]
    return sum(part << 32 * k for k, part in enumerate(parts))


def expected(name, text, alu, state):
    """What the pseudocode writes, by the tokens of the entry."""
    after = Pseudocode(state).run(text)
    mask = next((key for key in ("EXEC",) if name.startswith("V_CMPX")), "VCC")
    result = {}
    for token in alu.writes:
        if token == "m":
            source = after["D1"] if "D1" in after else after["D0"] if name.startswith("V_CMP_") else after[mask]
            result[token] = source & 1
        elif token == "scc":
            result[token] = after["SCC"] & 1
        else:
            key = "EXEC" if token.startswith("exec") else "S0" if token[0] == "a" else "D0"
            bits = int(re.sub(r"\D", "", token))
            result[token] = after["D" if "D" in after else key] & ((1 << bits) - 1)
    return result


@pytest.mark.fuzz
def test_entries_do_what_amds_pseudocode_says():
    all_hold(texts(), lambda one: does_what_it_says(*one), str)


def does_what_it_says(name, text):
    rng, alu, w = random.Random(f"{name} {text} {FIRST}"), ALU[name], ArrayValues()
    for _ in range(count(15)):
        values = {"a": word(rng, 64), "b": word(rng, 64), "c": word(rng, 64), "d": word(rng, 64)}
        bit, carry, immediate = rng.getrandbits(1), rng.getrandbits(1), rng.getrandbits(16)
        mask, lane = word(rng, 64), rng.randrange(64) if "lane" in alu.reads else 0
        wide = {token[0]: int(token[1:]) for token in alu.reads if token[0] in "abcd" and token[1:].isdigit()}
        cut_values = {role: value & ((1 << wide.get(role, 64)) - 1) for role, value in values.items()}
        state = {
            "S0": cut_values["a"], "S1": cut_values["b"], "S2": cut_values["c"], "D0": cut_values["d"],
            "laneId": lane, "SCC": bit, "VCC": carry, "EXEC": mask, "SIMM16": immediate,
            "OPSEL": rng.getrandbits(2), "NEG": rng.getrandbits(2 if "DOT" in name else 3),
            "ABS": rng.getrandbits(3), "OMOD": rng.getrandbits(2),
        }  # fmt: skip
        if "k" in alu.reads:  # the texts call the immediate S0, S1 or SIMM16, and the register D0 or S0
            state["S1"] = immediate
            state["S0"] = cut_values["d"] if name.startswith("S_CMPK") else immediate
        tokens = {
            "scc": np.array([[bool(bit)]]),
            "n": np.array([[bool(carry)]]),
            "k": w.const(cut(immediate, "i", 16), 32),
            "lane": w.const(lane, 32),
            "exec32": w.const(mask, 32),
            "exec64": w.const(mask, 64),
        }
        tokens |= {f"{role}16": w.const(cut_values[role], 32) for role in "abcd"}
        tokens |= {f"{role}{bits}": w.const(cut_values[role], bits) for role in "abcd" for bits in (32, 64)}
        sources = [tokens[token] for token in alu.reads]
        fields = {key: state[key.upper()] for key in alu.fields if key.upper() in text}
        with np.errstate(over="ignore"):
            results = alu.effect(w, *sources, **fields)
        results = results if len(alu.writes) > 1 else (results,)
        got = {token: int(result.item()) for token, result in zip(alu.writes, results, strict=True)}
        want = expected(name, text, alu, state)
        assert got == want, (text, {key: hex(value) for key, value in state.items()})


def test_bytes_are_picked_as_the_pseudocode_of_v_perm_says():
    """Its text defines a function, which the reader above does not know: the same rule, written again."""
    rng, w = random.Random(1), ArrayValues()
    for _ in range(200):
        a, b = word(rng, 32), word(rng, 32)
        picks = [rng.choice([*range(14), 0xFF]) for _ in range(4)]
        data = (a << 32 | b).to_bytes(8, "little")
        signs = {8: 1, 9: 3, 10: 5, 11: 7}
        expected = bytes(
            data[p] if p < 8 else 255 * (data[signs[p]] >> 7) if p < 12 else 0 if p == 12 else 255 for p in picks
        )
        got = ALU["V_PERM_B32"].effect(w, *(w.const(v, 32) for v in (a, b, int.from_bytes(bytes(picks), "little"))))
        assert int(got.item()).to_bytes(4, "little") == expected


def test_bytes_that_are_picked_from_unknown_words_overlap_nowhere():
    """Lower halves of words that may be 0, side by side (clang 16 packs f16 so): a sum, and nothing to take off it."""
    w, held = IndexValues(lambda goal, given: False), eq(var("held", 2), 1)
    low, high = var("low", 1 << 16), var("high", 1 << 16)
    pair = w.word(select(held, high * 65536 + low, 0))
    got = ALU["V_PERM_B32"].effect(w, pair, pair, w.const(0x05040100, 32)).expr
    assert not any(node.op == "and" for node in postorder(got))
    assert simplify(restricted(got, held)) is simplify(low * 65537)


def f32(number):
    """The bits of the f32 nearest to a number."""
    return int(np.float32(number).view(np.uint32))


@pytest.mark.parametrize(
    ("name", "sources", "expected"),
    [
        ("V_ADD_F32", (f32(1.5), f32(2.25)), f32(3.75)),
        ("V_SUB_F32", (f32(1.5), f32(2.25)), f32(-0.75)),
        ("V_SUBREV_F32", (f32(1.5), f32(2.25)), f32(0.75)),
        ("V_MUL_F32", (f32(3), f32(1 / 3)), f32(np.float32(3) * np.float32(1 / 3))),
        ("V_MAX_F32", (f32(np.nan), f32(-2)), f32(-2)),
        ("V_MIN_F32", (f32(4), f32(-2)), f32(-2)),
        ("V_FMA_F32", (f32(1 + 2**-12), f32(1 - 2**-12), f32(-1)), f32(-(2.0**-24))),  # not 0: rounded once
        ("V_FMAC_F32", (f32(2), f32(3), f32(4)), f32(10)),
        ("V_RCP_IFLAG_F32", (f32(8),), f32(0.125)),
        ("V_CVT_F32_U32", (0xFFFFFFFF,), f32(2.0**32)),
        ("V_CVT_F32_I32", (0xFFFFFFFF,), f32(-1)),
        ("V_CVT_U32_F32", (f32(3.99),), 3),
        ("V_CVT_U32_F32", (f32(-1),), 0),
        ("V_CVT_U32_F32", (f32(1e20),), 0xFFFFFFFF),
        ("V_CVT_U32_F32", (f32(np.nan),), 0),
        ("V_CVT_F32_F16", (0x3C00,), f32(1)),
        ("V_CVT_F16_F32", (f32(65504),), 0x7BFF),
        ("V_CVT_PK_F16_F32", (f32(1), f32(-2)), 0xC0003C00),
        ("V_CVT_PK_BF16_F32", (0x3F808000, 0x3F818000), 0x3F823F80),  # halves round to even
        ("V_CMP_LT_F32", (f32(-1), f32(1)), 1),
        ("V_CMP_NLT_F32", (f32(np.nan), f32(1)), 1),
        ("V_CMP_U_F32", (f32(np.nan), f32(1)), 1),
        ("V_CMP_LG_F32", (f32(np.nan), f32(1)), 0),
        ("V_CMP_U_F16", (0x7E00, 0), 1),
    ],
)
def test_floating_point_is_ieees(name, sources, expected):
    w = ArrayValues()
    assert int(ALU[name].effect(w, *(w.const(source, 32) for source in sources)).item()) == expected
