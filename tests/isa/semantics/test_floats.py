"""Floating-point entries against AMD's own pseudocode, on numbers that round, tie, overflow and are none.

A NaN is equal to any other; where a manual states an error (`semantics.transcendental`), that much is allowed.
"""

import math
import random
import re
from types import SimpleNamespace

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.packed import BRAIN
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.transcendental import TRANSCENDENTAL
from layoutalg.isa.semantics.values import width
from tests.fuzzing import FIRST, count
from tests.isa.semantics.float_text import OWN_TESTS, TYPES, bits_of, carried_out, number_of, python, texts
from tests.matrix import all_hold

FLOATS = (0.0, -0.0, 1.0, -1.0, 1.5, 0.5, -2.5, 3.4028235e38, -3.4028235e38, 1e-45, 1.1754944e-38, 65504.0, 65520.0,
          5.9e-8, 4294967040.0, 4294967296.0, 2147483648.0, -2147483649.0, 0.99999994, 8388609.0, 5e-324, 2.3e-308,
          1.7976931348623157e308, math.inf, -math.inf, math.nan)  # fmt: skip


MULTIPLY_THEN_ADD = {"V_MAD_F32", "V_MADAK_F32", "V_MADMK_F32", "V_MAC_F32"}
"""Only gfx90a's, so in no table of the decoder (Vega ISA; LLVM, FMAD_FTZ)."""


OF_CDNA_5 = {"V_TANH_F16", "V_TANH_F32", *BRAIN}
"""The decoder's tables know no CDNA 5: `test_packed_brain` asks these, and nothing is said of how exact tanh is."""


def test_every_floating_point_entry_has_a_text():
    assert {name for name, alu in ALU.items() if alu.floats} - set(texts()) == MULTIPLY_THEN_ADD | OF_CDNA_5


def word(rng, bits):
    if rng.random() < 0.4:
        return bits_of(rng.choice(FLOATS), bits)
    raw = rng.getrandbits(bits) if rng.random() < 0.5 else rng.getrandbits(8) << (bits - 8) | rng.getrandbits(3)
    return raw | 1 << np.finfo(TYPES[bits][0]).nmant - 1 if math.isnan(number_of(raw, bits)) else raw  # none signals


def widths(alu):
    """Source → bits, by the texts' names."""
    names = {"a": "S0", "b": "S1", "c": "S2", "d": "D0"}
    return {names[token[0]]: int(token[1:]) for token in alu.reads if token[0] in names}


def kind_of(name):
    """The bits of the type that a name ends with, or of what it makes."""
    found = re.findall(r"F(16|32|64)", name)
    return int(found[0 if "_CVT_" in name else -1]) if found else 32


@pytest.mark.fuzz
def test_entries_do_what_amds_pseudocode_says():
    all_hold(sorted(name for name in texts() if not OWN_TESTS.match(name)), does_what_it_says)


def does_what_it_says(name):
    rng, alu, w = random.Random(f"{name} {FIRST}"), ALU[name], ArrayValues()
    for text in texts()[name]:
        code = compile(python(text), name, "exec")
        for _ in range(count(20)):
            state = {"S0": 0, "S1": 0, "S2": 0, "D0": 0}
            for source, bits in widths(alu).items():
                wide = bits == 64 and "F64" not in name
                state[source] = word(rng, 32) | word(rng, 32) << 32 if wide else word(rng, bits)
            if name.startswith("V_LDEXP"):
                state["S1"] = rng.randrange(-1200, 1200) & (1 << widths(alu)["S1"]) - 1
            state["SIMM32"] = state["S2"]
            if out_of_the_text(name, state):
                continue
            truth = alu.writes[0] in ("m", "scc")
            expected = carried_out(code, text, state, kind_of(name), truth)
            assert alike(entry(w, alu, state), expected, name), (text, {k: hex(v) for k, v in state.items()})


def out_of_the_text(name, state):
    """Whether the text leaves a case open: quotients, the exponent of what has none, denormals that are flushed."""
    a = number_of(state["S0"], kind_of(name))
    tiny = 0 < abs(a) < np.finfo(TYPES[kind_of(name)][0]).tiny
    lost = name.startswith("V_DIV_FIXUP") and not math.isfinite(a)  # the quotient: `test_division`
    return (
        lost
        or (name.startswith("V_FREXP") and (a == 0 or tiny))
        or (name in TRANSCENDENTAL and name.endswith("32") and tiny)
    )


def entry(w, alu, state):
    words = []
    for token in alu.reads:
        raw = state[{"a": "S0", "b": "S1", "c": "S2", "d": "D0"}[token[0]]]
        words.append(w.const(raw, 64 if token.endswith("64") else 32))
    fields = {"opsel_hi": 3, "opsel_hi2": 1} if "opsel_hi" in alu.fields else {}
    with np.errstate(all="ignore"):
        return int(alu.effect(w, *words, **fields).item())


def alike(got, expected, name):
    """Whether two words are the same numbers, up to what NaNs hold and the error that is stated."""
    if (
        name.startswith(("V_CMP", "S_CMP"))
        or not re.search(r"_F\d+(_|$)|BF16|RTZ", name)
        or re.search(r"_[IU]\d+_", name)
    ):
        return got == expected
    if "BF16" in name:
        parts = [(got >> k & 0xFFFF, expected >> k & 0xFFFF) for k in (0, 16)]
        return all(a == b or (a & 0x7FFF > 0x7F80 and b & 0x7FFF > 0x7F80) for a, b in parts)
    bits = kind_of(name)
    parts = [(number_of(got >> k, bits), number_of(expected >> k, bits)) for k in range(0, 64, bits)]
    return all(near(a, b, name, bits) for a, b in parts)


def near(a, b, name, bits):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if "FRACT" in name:
        b = min(b, float(np.nextafter(TYPES[bits][0](1), TYPES[bits][0](0))))  # the manual's note
    if "RNDNE" in name and b == 0:
        return a == 0  # the text loses the sign
    if name in TRANSCENDENTAL and math.isfinite(b):
        unit = float(np.spacing(TYPES[bits][0](abs(b))))
        flushed = bits == 32 and abs(b) < np.finfo(np.float32).tiny
        return a == 0 if flushed else abs(a - b) <= unit
    return bits_of(a, bits) == bits_of(b, bits)


@pytest.mark.parametrize(
    ("name", "sources", "expected"),
    [
        ("V_FREXP_EXP_I32_F32", (1e-45,), -148), ("V_FREXP_EXP_I32_F32", (0.0,), 0),
        ("V_FREXP_EXP_I32_F64", (5e-324,), -1073), ("V_FREXP_MANT_F64", (5e-324,), 0.5),
        ("V_RCP_F32", (1e-39,), math.inf), ("V_RCP_F32", (3e38,), 0.0), ("V_SQRT_F32", (1e-39,), 0.0),
        ("V_EXP_F32", (-130.0,), 0.0), ("V_LOG_F32", (1e-39,), -math.inf), ("V_RSQ_F32", (-1e-39,), -math.inf),
        ("V_SIN_F32", (0.25,), 1.0), ("V_SIN_F32", (-3.4028235e38,), 0.0), ("V_SIN_F32", (-0.0,), -0.0),
        ("V_COS_F32", (0.25,), 0.0), ("V_COS_F32", (-3.4028235e38,), 1.0), ("V_SIN_F32", (math.inf,), math.nan),
        ("V_SIN_F32", (0.5,), 0.0), ("V_COS_F32", (0.5,), -1.0), ("V_FRACT_F32", (-1e-30,), 0.99999994),
        ("V_RNDNE_F32", (-0.3,), -0.0), ("V_RNDNE_F64", (0.49999999999999994,), 0.0),
        ("V_RNDNE_F64", (4503599627370497.0,), 4503599627370497.0),
    ],
)  # fmt: skip
def test_what_the_texts_leave_open_is_as_the_manuals_note_it(name, sources, expected):
    """ISA manuals, notes and functional examples; exponents of zeros and denormals: LLVM's folding of frexp."""
    w, bits = ArrayValues(), kind_of(name)
    got = int(ALU[name].effect(w, *(w.const(bits_of(source, bits), bits) for source in sources)).item())
    if isinstance(expected, int):
        assert got == expected & 0xFFFFFFFF
    else:
        assert math.isnan(number_of(got, bits)) if math.isnan(expected) else got == bits_of(expected, bits)


@pytest.mark.parametrize("name", ["V_SIN_F32", "V_COS_F32"])
def test_waves_are_of_turns(name):
    """To within f32's last place, or of 2**-24, of the sine or cosine of turns that are cut to a fraction first."""
    rng, w = np.random.default_rng(3), ArrayValues()
    turns = np.concatenate([rng.uniform(-2, 2, 500), rng.uniform(-256, 256, 500)]).astype(np.float32)
    got = ALU[name].effect(w, turns.view(np.uint32)).view(np.float32)
    angle = 2 * np.pi * (turns.astype(np.float64) - np.rint(turns.astype(np.float64)))
    assert np.allclose(got, np.sin(angle) if "SIN" in name else np.cos(angle), rtol=2**-23, atol=2**-50)


def test_four_bits_are_sixteenths_with_a_sign():
    """0.4375 of 7 and -0.5 of 8; the bits above say nothing."""
    codes = np.arange(32, dtype=np.uint32)
    found = ALU["V_CVT_OFF_F32_I4"].effect(ArrayValues(), codes).view(np.float32).ravel()
    assert found.tolist() == [*(k / 16 for k in range(8)), *(k / 16 for k in range(-8, 0))] * 2


def test_a_function_s_name_has_the_width_of_what_the_instruction_writes() -> None:
    """The symbolic reading knows no more of it."""
    named = {name: alu for name, alu in ALU.items() if alu.effect.__qualname__.startswith("function.")}
    widths = SimpleNamespace(function=lambda name, *words: width(name))
    assert len(named) > 150
    assert {name for name, alu in named.items() if alu.effect(widths, *alu.reads) == 64} == {
        name for name, alu in named.items() if alu.writes[0].endswith("64")
    }
