"""The table of arithmetic instructions against AMD's own pseudocode, read and run by a small interpreter of its text.

The interpreter knows what those texts use: typed names (`S0.u32`), bit ranges, casts (`64'U(x)`), C's operators,
concatenation in braces, and assignment.  Integers are unbounded until a type or an assignment cuts them.
"""

import importlib
import random
import re

import numpy as np
import pytest

from layoutalg.index import eq, postorder, select, simplify, var
from layoutalg.index.conditions import restricted
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from layoutalg.refine.symbolic.arithmetic import IndexValues

OPERATORS = r"<<|>>|==|!=|<>|<=|>=|&&|\|\||[-+*&|^~!<>?:(){}\[\].,=]"
TOKEN = re.compile(rf"\s*(\d+'[UIB](?=\()|\d+'\d+U|0x[0-9a-fA-F]+|\d+|\w+|{OPERATORS})")
LITERAL = re.compile(r"(0x[0-9a-fA-F]+|\d+)(ULL|LL|U|L)?\b")
TYPE = re.compile(r"[uibf]\d+$")  # f: only copied
BINARY = [
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<>": lambda a, b: int(a != b)},
    {"<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b)}
    | {"<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b)},
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b},
]  # fmt: skip


def cut(value, kind, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind in "iI" and value >> (bits - 1) else value


class Pseudocode:
    """Runs one text on a state of named integers."""

    def __init__(self, state):
        self.state = dict(state, laneId=0)

    def run(self, text):
        text = re.sub(r"//[^\n]*|INST\.", "", text)
        text = re.sub(r"if (\w+) then\s*(.*?)\s*endif", r"IF \1 : \2", text, flags=re.DOTALL)
        for statement in filter(None, (part.strip() for part in text.split(";"))):
            condition = re.match(r"IF (\w+) : (.*)", statement, re.DOTALL)
            if condition is None:
                self.assign(statement)
            elif self.state[condition[1]]:
                self.assign(condition[2])
        return self.state

    def assign(self, statement):
        *targets, source = re.split(r"(?<![=!<>])=(?!=)", statement)
        value = self.evaluate(source)
        for target in targets:
            names = target.strip(" {}").split(",")
            for name in reversed(names):  # braces: the last is the lowest
                self.store(name.strip(), value)
                value >>= int(re.search(r"\.[uib](\d+)$", name.strip())[1]) if len(names) > 1 else 0

    def store(self, target, value):
        bit = re.match(r"(\w+)\.\w+\[(S0\.u32\[\d : 0\])\]$", target)
        if bit is not None:  # one bit, whose number is computed
            self.state["bit"], target = self.evaluate(bit[2]), f"{bit[1]}[bit]"
        name, kind, bits, low = re.match(
            r"(\w+)(?:\.([uib])(\d+))?(?:\[(?:\d+ : )?(\w+)\])?(?:\.f\d+)?$", target
        ).groups()
        if low is not None:
            at = self.state[low] if low in self.state else int(low)
            width = int(target.split("[")[1].split(" :")[0]) - at + 1 if " : " in target else 1
            old = self.state.get(name, 0)
            mask = ((1 << width) - 1) << at
            self.state[name] = old & ~mask | value << at & mask
        else:
            self.state[name] = cut(value, kind, int(bits)) if kind else value

    def evaluate(self, text):
        text = LITERAL.sub(lambda m: m[1] if "'" not in text[max(0, m.start() - 1) : m.start()] else m[0], text)
        self.tokens, position = [], 0
        while position < len(text.rstrip()):
            match = TOKEN.match(text, position)
            assert match, text[position:]
            self.tokens.append(match[1])
            position = match.end()
        value, _ = self.ternary()
        assert not self.tokens, self.tokens
        return value

    def take(self, expected=None):
        token = self.tokens.pop(0)
        assert expected in (None, token), (expected, token)
        return token

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def ternary(self):
        value = self.binary(0)
        if self.peek() != "?":
            return value
        self.take()
        then = self.ternary()
        self.take(":")
        otherwise = self.ternary()
        return then if value[0] else otherwise

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in BINARY[level]:
            operator = self.take()
            left = BINARY[level][operator](left[0], self.binary(level + 1)[0]), None
        return left

    def unary(self):
        if self.peek() in ("~", "-", "!"):
            operator, value = self.take(), self.unary()[0]
            return {"~": ~value, "-": -value, "!": int(not value)}[operator], None
        return self.suffixes(self.primary())

    def primary(self):
        token = self.take()
        if token == "(":
            value = self.ternary()
            self.take(")")
            return value
        if token == "{":
            value, width = 0, 0
            while True:
                part, bits = self.ternary()
                value, width = value << bits | part & ((1 << bits) - 1), width + bits
                if self.take() == "}":
                    return value, width
        if "'" in token:
            bits, kind = token.split("'")
            if kind[:-1].isdigit():
                return int(kind[:-1]), int(bits)
            self.take("(")
            value, _ = self.ternary()
            self.take(")")
            return cut(value, kind, int(bits)), int(bits)
        if token == "signext_from_bit":
            self.take("(")
            value, _ = self.ternary()
            self.take(",")
            width, _ = self.ternary()
            self.take(")")
            return (cut(value, "i", width) if width else 0), None
        if token == "signext":
            self.take("(")
            value = self.ternary()
            self.take(")")
            return value
        return (int(token, 0), None) if token[0].isdigit() else (self.state[token], None)

    def suffixes(self, value):
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                assert TYPE.match(kind)
                if self.peek() != "[":  # a bit range is taken of the whole: V_PK_MOV_B32 has S0.u32[63 : 32]
                    value = cut(value[0], kind[0], int(kind[1:])), int(kind[1:])
                continue
            high = self.ternary()[0]
            low = high
            if self.peek() == ":":
                self.take()
                low = self.ternary()[0]
            self.take("]")
            value = value[0] >> low & ((1 << high - low + 1) - 1), high - low + 1
        return value


def texts():
    """(architecture, instruction, text) for each entry that AMD's tables describe, each different text once."""
    found = {}
    for architecture in ("cdna", "rdna3", "rdna4"):
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            name = op.name.removesuffix("_E32").removesuffix("_E64")
            if name in ALU and not ALU[name].floats and "lambda" not in text:
                found.setdefault((name, text), architecture)
    return found


#: Names without a text in the decoder's tables, reviewed by hand against the manuals: what each is the same as.
#: (CDNA 3 ISA: V_ACCVGPR_*; the 32-bit save-exec forms carry RDNA's older names; RDNA 4's S_ADD_NC_U64.)
REVIEWED = {
    "S_ADD_U64", "S_SUB_U64", "S_ANDN2_SAVEEXEC_B32", "S_ORN2_SAVEEXEC_B32",
    "V_ACCVGPR_READ", "V_ACCVGPR_WRITE", "V_ACCVGPR_MOV_B32", "V_PERM_B32",
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
            key, bits = ("EXEC" if token.startswith("exec") else "D0"), int(re.sub(r"\D", "", token))
            result[token] = after["D" if "D" in after else key] & ((1 << bits) - 1)
    return result


@pytest.mark.parametrize("name", sorted({name for name, _ in texts()}))
def test_entry_does_what_amds_pseudocode_says(name):
    rng, alu, w = random.Random(name), ALU[name], ArrayValues()
    for text in (text for found, text in texts() if found == name):
        for _ in range(60):
            values = {"a": word(rng, 64), "b": word(rng, 64), "c": word(rng, 64), "d": word(rng, 64)}
            bit, carry, immediate = rng.getrandbits(1), rng.getrandbits(1), rng.getrandbits(16)
            mask = word(rng, 64)
            wide = {token[0]: int(token[1:]) for token in alu.reads if token[0] in "abcd" and token[1:].isdigit()}
            cut_values = {role: value & ((1 << wide.get(role, 64)) - 1) for role, value in values.items()}
            state = {
                "S0": cut_values["a"], "S1": cut_values["b"], "S2": cut_values["c"], "D0": cut_values["d"],
                "SCC": bit, "VCC": carry, "EXEC": mask, "SIMM16": immediate, "OPSEL": rng.getrandbits(2),
                "NEG": rng.getrandbits(3), "ABS": rng.getrandbits(3), "OMOD": rng.getrandbits(2),
            }  # fmt: skip
            if "k" in alu.reads:  # the texts call the immediate S0, S1 or SIMM16, and the register D0 or S0
                state["S1"] = immediate
                state["S0"] = cut_values["d"] if name.startswith("S_CMPK") else immediate
            tokens = {
                "scc": np.array([[bool(bit)]]),
                "n": np.array([[bool(carry)]]),
                "k": w.const(cut(immediate, "i", 16), 32),
                "exec32": w.const(mask, 32),
                "exec64": w.const(mask, 64),
            }
            tokens |= {f"{role}16": w.const(cut_values[role], 32) for role in "abcd"}
            tokens |= {f"{role}{bits}": w.const(cut_values[role], bits) for role in "abcd" for bits in (32, 64)}
            sources = [tokens[token] for token in alu.reads]
            fields = {key: state[key.upper()] for key in alu.fields if key.upper() in state}
            with np.errstate(over="ignore"):
                results = alu.effect(w, *sources, **fields)
            results = results if len(alu.writes) > 1 else (results,)
            got = {token: int(result.item()) for token, result in zip(alu.writes, results, strict=True)}
            want = expected(name, text, alu, state)
            if name.startswith("S_CMOV") and not bit:
                want = dict.fromkeys(got, cut_values["d"])
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
