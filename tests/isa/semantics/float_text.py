"""AMD's floating-point pseudocode as Python, statement by statement.

A typed name (`S0.f32`, `S1[31 : 16].f16`) becomes a number of what is held there, an assignment rounds and stores.
Arithmetic is in f64 (for +, -, *, / and square roots of narrower types this rounds as once), a sum of products in
fractions.  Signalling NaNs are left out.
"""

import importlib
import math
import re
from fractions import Fraction

import numpy as np

from layoutalg.isa.semantics.table import ALU

#: Texts that do not say what the machine does, or leave it open: each has a test of its own.
OWN_TESTS = re.compile(
    r"V_(DIV_SCALE|DIV_FMAS|SIN|COS|TRIG_PREOP|DOT2C?|DOT2ACC|FMA_MIX\w*|CVT_F32_BF16|CVT_(PK_)?F32_[FB]P?F?8"
    r"|CVT_PK_[FB]P?F?8_F32|CVT_SCALEF32|CVT_OFF)(_|$)"
)
TYPES = {16: (np.float16, np.uint16), 32: (np.float32, np.uint32), 64: (np.float64, np.uint64)}


def texts():
    """Name → the texts of all generations, each once."""
    found = {}
    for architecture in ("cdna", "rdna3", "rdna4"):
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            name = op.name.removesuffix("_E32").removesuffix("_E64")
            if name in ALU and ALU[name].floats:
                found.setdefault(name, {})[text] = architecture
    return found


def bits_of(number, bits):
    """The nearest number of a type, as its bits."""
    with np.errstate(all="ignore"):
        return int(TYPES[bits][0](number).view(TYPES[bits][1]))


def number_of(word, bits):
    return float(np.array(word & (1 << bits) - 1, TYPES[bits][1]).view(TYPES[bits][0]))


def nearest(exact, bits):
    """A fraction rounded once."""
    dtype, width = TYPES[bits]
    try:
        with np.errstate(all="ignore"):
            near = dtype(float(exact))
    except OverflowError:
        return math.copysign(math.inf, 1 if exact > 0 else -1)
    if not np.isfinite(near):
        near = np.copysign(np.finfo(dtype).max, near)
    with np.errstate(all="ignore"):
        around = [near, np.nextafter(near, dtype(-np.inf)), np.nextafter(near, dtype(np.inf))]
    step = Fraction(2) ** int(np.finfo(dtype).maxexp)  # where an infinity would be, were it a number
    values = [(Fraction(float(n)) if np.isfinite(n) else Fraction(math.copysign(1, n)) * step, n) for n in around]
    found = min(values, key=lambda pair: (abs(pair[0] - exact), int(pair[1].view(width)) & 1))[1]
    return float(found) if found else math.copysign(0.0, 1 if exact > 0 else -1)


def fma(bits):
    def fused(a, b, c):
        if not all(map(math.isfinite, (a, b, c))):
            with np.errstate(all="ignore"):
                narrow = c if math.isfinite(a) and math.isfinite(b) else np.float64(a) * np.float64(b) + np.float64(c)
            return float(narrow)
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        return nearest(exact, bits) if exact else float(np.float64(a) * b + c)

    return fused


def ldexp(bits):
    def scaled(a, places):
        if not math.isfinite(a) or a == 0:
            return a
        return nearest(Fraction(a) * Fraction(2) ** max(-3000, min(3000, int(places))), bits)

    return scaled


def whole(function):
    return lambda a: float(function(np.float64(a)))


def to_integer(low, high):
    return lambda a: 0 if math.isnan(a) else int(min(max(a, low), high))


def greatest(a, b):
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max((a, b), key=lambda n: (n, math.copysign(1, n)))


def greatest_or_none(a, b):
    return math.nan if math.isnan(a) or math.isnan(b) else greatest(a, b)


def least(a, b):
    return -greatest(-a, -b)


def least_or_none(a, b):
    return -greatest_or_none(-a, -b)


def to_bf16(a):
    """The upper half of the f32, ties to even."""
    bits = bits_of(a, 32)
    return 0x7FC0 if math.isnan(a) else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def to_f16(cut):
    def converted(a):
        word = bits_of(a, 16)
        return word - 1 if cut and abs(number_of(word, 16)) > abs(a) else word

    return converted


KNOWN = {
    "isNAN": math.isnan, "isSignalNAN": lambda a: False, "isQuietNAN": math.isnan, "cvtToQuietNAN": lambda a: a,
    "abs": abs, "sign": lambda a: math.copysign(1, a) < 0, "divided": lambda a, b: float(np.float64(a) / np.float64(b)),
    "i32_to_f32": float, "u32_to_f32": float, "i32_to_f64": float, "u32_to_f64": float, "f16_to_f32": float,
    "f32_to_f64": float, "f64_to_f32": float, "u16_to_f16": float, "i16_to_f16": float, "f32_to_bf16": to_bf16,
    "f32_to_u32": to_integer(0, 2**32 - 1), "f32_to_i32": to_integer(-(2**31), 2**31 - 1),
    "f64_to_u32": to_integer(0, 2**32 - 1), "f64_to_i32": to_integer(-(2**31), 2**31 - 1),
    "f16_to_u16": to_integer(0, 2**16 - 1), "f16_to_i16": to_integer(-(2**15), 2**15 - 1), "same": lambda a: a,
    "trunc": whole(np.trunc), "floor": whole(np.floor), "fract": lambda a: a - math.floor(a),
    "isEven": lambda a: a % 2 == 0, "sqrt": whole(np.sqrt), "log2": whole(np.log2), "INF": math.inf, "NAN": math.nan,
    "pow": lambda a, b: float(np.float64(a) ** np.float64(b)), "mantissa": lambda a: math.frexp(a)[0],
    **{f"v_{n}{m}_f{b}": f for b in (16, 32) for m in ("", "_num") for n, f in (("max", greatest), ("min", least))},
    **{f"v_{n}3{m}_f{b}": lambda x, y, z, f=f: f(f(x, y), z) for b in (16, 32) for m in ("", "_num")
       for n, f in (("max", greatest), ("min", least))},
    **{f"v_{n}imum3_f{b}": lambda x, y, z, f=f: f(f(x, y), z) for b in (16, 32)
       for n, f in (("max", greatest_or_none), ("min", least_or_none))},
    **{f"v_{n}imum_f{b}": f for b in (16, 32) for n, f in (("max", greatest_or_none), ("min", least_or_none))},
}  # fmt: skip


def one_line(found):
    return f"{found[1]} = lambda a, b: {' '.join(found[2].split())}\n"


def python(text):
    """The text's statements as lines of Python: `put` stores a number, `mask` is a comparison's result."""
    text = re.sub(r"//[^\n]*", "", text)
    # It tells zeros of one sign from those of the other.
    zero = r"\((64'F\([^()]*\)|S\d\.f64) == {}0\.0\)"
    text = re.sub(zero.format(r"\+"), r"((\1 == 0.0) && !sign(\1))", text)
    text = re.sub(zero.format("-"), r"((\1 == 0.0) && sign(\1))", text)
    text = re.sub(r"(\w+) = lambda\(a, b\) \((.*?)\);\n", one_line, text, flags=re.DOTALL)
    text = re.sub(r"(?<=[^;])\n(?=[!&|])", " ", text)
    text = text.replace("&&\n", "&& ")
    lines, depth = [], 0
    for line in filter(None, (part.strip() for part in re.split(r"[;\n]", text))):
        if re.match(r"declare|prev_mode|ROUND_MODE|TRAPSTS|D0\[31 : 16\] = 16'0x0", line):
            line = "pass"
        if re.match(r"elsif|else|endif", line):
            depth -= 1
        if line != "endif":
            lines.append("    " * depth + statement(line))
        if re.match(r"if|elsif|else", line):
            depth += 1
    return "\n".join(lines)


def statement(line):
    if re.match(r"D0(\.b\d+)? = tmp", line):
        return "state['D0'] = state['tmp']"
    line = re.sub(r"^(EXEC|D0)\.u64\[laneId\] =( D0\.u64\[laneId\] =)?|^SCC =", "mask =", line)
    found = re.match(r"(D0|tmp)(?:\[(\d+) : (\d+)\])?(?:\.([a-z]+)(\d+))? (\+|-)?= (.*)", line)
    if found:
        name, high, low, kind, bits, more, rest = found.groups()
        kind, bits = kind or "u", int(bits or (int(high) - int(low) + 1 if high else 32))
        value = expression(f"{name}.{kind}{bits} {more} {rest}" if more else rest)
        return f"put('{name}', {low or 0}, '{kind}', {bits}, {value})"
    found = re.match(r"(if|elsif) (.*) then$", line)
    if found:
        return f"{'if' if found[1] == 'if' else 'elif'} {expression(found[2])}:"
    return "else:" if line == "else" else re.sub(r"^(\w+) = (.*)", lambda m: f"{m[1]} = {expression(m[2])}", line)


def expression(text):
    text = re.sub(r"\d+'F\(0x\w+\)", "NAN", text)
    text = re.sub(r"\bexponent\((S\d)\.f(\d+)\)", r"exponent('\1', \2)", text)
    text = re.sub(r"S1\.u32\[(.*)\]$", lambda m: f"(state['S1'] >> ({choice(m[1])}) & 1)", text)
    text = re.sub(r"\b(S\d|D0|tmp|SIMM32)\[(\d+) : (\d+)\]\.([a-z]+)\d+", r"named('\1', \3, '\4', \2 - \3 + 1)", text)
    text = re.sub(r"\b(S\d|D0|tmp|SIMM32)\.([fiu])(\d+)\b", r"named('\1', 0, '\2', \3)", text)
    text = re.sub(
        r"((?:named\([^)]*\))) \* (?:\d+'F\()?2\.0F? \*\* (?:\d+'I\()?(named\([^)]*\))\)*", r"ldexp(\1, \2)", text
    )
    text = re.sub(r"\b(INF|NAN)\.f\d+", r"\1", text)
    text = re.sub(r"\bUNDERFLOW_F\d+", "0.0", re.sub(r"\bOVERFLOW_F\d+", "INF", text))
    text = re.sub(r"\d+'[FI]\(", "same(", text)
    text = re.sub(r"\b\d+'(\d)", r"\1", text)
    text = re.sub(r"(\d\.\d)F", r"\1", text).replace("WAVE_MODE.IEEE", "ieee").replace("1'0U", "0").replace("0U", "0")
    text = re.sub(r"^(1\.0) / (.*)", r"divided(\1, \2)", text)
    text = re.sub(r"(named\([^)]*\)) <> (named\([^)]*\))", r"(\1 < \2 or \1 > \2)", text)
    return choice(re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or ")))


def choice(text):
    return re.sub(r"^(.*) \? (.*) : (.*)$", r"(\2) if (\1) else (\3)", text)


def carried_out(code, text, state, bits, writes_mask):
    """What the text leaves: the result's bits, or the truth of a comparison."""
    held = dict(state, tmp=0)

    def named(source, start, kind, width):
        raw = held[source] >> start & (1 << width) - 1
        if kind == "f":
            return number_of(raw, width)
        return raw - (1 << width) if kind == "i" and raw >> width - 1 else raw

    def put(name, start, kind, width, value):
        kept = held[name] & ~((1 << width) - 1 << start) if name == "tmp" or start else 0
        word = bits_of(value, width) if kind == "f" and isinstance(value, float) else int(value)
        held[name] = kept | (word & (1 << width) - 1) << start

    def exponent(source, width):
        fraction = np.finfo(TYPES[width][0]).nmant
        return held[source] >> fraction & (1 << width - 1 - fraction) - 1

    scope = {
        **KNOWN, "named": named, "put": put, "exponent": exponent, "state": held, "mask": None, "ieee": True,
        "fma": fma(bits), "ldexp": ldexp(bits), "f32_to_f16": to_f16("ROUND_TOWARD_ZERO" in text),
    }  # fmt: skip
    with np.errstate(all="ignore"):
        exec(code, scope)
    return int(scope["mask"]) if writes_mask else held["D0"]
