"""Floating-point entries against AMD's own pseudocode, on numbers that round, tie, overflow and are none.

The texts are turned into Python, statement by statement: a typed name (`S0.f32`) becomes a number, and an
assignment rounds.
Arithmetic is in f64 (for +, -, * and / of f32 this rounds as once), a sum of products in fractions.
Signalling NaNs are left out; a NaN is equal to any other.
"""

import importlib
import math
import random
import re
from fractions import Fraction

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU

FLOATS = (0.0, -0.0, 1.0, -1.0, 1.5, 3.4028235e38, -3.4028235e38, 1e-45, 1.1754944e-38, 65504.0, 65520.0, 5.9e-8,
          4294967040.0, 4294967296.0, 2147483648.0, 0.99999994, 8388609.0, math.inf, -math.inf, math.nan)  # fmt: skip


def nearest(exact, dtype):
    """A fraction rounded once."""
    near = dtype(float(exact))
    if not np.isfinite(near):
        return near
    around = [near, np.nextafter(near, dtype(-np.inf)), np.nextafter(near, dtype(np.inf))]
    found = [n for n in around if np.isfinite(n)]
    width = {np.float32: np.uint32, np.float16: np.uint16}[dtype]
    return min(found, key=lambda n: (abs(Fraction(float(n)) - exact), int(n.view(width)) & 1))


def fma(a, b, c):
    if not all(map(math.isfinite, (a, b, c))):
        return float(np.float32(np.float64(a) * np.float64(b) + np.float64(c)))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return float(nearest(exact, np.float32)) if exact else float(np.float64(a) * b + c)


def divided(a, b):
    return float(np.float64(a) / np.float64(b))


def to_bf16(a):
    """The upper half of the f32, ties to even."""
    bits = int(np.float32(a).view(np.uint32))
    if math.isnan(a):
        return 0x7FC0
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def f16_bits(a):
    return int(np.float32(a).astype(np.float16).view(np.uint16))


KNOWN = {
    "fma": fma, "isNAN": math.isnan, "isSignalNAN": lambda a: False, "isQuietNAN": math.isnan,
    "cvtToQuietNAN": lambda a: a, "abs": abs, "sign": lambda a: math.copysign(1, a) < 0, "divided": divided,
    "i32_to_f32": float, "u32_to_f32": float, "f16_to_f32": float, "f32_to_f16": f16_bits, "f32_to_bf16": to_bf16,
    "f32_to_u32": lambda a: 0 if math.isnan(a) else int(min(max(a, 0), 2.0**32 - 1)), "same": lambda a: a,
}  # fmt: skip


def one_line(found):
    return f"{found[1]} = lambda a, b: {' '.join(found[2].split())}\n"


def python(text):
    """The text's statements as lines of Python, which assign to `out` (the result) and `mask` (a comparison's)."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"(\w+) = lambda\(a, b\) \((.*?)\);\n", one_line, text, flags=re.DOTALL)
    text = re.sub(r"(?<=[^;])\n(?=[!&|])", " ", text)
    text = text.replace("&&\n", "&& ")
    lines, depth = [], 0
    for line in filter(None, (part.strip() for part in re.split(r"[;\n]", text))):
        if re.match(r"declare|prev_mode|ROUND_MODE|TRAPSTS|D0 = tmp|D0\.b64", line):
            line = "pass"
        if re.match(r"elsif|else|endif", line):
            depth -= 1
        if line != "endif":
            lines.append("    " * depth + statement(line))
        if re.match(r"if|elsif|else", line):
            depth += 1
    return "\n".join(lines)


def statement(line):
    line = re.sub(r"^D0\.u64\[laneId\] =", "mask =", line)
    line = re.sub(r"^(?:D0|tmp)(?:\.[fu](?:16|32))? =", "out[0] =", line)
    line = re.sub(r"^tmp\[(\d+) : (\d+)\]\.\w+ =", r"out[\2] =", line)
    line = re.sub(r"(S\d|D0)\[(\d+) : (\d+)\]\.f32", r"named('\1', \3, 'f32')", line)
    line = re.sub(r"(S\d|D0)\.([fiu]\d+)", r"named('\1', 0, '\2')", line)
    line = re.sub(r"\d+'F\(", "same(", line)
    line = re.sub(r"(\d\.\d)F", r"\1", line).replace("<>", "LG").replace("WAVE_MODE.IEEE", "ieee").replace("1'0U", "0")
    line = re.sub(r"(1\.0) / (.*)", r"divided(\1, \2)", line)
    line = re.sub(r"^(.*) = (.*) \? (.*) : (.*)$", r"\1 = (\3) if (\2) else (\4)", line)
    line = re.sub(r"^elsif (.*) then$", r"elif \1:", line)
    line = re.sub(r"^if (.*) then$", r"if \1:", line)
    line = re.sub(r"^else$", "else:", line)
    line = re.sub(r"(named\([^)]*\)) LG (named\([^)]*\))", r"(\1 < \2 or \1 > \2)", line)
    return re.sub(r"!(?!=)", " not ", line.replace("&&", " and ").replace("||", " or "))


def texts():
    found = {}
    for architecture in ("cdna", "rdna3", "rdna4"):
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            name = op.name.removesuffix("_E32").removesuffix("_E64")
            if name in ALU and ALU[name].floats:
                found.setdefault(name, {})[text] = architecture
    return found


def test_every_floating_point_entry_has_a_text():
    assert {name for name, alu in ALU.items() if alu.floats} == set(texts())


def word(rng, bits):
    if rng.random() < 0.4:
        number = rng.choice(FLOATS)
        with np.errstate(all="ignore"):
            small, wide = np.float16(number).view(np.uint16), np.float32(number).view(np.uint32)
        return int(small) if bits == 16 else int(wide)
    raw = rng.getrandbits(bits) if rng.random() < 0.5 else rng.getrandbits(8) << (bits - 8) | rng.getrandbits(3)
    quiet = 0x0200 if bits == 16 else 0x00400000
    kind = np.float16 if bits == 16 else np.float32
    value = np.array(raw, {16: np.uint16, 32: np.uint32}[bits]).view(kind)
    return raw | quiet if np.isnan(value) else raw


@pytest.mark.parametrize("name", sorted(texts()))
def test_entry_does_what_amds_pseudocode_says(name):
    rng, alu, w = random.Random(name), ALU[name], ArrayValues()
    for text in texts()[name]:
        code = compile(python(text), name, "exec")
        for _ in range(150):
            state = {}
            for role, source in zip("abcd", ("S0", "S1", "S2", "D0"), strict=True):
                bits = 16 if f"{role}16" in alu.reads else 32
                state[source] = word(rng, bits) | (word(rng, 32) << 32 if f"{role}64" in alu.reads else 0)
            expected = carried_out(code, state)
            got = entry(w, alu, state)
            assert alike(got, expected, alu.writes[0], name), (text, {k: hex(v) for k, v in state.items()})


def carried_out(code, state):
    def named(source, start, kind):
        raw = state[source] >> start
        bits = int(kind[1:])
        unsigned = np.array(raw & (1 << bits) - 1, {16: np.uint16, 32: np.uint32}[bits])
        if kind[0] == "f":
            return float(unsigned.view(np.float16 if bits == 16 else np.float32))
        return int(unsigned.view(np.int32) if kind[0] == "i" else unsigned)

    scope = {**KNOWN, "named": named, "out": {}, "mask": None, "ieee": True}
    with np.errstate(all="ignore"):
        exec(code, scope)
        if scope["mask"] is not None:
            return int(scope["mask"])
        total = 0
        for place, number in scope["out"].items():
            total |= (int(np.float32(number).view(np.uint32)) if isinstance(number, float) else number) << place
    return total


def entry(w, alu, state):
    words = []
    for token in alu.reads:
        raw = state[{"a": "S0", "b": "S1", "c": "S2", "d": "D0"}[token[0]]]
        words.append(w.const(raw, 64 if token.endswith("64") else 32))
    fields = {"opsel_hi": 3, "opsel_hi2": 1} if "opsel_hi" in alu.fields else {}
    with np.errstate(all="ignore"):
        return int(alu.effect(w, *words, **fields).item())


def alike(got, expected, token, name):
    if token == "m" or name.endswith(("U32_F32",)):
        return got == expected
    halves = 16 if token == "d16" or "PK_F16" in name else 0
    if "PK_BF16" in name:
        parts = [(got >> k & 0xFFFF, expected >> k & 0xFFFF) for k in (0, 16)]
        return all(a == b or (a & 0x7FFF > 0x7F80 and b & 0x7FFF > 0x7F80) for a, b in parts)
    step, infinite = (16, 0x7C00) if halves else (32, 0x7F800000)
    mask, magnitude = (1 << step) - 1, (1 << step - 1) - 1
    parts = [(got >> k & mask, expected >> k & mask) for k in range(0, 64, step)]
    return all(a == b or (a & magnitude > infinite and b & magnitude > infinite) for a, b in parts)


def test_a_packed_operation_picks_and_negates_halves():
    w, alu = ArrayValues(), ALU["V_PK_FMA_F32"]

    def pair(low, high):
        return w.const(int(np.float32(low).view(np.uint32)) | int(np.float32(high).view(np.uint32)) << 32, 64)

    got = alu.effect(
        w, pair(2, 3), pair(5, 7), pair(11, 13), opsel=0b010, opsel_hi=0b00, opsel_hi2=1, neg=0b001, neg_hi=0b100
    )
    # low: -2 (low of a, negated) · 7 (high of b) + 11; high: 2 (low) · 5 (low) - 13 (high of c, negated)
    assert np.array([int(got.item())], np.uint64).view(np.float32).tolist() == [-3.0, -3.0]
